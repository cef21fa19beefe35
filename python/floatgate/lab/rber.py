"""Raw bit error rates of pages by wear, age and reads, and the reads that correct them on a drive."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError, meant
from floatgate.files import copies, shipped
from floatgate.inputs import cards
from floatgate.lab.figures import cycles_axis
from floatgate.options.effect import without_effect
from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Line, Mark, Panel, Points, Rule
from floatgate.report.sheet import Section, sheet
from floatgate.results import notebook
from floatgate.results.folder import write_json
from floatgate.values import quantities as q

CELLS = 20_000  # sampled of each block, where the chip is its cells
READS_MOST = (1 << 32) - 1  # that tables count
CURVE = 24  # pieces of the lines of the figure
_UNITS = (("d", 86_400), ("h", 3600), ("min", 60), ("s", 1))
_RATED, _TABLES = "nand.pe_cycles_rated", "nand.tables.errors.rate"


@dataclass(frozen=True)
class CodeLimits:
    """What the code of a drive corrects."""

    codeword_bytes: int  # data bytes of a codeword
    target: float  # accepted chance that a codeword is uncorrectable
    rber_hard: float  # raw bit error rate that a hard read corrects at that chance
    rber_soft: float  # the same of a read with most soft bits, normally distributed states
    soft_bits: int  # of a read at most; 1: hard reads alone
    retry_steps: int | None  # last step of the retry table; None where the drive has no table of references


@dataclass(frozen=True)
class PageReadBack:
    """How a drive reads a page. Half of the pages take at most the attempts of the median page.

    Its step and soft bits are None where no attempt corrects it.
    """

    best_step: int | None  # step of the retry table nearest to the best references; None without a table
    step: int | None  # of the attempt that corrects the median page; 0: default references
    soft_bits: int | None  # of that attempt; 1: a hard read
    retries_mean: float  # attempts beyond the first
    retried: float  # chance that the first attempt does not correct the page
    codeword_failure_first: float  # chance that a codeword is uncorrectable in the first attempt
    codeword_failure: float  # chance that a codeword is uncorrectable in every attempt


@dataclass(frozen=True)
class PageRates:
    """A page type at one wear, age and number of reads."""

    page_type: int  # which bit of the cells, from 0
    pe_cycles: int
    age_s: float
    reads: int  # of the block since the page was written
    rber: float  # with the default references
    rber_best: float | None  # with the best references; None where the error model does not know them
    below_v: float | None  # volts by which these lie below the default ones
    extrapolated: bool  # beyond the chip's table
    read: PageReadBack | None  # None without a code

    @classmethod
    def of(cls, found: dict[str, Any]) -> "PageRates":
        """Read what the core says."""
        read = found.pop("read")
        return cls(**found, read=PageReadBack(**read) if read else None)


@dataclass(frozen=True)
class PageErrors:
    """Raw bit error rates of a drive's or a chip's pages."""

    name: str
    title: str
    model: str  # tables, cells, or the error model of the drive
    celsius: float | None  # at which pages age; None: the model knows no temperature
    code: CodeLimits | None  # None of a chip, and of a drive without a code
    pages: tuple[PageRates, ...]  # what was asked for, by age, wear and page type
    curves: tuple[PageRates, ...]  # the same over a finer grid of wear, for the figure

    def document(self) -> dict[str, Any]:
        """Return everything, as rber.json has it."""
        return {"version": _core.version(), **asdict(self)}

    def table(self) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        """Return the table as people read it: the heads of its columns, and a row for each page."""
        columns = [one for one in _COLUMNS if one[1](self)]
        rows = [tuple(cell(page) for _, _, cell in columns) for page in self.pages]
        return tuple(head for head, _, _ in columns), rows

    def sentences(self) -> list[str]:
        """Say what the table comes to."""
        return [*_said(self)]

    def write(self, folder: Path) -> None:
        """Write rber.json and report.html into a folder that is there."""
        write_json(folder / "rber.json", self.document())
        (folder / "report.html").write_text(page_of(self), encoding="utf-8")

    def _repr_html_(self) -> str:
        return notebook.table(f"raw bit errors of {self.name}", *self.table(), self.sentences())


def errors(
    part: str,
    settings: Sequence[str],
    wear: Sequence[int],
    ages_ns: Sequence[int],
    reads: int,
    model: str | None,
    seed: int | None,
) -> PageErrors:
    """Work out the rates of a drive or a chip at each wear and age, after so many reads.

    Without wear it is 0, half of the rated cycles, and the rated cycles. Raises InputError for an unknown
    part, a drive without bit errors, or a chip that lacks what the model needs.
    """
    is_chip = _is_chip(part)
    if is_chip:
        without_effect({"set": settings or None}, "a chip has no keys of a drive", "it with a drive")
        card = cards.of_chip(copies.place(part))
    else:
        without_effect({"model": model}, "a drive says it by nand.errors.name", "it with a chip")
        card = cards.of_drive(part, settings)
    values = cards.values(card)
    if is_chip:
        model = model or ("tables" if _TABLES in values else "cells")
    if model != "cells":
        without_effect({"seed": seed}, "tables are of the mean block", "it with --model cells")
    rated = int(values.get(_RATED) or 0)
    if not wear and not rated:
        raise InputError(f"{part}: {_RATED}: missing: expected --wear with numbers of program/erase cycles")
    wear = wear or (0, rated // 2, rated)
    more = sorted({*wear, *(wear[-1] * n // CURVE for n in range(CURVE + 1))})
    every: list[PageRates]
    if model == "cells":
        celsius, every = _of_cells(part, more, ages_ns, reads, 1 if seed is None else seed)
        code = None
    else:
        set_ = None if is_chip else copies.placed(settings)
        if reads > READS_MOST:
            raise InputError(f"--reads {reads}: expected a whole number from 0 to {READS_MOST}")
        conditions = more, list(ages_ns), [reads]
        found = json.loads(_core.page_errors(copies.place(part), set_, shipped.folders(), conditions))
        celsius, code = found["celsius"], CodeLimits(**found["code"]) if found["code"] else None
        every = [PageRates.of(page) for page in found["pages"]]
    named = model or str(values["nand.errors.name"])
    asked = tuple(page for page in every if page.pe_cycles in wear)
    return PageErrors(card["name"], card["title"], named, celsius, code, asked, tuple(every))


def _is_chip(part: str) -> bool:
    """Return whether a name or file is a chip's. Raises InputError for an unknown name."""
    lists = [json.loads(listed(shipped.folders())) for listed in (_core.drives, _core.chips)]
    drives, chips = ({one["name"] for one in entries} for entries in lists)
    if part in drives or part in chips:
        return part not in drives
    if not part.endswith(".toml"):
        known = f"{meant(part, drives | chips)}: expected a name of `floatgate drives` or `floatgate chips`"
        raise InputError(f"{part}: no drive or chip has that name{known}, or a file")
    try:
        cards.of_chip(copies.place(part))
    except InputError:
        return False
    return True


