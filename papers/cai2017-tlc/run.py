"""Error rates that follow from measured threshold voltages, as `floatgate fit --voltages` has them."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from statistics import fmean

from floatgate.lab.fit.measured import VoltageFit, fit_voltages
from floatgate.lab.fit.voltages import Measured
from floatgate.reproduce import Case, Concluded, Finding, Found

from . import causes, chip

TABLE = Path(__file__).with_name("voltages.csv")
NEW, WORN = "0, 1 d", ("0, 1 d", "3000, 1 d")
ERASED, KNOWN_NEW = "ER", ("P6", "P7")  # of the widths when new, the paper's text was read for two
YEAR, THREE_MONTHS = "age-shift", "age-shift-3mo"
UNITS_PER_VOLT = 85  # of the table: what the chip's file takes a volt for
AGED = ("2000, 1 d", "2000, 1 w", "2000, 1 mo", "2000, 3 mo", "2000, 1 y")


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same in both forms
    for name in (*WORN, *AGED):
        yield Case("best", name)
    for name in AGED[1:]:
        yield Case("frozen", name)
    for name in borders():
        yield Case("references", name)
    for name in causes.EXPERIMENTS:
        yield Case("causes", name)


def run(case: Case, full: bool) -> Finding:  # noqa: ARG001
    if case.exhibit == "causes":
        return causes.run(case.name)
    if case.exhibit == "references":
        return Finding(fixed_references()[borders().index(case.name)])
    rates = next(rates for rates in done().rates if rates.row.name == case.name)
    by_page = rates.best if case.exhibit == "best" else rates.fixed
    return Finding(sum(by_page) / len(by_page))


def conclude(found: Found) -> Iterable[Concluded]:
    """Hold the measured table and a simulated part to the same claims."""
    new, worn, most = chip.worn()
    for name, new_and_worn, aged in (
        ("measured", [row(NEW), row(AGED[0])], [row(name) for name in AGED]),
        ("simulated", [new, most], chip.aged()),
    ):
        yield from _moves(name, *new_and_worn, aged)
    states = done().table.states
    first, *_, quarter, year = chip.aged()
    for index, state in enumerate(states):
        for exhibit, last in ((YEAR, year), (THREE_MONTHS, quarter)):
            yield Case(exhibit, state), _units(last.means[index] - first.means[index])
        if state == ERASED:
            yield Case("wear-shift", state), _units(most.means[index] - new.means[index])
            yield Case("wear-shift", "ER, 2000 cycles"), _units(worn.means[index] - new.means[index])
            continue
        yield Case("age-width", state), _units(year.sigmas[index] - first.sigmas[index])
        yield Case("wear-width", state), _units(most.sigmas[index] - new.sigmas[index])
        yield Case("width", f"{state}, worn"), _units(first.sigmas[index])
    known = [new.sigmas[states.index(state)] for state in KNOWN_NEW]
    yield Case("width", "P6 and P7, new"), _units(fmean(known))
    gains = [_gain(found, name) for name in AGED[1:]]
    yield _holds("measured: retries gain more with age", all(a < b for a, b in pairwise(gains)))


def _units(volts: float) -> Finding:
    return Finding(UNITS_PER_VOLT * volts)


def _moves(name: str, new: Measured, worn: Measured, aged: list[Measured]) -> Iterable[Concluded]:
    states = done().table.states
    widened = "P6 and P7" if name == "measured" else "every state"
    ratios = [b / a for a, b in zip(new.sigmas, worn.sigmas, strict=True)]
    of = [ratios[states.index(state)] for state in KNOWN_NEW] if name == "measured" else ratios
    yield _holds(f"{name}: wear widens {widened}", min(of) > 1, min(of))
    shifts = [b - a for a, b in zip(new.means, worn.means, strict=True)]
    yield _holds(f"{name}: wear lifts the erased state most", shifts[0] == max(shifts) and shifts[0] > 0)
    falls = [all(a.means[state] > b.means[state] for a, b in pairwise(aged)) for state in (6, 7)]
    yield _holds(f"{name}: the highest states fall with age", all(falls))
    widths = [[one.sigmas[state] for one in aged] for state in range(1, 8)]
    yield _holds(
        f"{name}: programmed states widen with age", all(a <= b for one in widths for a, b in pairwise(one))
    )


def _gain(found: Found, name: str) -> float:
    return float(found["frozen", name].simulated) / float(found["best", name].simulated)


def _holds(name: str, holds: bool, measure: float | None = None) -> Concluded:
    return Case("growth", name), Finding("yes" if holds else "no", holds=holds, measure=measure)


def row(name: str) -> Measured:
    return next(rates.row for rates in done().rates if rates.row.name == name)


def borders() -> list[str]:
    return [f"{low}|{high}" for low, high in pairwise(done().table.states)]


def fixed_references() -> tuple[float, ...]:
    return next(rates.references for rates in done().rates if rates.row == done().table.fixed)


@lru_cache
def done() -> VoltageFit:
    """Fit the table; once in each process."""
    return fit_voltages(TABLE)
