"""What a number of a result is called on a page and in a picture, and the unit it is shown in."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from floatgate.report.plot import Axis
from floatgate.results.headline import TITLES
from floatgate.study import numbers
from floatgate.values import quantities as q

LOG_FROM = 30.0  # largest over smallest value, from which an axis is logarithmic

_NAMED = {**TITLES, "capacity_bytes": "capacity"}
_PARTS = {"iops": "IOPS", "bandwidth_bytes_per_s": "bandwidth", "gc": "GC"}
_PERCENTILE = re.compile(r"p(\d\d)(\d+)")
_UNIT_AT_END = re.compile(r"_(ns|bytes|joules|j)$")
_TIMES = ((86_400e9, "d"), (3.6e12, "h"), (1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns"))
_SIZES = ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
_RATES = ((1e9, "GB/s"), (1e6, "MB/s"), (1e3, "kB/s"), (1.0, "B/s"))
_SCALES = {
    "ns": _TIMES,
    "bytes": _SIZES,
    "bytes/s": _RATES,
    "J": q.ENERGIES,
    "J/byte": tuple((factor, f"{unit}/B") for factor, unit in q.ENERGIES),
}
_SHOWN: dict[str, Callable[[float | None], str]] = {
    "ns": q.duration,
    "bytes": q.size,
    "bytes/s": q.bandwidth,
    "J": q.energy,
    "J/byte": q.energy_per_byte,
    "ratio": q.ratio,
}
_PLAIN = ("", "ratio", "count", "1/s", "text", "yes/no")  # units that a title does not say


@dataclass(frozen=True)
class Quantity:
    """A number of `run.json`, or a parameter: its name in words, and its unit as results have it."""

    key: str
    title: str
    unit: str

    def show(self, value: float | None, half: float | None = None) -> str:
        """Return a value as people read it, with the half width of its interval where there is one."""
        shown = _SHOWN.get(self.unit, q.count)(value)
        if half is None or value is None:
            return shown
        # What sums leave of equal numbers is no width.
        return f"{shown} ± {self._half(value, half if half > abs(value) * 1e-12 else 0.0)}"

    def _half(self, value: float, half: float) -> str:
        """Return the half width in the unit of its value, which stands before it."""
        if self.unit not in _SCALES:
            return _SHOWN.get(self.unit, q.count)(half)
        scales = _SCALES[self.unit]
        factor, _ = next((one for one in scales if abs(value) >= one[0]), scales[-1])
        if self.unit == "ns" and 60e9 <= abs(value) < 86_400e9:
            factor = 60e9 if abs(value) < 3.6e12 else 3.6e12
        return q.three(half / factor)

    def axis(self, values: Sequence[float]) -> "Scaled":
        """Return the axis that shows `values`, and what they are divided by for it."""
        most = max((abs(value) for value in values), default=1.0)
        factor, unit = 1.0, "" if self.unit in _PLAIN else self.unit
        if self.unit in _SCALES:
            scales = _SCALES[self.unit]
            factor, unit = next((one for one in scales if most >= one[0]), scales[-1])
        title = self.title + (f" ({unit})" if unit else "")
        large = self.unit not in _SCALES and most >= 10_000
        low = min(values, default=0.0)
        log = low > 0 and most / low >= LOG_FROM
        return Scaled(Axis(title, log=log, format="si" if large else ""), factor)


@dataclass(frozen=True)
class Scaled:
    """An axis, and what values are divided by to stand on it."""

    axis: Axis
    factor: float

    def at(self, value: float) -> float:
        """Return where a value stands on the axis."""
        return value / self.factor


@cache
def quantity(key: str) -> Quantity:
    """Return what a number of a result is called: `read latency p99` for `host.read.latency_ns.p99`."""
    known = numbers.described(key)
    return Quantity(key, _NAMED.get(key) or _words(key), known.unit if known else "")


def _words(key: str) -> str:
    parts = [part for part in key.split(".") if part != "host"]
    said = []
    for part in parts:
        named = _PARTS.get(part) or _UNIT_AT_END.sub("", part).replace("_", " ")
        percentile = _PERCENTILE.fullmatch(part)
        said.append(f"p{percentile[1]}.{percentile[2]}" if percentile else named)
    return " ".join(said)
