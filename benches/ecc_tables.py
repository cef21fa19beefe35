"""Compare the tables that drives read with with words decoded over the cells themselves.

For pages of four chips at up to three ages each, where words begin to fail, hard reads and soft ones: on one
side words over its own channel, sampled from its cells with another seed than made the chip's tables; on
the other the code's table, at the rate of the noise that is alike to the page.

    python benches/ecc_tables.py [WORDS]
    python benches/ecc_tables.py bits [FAILURES]    # hard reads alone, as a controller is told them
"""

import sys
from collections.abc import Iterable, Iterator
from itertools import zip_longest

from floatgate import _core
from floatgate.files import shipped

CODE, WORDS, CELLS, SEED = "nand-4k-889", 4096, 40_000, 11
# Chip, page of its wordline, wear that is between two of its tables' rows.
PAGES = (
    ("tlc-3d-256g", 1, 2400),
    ("tlc-3d-256g", 2, 7000),
    ("qlc-3d-1t", 1, 600),
    ("qlc-3d-1t", 3, 1200),
    ("poster-mlc", 1, 9000),
    ("mt29f4g08aac", 0, 60_000),
)
# Told as bits: four chips, worn so far that their words begin to fail, and ages in days at which they do.
AS_BITS = (
    ("tlc-3d-256g", 1, 2400, (36_525, 27_299, 20_404)),
    ("qlc-3d-1t", 1, 2200, (11_398, 8519, 6367)),
    ("poster-mlc", 0, 17_000, (14, 8, 5)),
    ("cai2017-tlc", 0, 5000, (620, 530, 463)),
)
HARD_RATIO = 6.0  # that drives tell each bit of a hard read with, as the table's words
FAILURES, WORDS_MOST = 1500, 400_000
WANTED = (0.25, 0.05, 0.01)  # failures around which ages are looked for
HEAD = (
    "chip, page, cycles",
    "age",
    "soft bits",
    "raw rate",
    "words: failures",
    "table at the page",
    "iterations: words, table",
)
AGES_S = tuple(3600.0 * (100 * 31_557_600 / 3600.0) ** (step / 47) for step in range(48))


def main(arguments: list[str]) -> None:
    """Print one line for each page, age and number of soft bits."""
    as_bits = arguments[:1] == ["bits"]
    rest = arguments[as_bits:]
    asked = int(rest[0]) if rest else FAILURES if as_bits else WORDS
    trial = _core.EccTrial(CODE, None, "min-sum-8", [], SEED)
    _tell(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    first = 0
    for what, soft_bits, raw, seen in bits() if as_bits else pages(PAGES, (1, 2, 3)):
        fails, takes = _said(soft_bits, seen)
        _raw, _told, _volts, zero, one, ratios = seen
        words, failures, iterations = 0, 0, [0] * 64
        while failures < asked and words < WORDS_MOST if as_bits else words < asked:
            more = max(512, words // 256 * 64) if as_bits else asked
            failed, _undetected, took = trial.count(zero, one, ratios, first, more)
            first, words, failures = first + more, words + more, failures + failed
            iterations = [each + now for each, now in zip_longest(iterations, took, fillvalue=0)]
        mean = sum(number * each for number, each in enumerate(iterations)) / words
        low, high = _core.ecc_interval(words, failures)
        _tell(
            f"| {what} | {soft_bits} | {raw:.5f} | {failures / words:.2e} ({low:.1e} to {high:.1e}) "
            f"| {fails:.2e} ({fails * words / max(failures, 1) - 1:+.0%}) | {mean:.2f}, {takes:.2f} |"
        )


def pages(
    conditions: "Iterable[tuple[str, int, int]]", asked: "Iterable[int]"
) -> "Iterator[tuple[str, int, float, _core._Seen]]":
    """Give pages at ages at which about so many words fail: name, soft bits, raw rate, what comes of bits."""
    for chip, page, wear in conditions:
        cells = _core.Chip(chip, shipped.folders(), SEED)
        channels = cells.pages(float(wear), [(age, 0) for age in AGES_S], CELLS, page)
        raw = [one.seen(one, 1, "information")[0] for one in channels]
        for soft_bits in asked:
            seen = [one.seen(one, soft_bits, "information") for one in channels]
            said = [_said(soft_bits, one)[0] for one in seen]
            for wanted in WANTED:
                at = min(range(len(seen)), key=lambda index: abs(_log(said[index]) - _log(wanted)))
                if wanted / 3 < said[at] < wanted * 3:
                    yield (
                        f"{chip}, {page}, {wear:,} | {AGES_S[at] / 86_400:.0f} d",
                        soft_bits,
                        raw[at],
                        seen[at],
                    )


def bits() -> "Iterator[tuple[str, int, float, _core._Seen]]":
    """Give hard reads whose ratios tell no more than a bit."""
    for chip, page, wear, days in AS_BITS:
        cells = _core.Chip(chip, shipped.folders(), SEED)
        channels = cells.pages(float(wear), [(day * 86_400.0, 0) for day in days], CELLS, page)
        for day, channel in zip(days, channels, strict=True):
            rate, told, volts, zero, one, _ratios = channel.seen(channel, 1, "information")
            seen = (rate, told, volts, zero, one, [HARD_RATIO, -HARD_RATIO])
            yield f"{chip}, {page}, {wear:,} | {day} d", 1, rate, seen


def _tell(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _said(soft_bits: int, seen: "_core._Seen") -> tuple[float, float]:
    """Return failures and iterations by the code's table at this page."""
    _rate, _told, _volts, zero, one, ratios = seen
    return _core.ecc_table(CODE, soft_bits, _core.ecc_alike(soft_bits, zero, one, ratios))


def _log(value: float) -> float:
    return max(value, 1e-30) ** 0.05  # any rising curve that looks at small chances


if __name__ == "__main__":
    main(sys.argv[1:])
