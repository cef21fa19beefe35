"""Which Gaussian noise fails as often as a page: count words over pages and noise, fit the axis they share.

    python benches/ecc_axis.py count fitted FILE    # pages of TLC at four wears, and noise
    python benches/ecc_axis.py count others FILE    # other chips, wears, pages, ages, cells and words
    python benches/ecc_axis.py fit FITTED OTHERS    # the three numbers, and how far off they leave both

The numbers are those of crates/ecc/src/sensing/alike.rs. The two files as they were counted are
`benches/ecc_axis/*.csv`, half an hour of a core each. A point of a page has the ratios of its own zones; of
hard reads each of the others is counted a second time with both ratios alike, *flips*, as a controller has
them that knows of a bit no more than itself.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import log
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import norm

from floatgate import _core
from floatgate.files import shipped

CODE, BITS, CELLS = "nand-4k-889", 36_864, 40_000
CHIP, PAGES, WEARS, READS = "tlc-3d-256g", (0, 1, 2), (1000, 3000, 6000, 12_000), (0, 300_000)
# Chip, page of its wordline, wear: as benches/ecc_tables.py has them.
OTHERS = (
    ("tlc-3d-256g", 1, 2400),
    ("tlc-3d-256g", 2, 7000),
    ("qlc-3d-1t", 1, 600),
    ("qlc-3d-1t", 3, 1200),
    ("poster-mlc", 1, 9000),
    ("mt29f4g08aac", 0, 60_000),
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
GRID = 80  # steps between the rates that noise is looked at

Numbers = tuple[float, float, float]
_Seen = tuple[list[float], list[float], list[float]]  # shares of a zero and a one, ratios
Channel = tuple[str, int, _Seen, int]  # what it is, soft bits, what comes of it, words


@dataclass(frozen=True)
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
        conditions = [(chip, page, wear, 0) for chip, page, wear in OTHERS]
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


def fit(points: Sequence[Point], noises: Mapping[int, Noise]) -> Numbers:
    """Return the three numbers that leave the least squares, in units of the counts' own deviations."""
    weights = np.hypot(deviations(points, noises), 0.03)

    def residuals(x: "np.ndarray") -> "np.ndarray":
        scale, most, own = np.exp(x)
        return np.asarray(off(points, noises, (scale, most, own)) / weights)

    starts = [(log(scale), log(most), log(0.3)) for scale in (0.6, 0.9, 1.3) for most in (4.0, 6.0, 9.0)]
    low, high = np.log((0.2, 2.0, 1e-3)), np.log((3.0, 40.0, 10.0))
    tried = (least_squares(residuals, start, bounds=(low, high)) for start in starts)
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
    flips = [point for point in others if point.page.endswith("flips")]
    plain = [replace(point, ratios=np.array([1.0, -1.0])) for point in flips]
    if plain:
        sys.stdout.write("hard reads told as flips, by the raw bit error rate\n")
        _say("others", plain, {1: noises[1]}, SHIPPED)


if __name__ == "__main__":
    main(sys.argv[1:])
