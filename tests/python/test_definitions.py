"""Every option of every command has one definition, which everything else follows: this counts them."""

import ast
import inspect
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
import typer
from typer.main import get_command

import floatgate as fg
from floatgate._generated import keywords
from floatgate.commands import functions
from floatgate.generate import commands, from_definitions
from floatgate.options import CommandOptions, Field, Option, Options, TraceOptions, fields_of
from floatgate.options.definition import Argument, definitions
from floatgate.options.root import RootOptions
from floatgate.shell import app

CLI = Path(from_definitions.__file__).parents[1] / "commands"
COMMANDS = {**dict(commands.commands()), "": get_command(app)}

ONLY_PYTHON = {"policies"}  # objects, where the command line has `--set`


def defined(command: str) -> dict[str, Field]:
    """The definitions that a command was given."""
    at: Any = app
    words = command.split()
    for word in words[:-1]:
        at = next(group.typer_instance for group in at.registered_groups if group.name == word)
    if not words:
        callback: Any = at.registered_callback.callback
    else:
        callback = next(
            one.callback for one in at.registered_commands if (one.name or one.callback.__name__) == words[-1]
        )
    found: dict[str, Field] = callback.fields
    return found


def owners() -> Iterator[type]:
    yield from (Options, TraceOptions)
    yield from CommandOptions.__subclasses__()


EVERY = [(f"{owner.__name__}.{field.name}", field) for owner in owners() for field in fields_of(owner)]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_parameter_of_a_command_comes_from_a_definition(command: str) -> None:
    known = defined(command)
    asked = {one.name: one for one in COMMANDS[command].params if "--help" not in one.opts}
    if not command:
        asked = {name: one for name, one in asked.items() if "completion" not in name}  # Typer's own
    assert set(asked) == set(known)
    for name, field in known.items():
        one = asked[name]
        assert (one.help or "").startswith(field.option.help)
        shown = not field.required and bool(field.shown or field.default not in (None, False, ()))
        assert ("Default: " in (one.help or "")) == shown
        assert one.required == field.required
        assert isinstance(one, typer.core.TyperArgument) == isinstance(field.option, Argument)


def test_no_command_writes_an_option_by_hand() -> None:
    """Parameters are made in one place; a `typer.Option` anywhere else is one that nothing follows."""
    for path in sorted(CLI.rglob("*.py")):
        names = [
            node.attr for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Attribute)
        ]
        assert path.name == "options.py" or not {"Option", "Argument"} & set(names), path.name


def test_they_are_counted() -> None:
    parameters = sum(len(defined(command)) for command in COMMANDS)
    names = {field.name for _, field in EVERY}
    assert set(definitions()) == names
    assert parameters > 160
    assert len(names) > 80
    assert sum(len(several) - 1 for several in definitions().values()) <= 21


@pytest.mark.parametrize(("place", "field"), EVERY, ids=[place for place, _ in EVERY])
def test_an_option_says_what_it_is_and_what_it_takes(place: str, field: Field) -> None:
    option = field.option
    assert option.help
    assert option.help[0].isupper() or "," in option.help
    assert option.help.endswith((".", "..."))
    for kind in field.kinds:
        assert (get_origin(kind) or kind) in (bool, int, float, str, Path, tuple, Literal), kind
    numbers = {int, float} & set(field.kinds)
    limited = option.least is not None or option.most is not None
    assert bool in field.kinds or field.names or option.takes or (numbers and limited), "what it takes"
    if isinstance(option, Argument):
        assert not option.shell


def test_a_second_definition_of_a_name_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Mine\.seed: another definition of that name is there"):

        @dataclass(frozen=True)
        class Mine(CommandOptions):
            seed: Annotated[int, Option("Mine.", least=3)] = 3

    with pytest.raises(TypeError, match=r"Bare\.seed: no definition"):

        @dataclass(frozen=True)
        class Bare(CommandOptions):
            seed: int = 3


def test_several_definitions_of_a_name_say_how_they_differ() -> None:
    for name, several in definitions().items():
        plain = [option for option in several if not option.differs]
        assert len(plain) <= 1, name


def _own(parameter: inspect.Parameter) -> bool:
    return parameter.name in ONLY_PYTHON


@pytest.mark.parametrize("command", [name for name in COMMANDS if name])
def test_python_has_the_same_options(command: str) -> None:
    """Every keyword is an option, and every option that is not the shell's is one of a function."""
    known = defined(command)
    python = {name for name, field in known.items() if not field.option.shell}
    found: set[str] = set()
    for name in functions(command):
        parameters = inspect.signature(attrgetter(name)(fg)).parameters.values()
        own = {one.name for one in parameters if not _own(one)}
        assert own <= set(known), f"{name}: {own - set(known)} is no option of the command"
        found |= own
    assert found == python, f"no function has {python - found}"


@pytest.mark.parametrize("name", [name for command in COMMANDS if command for name in functions(command)])
def test_a_type_checker_knows_the_same_options(name: str) -> None:
    _check_keywords(attrgetter(name)(fg))


def _check_keywords(function: Any) -> None:
    own = inspect.signature(inspect.unwrap(function), follow_wrapped=False).parameters
    said = inspect.signature(function).parameters
    several = next((one for one in own.values() if one.kind is inspect.Parameter.VAR_KEYWORD), None)
    if several is None:
        assert list(own) == list(said)
        return
    (typed,) = get_args(several.annotation)
    assert set(typed.__annotations__) == set(said) - set(own)


def test_the_keywords_are_those_of_the_generator() -> None:
    assert {name for name in vars(keywords) if name.endswith("Keywords")} == set(
        from_definitions.keyword_classes()
    )


def test_the_root_has_its_two() -> None:
    assert [field.name for field in fields_of(RootOptions)] == ["version", "debug"]
