"""Endurance when all pages of a block are written, and when only the first is."""

from floatgate.lab.bench import Bench
from floatgate.lab.compare import USUAL, endurance
from floatgate.lab.experiment import Experiment, Result


def run(bench: Bench) -> Result:
    """Write the first page of each cycle, and all of them."""
    return endurance(
        bench,
        "all-pages",
        {"first page": USUAL, "all pages": ("zeros", "all", USUAL[2])},
    )


EXPERIMENT = Experiment(
    "all-pages",
    "First page against all pages",
    "Does writing all pages of a block wear it faster than writing one?",
    "Desnoyers 2009, section 3.4",
    run,
)
