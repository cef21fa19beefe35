"""What every command has besides its own: examples, help, completion."""

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from floatgate import options
from floatgate.generate import commands as page
from floatgate.shell import _command, usage


def commands() -> Iterator[tuple[str, Any]]:
    """Every command by its path."""
    yield from page.commands()


COMMANDS = dict(commands())


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_ends_its_help_with_two_examples_that_parse(name: str) -> None:
    examples = COMMANDS[name].callback.examples
    assert len(examples) == 2
    for example in examples:
        words = shlex.split(example.split(" | ")[0])
        assert words[0] == "floatgate"
        path = name.split()
        assert words[1 : 1 + len(path)] == path
        rest = words[1 + len(path) :]
        if "--help" in rest:
            continue
        command = COMMANDS[name]
        with command.make_context(name, list(rest)) as context:
            assert context.args == []
        assert example in (command.epilog or "")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_option_says_what_it_is(name: str) -> None:
    for parameter in COMMANDS[name].params:
        assert parameter.help, f"{name} {parameter.name}: no help"


def test_options_of_a_run_are_those_of_the_definition() -> None:
    defined = {
        field.name for owner in (options.Options, options.TraceOptions) for field in options.fields_of(owner)
    }
    asked = {parameter.name for parameter in COMMANDS["run"].params}
    assert defined <= asked


def complete(*words: str) -> list[str]:
    """What bash is offered behind these words."""
    asked = {"_FLOATGATE_COMPLETE": "complete_bash", "COMP_WORDS": " ".join(words)}
    told = subprocess.run(
        [sys.executable, "-m", "floatgate"],
        env=os.environ | asked | {"COMP_CWORD": str(len(words) - 1)},
        capture_output=True,
        text=True,
        check=False,
    )
    return told.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("floatgate", "dri"), "drives"),
        (("floatgate", "run", "nvme-q"), "nvme-qlc"),
        (("floatgate", "chips", "poster"), "poster-mlc"),
        (("floatgate", "policies", "d-ch"), "d-choices"),
        (("floatgate", "keys", "ftl.gc.vic"), "ftl.gc.victim.name"),
        (("floatgate", "run", "tlc", "x.fio", "--set", "ftl.gc.victim."), "ftl.gc.victim.d="),
        (("floatgate", "run", "tlc", "x.fio", "--precondition", "ste"), "steady"),
        (("floatgate", "run", "tlc", "x.fio", "--prec"), "--precondition"),
        (("floatgate", "reproduce", "desnoyers2012"), "desnoyers2012-wa"),
    ],
    ids=lambda value: value if isinstance(value, str) else value[-1],
)
def test_completion_offers_what_there_is(words: tuple[str, ...], offered: str) -> None:
    assert offered in complete(*words)


def test_values_of_a_key_are_completed() -> None:
    assert usage._assignments("ftl.gc.victim.name=gr") == ["ftl.gc.victim.name=greedy"]
    assert usage._assignments("controller.copyback=") == [
        "controller.copyback=false",
        "controller.copyback=true",
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion_is_installed_by_an_option(shell: str, tmp_path: Any) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "floatgate", "--install-completion", shell],
        env=os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    written = [path.read_text() for path in tmp_path.rglob("*") if path.is_file()]
    assert any("_FLOATGATE_COMPLETE" in text for text in written), written


def test_the_tree_of_commands_is_made_once() -> None:
    assert _command() is _command()
