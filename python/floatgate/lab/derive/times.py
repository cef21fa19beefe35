"""Program and erase times by wear, page type and program step, and with other sets of voltages.

Blocks are worn with pseudo-random data on all pages. At each wear some wordlines are programmed with each
program step and set of voltages, page after page, and the block is erased; a row holds the mean over the
wordlines and over the blocks that live to the end of the table. A wear at which most have failed ends it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import fmean

from floatgate.lab.chip import CellModel
from floatgate.lab.patterns import random_page

BLOCKS = 4
SHARES = (0.0, 0.03, 0.1, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 20.0, 30.0, 50.0)  # of the rated cycles
STEPS = (0.5, 0.65, 0.8, 1.0, 1.2, 1.5)  # of the plan's program step
WORDLINES = 8  # programmed with each step


@dataclass(frozen=True)
class Row:
    """Times at a wear, ns."""

    pe_cycles: int
    t_prog: tuple[tuple[float, ...], ...]  # for each step, for each page type
    t_bers: float
    blocks: int  # how many it is the mean of
    by_plan: dict[str, tuple[float, ...]] = field(
        default_factory=dict
    )  # other sets of voltages, by page type


Measured = tuple[list[list[float]], float]
Way = tuple[str, float]  # a set of voltages and a program step over its own


def times(
    chip: CellModel, rated: int, steps: tuple[float, ...], progress: Callable[[float], None]
) -> list[Row]:
    """Return a row for each wear that most blocks reach."""
    usual, *plans = chip.voltage_plans()
    ways = [*((usual, step) for step in steps), *((plan, 1.0) for plan in plans)]
    wears = sorted({round(share * rated) for share in SHARES})
    measured: dict[int, list[Measured]] = {block: [] for block in range(BLOCKS)}
    reached: list[int] = []
    for index, wear in enumerate(wears):
        done = reached[-1] + 1 if reached else 0
        looked = {block: _at_wear(chip, block, done, wear, ways) for block in measured}
        alive = {block: look for block, look in looked.items() if look is not None}
        if len(alive) <= BLOCKS // 2:
            break
        measured = {block: [*measured[block], look] for block, look in alive.items()}
        reached.append(wear)
        progress((index + 1) / len(wears))
    return [
        _row(wear, plans, [rows[index] for rows in measured.values()]) for index, wear in enumerate(reached)
    ]


def _row(wear: int, plans: list[str], measured: list[Measured]) -> Row:
    by_way = zip(*(programs for programs, _ in measured), strict=True)
    times = [tuple(fmean(kind) for kind in zip(*blocks, strict=True)) for blocks in by_way]
    steps = len(times) - len(plans)
    by_plan = dict(zip(plans, times[steps:], strict=True))
    erased = fmean(erase for _, erase in measured)
    return Row(wear, tuple(times[:steps]), erased, len(measured), by_plan)


def _at_wear(chip: CellModel, block: int, done: int, wear: int, ways: list[Way]) -> Measured | None:
    """Wear a block on to `wear` cycles and use one more to measure; None when it failed on the way."""
    if wear > done:
        chip.cycle(block, wear - done, pattern="random", pages="all")
        if chip.status() != "ok":
            return None
    identity = chip.identify()
    wordlines = min(WORDLINES, identity.pages_per_block // identity.bits // len(ways))
    usual = ways[0][0]
    page = 0
    programs: list[list[float]] = []
    for plan, step in ways:
        chip.use_voltage_plan(plan)
        chip.use_program_step(step)
        by_type: list[list[int]] = [[] for _ in range(identity.bits)]
        for _ in range(wordlines * identity.bits):
            answer = chip.program(block, page, random_page(identity, block, page, wear))
            if answer.status != "ok":
                _as_usual(chip, usual)
                return None
            by_type[identity.page_bits[page]].append(answer.busy_ns)
            page += 1
        programs.append([fmean(found) for found in by_type])
    _as_usual(chip, usual)
    erased = chip.erase(block)
    return (programs, float(erased.busy_ns)) if erased.status == "ok" else None


def _as_usual(chip: CellModel, plan: str) -> None:
    chip.use_program_step(1.0)
    chip.use_voltage_plan(plan)
