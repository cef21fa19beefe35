"""Writes what follows from one definition: `python -m floatgate.generate`.

The modules that type checkers and editors read follow from the options of `floatgate.options` and the core's
list of policies, the pages of `docs/reference` from those and from the core's list of keys. A test tells when
they are out of date.
"""

import ast
import inspect
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from runpy import run_path
from textwrap import indent, wrap
from typing import Any, get_args

from floatgate.generate import commands as commands_page, functions
from floatgate.inputs import configuration
from floatgate.inputs.configuration import Key
from floatgate.inputs.policies import catalogue, class_name, short_names
from floatgate.options.taking import said, typed
from floatgate.own.seams import SEAMS, beside
from floatgate.results import description

_HERE = Path(__file__).parents[1]
WIDTH = 100


def keyword_classes() -> dict[str, Callable[..., Any]]:
    """Return the classes of keywords that functions of `floatgate` name, each with one that does."""
    found: dict[str, Callable[..., Any]] = {}
    for _, _, function in functions.every():
        for one in inspect.signature(inspect.unwrap(function), follow_wrapped=False).parameters.values():
            if one.kind is inspect.Parameter.VAR_KEYWORD:
                found.setdefault(get_args(one.annotation)[0].__name__, function)
    return found


def keywords() -> str:
    """Return the text of `_generated/keywords.py`: the keywords of the functions of `floatgate`."""
    lines = [
        '"""The keywords of the functions of `floatgate` beside those in their signatures, by command.',
        "",
        "Made by `floatgate.generate`. Every option has the name and meaning it has on the command line.",
        '"""',
        "",
        "from collections.abc import Mapping, Sequence",
        "from os import PathLike",
        "from typing import Any, Literal, SupportsFloat, SupportsIndex, TypedDict",
    ]
    for name, function in keyword_classes().items():
        made: Any = function
        lines += ["", "", f"class {name}(TypedDict, total=False):"]
        lines.append(_doc(f"The options of {' and '.join(f'`{one.__name__}`' for one in made.owners)}.", 4))
        for field in made.options.values():
            lines += ["", f"    {field.name}: {typed(field)}", _doc(said(field), 4)]
    return "\n".join(lines) + "\n"


def homes() -> str:
    """Return the text of `_generated/homes.py`: where `floatgate/__init__.py` says that its names are."""
    tree = ast.parse((_HERE / "__init__.py").read_text(encoding="utf-8"))
    blocks = [node.body for node in tree.body if isinstance(node, ast.If)]
    named = [one for body in blocks for one in body if isinstance(one, ast.ImportFrom)]
    found = {
        name.name: (one.module or "").removeprefix("floatgate.")
        for one in named
        for name in one.names
        if name.asname is None and name.name != "*"
    }
    lines = ['"""Where each public name lives. Made by `floatgate.generate`."""', "", "HOMES = {"]
    return "\n".join([*lines, *(f'    "{name}": "{found[name]}",' for name in sorted(found)), "}"]) + "\n"


# Functions that stand beside the policies of a namespace.
BESIDE = {"bus": ("explore", "waveform"), "ecc": ("codes", "measure")}


def seams() -> str:
    """Return the text of `_generated/seams.pyi`: a class for each policy, under the seam it answers."""
    tree: dict[str, Any] = {}
    for card in catalogue():
        at = tree
        for part in card["seam"].split("."):
            at = at.setdefault(part, {})
        at[class_name(card["name"])] = card
        at.update(beside(card["seam"]))
    own = sorted(_module(one) for one, _ in SEAMS.values())
    lines = [
        '"""The policies by the seam they answer, for type checkers. Made by `floatgate.generate`."""',
        "",
        "from collections.abc import Sequence",
        "from typing import Literal, SupportsFloat, SupportsIndex, TypeAlias",
        "",
        f"from floatgate.commands import {', '.join(f'{name} as _{name}' for name in BESIDE)}",
        "from floatgate.inputs.policies import Policy as _Policy",
        f"from floatgate.own import {', '.join(f'{name} as _{name}' for name in own)}",
        "",
    ]
    lines += [line for name in sorted(tree) for line in ("", *_namespace(name, tree[name], 0))]
    lines += ["", *(f"{name} = ftl.{name}" for name in short_names(tree["ftl"]) if name[0].islower())]
    return "\n".join(lines) + "\n"


