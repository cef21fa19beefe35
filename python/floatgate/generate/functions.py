"""The reference page of the functions of `floatgate` and of what they return, made from their docstrings."""

import ast
import inspect
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from importlib import import_module
from io import StringIO
from operator import attrgetter
from types import ModuleType
from typing import Any, get_args, get_type_hints

import floatgate
from floatgate._generated.results import RunResult
from floatgate.commands import functions
from floatgate.generate import commands
from floatgate.options import Field
from floatgate.options.taking import said, typed

PAGE = """# Functions of Python

What a command does, a function of `floatgate` does, with the same options: `-` in the name of one is `_`,
`--set` takes a mapping, and a list with commas may be a sequence. NumPy's numbers and paths are as good as
Python's. Nothing is printed, and nothing is written without `out`. [How to use them](../how-to/python.md).

Bad input raises `fg.InputError`, whose message is the command line's; an unknown name or a wrong type raises
`TypeError` with the nearest name.
"""


def every() -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Yield every function of a command: the command's path, the name in `floatgate`, and itself."""
    for path, _ in commands.commands():
        yield from ((path, name, _function(name)) for name in functions(path))


def page() -> str:
    """Return the page in Markdown."""
    found = list(every())
    lines = [PAGE, "## The functions", "", "| function | command | returns |", "|---|---|---|"]
    for path, name, function in found:
        link = f"[`floatgate {path}`](options.md#floatgate-{path.replace(' ', '-')})"
        lines.append(f"| [`fg.{name}`](#fg{name.replace('.', '')}) | {link} | {_returned(function)} |")
    lines += ["| `fg.policy` | | `Policy`, by the name of its seam and its own |"]
    before: dict[tuple[str, ...], str] = {}
    for _, name, function in found:
        options = tuple(_options(function))
        lines += ["", *_described(name, function, before.setdefault(options, name))]
    lines += ["", "## What they return", ""]
    for title, owner in _classes([function for _, _, function in found]):
        lines += [f"### {title}", "", *_class(owner), ""]
    lines += [*_stepped(), ""]
    return "\n".join(lines).rstrip() + "\n"


def _stepped() -> Iterator[str]:
    """What a program steps: made, told and asked by methods, not by one call."""
    yield from ("## A drive that is stepped", "", "[How to use it](../how-to/embed.md).", "")
    for owner in (floatgate.Drive, floatgate.Completion):
        yield from (f"### fg.{owner.__name__}", "", inspect.cleandoc(owner.__doc__ or ""), "")
        yield from ("| member | meaning |", "|---|---|")
        for name in sorted(one for one in dir(owner) if not one.startswith("_")):
            told = inspect.getdoc(getattr(owner, name))
            if told and not told.startswith("Within: "):
                yield f"| `{name}` | {' '.join(told.split())} |"
        yield ""


def _function(name: str) -> Callable[..., Any]:
    found: Any = attrgetter(name)(floatgate)
    function: Callable[..., Any] = found.__wrapped__ if inspect.ismodule(found) else found
    return function


def _returned(function: Callable[..., Any]) -> str:
    return f"`{_type(_answer(function))}`"


def _answer(function: Callable[..., Any]) -> Any:
    """The type of what a function returns."""
    kind = inspect.signature(function).return_annotation
    module = sys.modules[inspect.unwrap(function).__module__]
    return eval(kind, vars(module), _for_types(module)) if isinstance(kind, str) else kind


def _hints(owner: type) -> dict[str, Any]:
    """The types of a class's attributes."""
    return get_type_hints(owner, localns=_for_types(sys.modules[owner.__module__]))


@cache
def _for_types(module: ModuleType) -> dict[str, Any]:
    """What a module names in types alone, and therefore imports for type checkers alone."""
    tree = ast.parse(inspect.getsource(module))
    checked = [
        node for node in tree.body if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)
    ]
    imports = [one for node in checked for one in node.body if isinstance(one, ast.ImportFrom)]
    return {
        name.asname or name.name: getattr(import_module(one.module or ""), name.name)
        for one in imports
        for name in one.names
    }


def _type(kind: Any) -> str:
    """A type without the modules that it is from."""
    text = kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)
    return re.sub(r"\b(?:\w+\.)+(\w+)", r"\1", text.replace("NoneType", "None")).replace("'", '"')


