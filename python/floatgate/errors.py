"""The two ways in which Floatgate fails: the user's input, and Floatgate itself."""

from floatgate._core import BrokenInvariant, InputError

__all__ = ["BrokenInvariant", "Fault", "InputError", "one_line"]


class Fault(Exception):
    """A broken invariant of Floatgate, with the seed and the command that repeats it."""


LONGEST = 2_000  # characters of a message: a value of a megabyte would bury what is wrong with it


def one_line(text: object) -> str:
    """Return `text` on a single line that a terminal shows as it is, whatever it holds."""
    line = " ".join(str(text).split())
    if len(line) > LONGEST:
        half = LONGEST // 2
        line = f"{line[:half]} [{len(line) - 2 * half:,} characters left out] {line[-half:]}"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)
