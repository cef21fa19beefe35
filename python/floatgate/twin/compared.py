"""A drive beside measurements: each number as measured and as simulated, with how far apart they are."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import exp, fsum
from typing import Any

from floatgate.errors import InputError
from floatgate.twin.evaluate import Simulator
from floatgate.twin.measurements import CHECK, Row

#: Parts of a number by which the simulated one may differ, by what is measured; latencies' tails by a factor.
NEAR = {"write_amplification": 0.05, "p99": 0.5, "p99.9": 1.0, "p99.99": 1.0}
NEAR_USUAL = 0.15
WITHIN, MISSES, NOTHING = "within", "misses", "not simulated"


@dataclass(frozen=True)
class Compared:
    """A measurement beside its simulation."""

    row: Row
    simulated: float | None  # in the row's base unit; none where the drive gives no such number

    @property
    def deviation(self) -> float | None:
        """Simulated over measured, less 1."""
        return None if self.simulated is None else self.simulated / self.row.value - 1

    @property
    def near(self) -> float:
        """The part by which it may differ, upwards; downwards it is the same factor."""
        return NEAR.get(self.row.what, NEAR_USUAL)

    @property
    def verdict(self) -> str:
        """Whether it is within its bounds."""
        if self.simulated is None:
            return NOTHING
        ratio = self.simulated / self.row.value
        return WITHIN if 1 / (1 + self.near) <= ratio <= 1 + self.near else MISSES

    def document(self) -> dict[str, Any]:
        """Return it as plain values."""
        row = self.row
        return {
            "place": row.place,
            "what": f"{row.side} {row.what}" if row.what != "write_amplification" else row.what,
            "setting": str(row.setting),
            "role": row.role,
            "measured": row.value,
            "simulated": self.simulated,
            "deviation": self.deviation,
            "near": self.near,
            "verdict": self.verdict,
            "note": row.note,
        }


@dataclass(frozen=True)
class Checked:
    """A drive beside all of its measurements."""

    drive: str
    name: str  # of the measurements
    scale: float  # how many times as large the drive is as the replica that was simulated
    rows: tuple[Compared, ...]

    def held_out(self) -> list[Compared]:
        """Return the rows that calibrated nothing."""
        return [one for one in self.rows if one.row.role == CHECK]

    @property
    def passed(self) -> bool:
        """Whether each held-out row is within its bounds."""
        return all(one.verdict == WITHIN for one in self.held_out())

    def mean_deviation(self) -> float | None:
        """Return the mean size of the deviations of held-out rows; None without such."""
        sizes = [abs(one.deviation) for one in self.held_out() if one.deviation is not None]
        return fsum(sizes) / len(sizes) if sizes else None

    def document(self) -> dict[str, Any]:
        """Return every number, for programs."""
        return {
            "drive": self.drive,
            "measurements": self.name,
            "scale": self.scale,
            "passed": self.passed,
            "mean_deviation": self.mean_deviation(),
            "rows": [one.document() for one in self.rows],
        }

    def worst_first(self) -> list[Compared]:
        """Return the rows: held-out ones before all others, and the worst of each at the front."""

        def order(one: Compared) -> tuple[bool, float]:
            return one.row.role != CHECK, -abs(one.deviation if one.deviation is not None else exp(9))

        return sorted(self.rows, key=order)


def check(
    simulator: Simulator, name: str, rows: Sequence[Row], progress: Callable[[str, int], None]
) -> Checked:
    """Simulate a drive as it is for each row. Raises InputError where it runs none of them."""
    progress("simulating", 0)
    (found,) = simulator.simulate(rows, [{}])
    if all(one is None for one in found):
        refusal = simulator.refusal(rows, {})
        raise InputError(f"{simulator.base.drive}: {refusal or 'none of the rows has a number of a run'}")
    pairs = tuple(Compared(row, value) for row, value in zip(rows, found, strict=True))
    return Checked(simulator.base.drive, name, simulator.scale(rows, {}), pairs)
