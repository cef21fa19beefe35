"""One point of a grid: what is asked, and what was found."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import ceil
from typing import Any

from floatgate.errors import InputError, meant
from floatgate.grid.table import COLUMNS
from floatgate.values import quantities as q
from floatgate.values.units import BLOCKS, measure

SECTOR = 512  # bytes; what every link addresses
PATTERNS, OPS = ("sequential", "random"), ("read", "write")
BLOCK_LIST = "512,1k,2k,4k,8k,16k,32k,64k,128k,256k,512k,1m"
DEPTH_LIST = "1,2,4"

STEADY, NOT_REACHED, INTERRUPTED = "steady", "not reached", "interrupted"


@dataclass(frozen=True)
class Setting:
    """What a point asks of the drive."""

    pattern: str
    op: str
    block_bytes: int
    depth: int

    @property
    def name(self) -> str:
        """The setting in words: `random write, 8.00 KiB, depth 4`."""
        return f"{self.pattern} {self.op}, {q.size(self.block_bytes)}, depth {self.depth}"

    def job(self, file_bytes: int, seconds: float) -> str:
        """Return a fio job that asks this of a file at the start of the drive, for simulated seconds."""
        rw = ("rand" if self.pattern == "random" else "") + self.op
        lines = (f"rw={rw}", f"bs={self.block_bytes}", f"size={file_bytes}")
        depth = ("ioengine=libaio", f"iodepth={self.depth}")
        time = (f"runtime={ceil(seconds * 1000)}ms", "time_based=1")
        return "\n".join(("[point]", *lines, *depth, "norandommap=1", *time, ""))


@dataclass(frozen=True)
class Point:
    """What a setting gave. Rates and latencies are None where no steady state was reached."""

    setting: Setting
    state: str
    iops: float | None = None
    iops_ci95: float | None = None  # half width, in IOPS
    latency_ns_mean: float | None = None
    latency_ns_p50: float | None = None
    latency_ns_p99: float | None = None
    requests: int = 0  # those behind the rate
    simulated_ns: int = 0  # of the whole run, with what came before the steady part
    waf: float | None = None  # of the whole run; None where it is not settled
    collected: bool | None = None  # whether garbage collection had to make room during it; None on a disk
    windows: tuple[float, ...] = ()  # IOPS of each batch or round, in order
    steady_from: int | None = None  # the first of `windows` behind the rate
    stages_ns: Mapping[str, float] = field(default_factory=dict)  # mean time of a request by stage

    @property
    def mb_per_s(self) -> float | None:
        """Bandwidth in 10^6 bytes per second."""
        return None if self.iops is None else self.iops * self.setting.block_bytes / 1e6

    @property
    def mb_per_s_ci95(self) -> float | None:
        """Half the width of its 95 % interval, in the same unit."""
        return None if self.iops_ci95 is None else self.iops_ci95 * (self.setting.block_bytes / 1e6)

    def row(self) -> dict[str, Any]:
        """Return the point as a row of the table, units in the names."""
        names = [column.name for column in COLUMNS]
        asked = vars(self.setting)
        return {name: asked[name] if name in asked else getattr(self, name) for name in names}


def settings(
    blocks: Sequence[int], depths: Sequence[int], patterns: Sequence[str], ops: Sequence[str]
) -> list[Setting]:
    """Return every combination, in the order of figures: pattern, operation, depth, block."""
    return [
        Setting(pattern, op, block, depth)
        for pattern, op, depth, block in product(patterns, ops, depths, blocks)
    ]


def read_blocks(text: str) -> tuple[int, ...]:
    """Read block sizes, `512,4k,1MiB`; k and m are 1024 and 1024^2, as DiskSpd and fio have them.

    Raises InputError for one that is not a multiple of the sector.
    """
    blocks = []
    for part in text.split(","):
        try:
            size = measure(part, BLOCKS, "4k")
        except ValueError:
            raise InputError(f"--block {part.strip()}: expected sizes such as 512,4k,1m") from None
        if size < SECTOR or size % SECTOR:
            raise InputError(f"--block {part.strip()}: expected a multiple of the sector of {SECTOR} bytes")
        blocks.append(int(size))
    return tuple(dict.fromkeys(sorted(blocks)))


def read_names(option: str, text: str, known: Sequence[str]) -> tuple[str, ...]:
    """Read a list of names out of `known`. Raises InputError, which names the nearest."""
    names = [part.strip() for part in text.split(",")]
    for name in names:
        if name not in known:
            raise InputError(f"{option} {name}: expected {' or '.join(known)}{meant(name, known)}")
    return tuple(name for name in known if name in names)