def _described(name: str, function: Callable[..., Any], same: str) -> Iterator[str]:
    yield f"### fg.{name}"
    yield ""
    told, _, _ = inspect.cleandoc(function.__doc__ or "").partition("\n\nOptions:\n")
    signature = inspect.signature(function)
    own = [_argument(one) for one in signature.parameters.values() if one.name not in _options(function)]
    more = ["**options"] if _options(function) else []
    yield f"`fg.{name}({', '.join([*own, *more])})` returns {_returned(function)}."
    yield ""
    yield told
    if same != name and _options(function):
        yield from ("", f"Its options are those of [`fg.{same}`](#fg{same.replace('.', '')}).")
    elif _options(function):
        yield from ("", "| option | takes | meaning |", "|---|---|---|")
        yield from (_row(field) for field in _options(function).values())


def _options(function: Callable[..., Any]) -> dict[str, Field]:
    found: dict[str, Field] = getattr(function, "options", {})
    return found


def _argument(one: inspect.Parameter) -> str:
    stars = "*" if one.kind is inspect.Parameter.VAR_POSITIONAL else ""
    default = "" if one.default is inspect.Parameter.empty else f"={one.default!r}"
    return f"{stars}{one.name}{default}"


def _row(field: Field) -> str:
    return f"| `{field.name}` | `{_cell(typed(field))}` | {said(field)} |"


def _cell(kind: str) -> str:
    return kind.replace(" | ", " or ")


def _classes(every: list[Callable[..., Any]]) -> Iterator[tuple[str, type]]:
    """The classes that functions return, each followed by the classes of its attributes."""
    returned = dict.fromkeys(one for function in every for one in _within(_answer(function)))
    for owner in returned:
        yield owner.__name__, owner
        hints = _hints(owner)
        inner = dict.fromkeys(one for name in _attributes(owner) for one in _within(hints[name]))
        yield from ((f"{owner.__name__}: {one.__name__}", one) for one in inner if one not in returned)


def _attributes(owner: Any) -> list[str]:
    return [field.name for field in fields(owner) if not field.name.startswith("_")]


def _within(kind: Any) -> Iterator[type]:
    """The classes of ours in a type."""
    if isinstance(kind, type) and not get_args(kind):
        if is_dataclass(kind) and kind.__module__.startswith("floatgate") and kind is not RunResult:
            yield kind
        return
    for inner in get_args(kind):
        yield from _within(inner)


def _class(owner: type) -> Iterator[str]:
    yield inspect.cleandoc(owner.__doc__ or "")
    yield ""
    comments, hints = _comments(owner), _hints(owner)
    names = _attributes(owner)
    rows = [(f"`{name}`", f"`{_type(hints[name])}`", comments.get(name, "-")) for name in names]
    for name, value in vars(owner).items():
        if name.startswith("_") or name in names:
            continue
        if isinstance(value, property):
            kind = _type(inspect.signature(value.fget).return_annotation) if value.fget else ""
            rows.append((f"`{name}`", f"`{kind}`", _first(value.__doc__)))
        elif inspect.isfunction(value):
            arguments = [_argument(one) for one in list(inspect.signature(value).parameters.values())[1:]]
            kind = _type(inspect.signature(value).return_annotation)
            rows.append((f"`{name}({', '.join(arguments)})`", f"`{kind}`", _first(value.__doc__)))
    yield from ("| attribute | type | meaning |", "|---|---|---|")
    yield from (f"| {name} | {_cell(kind)} | {told} |" for name, kind, told in rows)


def _first(text: str | None) -> str:
    """The first paragraph of a docstring, in a line."""
    return " ".join(inspect.cleandoc(text or "-").split("\n\n")[0].split()).replace("|", "\\|")


def _comments(owner: type) -> dict[str, str]:
    """What the comment behind each field says."""
    found: dict[str, str] = {}
    name = ""
    source = inspect.cleandoc(inspect.getsource(owner))
    for token in tokenize.generate_tokens(StringIO(source).readline):
        if token.type == tokenize.NEWLINE:
            name = ""
        elif token.type == tokenize.NAME and not name and re.match(r"    \w+: ", token.line):
            name = token.string
        elif token.type == tokenize.COMMENT and name:
            found.setdefault(name, token.string.lstrip("# ").partition("  # noqa")[0].replace("|", "\\|"))
    return found
