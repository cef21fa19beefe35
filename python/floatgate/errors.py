"""The two ways in which Floatgate fails: the user's input, and Floatgate itself."""

from floatgate._core import BrokenInvariant, InputError

__all__ = ["BrokenInvariant", "Fault", "InputError", "one_line"]


class Fault(Exception):
    """A broken invariant of Floatgate, with the seed and the command that repeats it."""


def one_line(text: object) -> str:
    """Return `text` on a single line, whatever it holds."""
    return " ".join(str(text).split())
