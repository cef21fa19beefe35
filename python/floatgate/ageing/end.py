"""What ends a life: erases that fail, or a code that can no longer read what it must.

The core tells for each window how the worn drive would read data as old as JESD218 asks for: the raw bit
error rate of its worst page after retries, and the uncorrectable bit error rate (UBER) over all pages. Here
that is put into words and figures.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from floatgate.lab import figures
from floatgate.report import palette
from floatgate.report.plot import Axis, Figure, Rule
from floatgate.report.sheet import Section
from floatgate.values import quantities as q

TERABYTE = 1e12
DAY_S = 86_400.0
YEAR_S = 365.25 * DAY_S
MONTH_S = YEAR_S / 12
# By bits of a cell, in the order of their programming.
PAGE_TYPES = ("lower", "upper", "extra", "top")
ROWS_SHOWN = 12
UBER_LEAST = 1e-30
HEAD = ("TB written", "worst page", "cycles", "worn as", "RBER", "after retries", "corrected", "UBER")

JedecClass = Literal["client", "enterprise"]


@dataclass(frozen=True)
class Service:
    """How a drive spends its years, as the core tells it."""

    years: float
    duty: float  # share of them in which it is powered
    celsius: float  # then
    off_celsius: float  # else


@dataclass(frozen=True)
class Requirement:
    """What JESD218 asks of a drive, as the core tells it."""

    uber: float  # uncorrectable codewords for each bit of data read
    retention_s: float  # without power
    retention_celsius: float
    service: Service

    def words(self) -> str:
        """`1e-15 at 1 year 30 C`."""
        return f"{self.uber:.0e} at {age_words(self.retention_s)} {self.retention_celsius:.0f} C"


@dataclass(frozen=True)
class WorstPage:
    """The page that errs most, as the core tells it."""

    die: int
    block: int  # within the die
    page_type: int  # its place in the wordline
    pe_cycles: int
    worn: int  # cycles that wear a block of mean life as much
    rber: float  # raw bit error rate with the usual references
    rber_left: float  # the same when retries have done what they can

    def words(self) -> str:
        """`block 68 of die 0, page type extra`."""
        return f"block {self.block} of die {self.die}, page type {PAGE_TYPES[self.page_type]}"


@dataclass(frozen=True)
class Readability:
    """How a drive reads data of some age, as the core tells it."""

    uber: float  # mean over the blocks in use
    uber_without_parity: float
    worst: WorstPage
    refresh_cycles: float  # of each block, until then

    @classmethod
    def of(cls, known: Mapping[str, Any] | None) -> "Readability | None":
        """Read what the core says; None where it tells nothing."""
        return None if known is None else cls(**{**known, "worst": WorstPage(**known["worst"])})


@dataclass(frozen=True)
class Judged:
    """What a life's end is judged by, as the core tells it."""

    jedec: JedecClass
    requirement: Requirement
    without_code: str | None  # why only failing erases end it; None: the code does
    rber_limit: float | None  # what the code corrects, after retries, as surely as it must
    extrapolated: str | None  # what its chances rest on below what was counted; None: a closed form
    mean_wear: int | None  # cycles after which a block of mean life errs more; None: beyond the chip's table
    stripe: int | None  # pages that a page of parity protects
    refresh_s: float | None  # age at which data are written anew
    bits: int  # of a cell

    @classmethod
    def read(cls, text: str) -> "Judged":
        """Read what the core says."""
        known = json.loads(text)
        asked = known.pop("requirement")
        service = Service(**asked.pop("service"))
        return cls(jedec=known.pop("class"), requirement=Requirement(**asked, service=service), **known)


@dataclass(frozen=True)
class InUse:
    """How the oldest data read at the end of the years, before the power goes, as the core tells it."""

    oldest_s: float
    readability: Readability | None
    unknown: str | None  # why it cannot be told
    years_readable: float | None  # where that is less than the years asked for

    @classmethod
    def read(cls, text: str) -> "InUse | None":
        """Read what the core says; None where nothing tells."""
        known = json.loads(text)
        return (
            None if known is None else cls(**{**known, "readability": Readability.of(known["readability"])})
        )

    def words(self, asked: Requirement) -> str:
        """Say how data read in use."""
        served = asked.service
        profile = f"in use for {served.years:g} years, {served.duty:.0%} of them at {served.celsius:g} C"
        oldest = f"the oldest data are {age_words(self.oldest_s)} old"
        if self.unknown is not None:
            return f"{profile}, {oldest}: how they read is not known: {self.unknown}"
        if self.years_readable is not None:
            return (
                f"{profile}, {oldest} and no longer read: their UBER passes {asked.uber:.0e} after "
                f"{self.years_readable:.2g} years; ftl.refresh.age would keep them younger"
            )
        return f"{profile}, {oldest}, UBER {_uber(self.readability)}"


