"""The simulated chip behind the laboratory's protocol: the only file here that knows the core."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np

from floatgate import _core, places
from floatgate.lab.chip import (
    Answer,
    Entry,
    Identity,
    Operation,
    PageRead,
    Pages,
    Rated,
    Staircase,
    Status,
    VoltagePlan,
)

CELLS = {1: "slc", 2: "mlc", 3: "tlc", 4: "qlc"}


@dataclass(frozen=True)
class SimulatedSource:
    """Samples of a chip of the catalogue, or of a chip file: the same seed is the same silicon."""

    chip: str
    seed: int = 1
    overrides: tuple[str, ...] = ()  # key=value, over what the chip's file says

    @property
    def renewable(self) -> bool:
        """A simulated chip can be had as new as often as one likes."""
        return True

    def open(self) -> "SimulatedChip":
        """Make the chip. Raises InputError when it is not known, or its file does not describe its cells."""
        made = _core.Chip(self.chip, places.folders(), self.seed, list(self.overrides))
        return SimulatedChip(Path(self.chip).stem, made)

    def another(self) -> "SimulatedSource":
        """Return the next sample."""
        return SimulatedSource(self.chip, self.seed + 1, self.overrides)


class SimulatedChip:
    """A chip made of the cell model."""

    def __init__(self, name: str, core: "_core.Chip") -> None:
        self._core = core
        self._identity = _identity(name, json.loads(core.identify()))

    def identify(self) -> Identity:
        """Return what the part says about itself."""
        return self._identity

    def read(self, block: int, page: int) -> PageRead:
        """Read a whole page, with the bit errors it has."""
        status, busy_ns, data = self._core.read(block, page)
        return PageRead(_status(status), busy_ns, data)

    def program(self, block: int, page: int, data: bytes) -> Answer:
        """Program a whole page."""
        status, busy_ns = self._core.program(block, page, data)
        return Answer(_status(status), busy_ns)

    def erase(self, block: int) -> Answer:
        """Erase a block."""
        status, busy_ns = self._core.erase(block)
        return Answer(_status(status), busy_ns)

    def cycle(
        self, block: int, cycles: int, *, pattern: str = "zeros", pages: Pages = "first"
    ) -> list[Entry]:
        """Program and erase a block `cycles` times, or until it fails; return what the rig logged."""
        return [
            Entry(block, page, _operation(operation), cycle, busy_ns, pulses, _status(status))
            for page, operation, cycle, busy_ns, pulses, status in self._core.cycle(
                block, cycles, pattern, pages
            )
        ]

    def status(self) -> Status:
        """Return how the last operation ended."""
        return _status(self._core.status())

    def busy_time(self) -> int:
        """Return how long the last operation kept the chip busy, in ns."""
        return self._core.busy_time()

    def set_temperature(self, celsius: float) -> None:
        """Bring the chip to a temperature."""
        self._core.set_temperature(celsius)

    def temperature(self) -> float:
        """Return the chip's temperature."""
        return self._core.temperature()

    def let_time_pass(self, seconds: float) -> None:
        """Leave the chip alone."""
        self._core.let_time_pass(seconds)

    def now_ns(self) -> int:
        """Return the time on the bench's clock."""
        return self._core.now_ns()

    def voltage_plans(self) -> tuple[str, ...]:
        """Return the names of the sets of voltages, the usual one first."""
        return tuple(self._core.voltage_plans())

    def use_voltage_plan(self, name: str) -> VoltagePlan:
        """Write and read with this set of voltages from now on, and return it."""
        plan = json.loads(self._core.use_voltage_plan(name))
        return VoltagePlan(
            states=tuple(plan["states"]),
            verify=(None, *plan["verify"]),
            references=tuple(plan["references"]),
            start=plan["start"],
            step=plan["step"],
            erase_verify=plan["erase_verify"],
        )

    def threshold_voltages(self, block: int, wordline: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
        """Return the threshold voltage of each cell of a wordline, volts."""
        return np.frombuffer(self._core.threshold_voltages(block, wordline), dtype="<f4")

    def staircases(self, block: int, wordline: int, cells: int) -> list[Staircase]:
        """Return how some cells of an erased wordline rise from pulse to pulse."""
        found = self._core.staircases(block, wordline, cells)
        most = max((len(volts) for _, volts in found), default=0)
        return [
            Staircase(
                self._identity.states[state],
                (*volts, *(volts[-1],) * (most - len(volts))),
                len(volts) - 1,
            )
            for state, volts in found
        ]


def _operation(name: str) -> Operation:
    assert name in get_args(Operation), name
    return name  # type: ignore[return-value]


def _status(name: str) -> Status:
    assert name in get_args(Status), name
    return name  # type: ignore[return-value]


def _identity(name: str, facts: dict[str, Any]) -> Identity:
    bits: int = facts["bits"]
    rated = facts["rated"]
    pages = range(facts["pages_per_block"])
    return Identity(
        name=name,
        title=facts["title"],
        maker=facts["maker"],
        device_id=bytes(facts["device_id"]),
        cell=CELLS[bits],
        page_bytes=facts["page_bytes"],
        oob_bytes=facts["oob_bytes"],
        pages_per_block=facts["pages_per_block"],
        blocks=facts["blocks"],
        planes=facts["planes"],
        states=tuple(facts["states"]),
        wordlines=tuple(page // bits for page in pages),
        page_bits=tuple(page % bits for page in pages),
        rated=Rated(rated["t_r_ns"], rated["t_prog_ns"], rated["t_bers_ns"], rated["pe_cycles"]),
    )
