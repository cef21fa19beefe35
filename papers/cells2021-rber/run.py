"""Raw bit error rates of two parts' cells under the conditions in which papers measured them."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean

from floatgate.lab.chip import CellModel, ErrorRates
from floatgate.lab.simulated import SimulatedSource
from floatgate.reproduce import Case, Finding, changes

TLC, QLC = "tlc-3d-256g", "qlc-3d-1t"
CELLS = (6_000, 40_000)  # of each of 16 blocks: quick form, full form
HOUR = 3600.0
DAY = 24 * HOUR
YEAR = 365.25 * DAY
ROOM, READ_LIMIT = 25.0, 518_420
MONTHS = {0: 0.0, 3: YEAR / 4, 12: YEAR}
BAKE = (11.16 * HOUR, 80.0)  # stands for a year at 25 degrees by 1.1 eV
KIB = 8192
WORN = (0, 1000, 3000, 5000)
BEST_LAYER, WORST_LAYER = 0.02, 0.98
WEEK = 7 * DAY


@dataclass(frozen=True)
class Look:
    """What is read, and when."""

    chip: str
    cycles: int
    seconds: float
    celsius: float = ROOM
    reads: int = 0
    layer: float | None = None


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


def _case(exhibit: str, name: str, series: str, x: float) -> Case:
    return Case(exhibit, name, {}, x=x, series=series)


def run(case: Case, full: bool) -> Finding:
    cells = CELLS[full]
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
    found = rates(Look(TLC if part == "CT TLC" else QLC, 1000, HOUR if hour else YEAR), cells)
    pages = sorted(found.usual if hour else found.best)
    return pages[int(page.split()[1]) - 1] / fmean(pages)


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


@lru_cache
def rates(look: Look, cells: int) -> ErrorRates:
    """Sample a part's cells; each condition once in each process."""
    chip = _chip(look.chip, changes.now().chip_settings)
    rest = (look.seconds, look.reads)
    return chip.error_rates(look.cycles, [rest], cells, celsius=look.celsius, layer=look.layer)[0]


@lru_cache
def _chip(name: str, settings: tuple[str, ...]) -> CellModel:
    return SimulatedSource(name, overrides=settings).cells()
