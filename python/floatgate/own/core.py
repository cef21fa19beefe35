"""What the core asks of this package when a drive names a policy in Python."""

from floatgate.own.found import blamed, load
from floatgate.own.policy import place

__all__ = ["blamed", "load", "place"]
