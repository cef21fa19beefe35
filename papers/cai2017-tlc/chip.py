"""The same look at a simulated TLC part: mean and width of each state, new, worn, and as its data ages."""

from functools import lru_cache

import numpy as np

from floatgate.lab import errors, patterns
from floatgate.lab.fit.voltages import Measured
from floatgate.lab.simulated import SimulatedChip, SimulatedSource
from floatgate.reproduce import changes

CHIP = "cai2017-tlc"
DAY_S = 86_400.0
WORN = (0, 2000, 3000)
AGED, AGES = (
    2000,
    {"1 d": DAY_S, "1 w": 7 * DAY_S, "1 mo": 30 * DAY_S, "3 mo": 91 * DAY_S, "1 y": 365 * DAY_S},
)
WORDLINES = 4


@lru_cache
def worn(*settings: str) -> list[Measured]:
    """A day after the data was written, by wear; `settings` change the chip, for an experiment."""
    return [_aged(block, cycles, {"1 d": DAY_S}, settings)[0] for block, cycles in enumerate(WORN)]


@lru_cache
def aged(*settings: str) -> list[Measured]:
    """At one wear, by age of the data."""
    return _aged(7, AGED, AGES, settings)


def _aged(block: int, cycles: int, ages: dict[str, float], settings: tuple[str, ...]) -> list[Measured]:
    chip = SimulatedSource(CHIP, overrides=(*changes.now().chip_settings, *settings)).cells()
    identity = chip.identify()
    if cycles:
        chip.cycle(block, cycles, pattern="random", pages="all")
    written = errors.write(chip, identity, block, seed=cycles)
    assert written is not None, f"block {block} failed before {cycles} cycles"
    found, passed = [], 0.0
    for age, seconds in ages.items():
        chip.let_time_pass(seconds - passed)
        passed = seconds
        found.append(_look(chip, block, cycles, age, written))
    return found


def _look(chip: SimulatedChip, block: int, cycles: int, age: str, written: errors.Written) -> Measured:
    identity = chip.identify()
    lines = range(WORDLINES)
    volts = np.concatenate([chip.threshold_voltages(block, line) for line in lines])
    pages = ([written[page] for page in identity.pages_of(line)] for line in lines)
    meant = np.concatenate([patterns.states_of(identity, data) for data in pages])
    humps = [volts[meant == state].astype(np.float64) for state in range(len(identity.states))]
    means, widths = (tuple(float(of(hump)) for hump in humps) for of in (np.mean, np.std))
    return Measured(cycles, age, means, widths)
