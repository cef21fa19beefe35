"""The `floatgate` command. Each command imports what it needs when it runs, so that help comes at once."""

import sys
from typing import Annotated, NoReturn

import typer

from floatgate.cli import (
    age,
    bus,
    characterize,
    derive,
    fit,
    grid,
    listing,
    plan,
    report,
    reproduce,
    run,
    snapshots,
    state,
    trace,
)

app = typer.Typer(
    name="floatgate",
    help="A flash laboratory: runs workloads on simulated NAND drives and says why they behave as they do.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
app.command("run")(run.run)
app.command("age")(age.age)
app.command("drives")(listing.drives)
app.command("chips")(listing.chips)
app.command("policies")(listing.policies)
app.command("characterize")(characterize.characterize)
app.command("derive")(derive.derive)
app.command("fit")(fit.fit)
app.command("report")(report.report)
app.command("reproduce")(reproduce.reproduce)
app.command("grid")(grid.grid)
app.command("plan")(plan.plan)
app.command("snapshots")(snapshots.snapshots)
app.add_typer(bus.app, name="bus")
app.add_typer(trace.app, name="trace")
app.add_typer(state.app, name="state")

EXIT_INPUT = 2
EXIT_BROKEN = 70
EXIT_INTERRUPTED = 130


def _version(asked: bool) -> None:
    if asked:
        from floatgate._core import version

        typer.echo(f"floatgate {version()}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Options that stand before the command."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0, 2 for bad input, 70 for a bug of Floatgate, 130 after Ctrl-C."""
    try:
        code = app(arguments, standalone_mode=False)
    except KeyboardInterrupt:
        sys.exit(EXIT_INTERRUPTED)
    except BrokenPipeError:
        _drop_stdout()
        sys.exit(1)
    except Exception as error:
        sys.exit(_explain(error))
    sys.exit(code if isinstance(code, int) else 0)


def _explain(error: Exception) -> int:
    """Print one line for a known error and return its exit code; anything else is a bug and goes on up."""
    from floatgate.errors import Fault, InputError, one_line

    if isinstance(error, InputError):
        print(f"floatgate: error: {one_line(error)}", file=sys.stderr)  # noqa: T201
        return EXIT_INPUT
    if isinstance(error, Fault):
        print(f"floatgate: broken invariant, please report it: {one_line(error)}", file=sys.stderr)  # noqa: T201
        return EXIT_BROKEN
    # The command line's own errors (no such option, a missing argument) carry their message this way in
    # every version of typer, whichever class they are of.
    message = getattr(error, "format_message", None)
    if message is None:
        if type(error).__name__ == "Abort":
            return EXIT_INTERRUPTED
        raise error
    print(f"floatgate: error: {one_line(message())} (see --help)", file=sys.stderr)  # noqa: T201
    return EXIT_INPUT


def _drop_stdout() -> None:
    """Let the interpreter end quietly when whoever read our output has gone (`floatgate drives | head`)."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
