"""What the core asks of this package when a drive names a policy in Python."""

from typing import TYPE_CHECKING

from floatgate.own.compiled import Compiled
from floatgate.own.found import blamed, load, where
from floatgate.own.policy import place
from floatgate.own.regulator import Steps

if TYPE_CHECKING:
    from floatgate.own.machine.build import Machine

__all__ = ["Steps", "blamed", "load", "machine", "place", "raised"]


def machine(policy: Compiled) -> "Machine":
    """Make machine code of an object. Raises InputError with the file's line for what cannot be compiled."""
    from floatgate.own.machine.build import machine

    return machine(policy)


def raised(policy: Compiled, method: str) -> str:
    """Say what a compiled method raised: at its own line, or the method's where Numba does not tell."""
    from floatgate.own.machine.raised import last

    error, method_at = last(), place(type(policy), method)
    return f"{method_at}: {method} raised an exception" if error is None else where(error, method_at)
