"""`floatgate state info`: look at a stored drive state."""

import json
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Annotated, Any

import typer

from floatgate import _core
from floatgate.files import regular
from floatgate.options.definition import Argument, CommandOptions
from floatgate.options.taking import offered, take
from floatgate.shell import console
from floatgate.shell.command import Command
from floatgate.shell.options import takes

app = typer.Typer(help="Describe stored drive states.", no_args_is_help=True)


@dataclass(frozen=True)
class StateInfoOptions(CommandOptions):
    """`floatgate state info`: a stored drive state."""

    file: Annotated[
        Path,
        Argument(
            "A file from --save-state.",
            metavar="FILE",
            takes="a saved state",
            differs="a saved state, no trace",
        ),
    ]


@offered(StateInfoOptions)
def info(file: str | PathLike[str]) -> dict[str, Any]:
    """Return which drive a saved state belongs to, and what it holds, by name.

    Raises InputError for a file that is no state of `save_state=`, or one of another version.
    """
    return described(take(StateInfoOptions, {}, file=file))


def described(asked: StateInfoOptions) -> dict[str, Any]:
    """Read the state that was asked for."""
    regular(asked.file, "a state that --save-state wrote")
    found: dict[str, Any] = json.loads(_core.state_info(str(asked.file)))
    return found


@app.callback()
def _root() -> None:
    """Keep `info` a command of its own: typer folds a lone command into its group."""


@app.command(cls=Command)
@takes(StateInfoOptions, examples=("floatgate state info steady.state", "floatgate state info out/tlc.state"))
def info_in_shell(asked: StateInfoOptions) -> None:
    """Print which drive a saved state belongs to, and its contents."""
    for line in console.describe_lines(described(asked)):
        console.out.print(line)