def _module(of: type) -> str:
    return of.__module__.rsplit(".", 1)[-1]


def _namespace(name: str, inside: dict[str, Any], depth: int) -> Iterator[str]:
    if "seam" in inside:
        yield from _policy(name, inside, depth)
        return
    yield f"{' ' * depth}class {name}:"
    yield f"{' ' * depth}    path: str"
    own = [name for name, one in inside.items() if isinstance(one, type)]
    for one in own:
        yield f"{' ' * depth}    {one}: TypeAlias = _{_module(inside[one])}.{inside[one].__name__}"
    if depth == 0:
        yield from (f"    {one} = staticmethod(_{name}.{one})" for one in BESIDE.get(name, ()))
    for below in sorted(inside.keys() - set(own)):
        yield from _namespace(below, inside[below], depth + 4)


def _policy(name: str, card: dict[str, Any], depth: int) -> Iterator[str]:
    space = " " * depth
    yield f"{space}class {name}(_Policy):"
    yield _doc(card.get("rule") or card["question"], depth + 4)
    arguments = "".join(
        f", {one['key']}: {_parameter(one)}{'' if one['required'] else ' = ...'}"
        for one in card["parameters"]
    )
    yield f"{space}    def __init__(self{', *' if arguments else ''}{arguments}) -> None:"
    told = [f"{parameter['key']}: {_said(parameter)}" for parameter in card["parameters"]]
    yield _doc("\n".join(told), depth + 8) if told else f"{space}        ..."


def _said(parameter: dict[str, Any]) -> str:
    known = {name: value for name, value in parameter.items() if name != "expected"}
    key = Key(**known | {"names": tuple(parameter["names"])})
    default = "required" if key.required else f"default {key.default or 'none'}"
    return f"{key.help} ({key.takes}; {default})"


_KINDS = {"switch": "bool", "whole number": "SupportsIndex", "number": "SupportsFloat"}


def _parameter(parameter: dict[str, Any]) -> str:
    """The type of a policy's parameter: what has a unit is a text."""
    if parameter["names"]:
        return f"Literal[{', '.join(map(repr, parameter['names']))}]"
    one = _KINDS.get(parameter["type"].removeprefix("one ").split(" or ")[0], "str")
    return f"{one} | Sequence[{one}]" if parameter["type"].startswith("one ") else one


def _doc(text: str, depth: int) -> str:
    """A docstring; what is long goes over several lines."""
    lines = [part for line in text.split("\n") for part in wrap(line, WIDTH - depth) or [""]]
    if len(lines) == 1 and len(lines[0]) < WIDTH - depth - 6:
        return f'{" " * depth}"""{lines[0]}"""'
    return indent("\n".join(['"""' + lines[0], *lines[1:], '"""']), " " * depth)


REFERENCE = Path("../../docs/reference")

FILES: dict[str, Callable[[], str]] = {
    "_generated/homes.py": homes,
    "_generated/keywords.py": keywords,
    "_generated/seams.pyi": seams,
    str(REFERENCE / "keys.md"): configuration.page,
    str(REFERENCE / "options.md"): commands_page.page,
    "_generated/results.py": description.classes,
    str(REFERENCE / "results.md"): description.page,
    str(REFERENCE / "run.schema.json"): description.schema_text,
    str(REFERENCE / "state.md"): lambda: str(run_path(str(_HERE / "../../docs/_state.py"))["page"]()),
}


def formatted(file: str) -> str:
    """Return the text of a file, of Python as `ruff format` leaves it."""
    if not file.endswith((".py", ".pyi")):
        return FILES[file]()
    words = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(_HERE / file), "-"]
    return subprocess.run(words, input=FILES[file](), capture_output=True, text=True, check=True).stdout


def write() -> None:
    """Write all files."""
    (_HERE / REFERENCE).mkdir(exist_ok=True)
    for name in FILES:
        (_HERE / name).write_text(formatted(name), encoding="utf-8")
