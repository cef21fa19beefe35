"""MQSim's workload.xml: one of its scenarios, as flows that the core runs."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.inputs.mqsim.drive import Drive, content
from floatgate.inputs.mqsim.fields import SYNTHETIC, TRACE, Reader, Value
from floatgate.inputs.mqsim.lines import read_otherwise
from floatgate.values.xml_nodes import Node, parse

FLOWS_MOST = 8  # MQSim has registers for so many submission queues


@dataclass(frozen=True)
class Scenario:
    """The flows of a scenario, and what they say about the drive."""

    flows: str  # JSON, as the core takes them
    count: int
    caching: str
    occupancy: float | None  # part of the logical space to be written before; None: a fresh drive
    notes: tuple[str, ...]


def is_scenarios(path: Path) -> bool:
    """Whether a file is MQSim's workload definition, by its outermost element."""
    if path.suffix.lower() != ".xml" or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(1 << 16)
    return b"<MQSim_IO_Scenarios" in head


def read_scenario(
    path: Path, number: int | None, drive: Drive, logical_bytes: Callable[[str, int], int]
) -> Scenario:
    """Read scenario `number` (from 1) of workload.xml for `drive`. Raises InputError with line and field.

    `logical_bytes` has the size of the drive that runs, given the flows' mode of caching and their number.
    """
    source = str(path)
    root = parse(content(path), source)
    if root.name != "MQSim_IO_Scenarios":
        raise InputError(
            f"{source}:{root.line}: <{root.name}>: expected MQSim's workloads: <MQSim_IO_Scenarios>"
        )
    reader = Reader(source)
    reader.fields(root, {}, ("IO_Scenario",))
    chosen = _chosen(root, number, source)
    reader.fields(chosen, {}, ("IO_Flow_Parameter_Set_Synthetic", "IO_Flow_Parameter_Set_Trace_Based"))
    if not 1 <= len(chosen.children) <= FLOWS_MOST:
        raise InputError(f"{reader.place(chosen)}: {len(chosen.children)} flows: expected 1 to {FLOWS_MOST}")
    flows = [_Flow(node, reader, drive) for node in chosen.children]
    for flow in flows:
        flow.check()
    _check_alike(flows, drive)
    caching = flows[0]["Device_Level_Data_Caching_Mode"]
    step, sectors = drive.part_of_flow(len(flows), logical_bytes(caching, len(flows)))
    if sectors == 0:
        raise InputError(f"{source}: {len(flows)} flows without a page for each: expected a larger drive")
    parts = [{"first": step * index, "last": step * index + sectors - 1} for index in range(len(flows))]
    described = [flow.described(part) for flow, part in zip(flows, parts, strict=True)]
    occupancies = [flow.fields["Initial_Occupancy_Percentage"].value for flow in flows]
    before = drive["Enabled_Preconditioning"] and max(occupancies) > 0
    return Scenario(
        json.dumps(described),
        len(flows),
        caching,
        sum(occupancies) / len(occupancies) / 100 if before else None,
        tuple(dict.fromkeys(reader.notes)),
    )


def _chosen(root: Node, number: int | None, source: str) -> Node:
    count = len(root.children)
    if number is None and count != 1:
        expected = f"--scenario 1 to {count}: one of them" if count else "at least one: <IO_Scenario>"
        raise InputError(f"{source}: {count} scenarios: expected {expected}")
    if number is not None and not 1 <= number <= count:
        raise InputError(f"--scenario {number}: {source} has {count}: expected 1 to {count}")
    return root.children[(number or 1) - 1]


def _check_alike(flows: list["_Flow"], drive: Drive) -> None:
    """Refuse what this engine has once for the drive and MQSim once for each flow."""
    shared = {
        "Device_Level_Data_Caching_Mode": "one mode for all flows: the drive has one cache",
        "Priority_Class": "one class for all flows: priorities inside the drive are not modelled",
        "Initial_Occupancy_Percentage": "one for all flows: the drive is filled as a whole",
    }
    for flow in flows[1:]:
        for name, expected in shared.items():
            if flow.fields[name].value != flows[0].fields[name].value:
                raise flow.fields[name].refuse("differs from the first flow's", expected)
    if len(flows) > 1 and drive["Data_Cache_Sharing_Mode"] != "SHARED":
        value = drive.fields["Data_Cache_Sharing_Mode"]
        raise value.refuse(value.value, "SHARED with several flows: parts of a cache are not modelled")
    if len(flows) > 1 and drive["CMT_Sharing_Mode"] != "SHARED":
        value = drive.fields["CMT_Sharing_Mode"]
        raise value.refuse(
            value.value, "SHARED with several flows: parts of the map's cache are not modelled"
        )


