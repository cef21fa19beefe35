"""Program times by state: what two experiments on states have in common."""

from collections.abc import Sequence
from statistics import fmean

from floatgate.lab import patterns
from floatgate.lab.chip import Chip, Identity
from floatgate.lab.errors import written_pages

WORDLINES = 8


def page_times(chip: Chip, identity: Identity, block: int, state: str) -> list[int] | None:
    """Bring the first wordlines of an erased block to `state`, erase it, and return the time of each page.

    None when the block fails on the way.
    """
    times = []
    for page in written_pages(identity, min(WORDLINES, 1 + max(identity.wordlines))):
        answer = chip.program(block, page, patterns.page_of_state(identity, page, state))
        if answer.status != "ok":
            return None
        times.append(answer.busy_ns)
    return times if chip.erase(block).status == "ok" else None


def by_page_type(identity: Identity, times: Sequence[int]) -> list[float]:
    """Return the mean time of each page type."""
    return [
        fmean(time for page, time in enumerate(times) if identity.page_bits[page] == digit)
        for digit in range(identity.bits)
    ]
