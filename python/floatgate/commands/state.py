"""`floatgate state info`: look at a stored drive state."""

import typer

from floatgate.options.traces import StateInfoOptions
from floatgate.shell.command import Command
from floatgate.shell.options import takes

app = typer.Typer(help="Describe stored drive states.", no_args_is_help=True)


@app.callback()
def _root() -> None:
    """Keep `info` a command of its own: typer folds a lone command into its group."""


@app.command(cls=Command)
@takes(StateInfoOptions)
def info(asked: StateInfoOptions) -> None:
    """Print which drive a saved state belongs to, and its contents."""
    from floatgate.api.state import described
    from floatgate.shell import console

    for line in console.describe_lines(described(asked)):
        console.out.print(line, markup=False)
