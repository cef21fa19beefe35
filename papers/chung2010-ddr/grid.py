"""The configurations of Tables 3, 4 and 5, and one of them simulated through the whole drive."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from floatgate.reproduce import simulate

INTERFACES = {"CONV": "conv", "SYNC_ONLY": "sync-only", "PROPOSED": "proposed"}
WAYS = (1, 2, 4, 8, 16)
SHAPES = (*((1, ways) for ways in WAYS), (2, 8), (4, 4))  # channels, ways
CLASSES = ("slc-write", "slc-read", "mlc-write", "mlc-read")
TOLERANCE = 0.06

CHUNK_BYTES, CHUNKS = 64 * 1024, 256
MB = 2.0**20  # one definition for every cell: see the README
SATA_MB_PER_S = 300e6 / MB  # 300 MB/s of SATA are 10^6 each


@dataclass(frozen=True)
class Cell:
    """One configuration."""

    kind: str  # of CLASSES
    interface: str  # of INTERFACES
    channels: int
    ways: int

    @property
    def drive(self) -> str:
        """The drive file that is this configuration."""
        name = self.kind.partition("-")[0]
        return f"chung2010/{name}-{INTERFACES[self.interface]}-{self.channels}x{self.ways}"

    @property
    def exhibit(self) -> str:
        """The table it stands in."""
        return f"{'table3' if self.channels == 1 else 'table4'}-{self.kind}"

    @property
    def name(self) -> str:
        """What `expected.csv` calls it within its table."""
        channels = "" if self.channels == 1 else f"{self.channels}-channel "
        return f"{self.interface}, {channels}{self.ways}-way"

    @property
    def capped(self) -> bool:
        """Whether the paper prints "max" here: the host's bandwidth."""
        return self.kind.endswith("read") and self.channels == 4 and self.interface == "PROPOSED"


def cells(kind: str) -> Iterator[Cell]:
    """Yield the 21 configurations of a class."""
    for channels, ways in SHAPES:
        for interface in INTERFACES:
            yield Cell(kind, interface, channels, ways)


@dataclass(frozen=True)
class Measured:
    """What a run gave."""

    mb_per_s: float
    controller_nj_per_byte: float
    bus: Mapping[str, Any]


def measure(cell: Cell, changes: Mapping[str, Any] | None = None) -> Measured:
    """Run sequential 64 KB chunks, one at a time, on a drive small enough to build at once.

    Reads find the flash filled in sequence. All of the run counts, from the first chunk's arrival to the last
    one's completion.
    """
    _, _, mode = cell.kind.partition("-")
    size = CHUNKS * CHUNK_BYTES
    job = f"[trace]\nrw={mode}\nbs={CHUNK_BYTES}\nioengine=libaio\niodepth=4\nio_size={size}\n"
    done = simulate(
        cell.drive,
        job,
        set={"nand.blocks_per_plane": 160, **(changes or {})},
        precondition="fill" if mode == "read" else "none",
    )
    moved, span_ns = CHUNKS * CHUNK_BYTES, done.document["simulated_ns"]
    energy = done.document["energy_j"]["controller"] / moved
    return Measured(moved * 1e9 / span_ns / MB, energy * 1e9, done.document["bus"])
