"""Error messages for methods that Numba cannot compile, in one line with the line of the policy's file."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from numba.core import types

from floatgate.errors import InputError, one_line
from floatgate.own.compiled import Compiled
from floatgate.own.policy import place

PLACE = re.compile(r'(?:File "|Raised from )([^"\s]+)(?:", line | \()(\d+)')
# What says nothing of the user's file.
ABOUT = ("Failed in ", "During: ", "Compilation is falling back", "- Resolution failure", "File ")


@contextmanager
def in_one_line(cls: type[Compiled], method: str) -> Iterator[None]:
    """Turn exceptions that Numba raises in this context into InputError."""
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # Numba has several that are not of one kind
        raise InputError(_line(cls, method, str(error))) from error


def _line(cls: type[Compiled], method: str, said: str) -> str:
    where = place(cls, method)
    file = where.rsplit(":", 1)[0]
    inside = [line for name, line in PLACE.findall(said) if Path(name).name == file]
    if inside:
        where = f"{file}:{inside[0]}"
    return one_line(f"{where}: {method} cannot become machine code: {_what(said)}")


def _what(said: str) -> str:
    """Return the first sentence of Numba's message that says what is wrong."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", said)
    ours = re.search(r"raised a specific error:\s*TypingError: (.*)", plain)
    if ours:
        return ours[1]
    lines = [line.strip() for line in plain.splitlines()]
    told = [line for line in lines if line and not line.startswith(ABOUT)]
    first = told[0] if told else "Numba says no more"
    return f"{first} {told[1]}" if first.endswith(":") and len(told) > 1 else first


WHOLE = (types.Integer, types.Boolean)


def checked(cls: type[Compiled], method: str, said: Any) -> tuple[str, ...]:
    """Return the parts of a question's answer, given by a Numba type. Raises InputError for a wrong type."""
    question = cls.questions[method]
    answer = question.answer
    if not answer and isinstance(said, types.NoneType):
        return answer
    parts = tuple(said.types) if isinstance(said, types.BaseTuple) else (said,)
    if question.is_first_enough and len(parts) == 1 and _is(answer[0], parts[0]):
        return answer[:1]
    if len(parts) == len(answer) and all(_is(kind, part) for kind, part in zip(answer, parts, strict=True)):
        return answer
    raise InputError(f"{place(cls, method)}: {method} returns {_named(said)}: expected {_expected(answer)}")


def _named(said: Any) -> str:
    words = {types.NoneType: "None", types.Float: "a number with a fraction", types.Generator: "a generator"}
    return next((word for kind, word in words.items() if isinstance(said, kind)), str(said))


def _is(kind: str, said: Any) -> bool:
    if kind == "int or None":
        return isinstance(said, (*WHOLE, types.NoneType)) or (
            isinstance(said, types.Optional) and isinstance(said.type, WHOLE)
        )
    return isinstance(said, WHOLE)


def _expected(answer: tuple[str, ...]) -> str:
    words = {"int": "a whole number", "bool": "true or false", "int or None": "a whole number or None"}
    return " and ".join(words[kind] for kind in answer) or "nothing"
