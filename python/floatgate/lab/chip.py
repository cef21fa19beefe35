"""What a chip under test can be asked: the only way in which the laboratory reaches silicon.

Times are whole nanoseconds, temperatures degrees Celsius, cycles are counted from 1. What a real part answers
through its status register is a value here (`fail`, `protected`); only what cannot be sent at all (no such
block, data of another length than the page) raises InputError.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, Protocol, runtime_checkable

Status = Literal["ok", "fail", "protected"]  # protected: refused without trying, as a bad block is
Operation = Literal["read", "program", "erase"]
Pages = Literal["first", "all", "none"]  # which pages a cycle programs; none: it only erases


@dataclass(frozen=True)
class Rated:
    """What the data sheet promises; None where it says nothing."""

    t_r_max_ns: int | None
    t_prog_typ_ns: int | None
    t_bers_typ_ns: int | None
    pe_cycles: int | None


@dataclass(frozen=True)
class Identity:
    """What READ ID, the parameter page and the data sheet say about a part."""

    name: str
    title: str
    maker: str
    device_id: bytes
    cell: str  # slc, mlc, tlc or qlc
    page_bytes: int
    oob_bytes: int
    pages_per_block: int
    blocks: int
    planes: int
    states: tuple[
        str, ...
    ]  # by rising threshold voltage; digit i is the bit in the cell's i-th programmed page
    wordlines: tuple[int, ...]  # of each page of a block
    page_bits: tuple[int, ...]  # which digit of the state each page of a block holds
    rated: Rated

    @property
    def bits(self) -> int:
        """Bits of a cell."""
        return len(self.states[0])

    @property
    def whole_page_bytes(self) -> int:
        """Bytes of a page with its spare bytes: what `program` takes and `read` gives."""
        return self.page_bytes + self.oob_bytes

    @cached_property
    def _pages(self) -> dict[int, list[int]]:
        """The pages of each wordline."""
        found: dict[int, list[int]] = {}
        for page, owner in enumerate(self.wordlines):
            found.setdefault(owner, []).append(page)
        return found

    def pages_of(self, wordline: int) -> tuple[int, ...]:
        """Return the pages of a wordline, in the order of the state's digits."""
        return tuple(sorted(self._pages.get(wordline, ()), key=lambda page: self.page_bits[page]))


@dataclass(frozen=True)
class Answer:
    """How an operation ended."""

    status: Status
    busy_ns: int


@dataclass(frozen=True)
class PageRead:
    """What a read brought: the page with its bit errors."""

    status: Status
    busy_ns: int
    data: bytes


class Entry(NamedTuple):
    """A line of the log that a test rig writes: a tuple, of which a life makes millions."""

    block: int
    page: int | None  # None: an erase
    operation: Operation
    cycle: int  # of this block, from 1
    busy_ns: int
    pulses: int | None  # None: real silicon does not tell
    status: Status
    error_bits: int | None = None  # None: nothing was read back


@runtime_checkable
class Chip(Protocol):
    """A chip on the bench."""

    def identify(self) -> Identity:
        """Return what the part says about itself."""
        ...

    def read(self, block: int, page: int) -> PageRead:
        """Read a whole page, with the bit errors it has."""
        ...

    def program(self, block: int, page: int, data: bytes) -> Answer:
        """Program a whole page."""
        ...

    def erase(self, block: int) -> Answer:
        """Erase a block."""
        ...

    def cycle(
        self, block: int, cycles: int, *, pattern: str = "zeros", pages: Pages = "first"
    ) -> Sequence[Entry]:
        """Program and erase `block` `cycles` times, or until it fails; return what the rig logged.

        Logged are the first cycle, every cycle in which a busy time or a status is another than before, and
        cycles between these as the rig samples them: between two entries nothing changed. Calling it once for
        n cycles is calling it n times for one.
        """
        ...

    def status(self) -> Status:
        """Return how the last operation ended."""
        ...

    def busy_time(self) -> int:
        """Return how long the last operation kept the chip busy, in ns."""
        ...

    def set_temperature(self, celsius: float) -> None:
        """Bring the chip to a temperature."""
        ...

    def temperature(self) -> float:
        """Return the chip's temperature."""
        ...

    def let_time_pass(self, seconds: float) -> None:
        """Leave the chip alone."""
        ...

    def now_ns(self) -> int:
        """Return the time on the bench's clock."""
        ...


