"""Compare the tables that drives read with with words decoded over the cells themselves.

For pages of four chips at up to three ages each, where words begin to fail, hard reads and soft ones: on one
side words over its own channel, sampled from its cells with another seed than made the chip's tables; on
the other the code's table, at the rate of the noise that is alike to the page.

    python benches/ecc_tables.py [WORDS]
"""

import sys

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


def main() -> None:
    """Print one line for each page, age and number of soft bits."""
    words = int(sys.argv[1]) if len(sys.argv) > 1 else WORDS
    trial = _core.EccTrial(CODE, None, "min-sum-8", [], SEED)
    _tell(f"| {' | '.join(HEAD)} |\n{'|---' * len(HEAD)}|")
    first = 0
    for chip, page, wear in PAGES:
        cells = _core.Chip(chip, shipped.folders(), SEED)
        channels = cells.pages(float(wear), [(age, 0) for age in AGES_S], CELLS, page)
        for soft_bits in (1, 2, 3):
            seen = [one.seen(one, soft_bits, "information") for one in channels]
            said = [_said(soft_bits, one) for one in seen]
            for wanted in WANTED:
                at = min(range(len(seen)), key=lambda index: abs(_log(said[index][0]) - _log(wanted)))
                if not wanted / 3 < said[at][0] < wanted * 3:
                    continue
                _raw, _told, _volts, zero, one, ratios = seen[at]
                failures, _undetected, iterations = trial.count(zero, one, ratios, first, words)
                first += words
                mean = sum(number * each for number, each in enumerate(iterations)) / words
                low, high = _core.ecc_interval(words, failures)
                raw = channels[at].seen(channels[at], 1, "information")[0]
                _tell(
                    f"| {chip}, {page}, {wear:,} | {AGES_S[at] / 86_400:.0f} d | {soft_bits} | {raw:.5f} "
                    f"| {failures / words:.2e} ({low:.1e} to {high:.1e}) | {said[at][0]:.2e} "
                    f"({said[at][0] * words / max(failures, 1) - 1:+.0%}) | {mean:.2f}, {said[at][1]:.2f} |"
                )


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
    main()
