"""MQSim's ssdconfig.xml as assignments to a drive's keys.

What the file does not say is that of `drives/mqsim-default.toml`, which is what MQSim's shipped file becomes.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.files import read_bytes
from floatgate.inputs.mqsim.fields import DEVICE, FLASH, HOST, Reader, Value
from floatgate.values.xml_nodes import Node, parse

BASE = "mqsim-default"  # the drive that the assignments change
SECTOR = 512
# A packet of PCI Express in MQSim: 128 bytes of data behind 28 of header, link layer and framing.
PAYLOAD, OVERHEAD = 128, 28
# Bytes of its messages: a doorbell, the question for a submission entry, that entry, a completion entry.
MESSAGES = (2, 4, 72, 16)
# Nanoseconds that a command and its address take on a channel: ONFI_Channel_NVDDR2, one plane.
# Whose operations go first at a chip: without preemption collection does, with it the host does.
ORDER = {
    False: ["internal-read", "internal-program", "erase", "host-read", "host-program"],
    True: ["host-read", "host-program", "internal-read", "internal-program", "erase"],
}
COMMAND_NS = {"read": 290, "program": 361, "erase": 220}


@dataclass(frozen=True)
class Drive:
    """A drive as MQSim describes it."""

    source: str
    fields: dict[str, Value]
    notes: tuple[str, ...]

    def __getitem__(self, name: str) -> Any:
        return self.fields[name].value

    @property
    def sectors_per_page(self) -> int:
        """Sectors of 512 bytes in a flash page."""
        return int(self["Page_Capacity"]) // SECTOR

    @property
    def planes(self) -> int:
        """Planes of the whole drive."""
        per_chip = self["Die_No_Per_Chip"] * self["Plane_No_Per_Die"]
        return int(self["Flash_Channel_Count"] * self["Chip_No_Per_Channel"] * per_chip)

    def sectors_of_flow(self, flows: int) -> int:
        """Return the logical sectors of each of `flows` flows that share every plane: truncated by plane."""
        plane = self["Block_No_Per_Plane"] * self["Page_No_Per_Block"] * self.sectors_per_page
        share = int(plane * (1.0 - self["Overprovisioning_Ratio"]) * 1.0 / float(flows))
        return share * self.planes

    def part_of_flow(self, flows: int, logical_bytes: int) -> tuple[int, int]:
        """Return the sectors from one flow's begin to the next's, and the sectors of each, of so many bytes.

        The drive of the file is divided as MQSim does it; one of another size in whole pages.
        """
        page = self.sectors_per_page
        if logical_bytes == self.logical_pages(flows) * page * SECTOR:
            sectors = self.sectors_of_flow(flows)
            return -(-sectors // page) * page, sectors
        sectors = logical_bytes // SECTOR // flows // page * page
        return sectors, sectors

    def logical_pages(self, flows: int) -> int:
        """Return the pages that hold the logical sectors of all flows, each from a page of its own on."""
        return flows * -(-self.sectors_of_flow(flows) // self.sectors_per_page)

    def assignments(self, caching: str, flows: int) -> tuple[str, ...]:
        """Return `KEY=VALUE` for all that the file says; `caching` is the flows' mode of caching."""
        self._refuse_what_is_not_there()
        values = {
            **self._geometry(),
            **self._chip(),
            **self._channels(),
            **self._mapping(flows),
            **self._collection(),
            **self._cache(caching),
            **self._host(),
        }
        return tuple(f"{key}={json.dumps(value)}" for key, value in values.items())

    def _refuse_what_is_not_there(self) -> None:
        field = self.fields
        refusals = {
            "HostInterface_Type": ("SATA", "NVME: of MQSim's hosts only that one is modelled"),
            "Address_Mapping": ("HYBRID", "PAGE_LEVEL: MQSim's own hybrid mapping is an empty frame"),
            "Transaction_Scheduling_Policy": (
                "FLIN",
                "OUT_OF_ORDER or PRIORITY_OUT_OF_ORDER: MQSim itself ends with an error here",
            ),
            "Caching_Mechanism": ("SIMPLE", "ADVANCED: the simple cache is not modelled"),
        }
        for name, (value, expected) in refusals.items():
            if field[name].value == value:
                raise field[name].refuse(value, expected)
        if self["Page_Capacity"] % SECTOR:
            raise field["Page_Capacity"].refuse(str(self["Page_Capacity"]), "whole sectors of 512 bytes")

    def _geometry(self) -> dict[str, Any]:
        return {
            "geometry.channels": self["Flash_Channel_Count"],
            "geometry.ways": self["Chip_No_Per_Channel"],
            # Each plane of MQSim's has open blocks and a collection of its own: here it is a die.
            "geometry.dies_per_way": self["Die_No_Per_Chip"] * self["Plane_No_Per_Die"],
            "nand.planes": 1,
            "nand.blocks_per_plane": self["Block_No_Per_Plane"],
            "nand.pages_per_block": self["Page_No_Per_Block"],
            "nand.page_size": _bytes(self["Page_Capacity"]),
            "nand.oob_size": _bytes(self["Page_Metadat_Capacity"]),
        }

    def _chip(self) -> dict[str, Any]:
        kinds = {"SLC": ("LSB",), "MLC": ("LSB", "MSB"), "TLC": ("LSB", "CSB", "MSB")}
        kinds_here = kinds[self["Flash_Technology"]]
        return {
            "nand.cell": self["Flash_Technology"].lower(),
            "nand.t_r": _times(self[f"Page_Read_Latency_{kind}"] for kind in kinds_here),
            "nand.t_prog": _times(self[f"Page_Program_Latency_{kind}"] for kind in kinds_here),
            "nand.t_bers": _ns(self["Block_Erase_Latency"]),
            "nand.t_suspend_program": _ns(self["Suspend_Program_Time"]),
            "nand.t_suspend_erase": _ns(self["Suspend_Erase_Time"]),
            "nand.pe_cycles_rated": self["Block_PE_Cycles_Limit"],
        }

    def _channels(self) -> dict[str, Any]:
        # MQSim truncates the time of a transfer to whole nanoseconds before it doubles it for two of them.
        per_transfer_ns = 1000 // self["Channel_Transfer_Rate"]
        rate = math.ceil(self["Flash_Channel_Width"] * 1e9 / per_transfer_ns)
        return {
            "bus.interface.rate": f"{rate}B/s",
            "bus.interface.cycle": "1ns",
            "bus.cycles_read": COMMAND_NS["read"],
            "bus.cycles_program": COMMAND_NS["program"],
            "bus.cycles_erase": COMMAND_NS["erase"],
            "controller.multi_plane": False,
            "controller.paired_planes": self["Plane_No_Per_Die"],
            "controller.program_queue": 65536,  # what waits for a chip waits at the chip
            "controller.dies_take_turns": True,
            "controller.late_choice": True,
            "controller.arbitration.name": "fifo",
            "controller.scheduler.name": "strict",
            "controller.scheduler.order": ORDER[self["Preemptible_GC_Enabled"]],
            # MQSim's schedulers fall through to refusal where they decide to suspend: it never happens.
            "controller.scheduler.suspend_program": False,
            "controller.scheduler.suspend_erase": False,
        }

    def _mapping(self, flows: int) -> dict[str, Any]:
        physical = self.planes * self["Block_No_Per_Plane"] * self["Page_No_Per_Block"]
        return {
            "ftl.mapping_unit": _bytes(self["Page_Capacity"]),
            "ftl.op_ratio": _op_ratio(physical, self.logical_pages(flows)),
            "ftl.placement.name": "static",
            "ftl.placement.order": self["Plane_Allocation_Scheme"],
            "ftl.placement.planes": self["Plane_No_Per_Die"],
            "ftl.sectors.track": True,
            "ftl.sectors.unwritten": "flash",
            **self._map(physical),
        }

    def _map(self, physical: int) -> dict[str, Any]:
        if self["Ideal_Mapping_Table"]:
            return {"ftl.mapping.name": "page"}
        bits, sectors = math.log2(physical), self.sectors_per_page
        entry, cached = math.ceil((bits + sectors) / 8), math.ceil((2 * bits + sectors) / 8)
        return {
            "ftl.mapping.name": "dftl",
            "ftl.mapping.cache": _bytes(self["CMT_Capacity"]),
            "ftl.mapping.entry": _bytes(entry),
            "ftl.mapping.cached_entry": _bytes(cached),
            "ftl.mapping.stored": True,
            "ftl.mapping.in_flight": 65536,
        }

    def _collection(self) -> dict[str, Any]:
        blocks = self["Block_No_Per_Plane"]
        # MQSim takes a victim whenever a block is opened and fewer than so many are free.
        low = max(int(self["GC_Exec_Threshold"] * blocks), 10) - 1
        policy = self["GC_Block_Selection_Policy"]
        victims: dict[str, dict[str, Any]] = {
            "GREEDY": {"ftl.gc.victim.name": "greedy"},
            "RGA": {"ftl.gc.victim.name": "d-choices", "ftl.gc.victim.d": max(int(math.log2(blocks)), 1)},
            "RANDOM": {"ftl.gc.victim.name": "random"},
            "RANDOM_P": {"ftl.gc.victim.name": "random"},
            "FIFO": {"ftl.gc.victim.name": "fifo"},
        }
        if policy not in victims:
            expected = "RANDOM_P: a least number of invalid pages is not modelled"
            raise self.fields["GC_Block_Selection_Policy"].refuse(policy, expected)
        return {
            "controller.copyback": self["Use_Copyback_for_GC"],
            "ftl.gc.trigger.low": low,
            "ftl.gc.trigger.high": low,
            **victims[policy],
        }

    def _cache(self, caching: str) -> dict[str, Any]:
        writes = caching in ("WRITE_CACHE", "WRITE_READ_CACHE")
        return {
            "ftl.buffer.size": _bytes(self["Data_Cache_Capacity"]),
            "ftl.buffer.write_back": writes,
            "ftl.buffer.read_cache": caching in ("READ_CACHE", "WRITE_READ_CACHE"),
            "ftl.buffer.keep_ratio": 1.0 if caching != "TURNED_OFF" else 0.0,
            "ftl.buffer.eviction.name": "lru" if caching != "TURNED_OFF" else "fifo",
            # MQSim writes back at once what was not written since a set was emptied, a second at most ago.
            **({"ftl.buffer.keep_rewritten": "1s"} if writes else {}),
            "ftl.buffer.in_flight": _bytes(self.planes * self["Page_Capacity"]),
            "ftl.buffer.dram.transfers": self["Data_Cache_DRAM_Data_Rate"],
            "ftl.buffer.dram.row": _bytes(self["Data_Cache_DRAM_Row_Size"]),
            "ftl.buffer.dram.burst": _bytes(self["Data_Cache_DRAM_Data_Busrt_Size"]),
            "ftl.buffer.dram.t_rcd": _ns(self["Data_Cache_DRAM_tRCD"]),
            "ftl.buffer.dram.t_cl": _ns(self["Data_Cache_DRAM_tCL"]),
            "ftl.buffer.dram.t_rp": _ns(self["Data_Cache_DRAM_tRP"]),
        }

    def _host(self) -> dict[str, Any]:
        lanes = self["PCIe_Lane_Count"] * self["PCIe_Lane_Bandwidth"]  # bytes in a nanosecond
        messages_ns = sum(math.ceil((size + OVERHEAD) / lanes) for size in MESSAGES)
        return {
            "host.link.rate": f"{round(lanes * 1e9 * PAYLOAD / (PAYLOAD + OVERHEAD))}B/s",
            "host.link.queue_depth": self["IO_Queue_Depth"],
            "host.max_commands": self["Queue_Fetch_Size"],
            "host.t_command": _ns(messages_ns),
        }


