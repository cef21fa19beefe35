"""What work asks and says in the process that does it."""

import signal
from collections.abc import Callable
from ctypes import Array, c_double
from typing import TypeVar

from floatgate.memory import Memory, share
from floatgate.stop import Stop, at_work, end_with_command

T = TypeVar("T")
R = TypeVar("R")

_stop: Stop | None = None
_parts: Array[c_double] | None = None
_at = 0  # the item that this worker works on


def note(part: float) -> None:
    """Say which part of this worker's item is done."""
    assert _parts is not None
    _parts[_at] = part


def stopping() -> bool:
    """Whether the command of this worker was told to stop, or is no more; never outside of workers."""
    return _stop is not None and _stop.is_set()


def wait_for_stop() -> None:
    """Return once the command of this worker was told to stop."""
    assert _stop is not None
    _stop.wait()


def begin(stop: Stop, memory: Memory, parts: Array[c_double], setup: Callable[[], None] | None) -> None:
    """Set a worker up: Ctrl-C reaches it only through its command, so that all end the same way."""
    global _stop, _parts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_command()
    share(memory)
    _stop, _parts = stop, parts
    if setup is not None:
        setup()


def one(work: Callable[[T], R], item: T, index: int) -> R:
    """Do one piece of work in a worker, which notes how far it is at `index`."""
    global _at
    _at = index
    with at_work():
        done = work(item)
    note(1.0)
    return done
