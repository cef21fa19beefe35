"""Endurance under different data."""

from floatgate.lab.bench import Bench
from floatgate.lab.compare import USUAL, endurance
from floatgate.lab.experiment import Experiment, Result


def run(bench: Bench) -> Result:
    """Wear with zeros, with pseudo-random data and with a checkerboard."""
    return endurance(
        bench,
        "patterns",
        {
            "zeros": USUAL,
            "random": ("random", "first", USUAL[2]),
            "checkered": ("checkered", "first", USUAL[2]),
        },
    )


EXPERIMENT = Experiment(
    "patterns",
    "Data patterns",
    "Does the data pattern change endurance?",
    "Desnoyers 2009, section 3.4",
    run,
)
