"""fio's log of latency histograms (`write_hist_log`), one line whenever `log_hist_msec` have passed.

Time in ms, direction, block size, then the requests in each bin since the line before,
`2**log_hist_coarseness` bins together. As in fio a direction has its own lines, there is none without
`log_hist_msec`, and what came after the last line is not in the log.
"""

from dataclasses import dataclass, field
from typing import IO

from floatgate.inputs.fio.bins import BINS, index


@dataclass
class _Direction:
    since_ms: int = 0
    bins: list[int] = field(default_factory=lambda: [0] * BINS)


@dataclass
class HistLog:
    """One file; entries in the order of completion."""

    file: IO[str]
    window_ms: int
    coarseness: int
    directions: dict[int, _Direction] = field(default_factory=dict)

    def take(self, ms: int, latency_ns: int, direction: int, size: int, _offset: int) -> None:
        """Take one request; its place is not in this log."""
        if self.window_ms == 0:
            return
        found = self.directions.setdefault(direction, _Direction(ms))
        # In fio a first answer within its first millisecond does not start the clock either.
        found.since_ms = found.since_ms or ms
        found.bins[index(latency_ns)] += 1
        if ms - found.since_ms < self.window_ms:
            return
        step = 1 << self.coarseness
        counts = [sum(found.bins[first : first + step]) for first in range(0, BINS, step)]
        self.file.write(", ".join(map(str, [ms, direction, size, *counts])) + "\n")
        found.since_ms += self.window_ms
        found.bins = [0] * BINS

    def end(self, _ms: int) -> None:
        """End the file."""
        self.file.close()
