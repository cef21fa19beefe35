"""Raw bit error rates of two parts' cells under the conditions in which papers measured them."""

from collections.abc import Iterable
from statistics import fmean

from floatgate.reproduce import Case, Finding, changes

from . import causes, coded
from .looks import (
    BAKE,
    BEST_LAYER,
    DAY,
    HOUR,
    KIB,
    QLC,
    ROOM,
    TLC,
    WEEK,
    WORST_LAYER,
    YEAR,
    Look,
    rates,
)

CELLS = (6_000, 40_000)  # of each of 16 blocks: quick form, full form
MONTHS = {0: 0.0, 3: YEAR / 4, 12: YEAR}
WORN = (0, 1000, 3000, 5000)
READ_LIMIT = 518_420


def cases(full: bool) -> Iterable[Case]:  # noqa: ARG001 - the same in both forms
    for cycles in WORN:
        for how in ("a year", "bake"):
            yield _case("best", f"CT TLC, {how}, {cycles} cycles", f"CT TLC, {how}", cycles)
        for exhibit in ("best", "default"):
            yield _case(exhibit, f"FG QLC, bake, {cycles} cycles", "FG QLC, bake", cycles)
    yield _case("best", "FG QLC, a year, 1000 cycles", "FG QLC, a year", 1000)
    yield _case("default", "FG QLC, a year, 1000 cycles", "FG QLC, a year", 1000)
    yield _case("default", "CT TLC, a year, 1000 cycles", "CT TLC, a year", 1000)
    yield _case("default", "CT TLC, new, 0 cycles", "CT TLC, new", 0)
    for days in (30, 60, 121, 182):
        yield _case("retention", f"{days} d", "highest boundary over 366 d", days)
    for celsius in (25, 80):
        yield _case("hour", f"{celsius} C", "FG QLC", celsius)
    for cycles in (3000, 5000, 8000):
        yield _case("wear", f"{cycles} cycles", "over 1000 cycles", cycles)
    for name, pages in (("CT TLC, a year", 3), ("FG QLC, an hour", 4), ("FG QLC, a year", 4)):
        for page in range(pages):
            yield _case("pages", f"{name}, page {page + 1}", name, page + 1)
    for chip in ("CT TLC", "FG QLC"):
        for references in ("default", "best"):
            yield _case("layers", f"{chip}, {references}", chip, 5000)
    for cycles in (0, 1000, 2000):
        for months in MONTHS:
            yield _case("worst", f"{cycles} cycles, {months} months", f"{cycles} cycles", months)
    for share in (0.25, 0.5, 1.0):
        yield _case("reads", f"{share:.0%} of the reads", "worst page", share * READ_LIMIT)
    for hours in (3, 264):
        yield _case("first-days", f"{hours} h", "over new data", hours)
    for name in causes.EXPERIMENTS:
        yield Case("causes", name)


def _case(exhibit: str, name: str, series: str, x: float) -> Case:
    return Case(exhibit, name, {}, x=x, series=series)


def run(case: Case, full: bool) -> Finding:
    cells = CELLS[full]
    if case.exhibit == "causes":
        return causes.run(case.name, cells)
    values = {
        "best": _by_wear,
        "default": _by_wear,
        "retention": _retention,
        "hour": _hour,
        "wear": _wear,
        "pages": _pages,
        "layers": _layers,
        "worst": _worst,
        "reads": _reads,
        "first-days": _first_days,
    }
    return Finding(values[case.exhibit](case, cells))


def _by_wear(case: Case, cells: int) -> float:
    part, how, worn = case.name.split(", ")
    chip = TLC if part == "CT TLC" else QLC
    seconds, celsius = {"a year": (YEAR, ROOM), "bake": BAKE, "new": (0.0, ROOM)}[how]
    found = rates(Look(chip, int(worn.split()[0]), seconds, celsius), cells)
    pages = found.best if case.exhibit == "best" else found.usual
    # MICRO 2020 gives the worst page, the others the mean.
    return max(pages) if (part, how) == ("FG QLC", "bake") else fmean(pages)


def _retention(case: Case, cells: int) -> float:
    days = int(case.name.split()[0])
    # The last page tells the highest boundary; of its errors most are there.
    return _highest(days, cells) / _highest(366, cells)


def _highest(days: int, cells: int) -> float:
    return rates(Look(TLC, 1000, days * DAY), cells).best[-1]


def _hour(case: Case, cells: int) -> float:
    return fmean(rates(Look(QLC, 1000, HOUR, float(case.name.split()[0])), cells).usual)


def _wear(case: Case, cells: int) -> float:
    worn, less = (
        fmean(rates(Look(TLC, cycles, WEEK), cells).usual) for cycles in (int(case.name.split()[0]), 1000)
    )
    return worn / less


def _pages(case: Case, cells: int) -> float:
    part, age, page = case.name.split(", ")
    hour = age == "an hour"
    if part == "CT TLC":  # of H21's figure 1: pages tell 2, 3 and 2 boundaries apart, as the generic part's
        pages = rates(Look(TLC, 1000, YEAR), cells).best
    else:
        settings, reads = changes.now().chip_settings, coded.DEFAULT if hour else coded.BEST
        pages = coded.pages(QLC, settings, 1000, HOUR if hour else YEAR, reads, full=cells == CELLS[True])
    return sorted(pages)[int(page.split()[1]) - 1] / fmean(pages)


def _layers(case: Case, cells: int) -> float:
    part, references = case.name.split(", ")
    chip = TLC if part == "CT TLC" else QLC

    def worst_page(layer: float) -> float:
        found = rates(Look(chip, 5000, *BAKE, layer=layer), cells)
        return max(found.best if references == "best" else found.usual)

    return worst_page(WORST_LAYER) / worst_page(BEST_LAYER)


def _worst(case: Case, cells: int) -> float:
    cycles, months = (int(part.split()[0]) for part in case.name.split(", "))
    found = rates(Look(TLC, cycles, MONTHS[months], celsius=30.0, layer=WORST_LAYER), cells)
    return KIB * max(found.best)


def _reads(case: Case, cells: int) -> float:
    return max(rates(Look(TLC, 1000, 0.0, reads=round(case.x or 0.0)), cells).usual)


def _first_days(case: Case, cells: int) -> float:
    hours = int(case.name.split()[0])
    aged, new = (fmean(rates(Look(TLC, 10_000, age), cells).usual) for age in (hours * HOUR, 0.0))
    return aged / new
