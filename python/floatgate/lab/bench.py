"""The bench: takes fresh blocks of a chip, wears them, and keeps the log.

A simulated chip can be made anew: every test then wears the same blocks, and what differs between two tests
is the treatment alone. Real silicon cannot: there, every test gets blocks of its own, until none are left.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from time import perf_counter
from typing import Protocol, TypeVar

from floatgate.errors import InputError
from floatgate.lab.chip import Chip, Entry, Identity, Pages, Regulated
from floatgate.lab.lives import Life, life
from floatgate.lab.recorder import recorded
from floatgate.lab.rows import Notes, first_failure, joined

CELSIUS = 25.0  # unless a test is about temperature
MOST_RATED = 10_000  # a block that outlives its rating so often is left alive
MOST_CYCLES = 1_000_000_000  # the same where the rating is not known
CALL_S = 0.05  # of wearing between two looks at Ctrl-C


Item = TypeVar("Item")


class Source(Protocol):
    """Where the chip on the bench comes from."""

    @property
    def renewable(self) -> bool:
        """Whether `open` brings the same chip as new again; if not, it is the one worn before."""
        ...

    @property
    def seed(self) -> int | None:
        """Which sample of the part it is; None for real silicon."""
        ...

    def open(self) -> Chip:
        """Put the chip on the bench."""
        ...

    def another(self) -> "Source | None":
        """Return another sample of the same part; None where there is none."""
        ...


class OutOfBlocksError(Exception):
    """The chip has too few unused blocks left for a test."""


class StoppedError(Exception):
    """A test was stopped before it had anything to show."""


@dataclass(frozen=True)
class Kept:
    """A log that goes into a file."""

    celsius: float
    entries: Sequence[Entry]


Treatment = tuple[str, Pages, float, str | None]


@dataclass
class Bench:
    """One chip under test, and everything that was measured on it."""

    source: Source
    blocks: int  # worn in each endurance test
    progress: Callable[[float], None] = lambda _fraction: None
    stopped: Callable[[], bool] = lambda: False
    logs: dict[str, Kept] = field(default_factory=dict)
    experiment: str = "by hand"  # the experiment that runs

    def __post_init__(self) -> None:
        self.identity: Identity = self.source.open().identify()
        if not 1 <= self.blocks <= self.identity.blocks:
            raise InputError(
                f"--blocks {self.blocks}: {self.identity.name} has {self.identity.blocks} blocks: "
                f"expected 1 to {self.identity.blocks}"
            )
        self._used: set[int] = set()
        self._lives: dict[Treatment, tuple[Life, ...]] = {}

    def sample(self, count: int, label: str, celsius: float = CELSIUS) -> tuple[Chip, list[int]]:
        """Put a chip on the bench with `count` good blocks that no test has worn, spread over the chip.

        What is done with it is logged under the experiment's name and `label`.
        Raises OutOfBlocksError when it has fewer.
        """
        chip, blocks = self._take(count, celsius)
        notes = Notes()
        self.logs["-".join(filter(None, (self.experiment, label)))] = Kept(celsius, notes)
        return recorded(chip, notes), blocks

    def _take(self, count: int, celsius: float) -> tuple[Chip, list[int]]:
        chip = self.source.open()
        chip.set_temperature(celsius)
        used = set() if self.source.renewable else self._used
        chosen: list[int] = []
        for place in range(count):
            block = self._good(chip, place * self.identity.blocks // count, used)
            if block is None:
                raise OutOfBlocksError(f"needs {count} unused blocks, found {len(chosen)}")
            chosen.append(block)
            used.add(block)
        return chip, chosen

    def _good(self, chip: Chip, start: int, used: set[int]) -> int | None:
        """Return the first unused good block from `start` on, around the chip."""
        blocks = self.identity.blocks
        for block in ((start + offset) % blocks for offset in range(blocks)):
            if block not in used and not self._marked_bad(chip, block):
                return block
        return None

    def _marked_bad(self, chip: Chip, block: int) -> bool:
        """Whether the factory marked a block: the first spare byte of its first page is not FFh."""
        page = chip.read(block, 0)
        return page.status != "ok" or page.data[self.identity.page_bytes].bit_count() < 4

    def lives(
        self,
        pattern: str = "zeros",
        pages: Pages = "first",
        celsius: float = CELSIUS,
        plan: str | None = None,
    ) -> tuple[Life, ...]:
        """Wear blocks until they fail, with the usual voltages or another plan; the same test is made once.

        When stopped, return the lives that had come to their end; raises StoppedError when there is none.
        """
        treatment = (pattern, pages, celsius, plan)
        if treatment not in self._lives:
            chip, blocks = self._take(self.blocks, celsius)
            if plan is not None:
                assert isinstance(chip, Regulated)
                chip.use_voltage_plan(plan)
            ended: list[Life] = []
            for block in blocks:
                self.progress(len(ended) / len(blocks))
                worn = self.wear(chip, block, self.most_cycles, pattern, pages)
                if worn is None:
                    break
                ended.append(worn)
            if not ended:
                raise StoppedError
            entries = joined([one.entries for one in ended])
            words = (pattern.replace(":", "-"), pages, f"{celsius:g}C", *([plan] if plan else []))
            self.logs["-".join(("lives", *words))] = Kept(celsius, entries)
            self._lives[treatment] = tuple(ended)
        return self._lives[treatment]

    @property
    def most_cycles(self) -> int:
        """The cycles after which a block that still lives is left alone."""
        rated = self.identity.rated.pe_cycles
        return MOST_CYCLES if rated is None else MOST_RATED * rated

    def wear(
        self, chip: Chip, block: int, cycles: int, pattern: str = "zeros", pages: Pages = "first"
    ) -> Life | None:
        """Cycle a block, or until it fails; None when stopped before."""
        parts: list[Sequence[Entry]] = []
        done, at_once = 0, 256
        while done < cycles:
            if self.stopped():
                return None
            at_once = min(at_once, cycles - done)
            began = perf_counter()
            found = chip.cycle(block, at_once, pattern=pattern, pages=pages)
            parts.append(found)
            done += at_once
            if first_failure(found) is not None:
                break
            if perf_counter() - began < CALL_S:
                at_once *= 4
        return life(block, joined(parts), done)

    def through(self, items: Iterable[Item]) -> Iterator[Item]:
        """Go through `items`, showing progress; raises StoppedError when stopped."""
        every = list(items)
        for index, item in enumerate(every):
            if self.stopped():
                raise StoppedError
            self.progress(index / len(every))
            yield item
