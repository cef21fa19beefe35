"""Raw bit error rates by page type, program step, wear, age and reads."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import pairwise
from math import exp, log
from statistics import fmean

from floatgate.errors import InputError
from floatgate.lab.chip import CellModel, ErrorRates

BOLTZMANN_EV, KELVIN = 8.617_333_262e-5, 273.15
HOUR = 3600.0
DAY = 24 * HOUR
YEAR = 365.25 * DAY
AGES_S = (0.0, HOUR, DAY, 30 * DAY, YEAR, 10 * YEAR, 100 * YEAR)  # at the chip's reference temperature
READS = (0, 1_000, 10_000, 100_000, 300_000, 1_000_000)
CELLS = 40_000  # sampled of each block, at least
WARM = (40.0, 90 * DAY)  # JEDEC's enterprise retention: where tables meet cells that lose charge in two ways
ACTIVATIONS_EV = tuple(0.05 * step for step in range(33))  # between which the one of the tables is looked for
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
    # By wear: for each of AGES_S what two soft bits and three of each page type tell; none: not looked at.
    soft: dict[int, tuple[tuple[tuple[float, ...], tuple[float, ...]], ...]] = field(default_factory=dict)


def soft_rates(chip: CellModel, found: Rates) -> Rates:
    """Add what soft reads tell, at each wear and age of the rates, with the usual step."""
    rests = [(age, 0) for age in AGES_S]
    soft = {wear: tuple(chip.soft_rates(wear, rests, found.cells // BLOCKS)) for wear in found.pe_cycles}
    return replace(found, soft=soft)


def rates(
    chip: CellModel,
    wears: list[int],
    steps: tuple[float, ...],
    cells: int,
    progress: Callable[[float], None],
) -> Rates:
    """Sample cells at each step and wear."""
    found, reads = {}, {}
    aged, read = [(age, 0) for age in AGES_S], [(0.0, n) for n in READS]
    for index, step in enumerate(steps):
        chip.use_program_step(step)
        for wear in wears:
            # Cells that were written once serve both grids; reads are looked at with the usual step only.
            of_rests = tuple(chip.error_rates(wear, aged + read if step == 1.0 else aged, cells))
            found[step, wear] = of_rests[: len(aged)]
            if step == 1.0:
                reads[wear] = of_rests[len(aged) :]
        progress((index + 1) / (len(steps) + 1))
    chip.use_program_step(1.0)
    rated = chip.identify().rated.pe_cycles or 0
    activation_ev, reference = activation(chip, rated, cells)
    return Rates(tuple(wears), steps, found, reads, activation_ev, reference, BLOCKS * cells)


def activation(chip: CellModel, pe_cycles: int, cells: int) -> tuple[float, float]:
    """Return the one activation energy of the tables, eV, and the reference temperature.

    Cells that lose charge in two ways have two. The tables' one gives them their errors after a warm rest of
    blocks of this wear.
    """
    retention_ev, reference = chip.retention()
    celsius, seconds = WARM

    def wrong(found: ErrorRates) -> float:
        return log(max(fmean(found.usual), 1e-300))

    warm = wrong(chip.error_rates(pe_cycles, [(seconds, 0)], cells, celsius=celsius)[0])
    rests = [(seconds * arrhenius(ev, celsius, reference), 0) for ev in (retention_ev, *ACTIVATIONS_EV)]
    own, *others = map(wrong, chip.error_rates(pe_cycles, rests, cells))
    if abs(own - warm) < 1e-9:
        return retention_ev, reference
    for (low_ev, low), (high_ev, high) in pairwise(zip(ACTIVATIONS_EV, others, strict=True)):
        if low <= warm < high:
            return round(low_ev + (warm - low) / (high - low) * (high_ev - low_ev), 3), reference
    raise InputError(
        f"chip {chip.identify().name}: errors after {seconds / DAY:.0f} days at {celsius:g} degrees: "
        f"expected those of an activation energy from 0 to {ACTIVATIONS_EV[-1]:g} eV, as tables have one"
    )


def arrhenius(activation_ev: float, celsius: float, reference: float) -> float:
    """Return how much faster a process runs at `celsius` than at `reference`."""
    return exp(activation_ev / BOLTZMANN_EV * (1 / (reference + KELVIN) - 1 / (celsius + KELVIN)))
