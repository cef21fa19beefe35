"""Which points of a code are counted, and until when: the same words for any number of processes."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count

from floatgate import _core
from floatgate.ecc.channels import Cells, Channel, Seen
from floatgate.ecc.table import Point, Read
from floatgate.workers import Crew, crew
from floatgate.workers.crews import scheduler_of

APART = 1 << 34  # words from the first of a point to the first of the next: no two have the same noise
SHARE = 256  # words that a process decodes at once: batches of every decoder divide it
FIRST = 512  # words of a point's first round; each round after it has as many as all before
PILOT = 256  # words by which the rates are found
TOO_FEW = 10  # failures that a point is expected to have, where rates are found
CHANCES = (0.7, 0.3, 0.1, 0.03, 0.01, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 3e-6, 1e-6)
HALVINGS = 9
EASY = (0.96, 0.92, 0.87, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01)  # of the least rate


@dataclass(frozen=True)
class Setup:
    """What words are made of and decoded by."""

    code: str
    file: tuple[str, str] | None  # name and text of the code's file, if it does not come along
    decoder: str
    parameters: tuple[str, ...]
    seed: int

    def trial(self) -> "_core.EccTrial":
        """Make the words. Raises InputError for what is unknown or wrong."""
        return _core.EccTrial(self.code, self.file, self.decoder, list(self.parameters), self.seed)


@lru_cache(maxsize=1)
def _trial(setup: Setup) -> "_core.EccTrial":
    return setup.trial()


def _count(item: tuple[Setup, Seen, int, int]) -> tuple[int, int, list[int]]:
    """Decode a share of words, here or in a worker."""
    setup, seen, first, words = item
    return _trial(setup).count(list(seen.zero), list(seen.one), list(seen.ratios), first, words)


class Stopped(Exception):
    """The caller wants no more words."""


@dataclass
class _Tally:
    first: int = 0  # number of its first word, by which its noise is drawn
    words: int = 0
    failures: int = 0
    undetected: int = 0
    iterations: list[int] = field(default_factory=list)

    def add(self, words: int, found: tuple[int, int, list[int]]) -> None:
        failures, undetected, iterations = found
        self.words += words
        self.failures += failures
        self.undetected += undetected
        self.iterations += [0] * (len(iterations) - len(self.iterations))
        for number, each in enumerate(iterations):
            self.iterations[number] += each


@dataclass
class Counter:
    """Decodes words, here or in workers."""

    setup: Setup
    team: Crew | None
    stopped: Callable[[], bool]

    def count(self, seen: Seen, tally: _Tally, words: int) -> None:
        """Add the next words to a tally. Raises Stopped."""
        items = [
            (self.setup, seen, tally.first + done, min(SHARE, tally.words + words - done))
            for done in range(tally.words, tally.words + words, SHARE)
        ]
        for item, found in zip(items, self._all(items), strict=True):
            tally.add(item[3], found)

    def _all(self, items: Sequence[tuple[Setup, Seen, int, int]]) -> list[tuple[int, int, list[int]]]:
        if self.team is None:
            return [self._one(item) for item in items]
        futures = [self.team.submit(_count, item) for item in items]
        left: set[Future[tuple[int, int, list[int]]]] = set(futures)
        while left:
            if self.stopped():
                self.team.stop()
                for future in left:
                    future.cancel()
                raise Stopped
            _done, left = wait(left, timeout=0.1, return_when=FIRST_COMPLETED)
        return [future.result() for future in futures]

    def _one(self, item: tuple[Setup, Seen, int, int]) -> tuple[int, int, list[int]]:
        if self.stopped():
            raise Stopped
        try:
            return _count(item)
        except _core.Stopped as late:  # it was asked for, and a share did not end
            raise Stopped from late


@contextmanager
def counting(
    setup: Setup, workers: int | None, scheduler: str | None, stopped: Callable[[], bool]
) -> Iterator[Counter]:
    """Give what decodes words: this process where there is to be one, else a crew of them."""
    there = scheduler_of(scheduler, workers)
    if workers == 1:
        yield Counter(setup, None, stopped)
        return
    with crew(workers=None if there else workers, scheduler=there) as team:
        yield Counter(setup, team, stopped)


@dataclass(frozen=True)
class Progress:
    """How far the points are."""

    soft_bits: int
    rate: float
    words: int
    failures: int
    part: float  # of this point


@dataclass(frozen=True)
class Asked:
    """Which points, and how much of each."""

    soft_bits: tuple[int, ...]
    rates: tuple[float, ...]  # none: they are found
    ages_s: tuple[float, ...]  # of a page of cells, instead
    failures: int
    words: int
    easy: bool = False  # with rates below, at which words are decoded for their iterations
    hard_ratio: float | None = None  # that bits of hard reads are told with; none: that of their rate

    def told(self, seen: Seen) -> Seen:
        """Return what comes of a page, told as was asked for."""
        if self.hard_ratio is None or len(seen.ratios) > 2:
            return seen
        return replace(seen, ratios=(self.hard_ratio, -self.hard_ratio))


def conduct(
    counter: Counter, channel: Channel, bits: int, asked: Asked, progress: Callable[[Progress], None]
) -> tuple[tuple[Read, ...], bool]:
    """Count the points that were asked for; return them, and whether a stop ended it early."""
    reads = []
    for number, soft_bits in enumerate(asked.soft_bits, 1):
        points: list[Point] = []
        tallies = (_Tally((number << 16 | point) * APART) for point in count())
        wanted = _wanted(counter, channel, bits, soft_bits, asked)
        try:
            points.extend(
                _point(counter, soft_bits, seen, tally, replace(asked, words=words), progress)
                for (seen, words), tally in zip(wanted, tallies, strict=False)
            )
        except Stopped:
            reads += [Read(bits, soft_bits, tuple(points))] if points else []
            return tuple(reads), True
        reads.append(Read(bits, soft_bits, tuple(points)))
    return tuple(reads), False


def _point(
    counter: Counter,
    soft_bits: int,
    seen: Seen,
    tally: _Tally,
    asked: Asked,
    progress: Callable[[Progress], None],
) -> Point:
    """Decode words in rounds until enough of them failed."""
    most = asked.words - asked.words % 64
    while tally.failures < asked.failures and tally.words < most:
        counter.count(seen, tally, min(max(FIRST, tally.words), most - tally.words))
        part = max(tally.failures / asked.failures, tally.words / most)
        progress(Progress(soft_bits, seen.rate, tally.words, tally.failures, min(part, 1.0)))
    return Point(soft_bits, seen, tally.words, tally.failures, tally.undetected, tuple(tally.iterations))


def _wanted(
    counter: Counter, channel: Channel, bits: int, soft_bits: int, asked: Asked
) -> Iterator[tuple[Seen, int]]:
    """Give what is told of words at each point, by falling rate, and how many words it has at most."""
    if asked.ages_s:
        assert isinstance(channel, Cells)
        for age in sorted(asked.ages_s, reverse=True):
            yield asked.told(channel.aged(age, soft_bits)), asked.words
        return
    rates = asked.rates or _found(counter, channel, bits, soft_bits, asked)
    for rate in sorted(rates, reverse=True):
        yield asked.told(channel.at(rate, soft_bits)), asked.words
    for part in EASY if asked.easy else ():
        if channel.least <= (rate := float(f"{min(rates) * part:.3g}")):
            yield asked.told(channel.at(rate, soft_bits)), FIRST


def _found(counter: Counter, channel: Channel, bits: int, soft_bits: int, asked: Asked) -> list[float]:
    """Find rates from where most words fail to where too few do to be counted."""

    def failing(rate: float, words: int) -> tuple[Seen, int]:
        seen, tally = asked.told(channel.at(rate, soft_bits)), _Tally()
        counter.count(seen, tally, words)
        return seen, tally.failures

    low, high = channel.least, channel.most
    if 2 * failing(high, 64)[1] < 64:  # the law has its points below
        middle = high
    else:
        for _ in range(HALVINGS):
            middle = (low * high) ** 0.5
            low, high = (low, middle) if 2 * failing(middle, 64)[1] >= 64 else (middle, high)
        middle = (low * high) ** 0.5
    around = (middle, middle * 0.97, middle * 0.94)
    pilots = [failing(rate, PILOT) for rate in around if channel.least <= rate <= channel.most]
    law = _core.ecc_law(bits, [(seen.rate, PILOT, failures) for seen, failures in pilots])
    if law is None:
        return [rate for part in range(6) if channel.least <= (rate := middle * (1 - 0.05 * part))]
    wanted = [_core.ecc_rate(bits, law, chance) for chance in CHANCES if chance * asked.words >= TOO_FEW]
    return sorted({float(f"{rate:.3g}") for rate in wanted if channel.least <= rate <= channel.most})