@dataclass(frozen=True)
class VoltagePlan:
    """The voltages with which a chip writes and reads, in volts."""

    states: tuple[str, ...]  # by rising threshold voltage
    verify: tuple[float | None, ...]  # lowest voltage of each state; None: the erased state has none
    references: tuple[float, ...]  # between neighbouring states
    start: float  # threshold voltage that the first pulse reaches in a mean fresh cell
    step: float  # by which each pulse is higher
    erase_verify: float  # highest voltage of the erased state


@dataclass(frozen=True)
class Staircase:
    """How one cell came to its state: its threshold voltage after each pulse."""

    target: str
    volts: tuple[float, ...]  # before the first pulse, then after each
    inhibited_after: int  # the pulse after which it was left alone


@runtime_checkable
class Regulated(Protocol):
    """A part whose voltages can be chosen, which silicon grants through vendor commands."""

    def voltage_plans(self) -> tuple[str, ...]:
        """Return the names of the voltage plans that the part can work with, the usual one first."""
        ...

    def use_voltage_plan(self, name: str) -> VoltagePlan:
        """Write and read with this plan from now on, and return it."""
        ...


@runtime_checkable
class CellProbe(Regulated, Protocol):
    """A needle in the cell array, which real silicon grants only through vendor commands.

    A chip that has it shows threshold voltages; every other experiment works without.
    """

    def threshold_voltages(self, block: int, wordline: int) -> "Any":
        """Return the threshold voltage of each cell of a wordline, as a NumPy array of volts."""
        ...

    def staircases(self, block: int, wordline: int, cells: int) -> list[Staircase]:
        """Return how the first cells of an erased wordline rise to all the states; nothing is changed."""
        ...


@dataclass(frozen=True)
class ErrorRates:
    """Raw bit error rates of a mean block in one condition."""

    usual: tuple[float, ...]  # by page of a wordline, with the plan's references
    best: tuple[float, ...]  # with the references at which fewest cells are misread
    misread: tuple[float, ...]  # by state: share of its cells read as another
    shift_v: float  # how far below the plan's references the best lie, where that is farthest


@runtime_checkable
class CellModel(Chip, Regulated, Protocol):
    """A chip whose cells are a model: what silicon shows only after years can be asked for.

    Tables of whole drives are derived from it; a rig's logs are fitted instead (`floatgate fit`).
    """

    def use_program_step(self, times: float) -> None:
        """Write with pulses of the last pass `times` as high as the plan's from now on."""
        ...

    def error_rates(
        self,
        pe_cycles: float,
        rests: list[tuple[float, int]],
        cells: int,
        celsius: float | None = None,
        layer: float | None = None,
    ) -> list[ErrorRates]:
        """Return mean rates of blocks of this wear for each (seconds, reads); at the reference or `celsius`.

        At least `cells` cells of each block are sampled, of all layers or of one by rank: 0 best, 1 worst.
        """
        ...

    def soft_rates(
        self, pe_cycles: float, rests: list[tuple[float, int]], cells: int
    ) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
        """Return what two soft bits and three of each page type tell, for each (seconds, reads).

        That is the raw bit error rate of Gaussian noise whose reads fail as often.
        """
        ...

    def retention(self) -> tuple[float, float]:
        """Return charge loss's activation energy in eV and its reference temperature in degrees Celsius."""
        ...

    def read_times_ns(self) -> tuple[int, ...]:
        """Return the read time of each page of a wordline."""
        ...
