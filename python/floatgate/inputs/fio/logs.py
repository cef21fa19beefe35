"""fio's own logs of bandwidth, IOPS and latency, written where a job asks for them.

`write_bw_log`, `write_iops_log`, `write_lat_log`, with `log_avg_msec`, `per_job_logs`, `log_offset`,
`log_prio`, `log_issue_time` and `log_window_value` as fio reads them; `write_hist_log` is in `hist_log`. The
format is that of fio's manual, "Log File Formats": time in ms, value, direction, block size, priority.
Submission takes no simulated time, so `slat` is 0 and `clat` is `lat`. Each clone has its own
log, but with `per_job_logs=0`.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from floatgate.inputs.fio.hist_log import HistLog

if TYPE_CHECKING:
    from floatgate import _core

FOLDER = "fio-logs"
_DIRECTIONS = 3  # reads, writes, trims; flushes are not logged
_NS_PER_MS = 1_000_000
_KINDS = {"bw": ("bw",), "iops": ("iops",), "lat": ("slat", "clat", "lat"), "hist": ("clat_hist",)}


def wanted(jobs: list[dict[str, Any]]) -> "list[Asked]":
    """Return what logs the jobs (as the core lists them) ask for, one entry for each tag that has any."""
    found: list[Asked] = []
    tag, thread = 0, 1
    for job in jobs:
        tags = 1 if job["together"] else job["clones"]
        for _ in range(tags):
            asked = Asked.of(job["name"], tag, thread, job["options"])
            if asked.files:
                found.append(asked)
            tag, thread = tag + 1, thread + (job["clones"] if job["together"] else 1)
    return found


@dataclass(frozen=True)
class Asked:
    """The logs of the requests of one tag: what each file is called, and how it is written."""

    tag: int
    files: tuple[tuple[str, str], ...]  # kind and name
    window_ms: int = 0
    most: bool = False  # the largest value of a window
    both: bool = False  # the mean and the largest
    hist_ms: int = 0
    coarseness: int = 0
    offset: bool = False
    priority: bool = False
    issued: bool = False

    @classmethod
    def of(cls, name: str, tag: int, thread: int, options: Mapping[str, str]) -> "Asked":
        """Read the options of a job."""
        files = []
        suffix = "log" if options.get("per_job_logs") == "0" else f"{thread}.log"
        for option, kinds in _KINDS.items():
            given = options.get(f"write_{option}_log")
            if given is not None:
                stem = Path(name if given in ("", "1") else given).name
                files += [(kind, f"{stem}_{kind}.{suffix}") for kind in kinds if not _off(options, kind)]
        window = options.get("log_window_value", "avg")
        return cls(
            tag,
            tuple(files),
            _number(options.get("log_avg_msec")),
            window in ("1", "max"),
            window == "both",
            _number(options.get("log_hist_msec")),
            min(_number(options.get("log_hist_coarseness")), 6),
            options.get("log_offset", "0") != "0",
            options.get("log_prio", "0") != "0",
            options.get("log_issue_time", "0") != "0",
        )


def _off(options: Mapping[str, str], kind: str) -> bool:
    return options.get(f"disable_{kind}", "0") != "0"


def _number(text: str | None) -> int:
    digits = "".join(letter for letter in text or "" if letter.isdecimal())
    return int(digits) if digits else 0


@dataclass
class _Window:
    """What came together since the last entry, by direction."""

    count: int = 0
    total: int = 0
    most: int = 0

    def add(self, value: int) -> None:
        self.count += 1
        self.total += value
        self.most = max(self.most, value)


@dataclass
class _Log:
    """One file; entries in the order of completion."""

    asked: Asked
    kind: str
    file: IO[str]
    until_ms: int = 0
    issued_ns: int = 0  # of the request at hand
    windows: list[_Window] = field(default_factory=lambda: [_Window() for _ in range(_DIRECTIONS)])

    def take(self, ms: int, latency_ns: int, direction: int, size: int, offset: int) -> None:
        if self.asked.window_ms == 0:
            value = {"bw": size * 1_000_000 // max(latency_ns, 1), "iops": 1, "slat": 0}
            self.entry(ms, (value.get(self.kind, latency_ns),), direction, size, offset)
            return
        self.close_until(ms)
        window = self.windows[direction]
        window.add({"bw": size, "iops": 1, "slat": 0}.get(self.kind, latency_ns))

    def close_until(self, ms: int) -> None:
        """Write the windows that end before `ms`."""
        step = self.asked.window_ms
        while ms >= self.until_ms + step:
            self.until_ms += step
            if not any(window.count for window in self.windows):  # a pause: fio writes nothing for it
                self.until_ms = max(self.until_ms, ms // step * step)
                continue
            self.write_windows(self.until_ms, step)

    def write_windows(self, at_ms: int, length_ms: int) -> None:
        for direction, window in enumerate(self.windows):
            if window.count:
                self.entry(at_ms, self.values(window, length_ms), direction, 0, 0)
                self.windows[direction] = _Window()

    def values(self, window: _Window, length_ms: int) -> tuple[int, ...]:
        if self.kind in ("bw", "iops"):
            per_second = window.total * 1000 // max(length_ms, 1)
            rate = per_second // 1024 if self.kind == "bw" else per_second
            return (rate, rate) if self.asked.both else (rate,)
        mean = (2 * window.total + window.count) // (2 * window.count)
        if self.asked.both:
            return (mean, window.most)
        return (window.most,) if self.asked.most else (mean,)

    def entry(self, ms: int, values: tuple[int, ...], direction: int, size: int, offset: int) -> None:
        fields: list[object] = [ms, *values, direction, size]
        if self.asked.offset:
            fields.append(offset)
        fields.append("0x0000" if self.asked.priority else 0)
        if self.asked.issued:  # fio has it in these logs, and 0 in others
            told = self.kind in ("slat", "clat") and self.asked.window_ms == 0
            fields.append(self.issued_ns if told else 0)
        self.file.write(", ".join(map(str, fields)) + "\n")

    def end(self, ms: int) -> None:
        """Write what the last window holds so far."""
        if self.asked.window_ms:
            self.close_until(ms)
            length_ms = max(ms - self.until_ms, 1)
            self.write_windows(self.until_ms + length_ms, length_ms)
        self.file.close()


class LogSink:
    """Writes the logs while the run goes on, into the folder `fio-logs` of the run."""

    def __init__(self, folder: Path, asked: list[Asked]) -> None:
        self._folder = folder / FOLDER
        self._folder.mkdir()
        self._files: dict[str, IO[str]] = {}
        self._logs: dict[int, list[_Log | HistLog]] = {}
        for one in asked:
            self._logs[one.tag] = [self._log(one, kind, name) for kind, name in one.files]
        self._started_ns: int | None = None
        self._last_ms = 0

    def _log(self, asked: Asked, kind: str, name: str) -> "_Log | HistLog":
        if kind == "clat_hist":
            return HistLog(self._open(name), asked.hist_ms, asked.coarseness)
        return _Log(asked, kind, self._open(name))

    def _open(self, name: str) -> IO[str]:
        if name not in self._files:
            self._files[name] = (self._folder / name).open("w", encoding="ascii")
        return self._files[name]

    def take(self, batch: "_core.Table") -> None:
        """Take requests as they were completed."""
        for started, completed, direction, tag, offset, size in self._rows(batch):
            if self._started_ns is None:
                self._started_ns = started
            ms = (completed - self._started_ns) // _NS_PER_MS
            self._last_ms = max(self._last_ms, ms)
            for log in self._logs.get(tag, ()):
                if isinstance(log, _Log):
                    log.issued_ns = started - self._started_ns
                log.take(ms, completed - started, direction, size, offset)

    def _rows(self, batch: "_core.Table") -> Iterator[tuple[int, ...]]:
        names = ("arrive_ns", "complete_ns", "op", "tag", "offset", "bytes", "measured")
        columns: list[list[Any]] = [batch.column(name) for name in names]
        for *row, measured in zip(*columns, strict=True):
            if measured and row[2] < _DIRECTIONS:
                yield tuple(row)

    def close(self) -> None:
        """Write what is left and end the files."""
        for logs in self._logs.values():
            for log in logs:
                log.end(self._last_ms)
        for file in self._files.values():
            file.close()
