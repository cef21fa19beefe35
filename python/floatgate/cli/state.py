"""`floatgate state info`: look at a stored drive state."""

import json
from pathlib import Path
from typing import Annotated

import typer

from floatgate.cli.command import Command

app = typer.Typer(help="Describe stored drive states.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Keep `info` a command of its own: typer folds a lone command into its group."""


@app.command(cls=Command)
def info(file: Annotated[Path, typer.Argument(metavar="FILE", help="A file from --save-state.")]) -> None:
    """Print which drive a saved state belongs to, and its contents."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.files import regular

    regular(file, "a state that --save-state wrote")
    for line in console.describe_lines(json.loads(_core.state_info(str(file)))):
        console.out.print(line, markup=False)
