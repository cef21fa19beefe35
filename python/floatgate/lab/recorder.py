"""Keeps the rig's log while an experiment works on a chip: operations, times, bits that came back wrong."""

from collections.abc import Sequence
from typing import Any, Protocol

from floatgate.lab.chip import (
    Answer,
    CellProbe,
    Chip,
    Entry,
    Identity,
    Operation,
    PageRead,
    Pages,
    Regulated,
    Staircase,
    Status,
    VoltagePlan,
)
from floatgate.lab.rows import Notes, first_failure


class Recorder:
    """A chip that writes down what it is asked. Single operations tell no pulses."""

    def __init__(self, chip: Chip, notes: Notes) -> None:
        self._chip = chip
        self._notes = notes
        self._cycles: dict[int, int] = {}  # completed, of each block
        self._written: dict[tuple[int, int], bytes] = {}

    def _note(
        self, block: int, page: int | None, operation: Operation, answer: Answer, wrong: int | None = None
    ) -> None:
        cycle = self._cycles.get(block, 0) + 1
        self._notes.append(Entry(block, page, operation, cycle, answer.busy_ns, None, answer.status, wrong))

    def identify(self) -> Identity:
        """Return what the part says about itself."""
        return self._chip.identify()

    def read(self, block: int, page: int) -> PageRead:
        """Read a page, and note how many bits are other than written."""
        found = self._chip.read(block, page)
        written = self._written.get((block, page))
        wrong = None
        if written is not None:
            wrong = (int.from_bytes(written, "little") ^ int.from_bytes(found.data, "little")).bit_count()
        self._note(block, page, "read", Answer(found.status, found.busy_ns), wrong)
        return found

    def program(self, block: int, page: int, data: bytes) -> Answer:
        """Program a page."""
        answer = self._chip.program(block, page, data)
        if answer.status == "ok":
            self._written[block, page] = data
        self._note(block, page, "program", answer)
        return answer

    def erase(self, block: int) -> Answer:
        """Erase a block."""
        answer = self._chip.erase(block)
        self._note(block, None, "erase", answer)
        self._forget(block, 1)
        return answer

    def _forget(self, block: int, cycles: int) -> None:
        self._cycles[block] = self._cycles.get(block, 0) + cycles
        for place in [place for place in self._written if place[0] == block]:
            del self._written[place]

    def cycle(
        self, block: int, cycles: int, *, pattern: str = "zeros", pages: Pages = "first"
    ) -> Sequence[Entry]:
        """Cycle a block."""
        entries = self._chip.cycle(block, cycles, pattern=pattern, pages=pages)
        self._notes.extend(entries)
        failure = first_failure(entries)
        failed = failure and failure[0]
        self._forget(block, cycles if failed is None else failed - self._cycles.get(block, 0))
        return entries

    def status(self) -> Status:
        """Return how the last operation ended."""
        return self._chip.status()

    def busy_time(self) -> int:
        """Return how long the last operation kept the chip busy, in ns."""
        return self._chip.busy_time()

    def set_temperature(self, celsius: float) -> None:
        """Bring the chip to a temperature."""
        self._chip.set_temperature(celsius)

    def temperature(self) -> float:
        """Return the chip's temperature."""
        return self._chip.temperature()

    def let_time_pass(self, seconds: float) -> None:
        """Leave the chip alone."""
        self._chip.let_time_pass(seconds)

    def now_ns(self) -> int:
        """Return the time on the bench's clock."""
        return self._chip.now_ns()


class _Regulated(Chip, Regulated, Protocol):
    pass


class _Probed(Chip, CellProbe, Protocol):
    pass


class RegulatedRecorder(Recorder):
    """The same for a chip whose voltages can be chosen."""

    def __init__(self, chip: _Regulated, notes: Notes) -> None:
        super().__init__(chip, notes)
        self._plans: Regulated = chip

    def voltage_plans(self) -> tuple[str, ...]:
        """Return the names of the voltage plans."""
        return self._plans.voltage_plans()

    def use_voltage_plan(self, name: str) -> VoltagePlan:
        """Write and read with this plan from now on, and return it."""
        return self._plans.use_voltage_plan(name)


class ProbedRecorder(RegulatedRecorder):
    """The same for a chip with a probe in its cells."""

    def __init__(self, chip: _Probed, notes: Notes) -> None:
        super().__init__(chip, notes)
        self._probe: CellProbe = chip

    def threshold_voltages(self, block: int, wordline: int) -> Any:
        """Return the threshold voltage of each cell of a wordline."""
        return self._probe.threshold_voltages(block, wordline)

    def staircases(self, block: int, wordline: int, cells: int) -> list[Staircase]:
        """Return how the first cells of an erased wordline rise."""
        return self._probe.staircases(block, wordline, cells)


def recorded(chip: Chip, notes: Notes) -> Chip:
    """Return the chip with a log, and with the vendor commands that it has."""
    if isinstance(chip, CellProbe):
        return ProbedRecorder(chip, notes)
    if isinstance(chip, Regulated):
        return RegulatedRecorder(chip, notes)
    return Recorder(chip, notes)
