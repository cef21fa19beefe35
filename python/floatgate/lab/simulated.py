"""Simulated chips behind the laboratory's protocol: the only file here that knows the core."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from floatgate import _core
from floatgate.files import copies, shipped
from floatgate.lab.chip import (
    Answer,
    ErrorRates,
    Identity,
    PageRead,
    Pages,
    Rated,
    Staircase,
    Status,
    VoltagePlan,
)
from floatgate.lab.patterns import check_pattern
from floatgate.lab.rows import Rows

Model = Literal["cells", "tables"]  # what a chip is made of

STATUSES = frozenset(get_args(Status))
CELLS = {1: "slc", 2: "mlc", 3: "tlc", 4: "qlc"}


@dataclass(frozen=True)
class SimulatedSource:
    """Samples of a chip of the catalogue, or of a chip file: the same seed is the same silicon."""

    chip: str
    seed: int = 1
    overrides: tuple[str, ...] = ()  # key=value, over what the chip's file says
    model: Model = "cells"

    @property
    def renewable(self) -> bool:
        """A simulated chip can be had as new as often as one likes."""
        return True

    def open(self) -> "TabledChip":
        """Make the chip. Raises InputError when it is unknown or its file lacks what the model needs."""
        if self.model == "cells":
            return self.cells()
        made = _core.Chip(copies.place(self.chip), shipped.folders(), self.seed, list(self.overrides), True)
        return TabledChip(Path(self.chip).stem, made)

    def cells(self) -> "SimulatedChip":
        """Make the chip of its cells, beside any model. Raises InputError as `open` does."""
        made = _core.Chip(copies.place(self.chip), shipped.folders(), self.seed, list(self.overrides))
        return SimulatedChip(Path(self.chip).stem, made)

    def another(self) -> "SimulatedSource":
        """Return the next sample."""
        return replace(self, seed=self.seed + 1)


class TabledChip:
    """A chip that does what its tables say; what any chip on a bench can be asked for."""

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

    def cycle(self, block: int, cycles: int, *, pattern: str = "zeros", pages: Pages = "first") -> Rows:
        """Program and erase a block `cycles` times, or until it fails; return what the rig logged."""
        return Rows([self._core.cycle(block, cycles, check_pattern(pattern, self._identity), pages)])

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


class SimulatedChip(TabledChip):
    """A chip made of the cell model, whose cells can be looked at."""

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

    def use_program_step(self, times: float) -> None:
        """Write with pulses of the last pass `times` as high as the plan's from now on."""
        self._core.use_program_step(times)

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
        found = self._core.error_rates(pe_cycles, rests, cells, celsius, layer)
        return [
            ErrorRates(tuple(usual), tuple(best), tuple(wrong), shift) for usual, best, wrong, shift in found
        ]

    def soft_rates(
        self, pe_cycles: float, rests: list[tuple[float, int]], cells: int
    ) -> list[tuple[tuple[float, ...], tuple[float, ...]]]:
        """Return what two soft bits and three of each page type tell, for each (seconds, reads).

        That is the raw bit error rate of Gaussian noise whose reads fail as often.
        """
        return [(tuple(two), tuple(three)) for two, three in self._core.soft_rates(pe_cycles, rests, cells)]

    def retention(self) -> tuple[float, float]:
        """Return charge loss's activation energy in eV and its reference temperature in degrees Celsius."""
        return self._core.retention()

    def read_times_ns(self) -> tuple[int, ...]:
        """Return the read time of each page of a wordline."""
        return tuple(self._core.read_times())

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


def _status(name: str) -> Status:
    assert name in STATUSES, name
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
