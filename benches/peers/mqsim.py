"""MQSim: its two files with our values, and its result.

What the fields mean is in its README and in docs/reference/mqsim.md.
"""

import gzip
import re
from collections.abc import Mapping

from floatgate.inputs.mqsim.write import drive_text, flow_text, workload_text
from peers.cases import (
    CHANNEL_MT_S,
    CHANNELS,
    DEPTH,
    ERASE_NS,
    PAGE_BYTES,
    PROGRAM_NS,
    READ_NS,
    SECTOR_BYTES,
    WAYS,
    Drive,
    Job,
    Outcome,
)

COMMON: Mapping[str, object] = {
    "PCIe_Lane_Bandwidth": 1.0,
    "PCIe_Lane_Count": 4,
    "Seed": 321,
    "IO_Queue_Depth": 65535,
    "Queue_Fetch_Size": 512,
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
    "GC_Exec_Threshold": 0.05,
    "Preemptible_GC_Enabled": "false",
    "Flash_Channel_Count": CHANNELS,
    "Chip_No_Per_Channel": WAYS,
}
#: The drive that MQSim comes with, as far as it is not MQSim's own value of a field that is left out.
SHIPPED: Mapping[str, object] = {
    "Enabled_Preconditioning": "false",
    "Data_Cache_Capacity": 256 << 20,
    "Data_Cache_DRAM_Row_Size": 8192,
    "Data_Cache_DRAM_Data_Rate": 100,
    "Data_Cache_DRAM_Data_Busrt_Size": 1,
    "Ideal_Mapping_Table": "false",
    "CMT_Capacity": 2 << 20,
    "Overprovisioning_Ratio": 0.07,
    "GC_Block_Selection_Policy": "RGA",
    "GC_Hard_Threshold": 0.005,
    "Channel_Transfer_Rate": 333,
    "Flash_Technology": "MLC",
    "Die_No_Per_Chip": 2,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 2048,
    "Page_No_Per_Block": 256,
    "Page_Capacity": 8192,
    "Page_Metadat_Capacity": 448,
}
FLOW: Mapping[str, object] = {
    "Priority_Class": "HIGH",
    "Channel_IDs": ",".join(map(str, range(CHANNELS))),
    "Chip_IDs": ",".join(map(str, range(WAYS))),
}
#: Commands that move a page or erase a block: no suspensions, and not again those for the map.
_COMMAND = re.compile(r'Issued_Flash_(?:(?!Suspend)[A-Za-z]+_)*?(?:Read|Program|Erase)_CMD="(\d+)"')
_COUNT = re.compile(r"<Request_Count>(\d+)</Request_Count>")
_MEAN = re.compile(r"<Device_Response_Time>(\d+)</Device_Response_Time>")


def _drive(drive: Drive) -> str:
    mine = {
        "Enabled_Preconditioning": "false",
        "Data_Cache_Capacity": 1 << 20,
        "Ideal_Mapping_Table": "true",
        "CMT_Capacity": 1 << 20,
        "Overprovisioning_Ratio": drive.spare,
        "GC_Block_Selection_Policy": "GREEDY",
        "Channel_Transfer_Rate": CHANNEL_MT_S,
        "Flash_Technology": "SLC",
        "Page_Read_Latency_LSB": READ_NS,
        "Page_Program_Latency_LSB": PROGRAM_NS,
        "Block_Erase_Latency": ERASE_NS,
        "Block_PE_Cycles_Limit": 100_000,
        "Die_No_Per_Chip": 1,
        "Plane_No_Per_Die": 1,
        "Block_No_Per_Plane": drive.blocks,
        "Page_No_Per_Block": drive.pages_per_block,
        "Page_Capacity": PAGE_BYTES,
        "Page_Metadat_Capacity": 128,
    }
    return drive_text({**COMMON, **mine})


def _flow(job: Job) -> Mapping[str, object]:
    sectors = PAGE_BYTES // SECTOR_BYTES
    return {
        **FLOW,
        "Device_Level_Data_Caching_Mode": "TURNED_OFF",
        "Die_IDs": "0",
        "Plane_IDs": "0",
        "Initial_Occupancy_Percentage": 70,
        "Working_Set_Percentage": 100,
        "Synthetic_Generator_Type": "QUEUE_DEPTH",
        "Read_Percentage": 100 if job.case.reads else 0,
        "Address_Distribution": "RANDOM_UNIFORM",
        "Percentage_of_Hot_Region": 0,
        "Generated_Aligned_Addresses": "true",
        "Address_Alignment_Unit": sectors,
        "Request_Size_Distribution": "FIXED",
        "Average_Request_Size": sectors,
        "Variance_Request_Size": 0,
        "Seed": 798,
        "Average_No_of_Reqs_in_Queue": DEPTH,
        "Bandwidth": 262_144,
        "Stop_Time": 0,
        "Total_Requests_To_Generate": job.requests,
    }


def _shipped(job: Job) -> Mapping[str, object]:
    (job.folder / "trace").write_bytes(gzip.decompress((job.traces / job.case.needs[0]).read_bytes()))
    return {
        **FLOW,
        "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
        "Die_IDs": "0,1",
        "Plane_IDs": "0,1",
        "Initial_Occupancy_Percentage": 70,
        "File_Path": "trace",
        "Percentage_To_Be_Executed": 100,
        "Relay_Count": 1,
        "Time_Unit": "NANOSECOND",
    }


def command(binary: str, job: Job) -> list[str]:
    """Write the two files, and return the command."""
    drive = job.case.drive
    text = drive_text({**COMMON, **SHIPPED}) if drive is None else _drive(drive)
    (job.folder / "ssdconfig.xml").write_text(text)
    flow = _shipped(job) if drive is None else _flow(job)
    (job.folder / "workload.xml").write_text(workload_text([[flow_text(flow)]]))
    return [binary, "-i", "ssdconfig.xml", "-w", "workload.xml"]


def read(_text: str, job: Job) -> Outcome:
    """Read its result; its mean is in whole microseconds."""
    text = (job.folder / "workload_scenario_1.xml").read_text()
    count, mean = _COUNT.search(text), _MEAN.search(text)
    if count is None or mean is None:
        raise ValueError("no Request_Count or Device_Response_Time in workload_scenario_1.xml")
    return Outcome(int(count[1]), sum(map(int, _COMMAND.findall(text))), float(mean[1]))
