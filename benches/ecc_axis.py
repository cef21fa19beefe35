"""Which Gaussian noise fails as often as a page: count words over pages and noise, fit the axis they share.

    python benches/ecc_axis.py count fitted FILE    # pages of TLC at three wears, and noise
    python benches/ecc_axis.py count others FILE    # other chips, wears, pages, ages, cells and words
    python benches/ecc_axis.py fit FITTED OTHERS    # the three numbers, and how far off they leave both

The numbers are those of crates/ecc/src/sensing/alike.rs. The two files as they were counted are
`benches/ecc_points/*.csv`, half an hour of a core each. A point of a page has the ratios of its own zones; of
hard reads each of the others is counted a second time with both ratios alike, *flips*, as a controller has
them that knows of a bit no more than itself.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import log
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import norm

from ecc_evolution import Evolved, density, evolved
from floatgate import _core
from floatgate.files import shipped

CODE, BITS, CELLS = "nand-4k-889", 36_864, 40_000
CHIP, PAGES, WEARS, READS = "tlc-3d-256g", (0, 1, 2), (1000, 3000, 6000), (0, 300_000)
# Chip, page of its wordline, wear, reads.
OTHERS = (
    ("tlc-3d-256g", 1, 2400, 0),
    ("tlc-3d-256g", 2, 7000, 0),
    ("qlc-3d-1t", 1, 600, 0),
    ("qlc-3d-1t", 3, 1200, 0),
    ("poster-mlc", 1, 20_000, 0),
    ("mt29f4g08aac", 0, 200_000, 0),
    ("tlc-3d-256g", 0, 9000, 0),
    ("tlc-3d-256g", 1, 4500, 100_000),
    ("qlc-3d-1t", 2, 3000, 0),
    ("poster-mlc", 0, 40_000, 0),
)
SEEDS = {"fitted": 5, "others": 11}
STEPS = {"fitted": 23, "others": 29}
SOFT_BITS = (1, 2, 3)
WANTED = ((0.35, 4096), (0.07, 8192))  # failures around which ages are looked for, and words decoded there
# Raw bit error rates of noise, by soft bits.
NOISE = {1: (0.009, 0.0085, 0.008), 2: (0.0172, 0.0165, 0.0158), 3: (0.0195, 0.0188, 0.018)}
HEAD = ("page", "soft_bits", "words", "failures", "iterations", "zero", "one", "ratios")
DIGITS = 9
# More of it, whose words are numbered from there on.
MORE_NOISE = {
    2: (0.019, 0.0184, 0.0178, 0.0172),
    3: (0.0215, 0.0208, 0.0201, 0.0195),
    1: (0.0093, 0.0088, 0.0083),
}
MORE_FIRST, MORE_WORDS = 2**30, 16_384
SHIPPED = (0.72, 7.0, 0.27)  # of crates/ecc/src/sensing/alike.rs: scale, most, own
ASIDE = 2.33 / 192
# Rates of noise between which margins are looked for, by soft bits.
EVOLVED = {1: (0.0068, 0.0105), 2: (0.0145, 0.0215), 3: (0.0165, 0.0245)}
GRID = 80  # steps between the rates that noise is looked at

Numbers = tuple[float, float, float]
_Seen = tuple[list[float], list[float], list[float]]  # shares of a zero and a one, ratios
Channel = tuple[str, int, _Seen, int]  # what it is, soft bits, what comes of it, words


@dataclass(frozen=True, eq=False)
class Point:
    """Words counted over one channel."""

    page: str
    soft_bits: int
    words: int
    failures: int
    iterations: float
    zero: "np.ndarray"
    one: "np.ndarray"
    ratios: "np.ndarray"

    @property
    def deviation(self) -> float:
        """Of the logarithm of the failures, by the count of words."""
        return float(np.sqrt((1 - self.failures / self.words) / self.failures))


def count(what: str, out: Path) -> None:
    """Count words over every point, and write a line for each."""
    trial = _core.EccTrial(CODE, None, "min-sum-8", [], SEEDS[what])
    more = _noise(MORE_NOISE, MORE_WORDS) if what == "fitted" else iter(())
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for first, among in ((0, points(what)), (MORE_FIRST, more)):
            number = first
            for name, soft_bits, seen, words in among:
                shares = tuple([float(f"{value:.{DIGITS}g}") for value in values] for values in seen)
                zero, one, ratios = shares
                failures, _undetected, iterations = trial.count(zero, one, ratios, number, words)
                number += words
                mean = sum(each * taken for each, taken in enumerate(iterations)) / words
                texts = (" ".join(f"{value:.{DIGITS}g}" for value in values) for values in shares)
                writer.writerow((name, soft_bits, words, failures, f"{mean:.4f}", *texts))
                file.flush()


def _noise(rates_of: Mapping[int, tuple[float, ...]], words: int) -> Iterator[Channel]:
    for soft_bits, rates in rates_of.items():
        for rate in rates:
            noise = _core.EccPage.normal(1, 0, rate)
            yield f"noise {rate:g}", soft_bits, noise.seen(noise, soft_bits, "information")[3:], words


def points(what: str) -> Iterator[Channel]:
    """Give each point: what it is, soft bits, what comes of it, words."""
    if what == "fitted":
        yield from _noise(NOISE, 8192)
        conditions = [(CHIP, page, wear, reads) for wear in WEARS for page in PAGES for reads in READS]
    else:
        conditions = list(OTHERS)
    steps = STEPS[what]
    ages_s = [3600.0 * (100 * 31_557_600 / 3600.0) ** (step / steps) for step in range(steps + 1)]
    for chip, page, wear, reads in conditions:
        cells = _core.Chip(chip, shipped.folders(), SEEDS[what])
        channels = cells.pages(float(wear), [(age, reads) for age in ages_s], CELLS, page)
        for soft_bits in SOFT_BITS:
            for at, seen, words in _aged(soft_bits, channels):
                name = f"{chip} {page} {wear} {reads} {ages_s[at]:.0f}"
                yield name, soft_bits, seen, words
                if what == "others" and soft_bits == 1:
                    yield f"{name} flips", soft_bits, _as_flips(seen), words


def _aged(soft_bits: int, channels: "list[_core.EccPage]") -> Iterator[tuple[int, _Seen, int]]:
    seen = [one.seen(one, soft_bits, "information")[3:] for one in channels]
    said = [_core.ecc_table(CODE, soft_bits, _core.ecc_alike(soft_bits, *one))[0] for one in seen]
    for wanted, words in WANTED:
        at = min(range(len(seen)), key=lambda index: abs(said[index] ** 0.1 - wanted**0.1))
        if wanted / 3 < said[at] < min(wanted * 2.5, 0.9):
            yield at, seen[at], words


def _as_flips(seen: _Seen) -> _Seen:
    """Return the same shares, with ratios that tell no more than that a bit is wrong as often as all are."""
    zero, one, _ratios = seen
    ratio = log(2 / (zero[1] + one[0]) - 1)
    return zero, one, [ratio, -ratio]


def read(path: Path) -> list[Point]:
    """Read points that tell: not nearly all of their words fail, nor too few."""
    found = []
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            lists = (np.array(row[name].split(), dtype=float) for name in ("zero", "one", "ratios"))
            counts = (
                int(row["soft_bits"]),
                int(row["words"]),
                int(row["failures"]),
                float(row["iterations"]),
            )
            found.append(Point(row["page"], *counts, *lists))
    return [point for point in found if 40 <= point.failures <= 0.9 * point.words]


@dataclass(frozen=True)
class Noise:
    """Gaussian noise read with so many soft bits: what comes of it, and the law of its failures."""

    rates: list[float]
    pages: list[Point]
    threshold: float
    variance: float

    @classmethod
    def counted(cls, points: Sequence[Point], soft_bits: int) -> "Noise":
        """Take the law of those of the points that are noise."""
        rates = [0.004 * 7.5 ** (step / GRID) for step in range(GRID + 1)]
        normal = (_core.EccPage.normal(1, 0, rate) for rate in rates)
        seen = (page.seen(page, soft_bits, "information")[3:] for page in normal)
        pages = [Point("noise", soft_bits, 1, 1, 0.0, *map(np.array, lists)) for lists in seen]
        noise = [one for one in points if one.page.startswith("noise") and one.soft_bits == soft_bits]
        law = _core.ecc_law(BITS, [(float(one.page.split()[1]), one.words, one.failures) for one in noise])
        if law is None:
            raise SystemExit(f"{soft_bits} soft bits: expected two points of noise or more")
        return cls(rates, pages, *law)

    def alike(self, points: Sequence[Point], numbers: Numbers) -> "np.ndarray":
        """Return the raw bit error rates of the noise that costs as much as each point."""
        of_noise = np.maximum.accumulate([cost(page, numbers) for page in self.pages])
        found = np.interp([cost(point, numbers) for point in points], of_noise, np.log(self.rates))
        return np.asarray(np.exp(found))

    def logarithm(self, rates: "np.ndarray") -> "np.ndarray":
        """Return the logarithms of the failures at these rates."""
        errors = BITS * rates
        own = errors * (1 - rates) + self.variance
        return np.asarray(norm.logsf((self.threshold - errors) / np.sqrt(own)))


def cost(point: Point, numbers: Numbers) -> float:
    """Return what bits cost that one word in a hundred has more of, as alike.rs has it."""
    scale, most, own = numbers
    ratios = np.clip(point.ratios, -most, most)
    mean = square = 0.0
    for shares, sign in ((point.zero, 1.0), (point.one, -1.0)):
        of = np.log2(1 + np.exp(-scale * sign * ratios))
        mean += 0.5 * float(shares @ of)
        square += 0.5 * float(shares @ of**2)
    return mean + ASIDE * float(np.sqrt(square - mean * mean + own) - np.sqrt(own))


def off(points: Sequence[Point], noises: Mapping[int, Noise], numbers: Numbers) -> "np.ndarray":
    """Return the logarithms of what noise that is alike fails, over what was counted."""
    apart = []
    for soft_bits, noise in noises.items():
        own = [point for point in points if point.soft_bits == soft_bits]
        counted = np.array([log(point.failures / point.words) for point in own])
        apart.append(noise.logarithm(noise.alike(own, numbers)) - counted)
    return np.concatenate(apart)


def deviations(points: Sequence[Point], noises: Mapping[int, Noise]) -> "np.ndarray":
    """Return the deviations that the counts leave the points, in the order of `off`."""
    return np.array([one.deviation for bits in noises for one in points if one.soft_bits == bits])


STARTS = tuple((scale, most, 0.3) for scale in (0.6, 0.9, 1.3) for most in (4.0, 6.0, 9.0))


def fit(points: Sequence[Point], noises: Mapping[int, Noise], starts: Sequence[Numbers] = STARTS) -> Numbers:
    """Return the three numbers that leave the least squares, in units of the counts' own deviations."""
    weights = np.hypot(deviations(points, noises), 0.03)

    def residuals(x: "np.ndarray") -> "np.ndarray":
        scale, most, own = np.exp(x)
        return np.asarray(off(points, noises, (scale, most, own)) / weights)

    low, high = np.log((0.2, 2.0, 1e-3)), np.log((3.0, 40.0, 10.0))
    tried = (least_squares(residuals, np.log(start), bounds=(low, high)) for start in starts)
    scale, most, own = np.exp(min(tried, key=lambda one: one.cost).x)
    return float(scale), float(most), float(own)


