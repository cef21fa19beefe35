"""The fields of MQSim's two files: their names, what each may hold, and a strict reader.

Names and choices are those of `XML_deserialize` in MQSim's `src/exec`, its own misspellings included.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from floatgate.errors import InputError
from floatgate.values.xml_nodes import Node


@dataclass(frozen=True)
class Kind:
    """What a field holds: how its text is read, and the words for what was expected."""

    read: Callable[[str], Any]
    expected: str
    usual: Any = None  # MQSim's own value where the field is left out; None: it must be given


@dataclass(frozen=True)
class Value:
    """A field as it stands in the file."""

    name: str
    value: Any
    place: str  # file:line, or the file where MQSim's own value is used

    def refuse(self, found: str, expected: str) -> InputError:
        """Return the error that says what is wrong with this field."""
        return InputError(f"{self.place}: <{self.name}> {found}: expected {expected}")


def whole(least: int, most: int, usual: int | None = None) -> Kind:
    """Return a whole number."""

    def read(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ValueError
        return int(text)

    return Kind(read, f"a whole number from {least} to {most}", usual)


def real(least: float, most: float, usual: float | None = None) -> Kind:
    """Return a number."""

    def read(text: str) -> float:
        number = float(text)
        if not least <= number <= most:
            raise ValueError
        return number

    return Kind(read, f"a number from {least:g} to {most:g}", usual)


def choice(*names: str, usual: str | None = None) -> Kind:
    """Return one of several words; case does not matter."""

    def read(text: str) -> str:
        if text.upper() not in names:
            raise ValueError
        return text.upper()

    return Kind(read, f"one of {', '.join(names)}", usual)


def switch(usual: bool) -> Kind:
    """Return true or false. MQSim takes every other word for true; here it is an error."""

    def read(text: str) -> bool:
        if text.lower() not in ("true", "false"):
            raise ValueError
        return text.lower() == "true"

    return Kind(read, "true or false", usual)


def _ids(text: str) -> frozenset[int]:
    parts = [part.strip() for part in text.split(",")]
    if not all(part.isdecimal() for part in parts):
        raise ValueError
    return frozenset(int(part) for part in parts)


IDS = Kind(_ids, "numbers with commas between, as 0,1,2,3")
TEXT = Kind(str, "a path")
MOST = (1 << 32) - 1
SCHEMES = tuple(
    a + b + c + d for a in "CWDP" for b in "CWDP" for c in "CWDP" for d in "CWDP" if len({a, b, c, d}) == 4
)

HOST: Mapping[str, Kind] = {
    "PCIe_Lane_Bandwidth": real(0.001, 1000, 1.0),
    "PCIe_Lane_Count": whole(1, 64, 4),
    "SATA_Processing_Delay": whole(0, MOST, 400_000),
    "Enable_ResponseTime_Logging": switch(False),
    "ResponseTime_Logging_Period_Length": whole(0, 1 << 62, 400_000),
}

DEVICE: Mapping[str, Kind] = {
    "Seed": whole(0, (1 << 31) - 1, 123),
    "Enabled_Preconditioning": switch(True),
    "Memory_Type": choice("FLASH", usual="FLASH"),
    "HostInterface_Type": choice("NVME", "SATA", usual="NVME"),
    "IO_Queue_Depth": whole(2, 65535, 1024),
    "Queue_Fetch_Size": whole(1, 65535, 512),
    "Caching_Mechanism": choice("SIMPLE", "ADVANCED", usual="ADVANCED"),
    "Data_Cache_Sharing_Mode": choice("SHARED", "EQUAL_PARTITIONING", usual="SHARED"),
    "Data_Cache_Capacity": whole(1, MOST, 512 << 20),
    "Data_Cache_DRAM_Row_Size": whole(1, MOST, 8192),
    "Data_Cache_DRAM_Data_Rate": whole(1, 1_000_000, 800),
    "Data_Cache_DRAM_Data_Busrt_Size": whole(1, 4096, 4),
    "Data_Cache_DRAM_tRCD": whole(0, MOST, 13),
    "Data_Cache_DRAM_tCL": whole(0, MOST, 13),
    "Data_Cache_DRAM_tRP": whole(0, MOST, 13),
    "Address_Mapping": choice("PAGE_LEVEL", "HYBRID", usual="PAGE_LEVEL"),
    "Ideal_Mapping_Table": switch(False),
    "CMT_Capacity": whole(1, MOST, 2 << 20),
    "CMT_Sharing_Mode": choice("SHARED", "EQUAL_PARTITIONING", usual="SHARED"),
    "Plane_Allocation_Scheme": choice(*SCHEMES, usual="CWDP"),
    "Transaction_Scheduling_Policy": choice(
        "OUT_OF_ORDER", "PRIORITY_OUT_OF_ORDER", "FLIN", usual="OUT_OF_ORDER"
    ),
    "Overprovisioning_Ratio": real(0.001, 0.9, 0.07),
    "GC_Exec_Threshold": real(0, 0.9, 0.05),
    "GC_Block_Selection_Policy": choice(
        "GREEDY", "RGA", "RANDOM", "RANDOM_P", "RANDOM_PP", "FIFO", usual="RGA"
    ),
    "Use_Copyback_for_GC": switch(False),
    "Preemptible_GC_Enabled": switch(True),
    "GC_Hard_Threshold": real(0, 0.9, 0.005),
    "Dynamic_Wearleveling_Enabled": switch(True),
    "Static_Wearleveling_Enabled": switch(True),
    "Static_Wearleveling_Threshold": whole(0, MOST, 100),
    "Prefered_suspend_erase_time_for_read": whole(0, 1 << 62, 700_000),
    "Preferred_suspend_erase_time_for_write": whole(0, 1 << 62, 700_000),
    "Preferred_suspend_write_time_for_read": whole(0, 1 << 62, 100_000),
    "Flash_Channel_Count": whole(1, 256, 8),
    "Flash_Channel_Width": whole(1, 64, 1),
    "Channel_Transfer_Rate": whole(1, 1000, 300),
    "Chip_No_Per_Channel": whole(1, 64, 4),
    "Flash_Comm_Protocol": choice("NVDDR2", usual="NVDDR2"),
}

FLASH: Mapping[str, Kind] = {
    "Flash_Technology": choice("SLC", "MLC", "TLC", usual="MLC"),
    "CMD_Suspension_Support": choice("NONE", "ERASE", "PROGRAM", "PROGRAM_ERASE", usual="ERASE"),
    "Page_Read_Latency_LSB": whole(1, 1 << 40, 75_000),
    "Page_Read_Latency_CSB": whole(1, 1 << 40, 75_000),
    "Page_Read_Latency_MSB": whole(1, 1 << 40, 75_000),
    "Page_Program_Latency_LSB": whole(1, 1 << 40, 750_000),
    "Page_Program_Latency_CSB": whole(1, 1 << 40, 750_000),
    "Page_Program_Latency_MSB": whole(1, 1 << 40, 750_000),
    "Block_Erase_Latency": whole(1, 1 << 40, 3_800_000),
    "Block_PE_Cycles_Limit": whole(1, MOST, 10_000),
    "Suspend_Erase_Time": whole(0, 1 << 40, 700_000),
    "Suspend_Program_Time": whole(0, 1 << 40, 100_000),
    "Die_No_Per_Chip": whole(1, 64, 2),
    "Plane_No_Per_Die": whole(1, 64, 2),
    "Block_No_Per_Plane": whole(1, 1 << 24, 2048),
    "Page_No_Per_Block": whole(1, 1 << 16, 256),
    "Page_Capacity": whole(512, 32768, 8192),
    "Page_Metadat_Capacity": whole(0, 1 << 16, 1872),
}

FLOW: Mapping[str, Kind] = {
    "Priority_Class": choice("URGENT", "HIGH", "MEDIUM", "LOW"),
    "Device_Level_Data_Caching_Mode": choice("TURNED_OFF", "WRITE_CACHE", "READ_CACHE", "WRITE_READ_CACHE"),
    "Channel_IDs": IDS,
    "Chip_IDs": IDS,
    "Die_IDs": IDS,
    "Plane_IDs": IDS,
    "Initial_Occupancy_Percentage": whole(0, 100),
}

SYNTHETIC: Mapping[str, Kind] = {
    **FLOW,
    "Working_Set_Percentage": whole(1, 100),
    "Synthetic_Generator_Type": choice("BANDWIDTH", "QUEUE_DEPTH"),
    "Read_Percentage": whole(0, 100),
    "Address_Distribution": choice("STREAMING", "RANDOM_HOTCOLD", "RANDOM_UNIFORM"),
    "Percentage_of_Hot_Region": whole(0, 100),
    "Generated_Aligned_Addresses": switch(True),
    "Address_Alignment_Unit": whole(1, 1 << 20),
    "Request_Size_Distribution": choice("FIXED", "NORMAL"),
    "Average_Request_Size": whole(1, 65535),
    "Variance_Request_Size": whole(0, 65535),
    "Seed": whole(0, (1 << 31) - 1),
    "Average_No_of_Reqs_in_Queue": whole(1, 65535, 1),
    "Bandwidth": whole(0, MOST, 0),
    "Stop_Time": whole(0, 1 << 62),
    "Total_Requests_To_Generate": whole(0, MOST, 0),
}

TRACE: Mapping[str, Kind] = {
    **FLOW,
    "File_Path": TEXT,
    "Percentage_To_Be_Executed": whole(1, 100),
    "Relay_Count": whole(1, 1 << 20),
    "Time_Unit": choice("PICOSECOND", "NANOSECOND", "MICROSECOND"),
}

# Elements of MQSim's own shipped files that MQSim does not read.
UNREAD: Mapping[str, str] = {
    "Preferred_suspend_erase_time_for_read": "MQSim reads Prefered_suspend_erase_time_for_read",
    "Intensity": "MQSim reads Bandwidth",
}


class Reader:
    """Reads the fields of one file, and gathers what is to be said about them."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.notes: list[str] = []

    def place(self, node: Node) -> str:
        """Return where an element stands."""
        return f"{self.source}:{node.line}"

    def fields(self, node: Node, known: Mapping[str, Kind], nested: tuple[str, ...] = ()) -> dict[str, Value]:
        """Read the children of `node`; a missing field has MQSim's own value, or is an error."""
        found: dict[str, Value] = {}
        for child in node.children:
            if child.name in nested:
                continue
            if child.name in found:
                raise InputError(f"{self.place(child)}: <{child.name}> twice: expected it once")
            if child.name in known:
                found[child.name] = Value(child.name, self._read(child, known[child.name]), self.place(child))
            elif child.name in UNREAD:
                self.notes.append(f"{child.name} has no effect, as in MQSim: {UNREAD[child.name]}")
            else:
                raise self._unknown(child, node, (*known, *nested))
        for name, kind in known.items():
            if name in found:
                continue
            if kind.usual is None:
                raise InputError(
                    f"{self.place(node)}: <{node.name}> has no <{name}>: expected {kind.expected}"
                )
            found[name] = Value(name, kind.usual, self.source)
        return found

    def _read(self, node: Node, kind: Kind) -> Any:
        text = node.text.strip()
        try:
            return kind.read(text)
        except ValueError:
            shown = text if len(text) < 80 else text[:77] + "..."
            raise InputError(f"{self.place(node)}: <{node.name}> {shown}: expected {kind.expected}") from None

    def _unknown(self, child: Node, parent: Node, names: tuple[str, ...]) -> InputError:
        near = get_close_matches(child.name, names, n=1)
        hint = f" (did you mean <{near[0]}>?)" if near else ""
        return InputError(f"{self.place(child)}: <{child.name}> in <{parent.name}>: expected a field{hint}")
