"""Which interface, how many channels and ways? Every combination for a chip, run through the whole drive.

The drive around the chip is made not to matter: a host link and a buffer that never bind, no error correction
delay, sequential requests at a depth that keeps all dies busy. What is left is chips, channels and ways.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

from floatgate import callable_room
from floatgate.errors import InputError
from floatgate.inputs import cards
from floatgate.reproduce import simulate

WAYS = (1, 2, 4, 8, 16)
CHANNELS, DIES = (1, 2, 4, 8, 16), 16  # the same sixteen dies on so many channels
OPS = ("read", "write")
MODES = ("sdr:5", "nv-ddr:5", "nv-ddr2:7", "nv-ddr3:10", "nv-ddr3:12", "nv-ddr3:15")

SAME = 1.01  # bandwidths nearer than this are not told apart
FULL_GAIN = 1.02  # a channel is full when doubling its ways gains less
# Power of a controller: what it always draws, and what a channel with its NAND interface and ECC block adds.
BASE_MW, CHANNEL_MW = 200, 50  # assumed: the order of a small SATA and a large NVMe controller
DATA_PER_DIE = 48 * (768 << 10)  # whole program units of 1, 2, 3 or 4 pages of 16 KiB on 1, 2 or 4 planes

BASE_DRIVE = "tlc"
NOT_BOUND: dict[str, Any] = {
    "host.link.rate": "64GB/s",
    "host.t_command": "0ns",
    "host.t_command_service": "0ns",
    "ftl.buffer.size": "128MiB",
    "ftl.buffer.write_back": False,
    "ftl.op_ratio": 0.5,
    "ecc.t_decode": "0ns",
    "nand.blocks_per_plane": 24,
}


@dataclass(frozen=True)
class BusPoint:
    """One combination and what it gave."""

    chip: str
    interface: str  # "nv-ddr3:12"
    mt_per_s: float  # millions of bytes a channel carries each second
    channels: int
    ways: int
    op: str  # "read" or "write"
    mb_per_s: float  # 10^6 bytes per second
    nj_per_byte: float  # controller, wires and arrays
    bus_nj_per_byte: float  # the wires alone
    channel_busy: float  # 0 to 1
    pins: int  # NAND pins of the controller
    ecc_blocks: int  # one for each channel


def shapes(dies: int = DIES, channels: Sequence[int] | None = None) -> list[tuple[int, int]]:
    """Return channels and ways of every combination: one channel with more and more dies, then all the dies.

    They are shared by `channels`, or by those of `CHANNELS` that divide them. Raises InputError.
    """
    for many in channels or ():
        if dies % many:
            expected = ", ".join(str(one) for one in range(1, dies + 1) if dies % one == 0)
            raise InputError(f"--channels {many}: {dies} dies do not divide so: expected of {expected}")
    shared = channels or [many for many in CHANNELS if dies % many == 0]
    alone = [(1, ways) for ways in WAYS if ways <= dies]
    return list(dict.fromkeys([*alone, *((many, dies // many) for many in shared)]))


def plan(
    chips: Sequence[str], modes: Sequence[str], combined: Sequence[tuple[int, int]]
) -> list[tuple[str, str, int, int, str]]:
    """Return chip, interface, channels, ways and operation of every run."""
    return [
        (chip, mode, channels, ways, op)
        for chip in chips
        for mode in modes
        for channels, ways in combined
        for op in OPS
    ]


def explore(
    chips: Sequence[str],
    modes: Sequence[str] = MODES,
    progress: Callable[[int, int], None] = lambda _done, _total: None,
    *,
    dies: int = DIES,
    channels: Sequence[int] | None = None,
) -> Iterator[BusPoint]:
    """Yield a point for each combination of `plan`.

    Raises InputError for an unknown chip or interface, and channels that do not share the dies evenly.
    """
    runs = plan(chips, modes, shapes(dies, channels))
    for done, run in enumerate(runs):
        progress(done, len(runs))
        yield _point(*run)
    progress(len(runs), len(runs))


def _point(chip: str, interface: str, channels: int, ways: int, op: str) -> BusPoint:
    name, colon, mode = interface.partition(":")
    if colon and not mode.isdecimal():
        raise InputError(f"interface {interface}: expected a name and a mode: nv-ddr3:12")
    keys = {"bus.interface.name": name} | ({"bus.interface.mode": int(mode)} if colon else {})
    size = channels * ways * DATA_PER_DIE
    done = simulate(
        BASE_DRIVE,
        f"[sequential]\nrw={op}\nbs=256k\nioengine=libaio\niodepth={32 * channels * ways}\nio_size={size}\n",
        set={
            "chip": chip,
            "ftl.mapping_unit": page_size(chip),
            "geometry.channels": channels,
            "geometry.ways": ways,
            "controller.power": f"{BASE_MW + CHANNEL_MW * channels}mW",
            **keys,
            **NOT_BOUND,
        },
        precondition="fill" if op == "read" else "none",
    )
    document = done.document
    bus, energy = document["bus"], document["energy_j"]["per_host_byte"]
    if energy["total"] is None:
        raise InputError(f"chip {chip}: currents: missing: expected them, for the energy")
    return BusPoint(
        chip=chip,
        interface=interface,
        mt_per_s=bus["data_out_bytes_per_s"] / 1e6,
        channels=channels,
        ways=ways,
        op=op,
        mb_per_s=document["host"][op]["bandwidth_bytes_per_s"] / 1e6,
        nj_per_byte=energy["total"] * 1e9,
        bus_nj_per_byte=energy["bus"] * 1e9,
        channel_busy=document["utilisation"]["channel"],
        pins=channels * (bus["pins_shared"] + ways * bus["pins_per_way"]),
        ecc_blocks=channels,
    )


@cache
def page_size(chip: str) -> str:
    """Return the page size of a chip as its file writes it. Raises InputError for an unknown chip."""
    return str(cards.values(cards.of_chip(chip))["nand.page_size"])


def full_at(points: Sequence[BusPoint], chip: str, interface: str, op: str) -> int | None:
    """Return the ways at which a channel is full; None where it is not up to the most ways."""
    by_ways = {
        point.ways: point.mb_per_s
        for point in points
        if (point.chip, point.interface, point.op, point.channels) == (chip, interface, op, 1)
    }
    steps = pairwise(sorted(by_ways))
    return next((ways for ways, more in steps if by_ways[more] < FULL_GAIN * by_ways[ways]), None)


def front(points: Sequence[BusPoint]) -> list[BusPoint]:
    """Return the points that no other beats: at least as fast, with no more pins and energy per byte."""

    def beats(other: BusPoint, point: BusPoint) -> bool:
        no_worse = (
            other.mb_per_s >= point.mb_per_s / SAME
            and other.pins <= point.pins
            and other.nj_per_byte <= point.nj_per_byte
        )
        better = (
            other.mb_per_s > point.mb_per_s * SAME
            or other.pins < point.pins
            or other.nj_per_byte < point.nj_per_byte
        )
        return no_worse and better

    kept = [point for point in points if not any(beats(other, point) for other in points)]
    return sorted(kept, key=lambda point: (point.pins, point.mb_per_s))


def most_dies(points: Sequence[BusPoint]) -> int:
    """Return the number of dies of the largest combinations."""
    return max(point.channels * point.ways for point in points)


def with_all_dies(points: Sequence[BusPoint], chip: str, op: str) -> list[BusPoint]:
    """Return the points of a chip and operation with all the dies there are."""
    dies = most_dies(points)
    return [
        point
        for point in points
        if (point.chip, point.op) == (chip, op) and point.channels * point.ways == dies
    ]


callable_room.answers(__name__, "floatgate.commands.bus")
