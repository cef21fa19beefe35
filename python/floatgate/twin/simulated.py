"""What a simulated drive gives for a measurement: each setting is run once, for all of its rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload
from floatgate.options import Options
from floatgate.runs import session
from floatgate.twin.fio_job import job
from floatgate.twin.measurements import SIDES, Row
from floatgate.twin.pattern import Setting
from floatgate.twin.skew import reaching, zones
from floatgate.workers import stopping
from floatgate.workers.memory import room_for

#: Requests of a run: reads, writes to a drive at rest, and at most so many overwrites of a settled one.
READS, WRITES, OVERWRITES = 8_000, 4_000, 200_000
LATE = 32  # requests for each that is in flight, at least
#: Parts of the drive that sequential writes and overwrites are, where that is less.
SEQUENTIAL_PART, OVERWRITE_PART = 0.25, 0.5
#: The same where a part of the data stays as it is: victims in the order of closing come to it once a round.
ROUND_PART = 1.5
_ENDLESS = "time_based=1\nruntime=1000s"  # as many requests as are asked for end it
_MIB = 1 << 20
_LATENCIES = {"p99.9": "p999", "p99.99": "p9999"}


@dataclass(frozen=True)
class Simulated:
    """A drive to measure: its name or file, with keys set over it."""

    drive: str
    overrides: tuple[str, ...]
    capacity: int  # bytes that its host sees
    scale: float = 1.0  # how many times as large the drive is that it stands for
    seed: int = 1
    width: int = 1  # parts of that drive, all alike, of which this is one
    own: float = 1.0  # units on flash for each that is counted here: parity that a part does not have
    waiting: float = 0.0  # bytes in that drive's buffer that wait for their program
    held: float = 0.0  # bytes of the buffer that is simulated where what the other catches is reckoned


OfRun = Mapping[str, float | None]  # numbers by side and quantity: `read p99`, `write_amplification`


def run(of: Simulated, setting: Setting) -> OfRun:
    """Run one setting on a drive. Raises InputError where the drive cannot run it, or is stopped."""
    used = _used(of, setting)
    setting, part = _of_part(of, setting, used)
    text = job("twin", setting, used, _ENDLESS)
    plan = Plan(of.drive, Workload("fio", "twin.fio", text=text), of.overrides, _options(of, setting, used))
    with room_for(plan):
        outcome = session.drive(plan.open(), plan, stopped=stopping)
    if outcome.interrupted:
        raise KeyboardInterrupt
    return _of_whole(_numbers(outcome.document), of, setting, part)


def _of_part(of: Simulated, setting: Setting, used: int) -> tuple[Setting, float]:
    """Return what one part of a drive sees of a setting, and which part of its writes those are."""
    pattern, part = setting.pattern, 1.0
    if of.held:
        kept = int(used * pattern.part) // setting.size
        reaches = reaching(pattern, round(kept * of.scale), of.waiting / setting.size)
        part = reaches.part
        if reaches.sizes:
            text = zones(reaches, kept, of.held / setting.size, setting.size)
            pattern = replace(pattern, distribution=text)
    offered = None if setting.offered is None else setting.offered / of.width
    depth = max(1, setting.depth // of.width)
    return replace(setting, pattern=pattern, depth=depth, offered=offered), part


def _used(of: Simulated, setting: Setting) -> int:
    used = of.capacity if setting.used is None else int(min(setting.used / of.scale, of.capacity))
    return used - used % (_MIB if used > 64 * _MIB else setting.size)


def _options(of: Simulated, setting: Setting, used: int) -> Options:
    """Return what was on the drive, and when a run is over."""
    pattern = setting.pattern
    begins = Options(seed=of.seed, limit_requests=None if pattern.burst_bytes else _requests(setting, used))
    if pattern.state == "empty":
        return replace(begins, layout=False)
    # What is not used holds no data: else it would be moved as data are that stay as they are.
    begins = replace(begins, precondition_fill=min(1.0, used / of.capacity))
    if pattern.state == "filled":
        return replace(begins, precondition="fill")
    # A long job finds the buffer as it will leave it.
    return replace(begins, precondition="steady" if pattern.burst_bytes else "workload")


def _requests(setting: Setting, used: int) -> int:
    pattern = setting.pattern
    if not pattern.is_write:
        wanted = READS
    elif not pattern.is_random:
        wanted = int(used * SEQUENTIAL_PART) // setting.size
    elif pattern.state == "filled":
        wanted = WRITES
    elif pattern.part < 1:
        wanted = int(used * ROUND_PART) // setting.size
    else:
        wanted = min(OVERWRITES, int(used * OVERWRITE_PART) // setting.size)
    return max(wanted, LATE * setting.depth)


def _numbers(document: Mapping[str, Any]) -> OfRun:
    found: dict[str, float | None] = {"write_amplification": document["waf"]}
    found["reached"] = document["state"]["writes_to_flash"]["share"]
    for side in SIDES:
        of_side = document["host"].get(side)
        if of_side and of_side["requests"]:
            found[f"{side} iops"] = of_side.get("iops")
            for name, ns in of_side["latency_ns"].items():
                found[f"{side} {name}"] = None if ns is None else ns * 1e-9
    return found


def _of_whole(numbers: OfRun, of: Simulated, setting: Setting, part: float) -> OfRun:
    """Return what the whole drive gives where one of its parts gave these numbers.

    `part` of the whole drive's writes reach its flash. What the part's own buffer caught counts as having
    reached it.
    """
    found = dict(numbers)
    if not setting.pattern.is_random and numbers["reached"]:
        _settle(found, numbers["reached"])
    caught = 1.0
    if of.held:
        reached = numbers["reached"] or 1.0
        caught = part / reached
        if found["write_amplification"] is not None:
            found["write_amplification"] *= caught
    if found["write_amplification"] is not None:
        found["write_amplification"] *= of.own
    for side in SIDES:
        rate = found.get(f"{side} iops")
        if rate is not None:
            slower = 1.0 if setting.offered else caught * of.own
            found[f"{side} iops"] = rate * of.width / slower
        mean = numbers.get(f"{side} mean")
        if mean is not None and of.held:
            found[f"{side} mean"] = mean * caught * of.own
    return found


def _settle(found: dict[str, float | None], reached: float) -> None:
    """Leave the buffer out of what writes in order give: empty at the beginning, it is full at the end."""
    for name, factor in (("write_amplification", 1 / reached), ("write iops", reached)):
        known = found.get(name)
        if known is not None:
            found[name] = known * factor


def value(row: Row, numbers: OfRun) -> float | None:
    """Return what a run gives for a row, in bytes, seconds, requests or bytes a second; None without it."""
    if row.what == "write_amplification":
        return numbers[row.what]
    if row.what == "bandwidth":
        iops = numbers.get(f"{row.side} iops")
        return None if iops is None else iops * row.setting.size
    return numbers.get(f"{row.side} {_LATENCIES.get(row.what, row.what)}")


def settings_of(rows: Sequence[Row]) -> list[Setting]:
    """Return what must be run for some rows, each once."""
    return list(dict.fromkeys(row.setting for row in rows))
