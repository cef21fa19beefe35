"""Which Gaussian noise fails as often as a page: count words over pages and noise, fit the law they share.

    python benches/ecc_axis.py count fitted FILE    # pages of TLC at three wears, and noise
    python benches/ecc_axis.py count others FILE    # other chips, wears, pages, ages, cells and words
    python benches/ecc_axis.py fit FITTED OTHERS    # the two numbers, and how far off they leave both

The numbers are those of crates/ecc/src/sensing/evolution.rs. The two files as they were counted are
`benches/ecc_points/*.csv`, half an hour of a core each. A point of a page has the ratios of its own zones; of
hard reads each of the others is counted a second time with both ratios alike, *flips*, as a controller has
them that knows of a bit no more than itself.
"""

import csv
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares
from scipy.stats import norm

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
SHIPPED = (1.157, 1.21e-5)  # of crates/ecc/src/sensing/evolution.rs: wider, aside

Numbers = tuple[float, float]
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


def evolved(points: Sequence[Point]) -> tuple["np.ndarray", "np.ndarray"]:
    """Return margins of points, and the standard deviations of the margins of their words."""
    lists = ((point.zero.tolist(), point.one.tolist(), point.ratios.tolist()) for point in points)
    margins, spreads = np.array([_core.ecc_evolved(*each) for each in lists]).T
    return margins, spreads / np.sqrt(BITS)


def off(points: Sequence[Point], numbers: Numbers) -> "np.ndarray":
    """Return the logarithms of the failures that the law says, over those counted."""
    wider, aside = numbers
    margins, deviations = evolved(points)
    counted = [log(point.failures / point.words) for point in points]
    return np.asarray(norm.logsf((margins - aside) / (wider * deviations)) - counted)


def fit(points: Sequence[Point]) -> Numbers:
    """Return the two numbers that leave the least squares, in units of the counts' own deviations."""
    margins, deviations = evolved(points)
    counted = np.array([log(point.failures / point.words) for point in points])
    weights = np.hypot([point.deviation for point in points], 0.03)

    def residuals(x: "np.ndarray") -> "np.ndarray":
        said = norm.logsf((margins - 1e-4 * x[1]) / (x[0] * deviations))
        return np.asarray((said - counted) / weights)

    wider, aside = least_squares(residuals, [1.2, 0.0]).x
    return float(wider), 1e-4 * float(aside)


def of_table(points: Sequence[Point]) -> tuple["np.ndarray", "np.ndarray"]:
    """Return failures and iterations of the table at the noise alike to each point, over those counted."""
    found = []
    for point in points:
        lists = (point.zero.tolist(), point.one.tolist(), point.ratios.tolist())
        fails, takes = _core.ecc_table(CODE, point.soft_bits, _core.ecc_alike(point.soft_bits, *lists))
        found.append((log(fails * point.words / point.failures), takes / point.iterations - 1))
    failures, iterations = np.array(found).T
    return failures, iterations


def _kind(point: Point) -> str:
    if point.page.endswith("flips"):
        return "told as flips"
    return "noise" if point.page.startswith("noise") else f"{point.soft_bits} soft bits"


def _say(title: str, points: Sequence[Point], numbers: Numbers) -> None:
    for name in sorted({_kind(point) for point in points}):
        among = [point for point in points if _kind(point) == name]
        apart, chance = off(among, numbers), np.array([one.deviation for one in among])
        failures, iterations = of_table(among)
        texts = (
            f"{len(among)} points",
            f"the law {np.sqrt((apart**2).mean()):.1%} off, {np.exp(np.abs(apart).max()):.2f} times at most",
            f"the table {np.sqrt((failures**2).mean()):.1%}, {np.exp(np.abs(failures).max()):.2f} times",
            f"of that by the count {np.sqrt((chance**2).mean()):.1%}",
            f"iterations {np.abs(iterations).mean():.1%}, {np.abs(iterations).max():.1%} at most",
        )
        sys.stdout.write(f"  {title}, {name}: {', '.join(texts)}\n")


def main(arguments: Sequence[str]) -> None:
    """Count, or fit and say what is left."""
    if arguments[0] == "count":
        count(arguments[1], Path(arguments[2]))
        return
    fitted, others = (read(Path(name)) for name in arguments[1:3])
    numbers = fit(fitted)
    told = [f"wider {wider:.4f}, aside {aside:.3g}" for wider, aside in (numbers, SHIPPED)]
    sys.stdout.write(f"fitted: {told[0]}; shipped: {told[1]}\n")
    for name, among in (("fitted", fitted), ("others", others)):
        _say(name, among, SHIPPED)


if __name__ == "__main__":
    main(sys.argv[1:])