def _uber(found: Readability | None) -> str:
    """Return what means something of an UBER: no requirement is below 1e-30."""
    return (
        f"{found.uber:.1e}" if found is not None and found.uber >= UBER_LEAST else f"under {UBER_LEAST:.0e}"
    )


def age_words(seconds: float) -> str:
    """An age as people say it: `1 year`, `3 months`, `4.2 days`."""
    for unit, name in ((YEAR_S, "year"), (MONTH_S, "month"), (DAY_S, "day"), (3600.0, "hour")):
        many = seconds / unit
        if many >= 0.9995:
            return f"1 {name}" if abs(many - 1) < 5e-4 else f"{many:.3g} {name}s"
    return q.duration(seconds * 1e9)


def cause(judged: Judged, found: Readability | None, *, unreadable: bool) -> str:
    """Say what ended a life."""
    if unreadable and found is not None:
        worst = found.worst
        return (
            f"UBER above {judged.requirement.words()}: {worst.words()}, RBER {worst.rber_left:.2e} "
            f"after retries, {worst.pe_cycles:,} cycles"
        )
    return "erases failed: too few blocks are left"


def remark(judged: Judged) -> str | None:
    """Say why only failing erases end a life, or what the code's chances rest on; None: a closed form."""
    if judged.without_code is None:
        return judged.extrapolated
    return f"only failing erases end this life, errors are not in it: {judged.without_code}"


def section(judged: Judged, points: Sequence[tuple[float, Readability]]) -> Section:
    """Return the margin over the life; `points`: host bytes written, and how the drive would read then."""
    asked = judged.requirement
    against = [
        f"a code that corrects {judged.rber_limit:.2e} after retries" if judged.rber_limit else "a code"
    ]
    if judged.stripe:
        against.append(f"parity over {judged.stripe} pages")
    if judged.refresh_s:
        against.append(f"data written anew after {age_words(judged.refresh_s)} in use")
    says = (
        f"How the worst page would read if the drive lay without power from then on, as JESD218 asks of "
        f"{judged.jedec} drives: UBER at most {asked.words()}, with {', '.join(against)}. Rates are those of "
        "the chip's tables by each block's own wear; wordlines of a block are not told apart."
    )
    last = len(points) - 1
    some = sorted({round(index * last / (ROWS_SHOWN - 1)) for index in range(ROWS_SHOWN)}) if points else []
    rows = [_row(judged, *points[index]) for index in some]
    return Section("Margin of the code", says, {"margin": _figure(judged, points)}, HEAD, rows)


def _row(judged: Judged, written: float, found: Readability) -> tuple[str, ...]:
    worst = found.worst
    return (
        f"{written / TERABYTE:,.4g}",
        worst.words(),
        f"{worst.pe_cycles:,}",
        f"{worst.worn:,}",
        f"{worst.rber:.2e}",
        f"{worst.rber_left:.2e}",
        f"{judged.rber_limit or 0.0:.2e}",
        _uber(found),
    )


def _figure(judged: Judged, points: Sequence[tuple[float, Readability]]) -> Figure:
    written = [at / TERABYTE for at, _ in points]
    made = figures.lines(
        {
            "worst page, usual references": (written, [found.worst.rber for _, found in points]),
            "worst page, after retries": (written, [found.worst.rber_left for _, found in points]),
        },
        Axis("TB written by the host", zero=True),
        Axis("raw bit error rate at the end of retention", log=True),
        markers=False,
    )
    if judged.rber_limit is None:
        return made
    limit = Rule(palette.INK, "y", judged.rber_limit, name=f"the code corrects {judged.rber_limit:.2e}")
    return figures.with_marks(made, [limit])
