"""Error rates that follow from measured threshold voltages, as `floatgate fit --voltages` has them."""

from collections.abc import Iterable
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from floatgate.lab.fit.measured import VoltageFit, fit_voltages
from floatgate.lab.fit.voltages import Measured
from floatgate.reproduce import Case, Concluded, Finding, Found

TABLE = Path(__file__).with_name("voltages.csv")
WORN = ("0, 1 d", "3000, 1 d")
AGED = ("2000, 1 d", "2000, 1 w", "2000, 1 mo", "2000, 3 mo", "2000, 1 y")


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same in both forms
    for name in (*WORN, *AGED):
        yield Case("best", name)
    for name in AGED[1:]:
        yield Case("frozen", name)
    for name in borders():
        yield Case("references", name)


def run(case: Case, full: bool) -> Finding:  # noqa: ARG001
    if case.exhibit == "references":
        return Finding(fixed_references()[borders().index(case.name)])
    rates = next(rates for rates in done().rates if rates.row.name == case.name)
    by_page = rates.best if case.exhibit == "best" else rates.fixed
    return Finding(sum(by_page) / len(by_page))


def conclude(found: Found) -> Iterable[Concluded]:
    new, worn = (row(name) for name in WORN)
    yield _holds(
        "worn: every state is wider", all(a < b for a, b in zip(new.sigmas, worn.sigmas, strict=True))
    )
    shifts = [b - a for a, b in zip(new.means, worn.means, strict=True)]
    yield _holds("worn: the erased state rises most", shifts[0] == max(shifts) and shifts[0] > 0)
    ages = [row(name) for name in AGED]
    yield _holds("aged: P6 and P7 fall", all(falls(ages, state) for state in (6, 7)))
    widths = [[one.sigmas[state] for one in ages] for state in range(1, 8)]
    yield _holds("aged: programmed states widen", all(a <= b for one in widths for a, b in pairwise(one)))
    gains = [found["frozen", name].simulated / found["best", name].simulated for name in AGED[1:]]
    yield _holds("aged: retries gain more and more", all(a < b for a, b in pairwise(gains)))


def falls(rows: list[Measured], state: int) -> bool:
    return all(a.means[state] > b.means[state] for a, b in pairwise(rows))


def _holds(name: str, holds: bool) -> Concluded:
    return Case("growth", name), Finding("yes" if holds else "no", holds=holds)


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
