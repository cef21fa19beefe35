"""What a served drive does, while it does it: on a terminal only, and gone when the server ends."""

import time
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from floatgate.values import quantities as q

if TYPE_CHECKING:
    from rich.console import Console, Group
    from rich.live import Live

    from floatgate.serve.drive import Serving

KINDS = ("read", "write", "trim", "flush")
AGES = ("1 %", "5 %", "25 %", "100 %", "more", "earlier")
BAR = 24  # letters
Progress = dict[str, Any]


class Watching:
    """A view of a served drive, made anew at each word from it. Rich is imported only for a terminal."""

    def __init__(self, *, wanted: bool) -> None:
        from floatgate.shell.console import err

        self._live = _begun(err.rich) if wanted and err.is_terminal else None
        self._before: tuple[float, Progress] | None = None

    def __enter__(self) -> Self:
        if self._live:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()

    def show(self, serving: "Serving") -> None:
        """Show how far the server is."""
        if self._live is None:
            return
        now = (time.monotonic(), serving.progress)
        before, self._before = self._before or now, now
        self._live.update(view(before[1], now[1], max(now[0] - before[0], 1e-9)), refresh=True)


def _begun(console: "Console") -> "Live":
    from rich.live import Live

    return Live(console=console, transient=True, auto_refresh=False)


def view(before: Progress, now: Progress, seconds: float) -> "Group":
    """Return what a drive did in the last `seconds`, and how it is."""
    from rich.console import Group
    from rich.table import Table

    requests = Table(box=None, pad_edge=False, header_style="dim")
    requests.add_column("", style="dim", min_width=20)
    for kind in KINDS:
        requests.add_column(kind, justify="right", min_width=9)
    for name, cell in (
        ("IOPS", lambda kind: q.count(round(_grown(before, now, kind, "requests") / seconds))),
        ("throughput", lambda kind: q.bandwidth(_grown(before, now, kind, "bytes") / seconds)),
        ("latency p50", lambda kind: _quantile(before, now, kind, 0.5)),
        ("latency p99", lambda kind: _quantile(before, now, kind, 0.99)),
    ):
        requests.add_row(name, *map(cell, KINDS))
    drive = Table(box=None, pad_edge=False, show_header=False)
    drive.add_column(style="dim", min_width=20)
    drive.add_column()
    for name, text in _lines(before, now, seconds):
        drive.add_row(name, text)
    return Group(requests, drive)


def _grown(before: Progress, now: Progress, kind: str, what: str) -> float:
    value: float = now["done"][kind][what] - before["done"][kind][what]
    return value


def _quantile(before: Progress, now: Progress, kind: str, share: float) -> str:
    """The time that a share of the latest requests of a kind took no longer than; to a fifth of it."""
    counts = [
        new - old
        for new, old in zip(
            now["done"][kind]["latency"]["counts"], before["done"][kind]["latency"]["counts"], strict=True
        )
    ]
    wanted, below = share * sum(counts), 0
    for count, bound in zip(counts, [*now["bounds_ns"], None], strict=True):
        below += count
        if count and below >= wanted:
            return "longer" if bound is None else q.duration(bound)
    return q.NOTHING


def _lines(before: Progress, now: Progress, seconds: float) -> list[tuple[str, str]]:
    drive, earlier = now["drive"], before["drive"]

    def rate(what: str, origin: str | None = None) -> float:
        grown = {of: count - earlier[what][of] for of, count in drive[what].items()}
        value: float = sum(grown.values()) if origin is None else grown[origin]
        return value / seconds

    written = (drive["bytes_written"] - earlier["bytes_written"]) / seconds
    programmed = rate("units_programmed") * drive["unit_bytes"]
    least, mean, most = drive["pe_cycles"]
    size = max(1, drive["buffer_units"])
    return [
        ("clients", f"{now['clients']}, {q.count(now['in_flight'])} requests in flight"),
        ("simulated", q.duration(now["simulated_ns"])),
        (
            "write amplification",
            f"{q.ratio(programmed / written if written else None)} now, "
            f"{q.ratio(_amplification(drive))} since the start",
        ),
        (
            "garbage collection",
            f"{q.count(round(rate('pages_programmed', 'gc')))} pages/s, "
            f"{q.count(round(rate('blocks_erased')))} blocks/s erased, "
            f"{q.count(drive['superblocks']['free'])} superblocks free",
        ),
        ("wear", f"{q.count(least)} to {q.count(most)} cycles, mean {q.three(mean)}"),
        (
            "buffer",
            f"{_bar(drive['buffer_units_used'] / size)} {q.count(drive['buffer_units_used'])} of "
            f"{q.count(size)} units, {q.count(drive['buffer_units_at_risk'])} nowhere else",
        ),
        *_ages(drive["ages"]),
        ("lateness", _lateness(now["lateness"])),
        *([("disk", f"{now['refused']}: writes are refused")] if now["refused"] else []),
        *([("damage", f"found by {q.count(now['damaged_reads'])} reads")] if now["damaged_reads"] else []),
    ]


def _amplification(drive: Progress) -> float | None:
    if not drive["bytes_written"]:
        return None
    units: float = sum(drive["units_programmed"].values()) / drive["bytes_written"]
    found: float = units * drive["unit_bytes"]
    return found


def _ages(ages: Progress) -> list[tuple[str, str]]:
    """How warm the superblocks are that hold something: by what was written since each was programmed."""
    counts = [*ages["superblocks"], ages["unknown"]]
    whole = sum(counts)
    if not whole:
        return []
    lines = [
        f"{name:>8} {_bar(count / whole)} {q.count(count)}" for name, count in zip(AGES, counts, strict=True)
    ]
    return [("warm blocks, written" if not place else "", line) for place, line in enumerate(lines)]


def _bar(share: float) -> str:
    filled = round(share * BAR)
    return "█" * filled + "░" * (BAR - filled)


def _lateness(lateness: Progress | None) -> str:
    if lateness is None:
        return "as fast as possible"
    times = ", ".join(f"{name} {q.duration(lateness[f'{name}_ns'])}" for name in ("p50", "p99", "max"))
    kept = "" if lateness["is_kept"] else ": the pace is not kept, choose a lower --pace"
    return f"{times}{kept}"
