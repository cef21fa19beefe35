"""What work asks and says in the process that does it, and how that process takes it."""

import pickle
import signal
import traceback
from collections.abc import Callable
from contextlib import suppress
from ctypes import Array, c_double
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from floatgate import _core
from floatgate.workers.memory import Memory, share
from floatgate.workers.stop import Stop, at_work, end_with_command

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

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


def begin(
    stop: Stop, memory: Memory, parts: Array[c_double], setup: Callable[[], None] | None, place: int = 0
) -> None:
    """Set a worker up: Ctrl-C reaches it only through its command, so that all end the same way."""
    global _stop, _parts
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with_command()
    Thread(target=_tell_core, args=(stop,), daemon=True).start()
    share(memory, place)
    _stop, _parts = stop, parts
    if setup is not None:
        setup()


def _tell_core(stop: Stop) -> None:
    """End work that does not look for the word itself, as in a policy of the user's own, a while after it."""
    stop.wait()
    _core.ask_to_stop()


def work(line: "Connection[Any, Any]", asked: tuple[Any, ...]) -> None:
    """Be a worker: do what comes through `line` until the command hangs up."""
    begin(*asked)
    with suppress(EOFError, OSError):
        line.send_bytes(b"")  # ready
        while True:
            line.send_bytes(_answer(line.recv_bytes()))


def _answer(what: bytes) -> bytes:
    """Do a piece of work; return whether it failed, and its result or its error."""
    try:
        return pickle.dumps((False, one(*pickle.loads(what))))
    except BaseException as error:
        return _failed(error)


def _failed(error: BaseException) -> bytes:
    """Return an error as it travels, with where it was raised."""
    error.__cause__ = Raised("".join(traceback.format_exception(error)))
    with suppress(Exception):
        answer = pickle.dumps((True, error))
        pickle.loads(answer)
        return answer
    return pickle.dumps((True, RuntimeError(f"{type(error).__name__}: {error}")))


class Raised(Exception):
    """Where an error was raised, in the process of a worker."""

    def __str__(self) -> str:
        """Return its traceback."""
        return f"\n{self.args[0]}"


def one(work: Callable[[T], R], item: T, index: int) -> R:
    """Do one piece of work in a worker, which notes how far it is at `index`."""
    global _at
    _at = index
    with at_work():
        done = work(item)
    note(1.0)
    return done