def _say(title: str, points: Sequence[Point], noises: Mapping[int, Noise], numbers: Numbers) -> None:
    there = {bits: noise for bits, noise in noises.items() if any(one.soft_bits == bits for one in points)}
    if not there:
        return
    apart, chance = off(points, there, numbers), deviations(points, there)
    taken = []
    for bits, noise in there.items():
        own = [one for one in points if one.soft_bits == bits]
        said = (_core.ecc_table(CODE, bits, rate)[1] for rate in noise.alike(own, numbers))
        taken += [each / one.iterations - 1 for each, one in zip(said, own, strict=True)]
    texts = (
        f"{len(apart)} points",
        f"failures {np.sqrt((apart**2).mean()):.1%} off, {np.exp(np.abs(apart).max()):.2f} times at most",
        f"mean {apart.mean():+.1%}",
        f"of that by the count {np.sqrt((chance**2).mean()):.1%}",
        f"iterations {np.abs(taken).mean():.1%}, {np.abs(taken).max():.1%} at most",
    )
    sys.stdout.write(f"  {title}: {', '.join(texts)}\n")


@dataclass(frozen=True)
class Evolution:
    """The law of failures by margin and spread, and what a table of noise is to it."""

    wider: float  # by how much words differ more than their values do
    aside: float  # margin at which every other word fails
    # Of noise, by soft bits: margins, falling, deviations of words, rates.
    noise: dict[int, tuple["np.ndarray", "np.ndarray", "np.ndarray"]]

    def logarithm(self, margin: "np.ndarray", deviation: "np.ndarray") -> "np.ndarray":
        """Return the logarithms of the failures."""
        return np.asarray(norm.logsf((margin - self.aside) / (self.wider * deviation)))

    def iterations(self, soft_bits: int, margin: float, deviation: float) -> float:
        """Return those of noise of this margin, where words differ as much as these do."""
        margins, deviations, rates = self.noise[soft_bits]
        own = float(np.interp(-margin, -margins, deviations))
        more = self.wider * float(np.sqrt(max(deviation**2 - own**2, 0.0)))
        nodes, weights = np.polynomial.hermite_e.hermegauss(9)
        said = [
            _core.ecc_table(CODE, soft_bits, float(np.interp(-(margin + more * node), -margins, rates)))[1]
            for node in nodes
        ]
        return float(weights @ np.array(said) / weights.sum())


