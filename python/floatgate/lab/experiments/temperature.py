"""Endurance in the cold and in the heat."""

from floatgate.lab.bench import Bench
from floatgate.lab.compare import USUAL, endurance
from floatgate.lab.experiment import Experiment, Result


def run(bench: Bench) -> Result:
    """Wear at room temperature, hot and cold."""
    return endurance(
        bench,
        "temperature",
        {f"{celsius:g} C": (USUAL[0], USUAL[1], celsius) for celsius in (25.0, 5.0, 80.0)},
    )


EXPERIMENT = Experiment(
    "temperature",
    "Temperature",
    "Does a block last as long when it is cold or hot?",
    "Desnoyers 2009, section 3.4",
    run,
)