def _bytes(number: int) -> str:
    return f"{number}B"


def _ns(number: int) -> str:
    return f"{number}ns"


def _times(numbers: Any) -> Any:
    times = [_ns(number) for number in numbers]
    return times[0] if len(set(times)) == 1 else times


def _op_ratio(physical: int, logical: int) -> float:
    """Return the ratio of which the engine makes exactly `logical` units: it divides and truncates."""
    ratio = physical / logical - 1.0
    while int(physical / (1.0 + ratio)) < logical:
        ratio = math.nextafter(ratio, 0.0)
    return ratio


def read_drive(path: Path) -> Drive:
    """Read ssdconfig.xml. Raises InputError with line and field."""
    source = str(path)
    root = parse(content(path), source)
    if root.name != "Execution_Parameter_Set":
        raise InputError(
            f"{source}:{root.line}: <{root.name}>: expected MQSim's drive: <Execution_Parameter_Set>"
        )
    reader = Reader(source)
    reader.fields(root, {}, ("Host_Parameter_Set", "Device_Parameter_Set"))
    device = _child(root, "Device_Parameter_Set", source)
    flash = _child(device, "Flash_Parameter_Set", source)
    host = _child(root, "Host_Parameter_Set", source)
    fields = reader.fields(host, HOST)
    fields |= reader.fields(device, DEVICE, ("Flash_Parameter_Set",))
    fields |= reader.fields(flash, FLASH)
    return Drive(source, fields, tuple(reader.notes))


def _child(node: Node, name: str, source: str) -> Node:
    found = [child for child in node.children if child.name == name]
    if len(found) > 1:
        raise InputError(f"{source}:{found[1].line}: <{name}> twice: expected it once")
    return found[0] if found else Node(name, node.line, {})


def content(path: Path) -> bytes:
    """Return a file's bytes. Raises InputError when it cannot be read."""
    return read_bytes(path, "a file of MQSim's")
