"""How much faster a chip's cells lose charge in the heat, measured in volts."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from floatgate.lab import Bench
from floatgate.lab.experiments import chosen
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import Case, Finding

CHIP = "poster-mlc"
FACTORS = (40, 55, 70, 85)
BAKES = (60, 80, 100, 120)


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same in both forms
    for exhibit, temperatures in (("factors", FACTORS), ("bakes", BAKES)):
        for celsius in temperatures:
            yield Case(exhibit, f"{celsius} C", {}, x=celsius)


def run(case: Case, full: bool) -> Finding:  # noqa: ARG001
    found = measured()
    return Finding(found["factor" if case.exhibit == "factors" else "hours"][case.name])


@lru_cache
def measured() -> dict[str, Any]:
    """Ask the laboratory; once in each process."""
    (asked,) = chosen(["acceleration"])
    return asked.run(Bench(SimulatedSource(CHIP), 1)).numbers
