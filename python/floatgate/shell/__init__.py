"""The `floatgate` command. Each command imports what it needs when it runs, so that help comes at once."""

import os
import signal
import sys
import threading
from contextlib import suppress
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Any, NoReturn

import typer
from typer.main import get_command

from floatgate import _core, exits
from floatgate.errors import Ended
from floatgate.options.root import RootOptions
from floatgate.shell import usage
from floatgate.shell.command import Command, Commands
from floatgate.shell.options import IN_SHELL, takes

# Commands in the order of help, each in a module of its name, or of `_HOMES`; then those with others below
# them, each a module with an `app`. Only the one that is asked for is imported.
_COMMANDS = (
    *("run", "serve", "torture", "age", "drives", "chips", "examples", "keys", "characterize", "rber"),
    *("derive", "fit", "report", "schema", "reproduce", "grid", "plan", "study", "compare", "place"),
    "snapshots",
)
_HOMES = {"drives": "listing", "chips": "listing"}
_GROUPS = ("policies", "bus", "ecc", "trace", "twin", "state")

_debug = False

# How long after a signal was lost it comes once more.
AGAIN_S = 0.01


def _version(asked: bool | None) -> None:
    if asked:
        from floatgate._core import version

        typer.echo(f"floatgate {version()}")
        raise typer.Exit


def _set_debug(asked: bool | None) -> None:
    global _debug
    _debug = bool(asked)


@takes(RootOptions, eager={"version": _version, "debug": _set_debug})
def _root(_asked: RootOptions) -> None:
    """Options that stand before the command."""


@cache
def _app(only: str | None = None) -> typer.Typer:
    """The commands, or one of them alone, each with its examples."""
    made = typer.Typer(
        name="floatgate",
        cls=Commands,
        help="Simulate workloads on NAND solid-state drives and explain their performance.",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
    )
    made.callback()(_root)
    for name in _COMMANDS:
        if only in (None, name):
            home = import_module(f"floatgate.commands.{_HOMES.get(name, name)}")
            command = getattr(home, name + IN_SHELL)
            made.command(name, cls=Command)(command)
    for name in _GROUPS:
        if only in (None, name):
            made.add_typer(import_module(f"floatgate.commands.{name}").app, name=name)
    usage.equip(made)
    return made


@cache
def _command(only: str | None = None) -> Any:
    """The tree of commands, made once for a process."""
    return get_command(_app(only))


def _asked(words: list[str]) -> str | None:
    """Return the command that is asked for; None where all must be there: for help, and for a wrong name."""
    first = next((word for word in words if not word.startswith("-")), None)
    return first if first in _COMMANDS or first in _GROUPS else None


def __getattr__(name: str) -> Any:
    if name == "app":  # of all commands
        return _app()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def main(arguments: list[str] | None = None) -> NoReturn:
    """Run the command line and exit: 0, 2 for bad input, 70 for a bug of Floatgate, 130 after Ctrl-C."""
    try:
        code = _answered(arguments)
    except KeyboardInterrupt:  # while an error is being told, too
        code = exits.INTERRUPTED
    except SystemExit as end:
        number = _signal_of(end)
        if number is None:
            raise
        code = 128 + number
        with suppress(OSError, ValueError):  # where there is no place to say so
            print(f"floatgate: ended by {signal.Signals(number).name}", file=sys.stderr, flush=True)  # noqa: T201
    sys.exit(code)


def _answered(arguments: list[str] | None) -> int:
    """Run the command line, say what went wrong in a line, and return the exit code."""
    try:
        # A run ended by SIGTERM, as batch systems do, leaves no half folder.
        _core.forget_stop()
        signal.signal(signal.SIGTERM, _end)
        if sys.unraisablehook is sys.__unraisablehook__:
            sys.unraisablehook = _unraisable
        _open_closed()
        words = sys.argv[1:] if arguments is None else arguments
        code = _command(_asked(words))(words or ["--help"], prog_name="floatgate", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_stdout()
        return 1
    except Exception as error:
        code = _explain(error)
        try:
            sys.stdout.flush()
        except OSError:  # full: said already, if it is what was wrong
            _drop_stdout()
    return code if isinstance(code, int) else 0


def _end(number: int, _frame: FrameType | None) -> NoReturn:
    """End the command; what it does cannot keep it from that."""
    _core.end_at_once()
    raise Ended(128 + number)


def _unraisable(lost: "sys.UnraisableHookArgs") -> None:
    """Send a signal once more that came where nothing can be raised, as in a callback of an import."""
    number = _signal_of(lost.exc_value)
    if number is None:
        sys.__unraisablehook__(lost)
        return
    again = threading.Timer(AGAIN_S, os.kill, (os.getpid(), number))
    again.daemon = True  # A command that came to its end meanwhile waits for nothing.
    again.start()


def _signal_of(error: BaseException | None) -> int | None:
    """Return the signal that an exception comes from, if it comes from one."""
    if isinstance(error, KeyboardInterrupt):
        return signal.SIGINT
    ended = isinstance(error, SystemExit) and error.code == 128 + signal.SIGTERM
    return signal.SIGTERM if ended else None


def _explain(error: Exception) -> int:
    """Print one line and return the exit code; a traceback is shown for a bug only, and on request."""
    from floatgate.errors import one_line

    code, said = _said(error)
    if code == exits.BROKEN and _debug:
        raise error
    if said:
        with suppress(OSError):  # there is no stream to tell it on
            print(f"floatgate: {one_line(said)}", file=sys.stderr, flush=True)  # noqa: T201
    return code


def _said(error: Exception) -> tuple[int, str]:
    """Return the exit code of an error and what is said of it."""
    from floatgate.errors import Fault, InputError

    if isinstance(error, InputError):
        return exits.INPUT, f"error: {error}"
    if isinstance(error, Fault):
        return exits.BROKEN, f"broken invariant, please report it: {error}"
    # The command line's own errors (no such option, a missing argument) carry their message this way in
    # every version of typer, of both classes.
    message = getattr(error, "format_message", None)
    if message is not None:
        return exits.INPUT, f"error: {message()} (see --help)"
    if type(error).__name__ == "Abort":
        return exits.INTERRUPTED, ""
    if isinstance(error, OSError):  # what the machine refused: a path too long, a full output
        where = f"{error.filename}: " if error.filename else ""
        return exits.INPUT, f"error: {where}{(error.strerror or str(error)).lower()}"
    if isinstance(error, ModuleNotFoundError):
        from floatgate.extras import told

        missing = told(error)
        if missing is not None:
            return exits.INPUT, f"error: {missing}"
    bug = f"a bug, please report it: {type(error).__name__}: {error}"
    return exits.BROKEN, f"{bug} (floatgate --debug ... shows where)"


def _open_closed() -> None:
    """Replace an output or error output that was closed before the start by one that leads nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, PTH123 - until the end


def _drop_stdout() -> None:
    """Let the interpreter end quietly when the reader of our output has gone (`floatgate drives | head`)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