@cache
def _of(point: Point) -> Evolved:
    return evolved(density(point.zero, point.one, point.ratios))


def margins(points: Sequence[Point]) -> tuple["np.ndarray", "np.ndarray"]:
    """Return margins of points, and how much those of their words differ."""
    found = [_of(point) for point in points]
    spreads = np.array([one.spread for one in found])
    return np.array([one.margin for one in found]), spreads / np.sqrt(BITS)


def _evolution(points: Sequence[Point]) -> Evolution:
    """Fit the two numbers of the law to points of all numbers of soft bits."""
    counted = np.array([log(point.failures / point.words) for point in points])
    weights = np.hypot([point.deviation for point in points], 0.03)
    margin, deviation = margins(points)

    def residuals(x: "np.ndarray") -> "np.ndarray":
        said = norm.logsf((margin - 1e-4 * x[1]) / (x[0] * deviation))
        return np.asarray((said - counted) / weights)

    wider, aside = least_squares(residuals, [1.2, 0.0]).x
    noise = {}
    for soft_bits, (low, high) in EVOLVED.items():
        rates = np.linspace(low, high, 13)
        normal = (_core.EccPage.normal(1, 0, float(rate)) for rate in rates)
        seen = (page.seen(page, soft_bits, "information")[3:] for page in normal)
        of_noise = margins([Point("noise", soft_bits, 1, 1, 0.0, *map(np.array, lists)) for lists in seen])
        noise[soft_bits] = (*of_noise, rates)
    return Evolution(float(wider), 1e-4 * float(aside), noise)


