"""What is compared: the drive in two sizes, and the workloads on it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

CHANNELS, WAYS = 8, 4
PAGE_BYTES = 4096
SECTOR_BYTES = 512
DEPTH = 32
READ_NS, PROGRAM_NS, ERASE_NS = 25_000, 200_000, 1_500_000
CHANNEL_MT_S = 500  # one byte wide: 8.2 us a page
OURS = "floatgate"


@dataclass(frozen=True)
class Drive:
    """8 channels of 4 dies with one plane each, SLC, pages of 4 KiB."""

    title: str
    blocks: int
    pages_per_block: int
    spare: float  # part of the flash that the host does not see

    @property
    def pages(self) -> int:
        """Pages that the host sees; each simulator may round it to what it needs."""
        return int(CHANNELS * WAYS * self.blocks * self.pages_per_block * (1 - self.spare))


LARGE = Drive("32 GiB", 1096, 256, 0.07)
SMALL = Drive("2 GiB", 256, 64, 0.20)


@dataclass(frozen=True)
class Case:
    """A workload, and how many requests each simulator runs of it.

    With two counts, what counts is what lies between them: starting, building the drive and filling it are in
    both. With one, the whole process counts, from its start to its end.
    """

    name: str
    title: str
    drive: Drive | None
    reads: bool
    requests: Mapping[str, tuple[int, ...]]
    needs: tuple[str, ...] = field(default=())  # traces

    def counts(self, simulator: str) -> tuple[int, ...] | None:
        """Requests of the runs of a simulator; none if it does not take part."""
        return self.requests.get(simulator)


_WRITES = (600_000, 1_400_000)
CASES = (
    Case(
        "read",
        "random 4 KiB read, depth 32, 32 GiB",
        LARGE,
        reads=True,
        requests={OURS: (500_000, 4_500_000), "mqsim": (100_000, 1_100_000)},
    ),
    Case(
        "read-small",
        "random 4 KiB read, depth 32, 2 GiB",
        SMALL,
        reads=True,
        requests={
            OURS: (500_000, 4_500_000),
            "mqsim": (100_000, 1_100_000),
            "simplessd": (100_000, 3_100_000),
            "flashsim": (100_000, 2_100_000),
        },
    ),
    Case(
        "write",
        "random 4 KiB write with GC, depth 32, 2 GiB",
        SMALL,
        reads=False,
        requests={OURS: _WRITES, "mqsim": _WRITES, "flashsim": (600_000, 800_000)},
    ),
    Case(
        "long",
        "whole job: start, 4 M random 4 KiB reads at depth 32, report, 32 GiB",
        LARGE,
        reads=True,
        requests={OURS: (4_000_000,), "mqsim": (4_000_000,)},
    ),
    Case(
        "tpcc-small",
        "whole job: MQSim's own tpcc-small on its own drive, 6,999 requests, report",
        None,
        reads=False,
        requests={OURS: (6_999,), "mqsim": (6_999,)},
        needs=("ms-tpcc-small.trace.gz",),
    ),
)


@dataclass(frozen=True)
class Job:
    """One run of one case: what a simulator is to do, and where it may write."""

    case: Case
    requests: int
    folder: Path
    traces: Path


@dataclass(frozen=True)
class Outcome:
    """What a simulator says of a run."""

    requests: int
    page_operations: int | None
    mean_us: float | None
