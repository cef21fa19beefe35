"""Words of hard reads that were counted elsewhere, on a GPU (benches/gpu), put beside a table's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import read_json

RATIO = 6.0  # that each bit was told with: a level of 12, as `examples/gpu_words.rs` has it
WHOLE = ("seed", "words", "failures", "undetected", "iterations")


class Counted:
    """What follows from words that were counted, and those of them that failed."""

    words: int
    failures: int

    @property
    def failure(self) -> float:
        """Failures of all words."""
        return self.failures / self.words

    @cached_property
    def interval(self) -> tuple[float, float]:
        """Between which chances of failure the count leaves it (95 %, exact)."""
        return _core.ecc_interval(self.words, self.failures)


@dataclass(frozen=True)
class Total(Counted):
    """Words at one raw bit error rate, of which the iterations of all together are known."""

    rate: float
    words: int
    failures: int
    undetected: int
    iterations: int


def totals(files: Iterable[str], code: str, decoder: str) -> tuple[Total, ...]:
    """Read the counts of a code's hard reads, by falling rate. Raises InputError for what is no such file.

    Of counts of one seed the longest has the words of all others; counts of different seeds are added.
    """
    longest: dict[tuple[float, int], Total] = {}
    for file in files:
        counts = read_json(file, "counts of a GPU: benches/gpu").get("counts")
        if not isinstance(counts, list):
            raise InputError(f"--elsewhere {file}: counts: expected a list, as benches/gpu has it")
        for number, count in enumerate(counts):
            one = _total(f"--elsewhere {file}: counts[{number}]", count)
            if (count.get("code"), count.get("decoder"), count.get("channel")) == (code, decoder, "hard"):
                key = one.rate, count["seed"]
                if key not in longest or longest[key].words < one.words:
                    longest[key] = one
    if not longest:
        raise InputError(f"--elsewhere: expected counts of hard reads of {code} by {decoder}, found none")
    rates = sorted({rate for rate, _seed in longest}, reverse=True)
    return tuple(_sum(rate, [one for (of, _), one in longest.items() if of == rate]) for rate in rates)


def _total(place: str, count: Any) -> Total:
    known = count if isinstance(count, dict) else {}
    if any(type(known.get(key)) is not int or known[key] < 0 for key in WHOLE) or not isinstance(
        known.get("point"), float
    ):
        raise InputError(f"{place}: expected a point and whole numbers for {', '.join(WHOLE)}")
    _seed, words, failures, undetected, iterations = (known[key] for key in WHOLE)
    if not 0 < words >= failures >= undetected:
        raise InputError(f"{place}: expected words, of which no more failed")
    return Total(known["point"], words, failures, undetected, iterations)


def _sum(rate: float, ones: list[Total]) -> Total:
    columns = zip(*((one.words, one.failures, one.undetected, one.iterations) for one in ones), strict=True)
    return Total(rate, *map(sum, columns))
