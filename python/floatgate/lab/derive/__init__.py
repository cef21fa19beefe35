"""The page model of a chip, measured on its cells: the tables that whole drives work with.

| file | question |
|---|---|
| `times.py` | how long do programs and erases take, by wear, page type and program step? |
| `rates.py` | how many bits are wrong, by page type, program step, wear, age and reads? |
| `lives.py` | after how many cycles do blocks fail, by rank and temperature? |
| `states.py` | what does the data written do? |
| `voltages.py` | what do other sets of voltages than the usual one do? |
| `write.py` | how is it kept? |
"""

from collections.abc import Callable

from floatgate.errors import InputError
from floatgate.lab.chip import CellModel
from floatgate.lab.derive.lives import Endurance, endurance
from floatgate.lab.derive.rates import CELLS, Rates, rates, soft_rates
from floatgate.lab.derive.states import States, states
from floatgate.lab.derive.times import STEPS, Row, times
from floatgate.lab.derive.voltages import Voltages, voltages
from floatgate.lab.derive.write import PageModel, chip_file

__all__ = ["Endurance", "PageModel", "Rates", "Row", "States", "Voltages", "chip_file", "derive", "further"]

FURTHER = (4.0, 5.0, 6.5, 8.0)  # of the rated cycles


def further(last: int, rated: int, life: int) -> list[int]:
    """Return wears beyond the last row of times at which errors are looked at: up to the median block's life.

    A code may read on where programs in steps of all sizes begin to fail.
    """
    return [wear for share in FURTHER if last < (wear := round(share * rated)) <= life]


def derive(
    sample: Callable[[], CellModel],
    progress: Callable[[float], None] = lambda _fraction: None,
    steps: tuple[float, ...] = STEPS,
    cells: int = CELLS,
) -> PageModel:
    """Return the page model of a part; `sample` makes a chip, the same silicon each time.

    At least `cells` cells of each of some blocks are sampled for error rates.

    Raises InputError for parts without rated cycles: the wears that are looked at follow from them.
    """
    chip = sample()
    identity = chip.identify()
    rated = identity.rated.pe_cycles
    if rated is None:
        raise InputError(
            f"chip {identity.name}: pe_cycles_rated: missing: the wear of the rows follows from it"
        )
    rows = times(chip, rated, steps, lambda part: progress(0.4 * part))
    lived = endurance(sample)
    progress(0.6)
    by_state = states(sample, rated)
    progress(0.7)
    wears = [row.pe_cycles for row in rows]
    wears += further(wears[-1], rated, lived.cycles[len(lived.cycles) // 2])
    found = rates(chip, wears, steps, cells, lambda part: progress(0.7 + 0.25 * part))
    found = soft_rates(chip, found)
    sets = voltages(sample, rows, cells)
    progress(1.0)
    return PageModel(chip.read_times_ns(), steps, rows, found, lived, by_state, sets)
