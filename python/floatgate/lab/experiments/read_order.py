"""Read time by order of the pages and by wear."""

import random
from statistics import fmean

from floatgate.lab import figures, patterns
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.values import quantities as q

BLOCKS, PAGES = 2, 16
WORN = 0.5  # of the shortest life of the endurance test


def run(bench: Bench) -> Result:
    """Read the same pages in sequence and at random, on fresh and on worn blocks."""
    worn_cycles = max(1, round(WORN * min(life.cycles for life in bench.lives())))
    times = {}
    for wear, cycles in (("fresh", 0), (f"after {q.count(worn_cycles)} cycles", worn_cycles)):
        in_order, at_random = _read_times(bench, cycles)
        times[f"sequential, {wear}"], times[f"random, {wear}"] = in_order, at_random
    means = {name: fmean(values) for name, values in times.items()}
    every = [value for values in times.values() for value in values]
    spread = max(means.values()) / min(means.values()) - 1
    rows = tuple(
        (name, q.duration(min(values)), q.duration(fmean(values)), q.duration(max(values)))
        for name, values in times.items()
    )
    return Result(
        f"{len(every)} reads took {q.duration(fmean(every))} on average; the means of the four groups "
        f"differ by {q.percent(spread)}.",
        {"mean_ns": means, "spread": spread, "worn_cycles": worn_cycles},
        (Table(("reads", "least", "mean", "most"), rows),),
        {
            "read-order": figures.bars(
                {name: {"read": mean / 1e3} for name, mean in means.items()},
                figures.time_axis("read time", "us"),
                colours=figures.OPERATIONS,
                height=250,
            )
        },
    )


def _read_times(bench: Bench, cycles: int) -> tuple[list[int], list[int]]:
    chip, blocks = bench.sample(BLOCKS, f"{cycles}-cycles")
    pages = range(min(PAGES, bench.identity.pages_per_block))
    for block in blocks:
        if cycles:
            chip.cycle(block, cycles)
        for page in pages:
            chip.program(block, page, patterns.random_page(bench.identity, block, page))
    places = [(block, page) for block in blocks for page in pages]
    in_order = [chip.read(*place).busy_ns for place in places]
    random.Random(1).shuffle(places)
    return in_order, [chip.read(*place).busy_ns for place in places]


EXPERIMENT = Experiment(
    "read-order",
    "Sequential and random reads",
    "Does the order of reads, or wear, change how long a read takes?",
    "Desnoyers 2009, section 3.3",
    run,
)
