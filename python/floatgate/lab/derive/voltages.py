"""Sets of voltages beside the usual one: program times, error rates, wear."""

from collections.abc import Callable
from dataclasses import dataclass
from statistics import fmean

from floatgate.lab.chip import CellModel
from floatgate.lab.derive.lives import life
from floatgate.lab.derive.rates import Rates, rates
from floatgate.lab.derive.times import Row

BLOCKS = 8  # whose lives make a set's stress


@dataclass(frozen=True)
class Voltages:
    """One set."""

    name: str
    t_prog: tuple[tuple[float, ...], ...]  # for each wear, by page type, ns
    stress: float  # wear of a cycle with it, over one with the usual set
    rates: Rates  # with its own program step only


def voltages(sample: Callable[[], CellModel], rows: list[Row], cells: int) -> tuple[Voltages, ...]:
    """Measure every set but the first; `sample` makes a chip, the same silicon each time."""
    usual, *others = sample().voltage_plans()

    def mean_life(plan: str) -> float:
        fresh = sample()
        fresh.use_voltage_plan(plan)
        return fmean(life(fresh, block) for block in range(BLOCKS))

    def measured(plan: str) -> Voltages:
        chip = sample()
        chip.use_voltage_plan(plan)
        found = rates(chip, [row.pe_cycles for row in rows], (1.0,), cells, lambda _part: None)
        times = tuple(row.by_plan[plan] for row in rows)
        return Voltages(plan, times, mean_life(usual) / mean_life(plan), found)

    return tuple(measured(plan) for plan in others)
