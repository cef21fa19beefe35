"""Pages of S20's and H21's QLC: the same cells, counted by the boundaries that those parts' pages tell apart.

The generic part's pages tell 3, 4, 4 and 4 boundaries apart. S20's TLC is read with V4 for its LSB page, with
V2 and V6 for the CSB page, with the other four for the MSB page; its QLC is "similar", up to eight for MSB.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from floatgate.lab import errors, patterns
from floatgate.lab.simulated import SimulatedChip, SimulatedSource

DEFAULT, BEST = 0, 1  # references
PAGES = (
    (8,),
    (4, 12),
    (2, 6, 10, 14),
    (1, 3, 5, 7, 9, 11, 13, 15),
)  # by read voltage, S20
BLOCKS = {False: 1, True: 4}  # quick form, full form
NEAR, STEP = 0.25, 0.005  # volts about a reference in which the best one is looked for, and how finely

Volts = NDArray[np.float64]


def pages(
    chip: str, settings: tuple[str, ...], cycles: int, seconds: float, references: int, *, full: bool
) -> list[float]:
    """Return the bit error rate of each page, with the DEFAULT references or the BEST."""
    misread = _boundaries(chip, settings, cycles, seconds, BLOCKS[full])[references]
    return [sum(misread[boundary - 1] for boundary in of) for of in PAGES]


@lru_cache
def _boundaries(
    name: str, settings: tuple[str, ...], cycles: int, seconds: float, blocks: int
) -> tuple[list[float], list[float]]:
    """Return the share of all cells that are misread at each boundary; once in each process."""
    chip = SimulatedSource(name, overrides=settings).cells()
    references = chip.use_voltage_plan(chip.voltage_plans()[0]).references
    volts, states = _aged(chip, cycles, seconds, blocks)
    usual, best = [], []
    for boundary, reference in enumerate(references, start=1):
        low = np.sort(volts[states < boundary])
        high = np.sort(volts[states >= boundary])
        tried = np.append(np.arange(reference - NEAR, reference + NEAR, STEP), reference)
        misread = len(low) - np.searchsorted(low, tried) + np.searchsorted(high, tried)
        usual.append(float(misread[-1] / len(volts)))
        best.append(float(misread.min() / len(volts)))
    return usual, best


def _aged(chip: SimulatedChip, cycles: int, seconds: float, blocks: int) -> tuple[Volts, NDArray[np.int64]]:
    """Return each cell's threshold voltage, and the state that it was written to."""
    identity = chip.identify()
    volts, states = [], []
    for block in range(blocks):
        chip.cycle(block, cycles, pattern="random", pages="all")
        written = errors.write(chip, identity, block, seed=block)
        assert written is not None, f"block {block} failed before {cycles} cycles"
        chip.let_time_pass(seconds)
        for line in range(errors.WORDLINES):
            volts.append(chip.threshold_voltages(block, line))
            states.append(patterns.states_of(identity, [written[page] for page in identity.pages_of(line)]))
    return np.concatenate(volts).astype(np.float64), np.concatenate(states).astype(np.int64)
