"""What a twin is made of: a few parameters, each with the keys of a drive that it sets."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floatgate.inputs import cards
from floatgate.twin.pattern import Setting
from floatgate.values.units import SIZES, measure

Values = Mapping[str, float]  # of parameters, by name

UNITS_BYTES = (4096, 8192, 16384, 32768, 65536)
BITS = {"slc": 1, "mlc": 2, "tlc": 3, "qlc": 4}  # of a cell
#: Ways to collect, those first that are tried first: a later one is only taken where it comes nearer.
VICTIMS = ("greedy", "fifo", "cost-benefit", "two-region-greedy", "two-region-fifo")


@dataclass(frozen=True)
class Parameter:
    """A number that measurements reveal."""

    name: str
    unit: str
    means: str
    revealed_by: str  # what to measure where it is not determined
    least: float
    most: float


PARAMETERS = {
    one.name: one
    for one in (
        Parameter(
            "command_time",
            "s",
            "time that a command takes beside flash and link",
            "reads of a drive without data, 4 KiB, depth 1",
            1e-7,
            1e-3,
        ),
        Parameter(
            "command_service",
            "s",
            "part of it in which no other command is looked at",
            "reads of a drive without data, 4 KiB, depth 256",
            1e-9,
            1e-4,
        ),
        Parameter(
            "link_rate",
            "B/s",
            "payload rate of the host's link",
            "reads of a drive without data, 128 KiB, depth 32",
            5e7,
            1e11,
        ),
        Parameter(
            "channels",
            "",
            "channels to the flash",
            "random reads of 16 KiB and more at depth 64 and more",
            1,
            32,
        ),
        Parameter(
            "dies",
            "",
            "dies",
            "random reads of 4 KiB at depth 1 to 256",
            1,
            512,
        ),
        Parameter(
            "read_time",
            "s",
            "time to sense a page, mean of its kinds",
            "random reads of 4 KiB, depth 1",
            1e-6,
            2e-3,
        ),
        Parameter(
            "channel_rate",
            "B/s",
            "transfer rate of a channel",
            "random reads of 64 and 128 KiB, depth 1 and 64",
            2e7,
            1e10,
        ),
        Parameter(
            "program_time",
            "s",
            "time of a program operation",
            "sequential writes, 128 KiB, depth 32",
            1e-5,
            2e-2,
        ),
        Parameter(
            "spare",
            "ratio",
            "flash over the host's capacity, less 1",
            "write amplification, or the rate, of random writes of 4 KiB until it is steady",
            0.02,
            3.0,
        ),
        Parameter(
            "unit",
            "B",
            "mapping unit",
            "write amplification, or the rate, of random writes of 4 and 16 KiB",
            4096,
            65536,
        ),
        Parameter(
            "buffer",
            "B",
            "buffer for writes",
            "bursts of writes after a pause",
            1 << 18,
            1 << 33,
        ),
        Parameter(
            "victim",
            "",
            "which superblock is collected: " + ", ".join(VICTIMS),
            "write amplification, or the rate, of skewed writes and of writes to a part of the data",
            0,
            len(VICTIMS) - 1,
        ),
        Parameter(
            "parity",
            "",
            "dies that share a unit of parity; 0: none",
            "write amplification of sequential writes",
            0,
            63,
        ),
        Parameter(
            "reads_first",
            "",
            "whether reads interrupt programs that they find begun or about to begin; 0: as the base has it",
            "p99 of reads at an offered load",
            0,
            1,
        ),
        Parameter(
            "burst",
            "",
            "programs that each die moves in a burst of collection, while writes wait; 0: paced evenly",
            "p99 of writes at two or more offered loads, from a quarter of the steady rate on",
            0,
            64,
        ),
    )
}
#: Parameters that a run does not depend on, by what it does.
_OF_FLASH = ("program_time", "spare", "buffer", "victim", "parity", "reads_first", "burst")
_WITHOUT = {
    "empty": ("channels", "dies", "read_time", "channel_rate", "unit", *_OF_FLASH),
    "read": _OF_FLASH,
    "filled": ("spare", "victim", "read_time"),
    "steady": (),
}


def matter(setting: Setting) -> list[str]:
    """Return the parameters that a setting's run depends on."""
    pattern = setting.pattern
    kind = "empty" if pattern.state == "empty" else pattern.state if pattern.is_write else "read"
    return [name for name in PARAMETERS if name not in _WITHOUT[kind]]


@dataclass(frozen=True)
class Base:
    """The drive that a twin is fitted from: its configuration, by key."""

    drive: str
    config: Mapping[str, Any]
    capacity: int  # bytes that the host sees

    def measure(self, key: str, units: Mapping[str, float]) -> float:
        """Return a key's value in the base unit of its kind."""
        return measure(self.config[key], units, "1")

    @property
    def read_times(self) -> list[float]:
        """Times to sense a page by its kind, in s."""
        return self._times("nand.t_r")

    @property
    def program_times(self) -> list[float]:
        """Times of a program operation by its kind, in s."""
        return self._times("nand.t_prog")

    @property
    def page_bytes(self) -> int:
        """Bytes of a page."""
        return int(self.measure("nand.page_size", SIZES))

    @property
    def decode_time(self) -> float:
        """Time that a read takes beside flash, channel and command, in s."""
        return measure(self.config["ecc.t_decode"], TIMES, "2us")

    @property
    def command_time(self) -> float:
        """Time that a command takes beside flash and link, in s."""
        return measure(self.config["host.t_command"], TIMES, "6us")

    def _times(self, key: str) -> list[float]:
        found = self.config[key]
        return [measure(one, TIMES, "50us") for one in (found if isinstance(found, list) else [found])]

    @property
    def row_bytes(self) -> int:
        """Bytes of the pages of one number on all planes of a die."""
        return self.page_bytes * int(self.config["nand.planes"])

    @property
    def program_bytes(self) -> int:
        """Bytes that a die programs at once, at most."""
        return self.row_bytes * BITS[self.config["nand.cell"]]

    @property
    def superblock_bytes(self) -> int:
        """Bytes of a superblock: the blocks of one number on all planes of a die."""
        return self.row_bytes * int(self.config["nand.pages_per_block"])


TIMES = {"fs": 1e-15, "ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


def read_base(drive: str) -> Base:
    """Read a drive's configuration. Raises InputError for one that is none."""
    card = cards.of_drive(drive)
    return Base(drive, cards.values(card), card["capacity_bytes"])
