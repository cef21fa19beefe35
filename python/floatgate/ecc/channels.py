"""What becomes of a code's bits at a raw bit error rate: flips, noise, or a page of a chip's cells."""

from bisect import bisect_left
from dataclasses import dataclass, replace
from functools import cached_property
from math import exp, log
from pathlib import Path
from typing import Protocol

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import copies, shipped
from floatgate.values.quantities import three

CELLS = 40_000  # sampled of each block, at least, as `floatgate derive` does
YEAR_S = 31_557_600.0
# Ages between which the one that has a rate is looked for, at the chip's reference temperature.
AGES_S = (0.0, *(3600.0 * (100 * YEAR_S / 3600.0) ** (step / 19) for step in range(20)))
LEAST, MOST = 1e-5, 0.2  # raw bit error rates that a search looks between


@dataclass(frozen=True)
class Seen:
    """What a page's cells come as to a controller: the surest zero first."""

    rate: float  # raw, of a read of the same page with one comparison at each boundary
    information: float  # of a bit
    references_v: tuple[tuple[float, ...], ...]
    zero: tuple[float, ...]  # shares of a sent zero
    one: tuple[float, ...]
    ratios: tuple[float, ...]
    age_s: float | None = None
    lost: float | None = None  # bits of a bit that the page's own tables would tell beside these


class Channel(Protocol):
    """A channel that can be had at many raw bit error rates."""

    @property
    def says(self) -> str:
        """What it is, in words."""

    @property
    def least(self) -> float:
        """The least rate that it has."""

    @property
    def most(self) -> float:
        """The greatest."""

    def at(self, rate: float, soft_bits: int) -> Seen:
        """What comes at this rate. Raises InputError where it has no such rate."""


def seen(found: "_core._Seen", age_s: float | None = None) -> Seen:
    """Take what the core says of a page."""
    rate, information, references, zero, one, ratios = found
    volts = tuple(tuple(row) for row in references)
    return Seen(rate, information, volts, tuple(zero), tuple(one), tuple(ratios), age_s)


@dataclass(frozen=True)
class Flips:
    """Bits that are wrong, and nothing else is known of them."""

    says: str = "flips"
    least: float = LEAST
    most: float = MOST

    def at(self, rate: float, _soft_bits: int) -> Seen:
        """Flip bits at this rate."""
        return seen(_core.ecc_flips(rate))


@dataclass(frozen=True)
class Normal:
    """States that are normal, all alike wide and far from each other: Gaussian noise, or a chip's tables."""

    says: str
    placement: str
    bits: int = 1
    page: int = 0
    least: float = LEAST
    most: float = 0.05

    def at(self, rate: float, soft_bits: int) -> Seen:
        """Make states as wide as the rate says."""
        page = _core.EccPage.normal(self.bits, self.page, rate)
        return seen(page.seen(page, soft_bits, self.placement))


@dataclass(frozen=True)
class Condition:
    """A page of a chip, and what its controller knows of it."""

    page: int
    pe_cycles: int
    reads: int
    rank: float | None  # of its block; none: the mean of all
    knows_mean: bool


class Cells:
    """A page of a chip's cells, which has more errors the older it is."""

    def __init__(self, chip: str, seed: int, condition: Condition, placement: str) -> None:
        self._core = _core.Chip(copies.place(chip), shipped.folders(), seed)
        self._condition, self._placement = condition, placement
        self._kept: dict[tuple[float, bool], _core.EccPage] = {}
        block = "" if condition.rank is None else f", block of rank {condition.rank:g}"
        known = ", tables of the mean block" if condition.knows_mean else ""
        self.says = (
            f"{Path(chip).stem}, cells, page {condition.page}, {condition.pe_cycles} program/erase cycles, "
            f"{condition.reads} reads{block}{known}"
        )

    @cached_property
    def _rates(self) -> list[float]:
        """The rate at each of the ages, rising."""
        self._sample(AGES_S)
        found: list[float] = []
        for age in AGES_S:
            rate = self._aged(age, 1).rate
            found.append(max(rate, found[-1]) if found else rate)
        return found

    @property
    def least(self) -> float:
        """The rate of new data."""
        return self._rates[0]

    @property
    def most(self) -> float:
        """The rate after the last of the ages."""
        return min(self._rates[-1], MOST)

    def at(self, rate: float, soft_bits: int) -> Seen:
        """Age the page until one comparison at each boundary misreads about this rate of its bits."""
        rates = self._rates
        if not rates[0] <= rate <= rates[-1]:
            new, old = three(rates[0]), three(rates[-1])
            years = f"{AGES_S[-1] / YEAR_S:.0f} years"
            raise InputError(
                f"--rate {rate:g}: the page has {new} when just written and {old} after {years}: "
                f"expected a rate between, or other --pe-cycles than {self._condition.pe_cycles}"
            )
        above = max(1, min(bisect_left(rates, rate), len(rates) - 1))
        low, high = rates[above - 1], rates[above]
        part = 0.0 if high <= low else log(rate / low) / log(high / low)
        young, old = AGES_S[above - 1], AGES_S[above]
        # Charge leaks with the logarithm of time.
        age = exp(log(young + 3600.0) * (1 - part) + log(old + 3600.0) * part) - 3600.0
        return self._aged(round(max(age, 0.0)), soft_bits)

    def aged(self, age_s: float, soft_bits: int) -> Seen:
        """Return what comes of a page of this age."""
        return self._aged(age_s, soft_bits)

    def _aged(self, age_s: float, soft_bits: int) -> Seen:
        self._sample((age_s,))
        page = self._kept[age_s, False]
        known = self._kept[age_s, self._condition.knows_mean]
        found = seen(page.seen(known, soft_bits, self._placement), age_s)
        # The middle comparison of a soft read lies elsewhere: a rate is that of a hard read of the same page.
        hard = seen(page.seen(known, 1, self._placement))
        lost = None
        if self._condition.knows_mean:
            own = seen(page.seen(page, soft_bits, self._placement))
            lost = own.information - found.information
        return replace(found, rate=hard.rate, lost=lost)

    def _sample(self, ages_s: tuple[float, ...]) -> None:
        """Sample the page at these ages, and with them what the controller holds it for."""
        one = self._condition
        for mean in (False, True) if one.knows_mean else (False,):
            ages = [age for age in ages_s if (age, mean) not in self._kept]
            rests = [(age, one.reads) for age in ages]
            block = None if mean else one.rank
            if rests:
                pages = self._core.pages(one.pe_cycles, rests, CELLS, one.page, block=block)
                self._kept.update(zip(((age, mean) for age in ages), pages, strict=True))
