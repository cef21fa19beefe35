"""What holds for every option of every command, so that it holds for the next one, too.

An option that was not given is None, never 0, false or empty; one that was given has a value that means
something, or is refused before anything is done.
"""

from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any

from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from floatgate.errors import InputError

WHOLE_MOST = (1 << 64) - 1  # of the core's numbers
_DIGITS = 18  # fewer are a number of 64 bits


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
        _take_words(self, ctx)
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            name = max(parameter.opts, key=len)
            shown = (parameter.name or "").upper() if isinstance(parameter, TyperArgument) else name
            value = ctx.params.get(parameter.name)
            for one in value if isinstance(value, list | tuple) else (value,):
                _check(shown, one if empty or one != Path() else ".")
        return rest


class Commands(TyperGroup):
    """A command that only has others below it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line."""
        _take_words(self, ctx)
        return super().parse_args(ctx, args)


def _take_words(command: Any, ctx: Any) -> None:
    """Let a command take words that need no conversion without Typer's validators.

    This stands on Typer's inside. Where another version has another one, Typer does all as it would.
    """
    if find_spec("typer._coercion") is None:
        return
    for parameter in command.get_params(ctx):
        is_free = getattr(parameter, "_runtime_param", parameter) is None
        if is_free and isinstance(parameter, TyperArgument | TyperOption):
            parameter._runtime_param = _Words()  # type: ignore[assignment]


class _Words:
    """Takes what needs no conversion as it is.

    Typer would import Pydantic, and build a validator even for each option that was not given.
    """

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """Return an option's value: converted by Typer where there is anything to convert or to refuse."""
        several = param.multiple or param.nargs == -1
        if value is None:
            return () if several else None
        kind, said = param.type_descriptor.annotation, param.type_descriptor.parameter_info
        if isinstance(value, str) and not several:
            if kind is str:
                return value
            # A path is checked where it is used.
            if kind is Path and not (said.exists or said.resolve_path or said.readable is False):
                return Path(value)
            if kind is int and value.isascii() and value.isdecimal() and len(value) < _DIGITS:
                number, (least, most) = int(value), (said.min, said.max)
                if (least is None or number >= least) and (most is None or number <= most):
                    return number
        from typer._coercion import build_runtime_param

        return build_runtime_param(param.type_descriptor).coerce(value, param=param, ctx=ctx)


def _paragraphs(text: str) -> str:
    """A docstring whose paragraphs are one line each, for the terminal to wrap."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _check(name: str, value: object) -> None:
    """Refuse a value that can mean nothing to any option."""
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
