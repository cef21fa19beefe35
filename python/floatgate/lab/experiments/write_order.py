"""Program time by order of the blocks."""

import random
from statistics import fmean

from floatgate.lab import figures, patterns
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.values import quantities as q

BLOCKS, PAGES = 4, 32


def run(bench: Bench) -> Result:
    """Write the same pages of several blocks block by block, and jumping between the blocks."""
    in_order = _write_times(bench, shuffled=False)
    in_turns = _write_times(bench, shuffled=True)
    means = {"block after block": fmean(in_order), "jumping between blocks": fmean(in_turns)}
    difference = means["jumping between blocks"] / means["block after block"] - 1
    rows = tuple(
        (name, q.duration(min(times)), q.duration(fmean(times)), q.duration(max(times)))
        for name, times in zip(means, (in_order, in_turns), strict=True)
    )
    return Result(
        f"Jumping between {BLOCKS} blocks, each written in its page order, changed the mean program time "
        f"by {q.percent(difference)}.",
        {"mean_ns": means, "difference": difference},
        (Table(("writes", "least", "mean", "most"), rows),),
        {
            "write-order": figures.bars(
                {name: {"program": mean / 1e3} for name, mean in means.items()},
                figures.time_axis("program time", "us"),
                colours=figures.OPERATIONS,
                height=250,
            )
        },
    )


def _write_times(bench: Bench, *, shuffled: bool) -> list[int]:
    chip, blocks = bench.sample(BLOCKS, "jumping" if shuffled else "in-order")
    pages = min(PAGES, bench.identity.pages_per_block)
    turns = [block for block in blocks for _ in range(pages)]
    if shuffled:
        random.Random(1).shuffle(turns)
    following = dict.fromkeys(blocks, 0)
    times = []
    for block in turns:
        page = following[block]
        following[block] += 1
        times.append(chip.program(block, page, patterns.random_page(bench.identity, block, page)).busy_ns)
    return times


EXPERIMENT = Experiment(
    "write-order",
    "Sequential and non-sequential writes",
    "Does jumping between blocks change how long a program takes?",
    "Desnoyers 2009, section 3.3",
    run,
)
