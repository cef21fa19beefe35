"""The two ways in which Floatgate fails: the user's input, and Floatgate itself; and how a signal ends it."""

from collections.abc import Iterable

from floatgate._core import BrokenInvariant, InputError

__all__ = ["BrokenInvariant", "Ended", "Fault", "InputError", "Killed", "meant", "nearest", "one_line"]


class Ended(SystemExit):
    """A signal ends the command, wherever it is: in a policy of the user's own, too."""


class Fault(Exception):
    """A broken invariant of Floatgate, with the seed and the command that repeats it."""


class Killed(InputError):
    """The processes that did a piece of work were killed: the machine refused it, most likely its memory."""

    @classmethod
    def by(cls, code: int | None, times: int) -> "Killed":
        """Say it of work whose process ended with an exit code, the last of so many times."""
        how = f"killed by signal {-code}" if code is not None and code < 0 else f"gone (exit code {code})"
        why = ", most likely as memory ran out" if code == -9 else ""
        return cls(
            f"the process that did the work was {how}, {times} times{why}: "
            "expected more memory, or fewer processes at once"
        )


LONGEST = 2_000  # characters of a message: a value of a megabyte would bury what is wrong with it


def one_line(text: object) -> str:
    """Return `text` on a single line that a terminal shows as it is."""
    line = " ".join(str(text).split())
    if len(line) > LONGEST:
        half = LONGEST // 2
        line = f"{line[:half]} [{len(line) - 2 * half:,} characters left out] {line[-half:]}"
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in line)


def nearest(name: str, known: Iterable[str], otherwise: str = "", *, cutoff: float = 0.6) -> str:
    """Ask whether the known name that is nearest to `name` was meant; where none is near, say `otherwise`."""
    from difflib import get_close_matches

    found = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f"did you mean {found[0]}?" if found else otherwise


def meant(name: str, known: Iterable[str]) -> str:
    """Ask the same in brackets, at the end of a message; where none is near, say nothing."""
    asked = nearest(name, known)
    return f" ({asked})" if asked else ""
