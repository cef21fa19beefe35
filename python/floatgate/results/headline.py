"""The handful of numbers that sum a run up; the same in the table, the report and `--repeat`."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from floatgate.values import quantities as q

KINDS = ("read", "write", "trim", "flush", "manage")
FLASH = ("reads", "programs", "erases")
NOT_SETTLED = "not settled"  # in place of a write amplification that says how full the buffer is


@dataclass(frozen=True)
class Metric:
    """One number of a run, with how it is called and shown."""

    name: str  # the key path in run.json
    title: str
    value: float | None
    show: Callable[[float | None], str]
    interval: tuple[float, float] | None = None  # what 95 % of such runs would have the long run in

    @property
    def shown(self) -> str:
        """The value with its unit."""
        return self.show(self.value)

    @property
    def spread(self) -> str:
        """Half the interval as a share of the value, in percent; nothing where there is none."""
        if not self.interval or not self.value:
            return ""
        return q.percent((self.interval[1] - self.interval[0]) / 2 / self.value)


#: What the numbers of a whole run are called, in tables, reports, comparisons and studies.
TITLES = {
    "state.reads_from_flash.share": "reads that met flash",
    "state.writes_to_flash.share": "writes that met flash",
    "waf": "write amplification",
    "waf_long_run.value": "write amplification, long run",
    "ecc.requests_by_retries.share": "reads with retries",
    "ftl.parity.share_of_flash": "parity's share",
    "unreadable.reads_rebuilt.host": "reads found again",
    "host.read.uncorrectable": "reads lost",
    "utilisation.channel": "channel utilisation",
    "utilisation.die": "die utilisation",
    "energy_j.total": "energy",
    "energy_j.per_host_byte.total": "energy per byte",
    "wear.pe_cycles_mean": "mean P/E cycles",
}

_PER_KIND: tuple[tuple[str, str, Callable[[float | None], str]], ...] = (
    ("iops", "IOPS", q.count),
    ("bandwidth_bytes_per_s", "bandwidth", q.bandwidth),
    ("latency_ns.mean", "mean latency", q.duration),
    ("latency_ns.p50", "p50 latency", q.duration),
    ("latency_ns.p99", "p99 latency", q.duration),
    ("latency_ns.p999", "p99.9 latency", q.duration),
    ("latency_ns.max", "maximum latency", q.duration),
)


def headline(document: dict[str, Any]) -> list[Metric]:
    """Return the metrics of a run; kinds of request that did not occur are left out."""
    return list(_metrics(document))


def _unsettled(_value: float | None) -> str:
    return NOT_SETTLED


def _metrics(document: dict[str, Any]) -> Iterator[Metric]:
    for kind in KINDS:
        side = document["host"].get(kind)
        if not side or not side["requests"]:
            continue
        for path, title, show in _PER_KIND:
            if kind in ("read", "write") or path != "bandwidth_bytes_per_s":
                interval = at(side, f"interval.{path}")
                yield Metric(f"host.{kind}.{path}", f"{kind} {title}", at(side, path), show, interval)
    for path in ("state.reads_from_flash.share", "state.writes_to_flash.share"):
        if at(document, path) is not None:
            yield _whole(document, path, q.percent)
    settled = at(document, "waf_bytes.settled") is not False
    yield _whole(document, "waf", q.ratio if settled else _unsettled)
    if at(document, "waf_long_run.value") is not None:
        low, high = (at(document, f"waf_long_run.{name}") for name in ("low", "high"))
        yield _whole(document, "waf_long_run.value", q.ratio, (low, high))
    if at(document, "ecc.requests_by_retries.share") is not None:
        yield _whole(document, "ecc.requests_by_retries.share", q.percent)
    yield from _parity(document)
    yield _whole(document, "utilisation.channel", q.percent)
    yield _whole(document, "utilisation.die", q.percent)
    if at(document, "energy_j.total") is not None:
        yield _whole(document, "energy_j.total", q.energy)
        yield _whole(document, "energy_j.per_host_byte.total", q.energy)
    yield _whole(document, "wear.pe_cycles_mean", q.ratio)


def _whole(
    document: dict[str, Any],
    path: str,
    show: Callable[[float | None], str],
    interval: tuple[float, float] | None = None,
) -> Metric:
    """Return a number of the whole run."""
    return Metric(path, TITLES[path], at(document, path), show, interval)


def _parity(document: dict[str, Any]) -> Iterator[Metric]:
    """What parity over dies takes, and what became of the host's reads that the code could not correct."""
    if at(document, "ftl.parity"):
        yield _whole(document, "ftl.parity.share_of_flash", q.percent)
    rebuilt, lost = (at(document, f"unreadable.{what}.host") for what in ("reads_rebuilt", "reads_lost"))
    if rebuilt or lost:
        yield _whole(document, "unreadable.reads_rebuilt.host", q.count)
        yield _whole(document, "host.read.uncorrectable", q.count)


def at(document: Any, path: str) -> Any:
    """Return the value at a dotted key path; None where a part of it is missing or null."""
    for key in path.split("."):
        if document is None:
            return None
        document = document.get(key)
    return document