def _of_cells(
    chip: str, wear: Sequence[int], ages_ns: Sequence[int], reads: int, seed: int
) -> tuple[float, list[PageRates]]:
    """Return the reference temperature of a chip's cells, and the rates of their mean blocks."""
    from floatgate.lab.simulated import SimulatedSource

    cells = SimulatedSource(chip, seed).cells()
    rests = [(ns / 1e9, reads) for ns in ages_ns]
    found = [(cycles, cells.error_rates(cycles, rests, CELLS)) for cycles in wear]
    return cells.retention()[1], [
        PageRates(page, cycles, age_s, reads, usual, best, of[place].shift_v, extrapolated=False, read=None)
        for place, (age_s, _) in enumerate(rests)
        for cycles, of in found
        for page, (usual, best) in enumerate(zip(of[place].usual, of[place].best, strict=True))
    ]


def _rate(value: float | None) -> str:
    return q.NOTHING if value is None else "0" if value < 1e-30 else f"{value:.2e}"


def _age(seconds: float) -> str:
    """Write an age as options take it: `30d`."""
    unit, factor = next((each for each in _UNITS if seconds >= each[1]), ("s", 1))
    return f"{seconds / factor:.4g}{unit}"


def _read(show: Callable[[PageReadBack], str]) -> Callable[[PageRates], str]:
    return lambda page: q.NOTHING if page.read is None else show(page.read)


def _has_code(of: PageErrors) -> bool:
    return of.code is not None


def _place(value: int | None) -> str:
    return q.NOTHING if value is None else str(value)


# Columns of the table: the head, whether such pages have it, and its cell of a page.
_COLUMNS: tuple[tuple[str, Callable[[PageErrors], bool], Callable[[PageRates], str]], ...] = (
    ("page type", lambda _: True, lambda page: str(page.page_type)),
    ("cycles", lambda _: True, lambda page: f"{page.pe_cycles:,}"),
    ("age", lambda _: True, lambda page: _age(page.age_s)),
    ("reads", lambda of: any(page.reads for page in of.pages), lambda page: f"{page.reads:,}"),
    ("RBER", lambda _: True, lambda page: _rate(page.rber) + ("*" if page.extrapolated else "")),
    (
        "best references",
        lambda of: any(page.rber_best is not None for page in of.pages),
        lambda page: _rate(page.rber_best),
    ),
    (
        "best lie lower by",
        lambda of: of.code is None and any(page.below_v is not None for page in of.pages),
        lambda page: f"{1000 * (page.below_v or 0):.0f} mV",
    ),
    ("codeword failure, first read", _has_code, _read(lambda read: _rate(read.codeword_failure_first))),
    ("retries", _has_code, _read(lambda read: q.three(round(read.retries_mean, 4)))),
    (
        "read at step",
        lambda of: of.code is not None and of.code.retry_steps is not None,
        _read(lambda read: _place(read.step)),
    ),
    ("soft bits", _has_code, _read(lambda read: _place(read.soft_bits))),
    ("codeword failure left", _has_code, _read(lambda read: _rate(read.codeword_failure))),
)


