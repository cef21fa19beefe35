"""Fit the axis that soft and hard reads of all pages share: which Gaussian noise fails as often as a page.

    python benches/ecc_axis.py count FILE     # words over pages and over noise, one line a point (20 minutes on a core)
    python benches/ecc_axis.py fit FILE       # the numbers of crates/ecc/src/sensing/alike.rs from such points

Points of `benches/ecc_axis.csv` are pages of TLC at four wears, all ages at which words begin to fail, and noise; what is
held against them are other chips, wears and pages (`benches/ecc_tables.py`).
"""

import csv
import sys
from collections.abc import Iterator
from pathlib import Path

from floatgate import _core
from floatgate.files import shipped

CODE, CELLS, SEED = "nand-4k-889", 40_000, 5
CHIP, PAGES, WEARS, READS = "tlc-3d-256g", (0, 1, 2), (1000, 3000, 6000, 12_000), (0, 300_000)
AGES_S = tuple(3600.0 * (100 * 31_557_600 / 3600.0) ** (step / 23) for step in range(24))
SOFT_BITS = (1, 2, 3)
WANTED = ((0.35, 4096), (0.07, 8192))  # failures around which ages are looked for, and words decoded there
# Raw bit error rates of noise, by soft bits.
NOISE = {1: (0.009, 0.0085, 0.008), 2: (0.0172, 0.0165, 0.0158), 3: (0.0195, 0.0188, 0.018)}
HEAD = ("page", "soft_bits", "words", "failures", "iterations", "zero", "one", "ratios")
DIGITS = 9


def count(out: Path) -> None:
    """Count words over every point, and write a line for each."""
    trial = _core.EccTrial(CODE, None, "min-sum-8", [], SEED)
    first = 0
    with out.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(HEAD)
        for name, soft_bits, seen, words in points():
            shares = [[float(f"{value:.{DIGITS}g}") for value in values] for values in seen[3:]]
            failures, _undetected, iterations = trial.count(*shares, first, words)
            first += words
            mean = sum(number * each for number, each in enumerate(iterations)) / words
            texts = (" ".join(f"{value:.{DIGITS}g}" for value in values) for values in shares)
            writer.writerow((name, soft_bits, words, failures, f"{mean:.4f}", *texts))
            file.flush()


def points() -> Iterator[tuple[str, int, "_core._Seen", int]]:
    """Give each point: what it is, soft bits, what comes of it, words."""
    for soft_bits, rates in NOISE.items():
        for rate in rates:
            noise = _core.EccPage.normal(1, 0, rate)
            yield f"noise {rate:g}", soft_bits, noise.seen(noise, soft_bits, "information"), 8192
    for wear in WEARS:
        for page in PAGES:
            for reads in READS:
                cells = _core.Chip(CHIP, shipped.folders(), SEED)
                channels = cells.pages(float(wear), [(age, reads) for age in AGES_S], CELLS, page)
                for soft_bits in SOFT_BITS:
                    yield from _aged(f"{CHIP} {page} {wear} {reads}", soft_bits, channels)


def _aged(name: str, soft_bits: int, channels: "list[_core.EccPage]") -> Iterator[tuple[str, int, "_core._Seen", int]]:
    seen = [one.seen(one, soft_bits, "information") for one in channels]
    said = [_core.ecc_table(CODE, soft_bits, _core.ecc_alike(soft_bits, *one[3:]))[0] for one in seen]
    for wanted, words in WANTED:
        at = min(range(len(seen)), key=lambda index: abs(said[index] ** 0.1 - wanted**0.1))
        if wanted / 3 < said[at] < min(wanted * 2.5, 0.9):
            yield f"{name} {AGES_S[at]:.0f}", soft_bits, seen[at], words


if __name__ == "__main__":
    count(Path(sys.argv[2]))
