"""Raw bit error rates by page type, program step, wear, age and reads."""

from collections.abc import Callable
from dataclasses import dataclass

from floatgate.lab.chip import CellModel, ErrorRates

HOUR = 3600.0
DAY = 24 * HOUR
YEAR = 365.25 * DAY
AGES_S = (0.0, HOUR, DAY, 30 * DAY, YEAR, 10 * YEAR, 100 * YEAR)  # at the chip's reference temperature
READS = (0, 1_000, 10_000, 100_000, 1_000_000)
CELLS = 40_000  # sampled of each block, at least
BLOCKS = 16  # sampled at each point, as fast and slow to wear as the part's are


@dataclass(frozen=True)
class Rates:
    """Error rates on a grid."""

    pe_cycles: tuple[int, ...]
    steps: tuple[float, ...]
    rates: dict[tuple[float, int], tuple[ErrorRates, ...]]  # by step and wear: one for each of AGES_S
    after_reads: dict[int, tuple[ErrorRates, ...]]  # by wear: one for each of READS, usual step, new data
    activation_ev: float
    reference_celsius: float
    cells: int


def rates(
    chip: CellModel,
    wears: list[int],
    steps: tuple[float, ...],
    cells: int,
    progress: Callable[[float], None],
) -> Rates:
    """Sample cells at each step and wear."""
    found = {}
    for index, step in enumerate(steps):
        chip.use_program_step(step)
        for wear in wears:
            found[step, wear] = tuple(chip.error_rates(wear, [(age, 0) for age in AGES_S], cells))
        progress((index + 1) / (len(steps) + 1))
    chip.use_program_step(1.0)
    reads = {wear: tuple(chip.error_rates(wear, [(0.0, n) for n in READS], cells)) for wear in wears}
    return Rates(tuple(wears), steps, found, reads, *chip.retention(), BLOCKS * cells)
