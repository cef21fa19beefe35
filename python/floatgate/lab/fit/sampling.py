"""Which cycles a log holds: all of them, unless its head or the command line declares otherwise.

every          every operation of every cycle changes        every change of a time or status, and some
cycles between: between two lines of a block, page and
               operation nothing changed
changes 1-2-5  the same, and the cycles between are 1, 2, 5, 10, 20, 50 and so on, all of them
N              every N-th cycle, all operations of it; between, nothing is known
some           some cycles, chosen freely; between, nothing is known
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from floatgate.errors import InputError

EXPECTED = "every, changes, changes 1-2-5, some, or a whole number N for every N-th cycle"
GRID = np.array([digit * 10**power for power in range(18) for digit in (1, 2, 5)], dtype=np.int64)


@dataclass(frozen=True)
class Sampling:
    """A declared rule."""

    text: str

    @property
    def every(self) -> bool:
        """Whether no cycle may be missing."""
        return self.text == "every"

    @property
    def holds(self) -> bool:
        """Whether a value holds until the next line says otherwise."""
        return self.text.startswith("changes")

    @property
    def grid(self) -> bool:
        """Whether the cycles 1, 2, 5, 10 ... are all there."""
        return self.text == "changes 1-2-5"

    @property
    def stride(self) -> int | None:
        """Every how many cycles one is logged; None where that is not declared."""
        return 1 if self.every else int(self.text) if self.text.isdigit() else None


def parse(place: str, text: str) -> Sampling:
    """Read a rule. Raises InputError, naming `place`, for another word."""
    words = " ".join(text.replace(",", " ").split())
    if words in ("every", "changes", "changes 1-2-5", "some"):
        return Sampling(words)
    if words.isascii() and words.isdigit() and 0 < int(words) < 10**9:
        return Sampling("every" if int(words) == 1 else str(int(words)))
    raise InputError(f"{place}: sampled: {words or 'nothing'}: expected {EXPECTED}")


# The laboratory's grid is written 1-2-5; a slip here would refuse its own logs.
assert all(a < b for a, b in pairwise(GRID.tolist()))
