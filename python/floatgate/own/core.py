"""Functions of this package that the core calls when a drive names a policy in Python."""

from typing import TYPE_CHECKING

from floatgate.own.compiled import Compiled
from floatgate.own.found import blamed, load, where
from floatgate.own.policy import place
from floatgate.own.regulator import Steps

if TYPE_CHECKING:
    from floatgate.own.machine.build import Machine

__all__ = ["Steps", "blamed", "load", "machine", "place", "raised"]


def machine(policy: Compiled) -> "Machine":
    """Compile the methods of a policy object. Raises InputError with the line of what cannot be compiled."""
    from floatgate.own.machine.build import machine

    return machine(policy)


def raised(policy: Compiled, method: str) -> str:
    """Return the message for an exception in a compiled method, with its line or else its method's."""
    from floatgate.own.machine.raised import last

    error, method_at = last(), place(type(policy), method)
    return f"{method_at}: {method} raised an exception" if error is None else where(error, method_at)
