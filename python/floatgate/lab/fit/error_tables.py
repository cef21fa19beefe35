"""Error rates and endurance as tables of a chip file: `[tables.errors]` and `[tables.endurance]`.

What was not measured is said where it stands: logs know one age and no retries, tables of voltages no reads.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from floatgate.errors import InputError
from floatgate.lab.fit.endurance import EnduranceFit
from floatgate.lab.fit.rates import RateFit
from floatgate.lab.fit.voltages import Rates, Table
from floatgate.lab.rising import rising
from floatgate.values.toml_list import listed

WEARS = 12  # of a fitted law
RANKS = 25  # of a distribution of lives
TRAPPING = 0.62  # between the rows, cores go along straight lines over wear to this power
ACTIVATION_EV, REFERENCE_CELSIUS = 1.1, 25.0
_SECONDS = {"s": 1, "min": 60, "h": 3600, "d": 86_400, "w": 7 * 86_400, "mo": 30 * 86_400, "y": 365 * 86_400}


@dataclass(frozen=True)
class Grid:
    """Rates by wear and age."""

    pe_cycles: tuple[int, ...]
    ages_s: tuple[int, ...]
    usual: tuple[tuple[float, ...], ...]  # for each wear and age, of each page type
    best: tuple[tuple[float, ...], ...]
    source: str
    source_best: str


def of_laws(fits: Mapping[int, RateFit], types: int) -> Grid | None:
    """Return the laws of a log's error rates on a grid of wear; None where a page type was not read."""
    if set(fits) != set(range(types)):
        return None
    last = min(float(fit.wear[-1]) for fit in fits.values())
    spaced = np.linspace(0.0, last**TRAPPING, WEARS) ** (1 / TRAPPING)
    wears = sorted({round(wear) for wear in spaced.tolist()})
    rates = tuple(tuple(_rate(fits[kind], wear) for kind in range(types)) for wear in wears)
    laws = "; ".join(dict.fromkeys(fit.law.formula for fit in fits.values()))
    warning = "" if all(fit.goodness.good for fit in fits.values()) else "; POOR: the data do not follow"
    return Grid(
        tuple(wears),
        (0,),
        rates,
        rates,
        f"fitted: {laws}, w the wear in cycles{warning}",
        "assumed: as rate, since logs tell no retries",
    )


def _rate(fit: RateFit, wear: int) -> float:
    return 0.0 if fit.below is not None else min(float(fit.law.at(float(wear))), 0.5)


def of_voltages(table: Table, rates: Sequence[Rates]) -> Grid:
    """Return what threshold voltages say on a grid of wear and age.

    Where a wear was measured at one age only, its rates grow with age as those of the wear with most ages do.
    Raises InputError for an age that is no time.
    """
    found = {(one.row.pe_cycles, one.row.age): one for one in rates}
    wears = sorted({wear for wear, _ in found})
    ages = sorted({age for _, age in found}, key=seconds)
    most = max(wears, key=lambda wear: sum((wear, age) in found for age in ages))
    base = table.rows[0].age
    whole = len(found) == len(wears) * len(ages)

    def at(wear: int, age: str, kind: str) -> tuple[float, ...]:
        if (wear, age) in found:
            values: tuple[float, ...] = getattr(found[wear, age], kind)
            return values
        own, old, new = (getattr(found[key], kind) for key in ((wear, base), (most, age), (most, base)))
        return tuple(min(a * b / c, 0.5) for a, b, c in zip(own, old, new, strict=True))

    for wear in wears:
        if not whole and ((wear, base) not in found or any((most, age) not in found for age in ages)):
            raise InputError(f"{wear} cycles: age {base or 'none'}: missing: expected every wear at that age")
    filled = "" if whole else f"; assumed: with age as after {most} cycles where not measured"
    usual, best = (tuple(at(wear, age, kind) for wear in wears for age in ages) for kind in ("fixed", "best"))
    return Grid(
        tuple(wears),
        tuple(seconds(age) for age in ages),
        usual,
        best,
        f"overlap of measured states, references of {table.fixed.name}{filled}",
        "overlap of measured states, references where they cross",
    )


def seconds(age: str) -> int:
    """Return an age such as `3 mo` in seconds; 0 for none. Raises InputError for another text."""
    if not age:
        return 0
    found = re.fullmatch(r"([0-9]{1,6})\s*([a-z]+)", age)
    if found is None or found[2] not in _SECONDS:
        raise InputError(f"age = {age}: expected a number and one of {', '.join(_SECONDS)}")
    return int(found[1]) * _SECONDS[found[2]]


def errors(grid: Grid) -> list[str]:
    """Return the lines of `[tables.errors]`."""
    shape = (len(grid.pe_cycles), len(grid.ages_s))
    usual, best = rising(grid.usual, *shape), rising(grid.best, *shape)
    after = [rate for at in usual.rates[:: len(grid.ages_s)] for rate in at]
    activation = f"activation_ev = {ACTIVATION_EV}  # assumed: charge loss of floating gates, JESD218"
    return [
        "",
        "[tables.errors]",
        "steps = [1.0]  # the usual program step: others were not measured",
        *listed("pe_cycles", map(str, grid.pe_cycles), "wear of the grid"),
        *listed("ages", (f'"{age}s"' for age in grid.ages_s), "age of the data, as measured"),
        "reads = [0]  # what reads add was not measured",
        *listed("rate", (_text(rate) for at in usual.rates for rate in at), grid.source + usual.says()),
        *listed(
            "rate_best", (_text(rate) for at in best.rates for rate in at), grid.source_best + best.says()
        ),
        *listed("rate_reads", map(_text, after), "the youngest age's: what reads add was not measured"),
        activation,
        f"reference_celsius = {REFERENCE_CELSIUS}  # assumed: the temperature of the measurement",
    ]


def endurance(fit: EnduranceFit) -> list[str]:
    """Return the lines of `[tables.endurance]`: quantiles in the middle of evenly spaced ranks."""
    lives = (max(1, round(fit.chosen.quantile((rank + 0.5) / RANKS))) for rank in range(RANKS))
    warning = "" if fit.good else "; POOR: the blocks do not follow"
    source = f"fitted: quantiles of a {fit.chosen.name} distribution, {len(fit.cycles)} blocks{warning}"
    return ["", "[tables.endurance]", *listed("cycles", map(str, lives), source)]


def _text(rate: float) -> str:
    return f"{rate:.4e}" if rate > 0 else "0.0"