def _said(of: PageErrors) -> Iterator[str]:
    worst = max(of.pages, key=lambda page: page.rber)
    where = f"page type {worst.page_type} after {worst.pe_cycles:,} cycles and {_age(worst.age_s)}"
    yield f"most raw bit errors: {_rate(worst.rber)}, {where}"
    if code := of.code:
        soft = f", {_rate(code.rber_soft)} with {code.soft_bits} soft bits" if code.soft_bits > 1 else ""
        yield (
            f"the code corrects {_rate(code.rber_hard)} in a hard read{soft}: at these rates one of "
            f"{1 / code.target:.0e} codewords of {q.size(code.codeword_bytes)} is uncorrectable"
        )
        lost = [page for page in of.pages if page.read and page.read.codeword_failure > code.target]
        least = min(lost, key=lambda page: (page.pe_cycles, page.age_s), default=None)
        if least is not None:
            yield (
                f"{len(lost)} of {len(of.pages)} conditions leave more codewords uncorrectable after all "
                f"retries, from {least.pe_cycles:,} cycles and {_age(least.age_s)} on"
            )
    if any(page.extrapolated for page in of.pages):
        yield "*: beyond the last wear, age or reads of the chip's table, which is extrapolated"


def page_of(of: PageErrors) -> str:
    """Return the report: one self-contained HTML page."""
    at = "" if of.celsius is None else f"pages age at {of.celsius:g} degrees Celsius"
    facts = [fact for fact in (f"error model: {of.model}", at, f"Floatgate {_core.version()}") if fact]
    says = (
        "Share of a page's bits that are read wrong, over wear: solid with the default references, dashed "
        "with the best ones, as read retries find them."
    )
    if of.code:
        says += (
            " Up to the level lines a codeword is uncorrectable with at most the code's accepted chance: in "
            "a hard read, and with soft bits where states are normally distributed."
        )
    first, *rest = [f"{one[:1].upper()}{one[1:]}." for one in of.sentences()]
    sections = [
        Section("Errors against wear", says, {"rber": figure(of)}),
        Section("Numbers", " ".join(rest), {}, *of.table()),
    ]
    return sheet("Floatgate raw bit errors", f"{of.name}: {of.title}", first, facts, sections)


def figure(of: PageErrors) -> Figure:
    """Return the picture: rates against wear, a line for each page type, a panel for each age."""
    ages = list(dict.fromkeys(page.age_s for page in of.curves))
    rates = [rate for page in of.curves for rate in (page.rber, page.rber_best) if rate]
    ends = [of.code.rber_hard, of.code.rber_soft] if of.code else []
    low, high = max(min([*rates, *ends]) / 2, 1e-12), min(max([*rates, *ends]) * 2, 1.0)
    panels = [
        Panel(
            cycles_axis(zero=True),
            Axis("raw bit error rate", log=True, low=low, high=high),
            _marks(of, [page for page in of.curves if page.age_s == age_s]),
            title=f"{_age(age_s)} old",
        )
        for age_s in ages
    ]
    columns = min(len(panels), 3)
    return Figure(panels, 340 * -(-len(panels) // columns), columns=columns)


def _marks(of: PageErrors, pages: Sequence[PageRates]) -> list[Mark]:
    """Return the marks of one panel: the lines of each page type, and the limits of the code."""
    marks: list[Mark] = []
    for page_type in sorted({page.page_type for page in pages}):
        mine = [page for page in pages if page.page_type == page_type]
        colour, name = palette.SERIES[page_type % len(palette.SERIES)], f"page type {page_type}"
        cycles = [page.pe_cycles for page in mine]
        usual = [page.rber or None for page in mine]
        tips = [f"{name}, {page.pe_cycles:,} cycles: {_rate(page.rber)}" for page in mine]
        if len(mine) == 1:
            marks.append(Points(colour, cycles, usual, name=name, tips=tips))
        else:
            marks.append(Line(colour, cycles, usual, 2.0, name=name, tips=tips))
        best = [page.rber_best or None for page in mine]
        if any(best):
            tips = [f"{name}, best references: {_rate(page.rber_best)}" for page in mine]
            marks.append(Line(colour, cycles, best, 1.4, "dash", tips=tips, alpha=0.85))
    if any(page.rber_best for page in pages):
        place, rate = [0.0], [pages[0].rber_best or None]  # for the legend
        marks.append(Line(palette.MUTED, place, rate, 1.4, "dash", name="best references"))
    if code := of.code:
        marks.append(Rule(palette.INK, "y", code.rber_hard, name="code's limit, hard read"))
        if code.soft_bits > 1:
            name = f"code's limit, {code.soft_bits} soft bits"
            marks.append(Rule(palette.MUTED, "y", code.rber_soft, name=name, dash="dashdot"))
    return marks
