"""Errors of blocks that were worn with one state each."""

from floatgate.lab import errors, figures
from floatgate.lab.bench import Bench
from floatgate.lab.chip import Pages
from floatgate.lab.experiment import Experiment, Result, Table, lacks_states
from floatgate.report import palette
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

BLOCKS = 3  # of each treatment
SHARES = (0.0, 0.5, 1.0, 1.5, 2.0)  # of the rated cycles, at which errors are collected
ERASE_ONLY = "erase only"


def treatments(states: tuple[str, ...]) -> dict[str, tuple[str, Pages]]:
    """Return how blocks are worn: always to one state, or without programming at all."""
    worn: dict[str, tuple[str, Pages]] = {state: (f"state:{state}", "all") for state in states}
    return worn | {ERASE_ONLY: ("zeros", "none")}


def points(bench: Bench) -> list[int]:
    """Return the cycles at which errors are collected."""
    return [round(share * (bench.identity.rated.pe_cycles or 10_000)) for share in SHARES]


def run(bench: Bench) -> Result:
    """Wear blocks with one state each, and collect errors with pseudo-random data on the way."""
    found: dict[str, list[errors.CellErrors | None]] = {}
    for name, (pattern, pages) in bench.through(treatments(bench.identity.states).items()):
        found[name] = _worn(bench, name, pattern, pages)
    cycles = points(bench)
    rows = tuple(
        (name, *(q.NOTHING if one is None else q.three(one.per_million) for one in of))
        for name, of in found.items()
    )
    last, at = _last_of_all(found)
    erased = bench.identity.states[0]
    colours = figures.states(bench.identity.states) | {ERASE_ONLY: palette.INK}
    return Result(
        _says(last, cycles[at], erased),
        {
            "cycles": cycles,
            "errors_per_million_cells": {
                name: [None if one is None else one.per_million for one in of] for name, of in found.items()
            },
        },
        (Table(("worn with", *(f"{cycle:,} cycles" for cycle in cycles)), rows),),
        {
            "state-wear": figures.lines(
                {
                    name: (
                        [cycle for cycle, one in zip(cycles, of, strict=True) if one],
                        [one.per_million for one in of if one],
                    )
                    for name, of in found.items()
                },
                figures.cycles_axis("cycles with which the block was worn"),
                Axis("wrong cells of a million", zero=True),
                colours=colours,
            )
        },
    )


def _says(last: dict[str, float], cycles: int, erased: str) -> str:
    order = sorted(last, key=lambda name: -last[name])
    if not any(last.values()):
        return f"Up to {q.count(cycles)} cycles no cell was wrong, by each state that wore the blocks."
    most, least = (_alike(last, order[place]) for place in (0, -1))
    return (
        f"After {q.count(cycles)} cycles, errors were most where blocks had been worn with {most} "
        f"({q.three(last[order[0]])} of a million cells) and fewest with {least} "
        f"({q.three(last[order[-1]])}). Cells that stay at {erased}, or are erased without being programmed, "
        "are erased too deep each time: that stresses their oxide although no data were written."
    )


def _alike(last: dict[str, float], name: str) -> str:
    """Return all kinds of wear that left as many errors as this one."""
    return " and ".join(one for one, errors in last.items() if errors == last[name])


def _last_of_all(found: dict[str, list[errors.CellErrors | None]]) -> tuple[dict[str, float], int]:
    """Return the errors at the last point that all treatments reached, and which point that is."""
    for at in reversed(range(len(SHARES))):
        reached = {name: one.per_million for name, of in found.items() if (one := of[at]) is not None}
        if len(reached) == len(found) or at == 0:
            return reached, at
    raise AssertionError("there is always a first point")


def _worn(bench: Bench, name: str, pattern: str, pages: Pages) -> list[errors.CellErrors | None]:
    """Collect errors of the live ones of some blocks, at each point; None once none lives."""
    chip, blocks = bench.sample(BLOCKS, name.replace(" ", "-"))
    sums: list[errors.CellErrors | None] = []
    done = 0
    for point in points(bench):
        total = errors.none(bench.identity)
        for block in list(blocks):
            if point > done:
                chip.cycle(block, point - done, pattern=pattern, pages=pages)
            collected = errors.collect(chip, bench.identity, block, seed=point)
            if collected is None:
                blocks.remove(block)
            else:
                total += collected
        done = point + 1  # the collection is a cycle, too
        sums.append(total if blocks else None)
    return sums


EXPERIMENT = Experiment(
    "state-wear",
    "Wear with a constant threshold voltage",
    "Which state, written again and again, leaves a block least reliable?",
    "Wang 2014 (poster), figure 2",
    run,
    lacks_states,
)
