"""From parameters to a drive: the keys of its file."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from floatgate.twin.parameters import TIMES, VICTIMS, Base, Values
from floatgate.values.units import SIZES

#: Superblocks of a die that hold no data when writes are steady: two are free, two open and half full, and
#: one is being emptied.
KEPT = 3.5
#: The same where superblocks share parity, as simulated: groups are open, emptied and erased as a whole.
KEPT_GROUPS = 6.0
#: The same, with parity and without, where copies go to the host's open superblock and the oldest are
#: emptied: 4.7 to 5.5 by the closed form of the write amplification that 100 superblocks of 16 dies gave.
KEPT_MIXED = 5.1
KEPT_WHOLE = 6  # superblocks of a die below which no drive works
#: Superblocks of a die whose blocks are made smaller, and the fewest of one whose blocks are the base's.
SUPERBLOCKS, FEWEST = 100, 20
PARITY_LEAST = 3  # dies that share parity
WORDLINES = 12  # pages: a multiple for any number of bits a cell
SECTORS = 1 << 16  # bytes of which a capacity is a multiple: the largest mapping unit
#: Of victims that need their own: the oldest lie in one order only where copies join what the host writes.
STREAMS = {"fifo": "mixed", "two-region-greedy": "two-region"}
#: Reads that interrupt what runs need a page register that holds no data of the next program.
READS_FIRST = {
    "controller.scheduler.suspend_program": True,
    "controller.scheduler.suspend_erase": True,
    "controller.scheduler.suspend_for_waiting": True,
    "controller.cache_program": False,
}
#: A twin is what measurements say of it: cells, codes and caches of one bit a cell are left out.
LEFT_OUT = {"nand.errors.name": "none", "ecc.code.name": "none", "ftl.slc_cache.name": "none"}


@dataclass(frozen=True)
class Shape:
    """How much flash there is, and in what pieces."""

    dies: int
    superblocks: int  # of a die
    pages: int  # of a block
    capacity: int  # bytes that the host sees


def keys_by_parameter(base: Base, values: Values) -> dict[str, dict[str, Any]]:
    """Return the keys that each parameter sets, but for those of size; absent ones are as in the base."""
    found: dict[str, dict[str, Any]] = {}
    for name, value in values.items():
        setting = _SETTINGS.get(name)
        if setting is not None:
            found[name] = setting(base, value)
    if "command_service" in found:
        most = values.get("command_time", base.command_time)
        found["command_service"] = {"host.t_command_service": _time(min(values["command_service"], most))}
    if "dies" in values:
        channels = round(values.get("channels", starting(base)["channels"]))
        if "channels" in values:
            found["channels"] = {"geometry.channels": channels}
        ways = max(1, round(values["dies"] / channels))
        found["dies"] = {"geometry.ways": ways, "geometry.dies_per_way": 1}
    return found


def _buffer(_base: Base, value: float) -> dict[str, Any]:
    return {"ftl.buffer.size": f"{round(value / SECTORS) * SECTORS // 1024}KiB"}


def _parity(_base: Base, value: float) -> dict[str, Any]:
    dies = round(value)
    return {"ftl.parity.name": "rain", "ftl.parity.stripe": dies - 1} if dies >= PARITY_LEAST else {}


def _victim(_base: Base, value: float) -> dict[str, Any]:
    name = VICTIMS[round(value)]
    streams = STREAMS.get(name)
    return {"ftl.gc.victim.name": name, **({"ftl.streams.name": streams} if streams else {})}


def _reads_first(_base: Base, value: float) -> dict[str, Any]:
    return dict(READS_FIRST) if value else {}


def _burst(_base: Base, value: float) -> dict[str, Any]:
    return {"ftl.gc.burst_programs": round(value), "ftl.gc.trigger.background": False} if value else {}


#: The keys of a parameter that needs no other one.
_SETTINGS: Mapping[str, Callable[[Base, float], dict[str, Any]]] = {
    "command_time": lambda _base, value: {"host.t_command": _time(value)},
    "command_service": lambda _base, value: {"host.t_command_service": _time(value)},
    "link_rate": lambda _base, value: {"host.link.name": "plain", "host.link.rate": _rate(value)},
    "channel_rate": lambda _base, value: {
        "bus.interface.name": "plain",
        "bus.interface.rate": _rate(value),
    },
    "read_time": lambda base, value: {"nand.t_r": _scaled(base.read_times, value)},
    "program_time": lambda base, value: {"nand.t_prog": _scaled(base.program_times, value)},
    "unit": lambda _base, value: {"ftl.mapping_unit": f"{round(value) // 1024}KiB"},
    "buffer": _buffer,
    "victim": _victim,
    "parity": _parity,
    "reads_first": _reads_first,
    "burst": _burst,
}


def _scaled(times: list[float], mean: float) -> Any:
    """Return times of the kinds of pages with another mean, as a key takes them."""
    factor = mean * len(times) / sum(times)
    shown = [_time(one * factor) for one in times]
    return shown if len(shown) > 1 else shown[0]


def _time(seconds: float) -> str:
    return f"{round(seconds * 1e9)}ns"


def _rate(rate: float) -> str:
    return f"{round(rate / 1e3)}kB/s"


def shape(base: Base, values: Values, capacity: float) -> Shape:
    """Return the whole drive's shape: whole superblocks on each die, with the spare space that is asked for.

    Blocks are the base's, but smaller where a die would have only a few.
    """
    dies = round(values["dies"]) if "dies" in values else _dies(base)
    flash = capacity * (1 + values.get("spare", spare_of(base))) / dies
    pages = int(base.config["nand.pages_per_block"])
    if capacity < FEWEST * dies * base.superblock_bytes:
        pages = block_pages(base, capacity / dies / SUPERBLOCKS)  # the same for any spare space
    superblocks = max(KEPT_WHOLE, round(flash / (base.row_bytes * pages)))
    return Shape(dies, superblocks, pages, int(capacity) // SECTORS * SECTORS)


def block_pages(base: Base, superblock_bytes: float) -> int:
    """Return pages of a block so that superblocks are about as large: whole wordlines of any kind of cell."""
    return max(1, round(superblock_bytes / base.row_bytes / WORDLINES)) * WORDLINES


def _dies(base: Base) -> int:
    return (
        int(base.config["geometry.channels"])
        * int(base.config["geometry.ways"])
        * int(base.config["geometry.dies_per_way"])
    )


def spare_of(base: Base) -> float:
    """Return the base's own spare space: flash over the host's capacity, less 1."""
    if "ftl.op_ratio" in base.config:
        return float(base.config["ftl.op_ratio"])
    flash = _dies(base) * int(base.config["nand.blocks_per_plane"]) * base.superblock_bytes
    return flash / base.measure("ftl.user_capacity", SIZES) - 1


def sizes(base: Base, of: Shape) -> dict[str, Any]:
    """Return the keys of a shape."""
    pages = int(base.config["nand.pages_per_block"])
    found: dict[str, Any] = {
        "nand.blocks_per_plane": of.superblocks,
        "ftl.user_capacity": f"{of.capacity // 1024}KiB",
    }
    if of.pages != pages:
        # An erase takes its part of the time that a block's pages take to be written.
        erase = base.measure("nand.t_bers", TIMES)
        found |= {"nand.pages_per_block": of.pages, "nand.t_bers": _time(erase * of.pages / pages)}
    return found


def is_mixed(base: Base, values: Values) -> bool:
    """Whether copies go to the superblock that the host's writes go to, too."""
    streams = base.config.get("ftl.streams.name")
    if "victim" in values:
        streams = STREAMS.get(VICTIMS[round(values["victim"])], streams)
    return bool(streams == "mixed")


def usable(superblocks: float, parity: float, is_mixed: bool) -> float:
    """Return the superblocks of a die that may hold data, of so many; `parity`: dies that share one of it."""
    has_parity = parity >= PARITY_LEAST
    kept = KEPT_MIXED if is_mixed else KEPT_GROUPS if has_parity else KEPT
    return superblocks * (1 - 1 / parity if has_parity else 1) - kept


def starting(base: Base) -> dict[str, float]:
    """Return the base's own values of parameters, where its configuration tells them."""
    return {
        "channels": float(base.config["geometry.channels"]),
        "dies": float(_dies(base)),
        "read_time": sum(base.read_times) / len(base.read_times),
        "program_time": sum(base.program_times) / len(base.program_times),
        "spare": spare_of(base),
        "unit": base.measure("ftl.mapping_unit", SIZES),
        "buffer": base.measure("ftl.buffer.size", SIZES),
    }
