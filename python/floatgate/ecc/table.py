"""What was counted of a code, and the file that it is kept in."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, astuple, dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from floatgate import _core
from floatgate.ecc.channels import Seen
from floatgate.ecc.elsewhere import Counted, Total
from floatgate.results import notebook
from floatgate.values.toml_list import listed

TARGETS = (
    1e-6,
    1e-9,
    1e-11,
)  # chances of failure whose rates are told, most of them below what can be counted


@dataclass(frozen=True)
class Point(Counted):
    """Words at one raw bit error rate, read with so many soft bits."""

    soft_bits: int
    seen: Seen
    words: int
    failures: int  # words whose data came out wrong
    undetected: int  # of those, words whose checks all hold
    iterations: tuple[int, ...]  # words that took as many, from none on

    @property
    def rate(self) -> float:
        """The raw bit error rate."""
        return self.seen.rate

    @property
    def mean_iterations(self) -> float:
        """Iterations of a word on the mean."""
        return sum(number * words for number, words in enumerate(self.iterations)) / self.words

    @property
    def most_iterations(self) -> int:
        """Iterations that 99.9 % of the words do not exceed."""
        return next(
            number
            for number, words in enumerate(accumulate(self.iterations))
            if 1000 * words >= 999 * self.words
        )

    def document(self) -> dict[str, Any]:
        """Return everything for programs."""
        low, high = self.interval
        return {
            "soft_bits": self.soft_bits,
            "raw_bit_error_rate": self.rate,
            "information": self.seen.information,
            "information_lost": self.seen.lost,
            "age_s": self.seen.age_s,
            "words": self.words,
            "failures": self.failures,
            "failure_rate": self.failure,
            "failure_rate_low": low,
            "failure_rate_high": high,
            "undetected": self.undetected,
            "iterations_mean": self.mean_iterations,
            "iterations_p999": self.most_iterations,
            "iterations": list(self.iterations),
        }


@dataclass(frozen=True)
class Read:
    """All points of one number of soft bits."""

    bits: int  # of a word
    soft_bits: int
    points: tuple[Point, ...]  # by falling rate
    elsewhere: tuple[Total, ...] = ()  # counted elsewhere

    @property
    def _all(self) -> list[Point | Total]:
        return sorted((*self.points, *self.elsewhere), key=lambda one: one.rate, reverse=True)

    @cached_property
    def law(self) -> tuple[float, float] | None:
        """Threshold and variance of the law of these failures; none where fewer than two points tell."""
        return _core.ecc_law(self.bits, self._counts)

    @property
    def _counts(self) -> list[tuple[float, int, int]]:
        return [(one.rate, one.words, one.failures) for one in self._all]

    @property
    def lowest(self) -> Point | Total:
        """The point at the least rate at which words failed, or the last."""
        failing = [one for one in self._all if one.failures]
        return failing[-1] if failing else self.points[-1]

    @property
    def floor_most(self) -> float:
        """What a floor can be at most: it would have shown among the words of some point (95 %)."""
        return min(one.interval[1] for one in self._all)

    def extrapolated(self) -> list[tuple[float, float, float, float]]:
        """Return for some chances of failure the rate that has them by the law, and its interval there."""
        if self.law is None:
            return []
        found = []
        for target in TARGETS:
            rate = _core.ecc_rate(self.bits, self.law, target)
            found.append((target, rate, *_core.ecc_extrapolated(self.bits, self.law, self._counts, rate)[1:]))
        return found


@dataclass(frozen=True)
class Measured:
    """What was counted of a code over a channel."""

    code: str
    bits: int
    data_bits: int
    edges: int
    channel: str
    placement: str
    decoder: tuple[tuple[str, str], ...]  # its parameters, defaults included
    seed: int
    reads: tuple[Read, ...]  # by soft bits
    interrupted: bool = False
    hard_ratio: float | None = None  # that bits of hard reads were told with; none: that of their rate

    @property
    def points(self) -> list[Point]:
        """All points, in their order."""
        return [point for read in self.reads for point in read.points]

    def document(self) -> dict[str, Any]:
        """Return everything for programs."""
        return {
            "version": _core.version(),
            "code": self.code,
            "bits": self.bits,
            "data_bits": self.data_bits,
            "channel": self.channel,
            "placement": self.placement,
            "hard_ratio": self.hard_ratio,
            "decoder": dict(self.decoder),
            "seed": self.seed,
            "interrupted": self.interrupted,
            "points": [point.document() for point in self.points],
            "laws": [
                {
                    "soft_bits": read.soft_bits,
                    "threshold": None if read.law is None else read.law[0],
                    "variance": None if read.law is None else read.law[1],
                    "counted_down_to": read.lowest.rate,
                    "elsewhere": [asdict(one) for one in read.elsewhere],
                    "floor_most": read.floor_most,
                    "extrapolated": [
                        {"failure_rate": target, "raw_bit_error_rate": rate, "low": low, "high": high}
                        for target, rate, low, high in read.extrapolated()
                    ],
                }
                for read in self.reads
            ],
        }

    def _repr_html_(self) -> str:
        return notebook.table(f"{self.code} over {self.channel}", HEAD, map(row, self.points))


HEAD = (
    "soft bits",
    "raw rate",
    "words",
    "failures",
    "failure rate",
    "95 %",
    "iterations",
    "99.9 %",
    "undetected",
)


def row(point: Point) -> tuple[str, ...]:
    """Return a point as people read it."""
    low, high = point.interval
    return (
        str(point.soft_bits),
        f"{point.rate:.4g}",
        f"{point.words:,}",
        f"{point.failures:,}",
        f"{point.failure:.2e}" if point.failures else "-",
        f"{low:.1e} to {high:.1e}",
        f"{point.mean_iterations:.2f}",
        str(point.most_iterations),
        str(point.undetected),
    )


def told(read: Read) -> str:
    """Say in a line what follows from the points of a read below the last of them."""
    bits = f"{read.soft_bits} soft bit{'s' if read.soft_bits > 1 else ''}"
    lost = [point.seen.lost for point in read.points if point.seen.lost is not None]
    cost = f"; tables of the mean block tell up to {max(lost):.1e} bits less of a bit" if lost else ""
    if read.law is None:
        return f"{bits}: fewer than two points with failures: nothing is extrapolated{cost}"
    rates = ", ".join(f"{target:.0e} at {rate:.4g}" for target, rate, _, _ in read.extrapolated())
    return (
        f"{bits}: extrapolated below {read.lowest.rate:.4g} by the law of the points, to {rates}; "
        f"a floor was not seen and is below {read.floor_most:.1e}, or lies at lower rates{cost}"
    )


def text(measured: Measured, command: str) -> str:
    """Return the text of the file; `command` says what made it."""
    made = f"Made by `{command}, version {_core.version()}`; not to be edited."
    ended = " Interrupted: some points are missing." if measured.interrupted else ""
    lines = [
        f"# Failures of {measured.code} over {measured.channel}. {made}{ended}",
        f'code = "{measured.code}"',
        f"bits = {measured.bits}",
        f"data_bits = {measured.data_bits}",
        f"edges = {measured.edges}  # ones of the matrix",
        f'channel = "{measured.channel}"',
        f'placement = "{measured.placement}"',
        *_told_with(measured.hard_ratio),
        f"decoder = [{', '.join(_quoted(_assigned(*one)) for one in measured.decoder)}]",
        f"seed = {measured.seed}",
        f"command = {_quoted(command)}",
    ]
    for read in measured.reads:
        lines += ["", f"[soft_{read.soft_bits}]", *_read(read)]
    return "\n".join(lines) + "\n"


def _told_with(hard_ratio: float | None) -> Iterator[str]:
    if hard_ratio is not None:
        yield f"hard_ratio = {_number(hard_ratio)}  # that each bit of a hard read is told with"


def _assigned(key: str, value: str) -> str:
    """Write a parameter as options have it."""
    return f"{key}={value.strip(chr(34))}"


def _quoted(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _read(read: Read) -> Iterator[str]:
    points = read.points
    if read.law is not None:
        threshold, variance = map(_number, read.law)
        yield f"law = [{threshold}, {variance}]  # errors of a word that are corrected: mean, variance"
    yield f"floor_most = {_number(read.floor_most)}  # 95 %: none was seen among the words of a point"
    yield from listed("rates", (_number(point.rate) for point in points), "raw, of one comparison")
    for name, source in (
        ("words", "decoded"),
        ("failures", "data wrong"),
        ("undetected", "of those, with all checks kept"),
    ):
        yield from listed(name, (str(getattr(point, name)) for point in points), source)
    yield from listed(
        "iterations",
        (_quoted(" ".join(map(str, point.iterations))) for point in points),
        "words that took 0, 1, 2...",
    )
    if read.elsewhere:
        yield from listed(
            "elsewhere",
            (_quoted(" ".join(f"{value:.9g}" for value in astuple(one))) for one in read.elsewhere),
            "on a GPU: rate, words, failures, undetected, iterations of all words",
        )
    if any(point.seen.age_s is not None for point in points):
        yield from listed("ages", (f'"{point.seen.age_s or 0:.0f}s"' for point in points), "of the page")
    for name in ("zero", "one", "ratios"):
        values: Iterable[tuple[float, ...]] = (getattr(point.seen, name) for point in points)
        yield from listed(
            name,
            (_quoted(" ".join(map(_number, each))) for each in values),
            "what is told of a bit" if name == "ratios" else f"shares of a sent {name}",
        )


def _number(value: float) -> str:
    """Write a number so that every machine writes the same digits."""
    whole = f"{value:.9g}"
    return whole if any(sign in whole for sign in ".en") else f"{whole}.0"
