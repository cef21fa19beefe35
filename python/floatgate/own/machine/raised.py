"""Exceptions in compiled methods: Numba hands them to `sys.unraisablehook` and lets the call return 0."""

import sys
import threading
from typing import Any

from floatgate import _core

_last = threading.local()
_ours: Any = None


def listen() -> None:
    """Record exceptions that compiled methods raise; others go on to the earlier `sys.unraisablehook`."""
    global _ours
    if sys.unraisablehook is not _ours:
        _ours = _hook(sys.unraisablehook)
        sys.unraisablehook = _ours


def _hook(before: Any) -> Any:
    def hear(said: Any) -> None:
        if _core.compiled_is_asked():
            _last.exception = said.exc_value
        else:
            before(said)

    return hear


def last() -> BaseException | None:
    """Return the exception that a compiled method raised last in this thread, and forget it."""
    exception: BaseException | None = getattr(_last, "exception", None)
    _last.exception = None
    return exception
