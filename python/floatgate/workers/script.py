"""Scripts that ask for processes: each of these reads the script again, and must not ask for more."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import TypeGuard

from floatgate.errors import InputError

GUARD = 'if __name__ == "__main__":'
AGAIN = "__mp_main__"  # what multiprocessing calls a script that a process reads again


class Unguarded(InputError):
    """A script whose processes would begin it anew; where nothing catches it, it is shown as one line."""


def check_script() -> None:
    """Raise InputError where the script that asks for processes does so outside of its `__main__` guard.

    In a process that reads such a script again, end that process.
    """
    for frame in _outwards(sys._getframe()):
        name = frame.f_globals.get("__name__")
        if frame.f_code.co_name != "<module>" or name not in ("__main__", AGAIN):
            continue
        wrong = _wrong_with(frame)
        if wrong is None:
            continue
        said = f"{frame.f_code.co_filename}:{frame.f_lineno}: {wrong}"
        if name == AGAIN:
            raise SystemExit(said)
        _show_in_one_line()
        raise Unguarded(said)


def _outwards(frame: FrameType | None) -> Iterator[FrameType]:
    while frame is not None:
        yield frame
        frame = frame.f_back


def _wrong_with(frame: FrameType) -> str | None:
    """Say why processes cannot begin where a script is at; nothing where they can."""
    if frame.f_globals.get("__file__") is None:  # a notebook, or `python -c`: nothing is read again
        return None
    path = Path(frame.f_code.co_filename)
    if not path.is_file():
        return f"starts processes, and each of them runs this script: expected it in a file, below {GUARD}"
    try:
        script = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None  # not Python's text: what it does cannot be told from here
    here = [part for part in script.body if part.lineno <= frame.f_lineno <= (part.end_lineno or part.lineno)]
    if any(_asks_for_name(part) for part in here):
        return None
    return f"starts processes, and each of them runs this script: put this line below {GUARD}"


def _asks_for_name(part: ast.stmt) -> bool:
    """Whether a statement goes one way or another by the script's name, in either direction."""
    tests = (one.test if isinstance(one, ast.If) else one.subject for one in ast.walk(part) if _forks(one))
    names = (one for test in tests for one in ast.walk(test) if isinstance(one, ast.Name))
    return any(one.id == "__name__" for one in names)


def _forks(one: ast.AST) -> TypeGuard[ast.If | ast.Match]:
    return isinstance(one, ast.If | ast.Match)


def _show_in_one_line() -> None:
    before = sys.excepthook

    def show(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        if kind is Unguarded:
            sys.stderr.write(f"{error}\n")
        else:
            before(kind, error, trace)

    sys.excepthook = show
