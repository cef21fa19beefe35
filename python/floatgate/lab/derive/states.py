"""What the data written does: times, wear and errors by state."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from floatgate.lab.chip import CellModel, Identity, Pages
from floatgate.lab.derive.lives import life
from floatgate.lab.derive.rates import CELLS, YEAR
from floatgate.lab.patterns import page_of_state, random_page

BLOCKS = 8  # whose lives make a pattern's stress
PROGRAMMED = 8  # wordlines whose program times are taken
AGE_S = YEAR


@dataclass(frozen=True)
class State:
    """One pattern on all cells."""

    pattern: str  # "random", or a state's bits
    t_prog: tuple[float, ...]  # by page type, ns, new block
    stress: float  # wear of a cycle with it, over one with random data
    misread: float  # share of its cells after `AGE_S` at the rated wear


@dataclass(frozen=True)
class States:
    """All patterns."""

    rows: tuple[State, ...]
    pe_cycles: int
    age_s: float
    erase_only: float  # wear of a cycle that only erases, over one with random data


def states(sample: Callable[[], CellModel], rated: int) -> States:
    """Program and wear out the same blocks of equal samples of a part; `sample` makes one."""
    chip = sample()
    identity = chip.identify()
    patterns = ["random", *identity.states]

    def mean_life(pattern: str, pages: Pages) -> float:
        fresh = sample()
        name = pattern if pattern == "random" else f"state:{pattern}"
        return fmean(life(fresh, block, name, pages) for block in range(BLOCKS))

    lives = {pattern: mean_life(pattern, "all") for pattern in patterns}
    erase_only = lives["random"] / mean_life("random", "none")
    wrong = chip.error_rates(rated, [(AGE_S, 0)], CELLS)[0].misread
    misread = {"random": fmean(wrong), **dict(zip(identity.states, wrong, strict=True))}
    rows = tuple(
        State(pattern, _times(chip, block, pattern), lives["random"] / lives[pattern], misread[pattern])
        for block, pattern in enumerate(patterns)
    )
    return States(rows, rated, AGE_S, erase_only)


def _times(chip: CellModel, block: int, pattern: str) -> tuple[float, ...]:
    identity = chip.identify()
    by_type: list[list[int]] = [[] for _ in range(identity.bits)]
    wordlines = min(PROGRAMMED, identity.pages_per_block // identity.bits)
    for page in range(wordlines * identity.bits):
        answer = chip.program(block, page, _data(identity, block, page, pattern))
        by_type[identity.page_bits[page]].append(answer.busy_ns)
    return tuple(fmean(found) for found in by_type)


def _data(identity: Identity, block: int, page: int, pattern: str) -> bytes:
    if pattern == "random":
        return random_page(identity, block, page, 0)
    return page_of_state(identity, page, pattern)
