"""What holds for every option of every command, so that it holds for the next one, too.

An option that was not given is None, never 0, false or empty; one that was given has a value that means
something, or is refused before anything is done.
"""

from math import isfinite
from pathlib import Path
from typing import Any

from typer.core import TyperArgument, TyperCommand

from floatgate.errors import InputError

WHOLE_MOST = (1 << 64) - 1  # of the core's numbers


class Command(TyperCommand):
    """A command that refuses empty words, numbers that are none and bytes that are no text."""

    def __init__(self, *args: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002 - Click's name
        super().__init__(*args, help=help and _paragraphs(help), **more)

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line. Raises InputError."""
        for word in args:
            _check_text(word, word)
        # A path that is empty is the working directory to Python; one that is `.` was meant.
        empty = any(word == "" or (word.startswith("--") and word.endswith("=")) for word in args)
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            name = max(parameter.opts, key=len)
            shown = (parameter.name or "").upper() if isinstance(parameter, TyperArgument) else name
            value = ctx.params.get(parameter.name)
            for one in value if isinstance(value, list | tuple) else (value,):
                _check(shown, one if empty or one != Path() else ".")
        return rest


def _paragraphs(text: str) -> str:
    """A docstring whose paragraphs are one line each, for the terminal to wrap."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _check(name: str, value: object) -> None:
    """Refuse a value that can mean nothing, whichever option it is of."""
    if value == "" or (isinstance(value, Path) and value == Path()):
        raise InputError(f'{name} "": nothing given: expected a value, or not {name}')
    if isinstance(value, float) and not isfinite(value):
        raise InputError(f"{name} {value}: expected a finite number")
    if isinstance(value, int) and not -WHOLE_MOST <= value <= WHOLE_MOST:
        raise InputError(f"{name} {value}: expected a number of at most {WHOLE_MOST}")
    if isinstance(value, str):
        _check_text(name, value)


def _check_text(name: str, value: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError:
        shown = value.encode(errors="surrogateescape")
        raise InputError(f"{name if name != value else shown!r}: not UTF-8: expected text") from None
    if "\0" in value:
        raise InputError(f"{value}: holds a zero byte: expected text")