class _Flow:
    """One flow of a scenario."""

    def __init__(self, node: Node, reader: Reader, drive: Drive) -> None:
        self.reader = reader
        self.drive = drive
        self.synthetic = node.name == "IO_Flow_Parameter_Set_Synthetic"
        self.fields: dict[str, Value] = reader.fields(node, SYNTHETIC if self.synthetic else TRACE)

    def __getitem__(self, name: str) -> Any:
        return self.fields[name].value

    def check(self) -> None:
        """Refuse a flow that has only some of the drive's chips."""
        counts = {
            "Channel_IDs": "Flash_Channel_Count",
            "Chip_IDs": "Chip_No_Per_Channel",
            "Die_IDs": "Die_No_Per_Chip",
            "Plane_IDs": "Plane_No_Per_Die",
        }
        for name, count in counts.items():
            if self[name] != frozenset(range(self.drive[count])):
                expected = (
                    f"all of 0 to {self.drive[count] - 1}: flows with parts of the flash are not modelled"
                )
                raise self.fields[name].refuse(",".join(map(str, sorted(self[name]))), expected)

    def described(self, region: dict[str, int]) -> dict[str, Any]:
        """Return the flow, in its `region` of the drive, as the core takes it."""
        return self._synthetic(region) if self.synthetic else self._replay(region)

    def _synthetic(self, region: dict[str, int]) -> dict[str, Any]:
        span = region["last"] - region["first"]
        last = region["first"] + int(span * (self["Working_Set_Percentage"] / 100.0))
        stop, total = self["Stop_Time"], self["Total_Requests_To_Generate"]
        if stop == 0 and total == 0:
            value = self.fields["Stop_Time"]
            raise value.refuse(
                "0 without Total_Requests_To_Generate", "a time or a number that ends the flow"
            )
        size = self["Average_Request_Size"]
        if size > last - region["first"]:
            value = self.fields["Average_Request_Size"]
            raise value.refuse(str(size), "requests smaller than the flow's working set")
        return {
            "flow": "synthetic",
            "region": {"first": region["first"], "last": last},
            "read_ratio": self["Read_Percentage"] / 100,
            "addresses": self._addresses(),
            "sizes": self._sizes(size),
            "generator": self._generator(size),
            "align": self["Address_Alignment_Unit"] if self["Generated_Aligned_Addresses"] else 1,
            "stop_ns": stop,
            "requests": total,
            "seed": self["Seed"],
        }

    def _addresses(self) -> Any:
        kinds: dict[str, Any] = {
            "STREAMING": "streaming",
            "RANDOM_UNIFORM": "uniform",
            "RANDOM_HOTCOLD": {"hot-cold": {"hot": self["Percentage_of_Hot_Region"] / 100}},
        }
        return kinds[self["Address_Distribution"]]

    def _sizes(self, size: int) -> Any:
        if self["Request_Size_Distribution"] == "FIXED":
            return {"fixed": size}
        return {"normal": {"mean": size, "deviation": self["Variance_Request_Size"]}}

    def _generator(self, size: int) -> Any:
        if self["Synthetic_Generator_Type"] == "QUEUE_DEPTH":
            return {"depth": self["Average_No_of_Reqs_in_Queue"]}
        per_s = self["Bandwidth"] // 512 // size
        if per_s == 0:
            value = self.fields["Bandwidth"]
            raise value.refuse(
                str(self["Bandwidth"]), f"at least {512 * size}: a request of the flow's a second"
            )
        return {"interval": float(1_000_000_000 // per_s)}

    def _replay(self, region: dict[str, int]) -> dict[str, Any]:
        if self["Time_Unit"] != "NANOSECOND":
            self.reader.notes.append(
                f"Time_Unit {self['Time_Unit']} has no effect, as in MQSim: times are taken as nanoseconds"
            )
        if self["Relay_Count"] > 1 and self["Percentage_To_Be_Executed"] < 100:
            self.reader.notes.append(
                "Percentage_To_Be_Executed has no effect with a Relay_Count above 1, as in MQSim"
            )
        path = self._path()
        odd = read_otherwise(path)
        if odd is not None:
            self.reader.notes.append(odd)
        return {
            "flow": "replay",
            "path": str(path),
            "file_bytes": path.stat().st_size,
            "region": region,
            "percent": self["Percentage_To_Be_Executed"],
            "replays": self["Relay_Count"],
        }

    def _path(self) -> Path:
        """Find the trace: from the working directory, as MQSim does, or beside the workload's file."""
        given = Path(self["File_Path"])
        for path in (given, Path(self.reader.source).parent / given):
            if path.is_file():
                return path
        raise self.fields["File_Path"].refuse(str(given), "a trace, here or beside the workload's file")