def _say_evolved(title: str, points: Sequence[Point], by: Evolution) -> None:
    sys.stdout.write(f"{title}, by evolution: {by.wider:.3f} times the spread, {by.aside:.2g} aside\n")
    flips = [point for point in points if point.page.endswith("flips")]
    pages = [point for point in points if not point.page.startswith("noise") and point not in flips]
    noise = [point for point in points if point.page.startswith("noise")]
    kinds = [(f"{bits} soft bits", [one for one in pages if one.soft_bits == bits]) for bits in SOFT_BITS]
    for name, among in (*kinds, ("told as flips", flips), ("noise", noise)):
        if not among:
            continue
        margin, deviation = margins(among)
        apart = by.logarithm(margin, deviation) - [log(one.failures / one.words) for one in among]
        chance = np.array([one.deviation for one in among])
        said = [by.iterations(one.soft_bits, *at) for one, *at in zip(among, margin, deviation, strict=True)]
        taken = np.abs(np.array(said) / [one.iterations for one in among] - 1)
        texts = (
            f"{len(among)} points",
            f"failures {np.sqrt((apart**2).mean()):.1%} off, {np.exp(np.abs(apart).max()):.2f} times at most",
            f"mean {apart.mean():+.1%}",
            f"of that by the count {np.sqrt((chance**2).mean()):.1%}",
            f"iterations {taken.mean():.1%}, {taken.max():.1%} at most",
        )
        sys.stdout.write(f"  {name}: {', '.join(texts)}\n")


def main(arguments: Sequence[str]) -> None:
    """Count, or fit and say what is left."""
    if arguments[0] == "count":
        count(arguments[1], Path(arguments[2]))
        return
    fitted, others = (read(Path(name)) for name in arguments[1:3])
    pages = [point for point in others if not point.page.endswith("flips")]
    noises = {bits: Noise.counted(fitted, bits) for bits in SOFT_BITS}
    for asked in ((1,), (2,), (3,), SOFT_BITS):
        there = {bits: noises[bits] for bits in asked}
        own, held = ([one for one in among if one.soft_bits in asked] for among in (fitted, pages))
        numbers = fit(own, there)
        told = ", ".join(f"{value:.3g}" for value in numbers)
        sys.stdout.write(f"soft bits {', '.join(map(str, asked))}: {told}\n")
        for name, among in (("fitted", own), ("others", held)):
            _say(name, among, there, numbers)
            _say(f"{name}, as shipped", among, there, SHIPPED)
    evolution = _evolution(fitted)
    for name, among in (("fitted", fitted), ("others", others)):
        _say_evolved(name, among, evolution)


if __name__ == "__main__":
    main(sys.argv[1:])
