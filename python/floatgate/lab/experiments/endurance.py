"""Endurance: how often each block can be programmed and erased."""

from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.lab.lives import summary
from floatgate.values import quantities as q

EARLY = 0.5  # of the median: a block that fails before is an outlier


def run(bench: Bench) -> Result:
    """Program the first page with zeros and erase the block, until it fails."""
    lives = bench.lives()
    found, rated = summary(lives), bench.identity.rated.pe_cycles
    early = [life for life in lives if life.cycles < EARLY * found.median]
    beyond = f", {q.ratio(found.mean / rated)} times the {q.count(rated)} of the data sheet" if rated else ""
    says = (
        f"{found.blocks} blocks lasted {q.count(found.mean)} cycles on average{beyond}: "
        f"{q.count(found.least)} the first to fail, {q.count(found.most)} the last. "
        f"{len(early)} failed before half of the median."
    )
    rows = tuple(
        (f"block {life.block}", f"{life.cycles:,}", life.failed or "alive", f"{len(life.steps('erase'))}")
        for life in lives
    )
    return Result(
        says,
        {
            "rated_cycles": rated,
            "cycles": {str(life.block): life.cycles for life in lives},
            "failed_operation": {str(life.block): life.failed for life in lives},
            "mean_cycles": found.mean,
            "median_cycles": found.median,
            "least_cycles": found.least,
            "most_cycles": found.most,
            "early_failures": len(early),
        },
        (Table(("block", "cycles", "failed in", "erase times seen"), rows),),
        {
            "endurance": figures.endurance({bench.identity.name: lives}, rated),
            "survival": figures.survival({bench.identity.name: lives}, rated),
        },
    )


EXPERIMENT = Experiment(
    "endurance",
    "Endurance of blocks",
    "How many cycles does each block survive, compared with its rating?",
    "Desnoyers 2009, section 3.2, figure 5",
    run,
)
