"""MQSim's two files with few, small numbers, for tests; no text of MQSim's own."""

from collections.abc import Mapping
from pathlib import Path

from floatgate.inputs.mqsim.write import drive_text, flow_text, workload_text

DRIVE: Mapping[str, object] = {
    "Enabled_Preconditioning": "false",
    "Data_Cache_Capacity": 1 << 20,
    "CMT_Capacity": 4096,
    "Overprovisioning_Ratio": 0.25,  # small dies keep a large part in hand
    "GC_Block_Selection_Policy": "GREEDY",
    "Preemptible_GC_Enabled": "false",
    "Flash_Channel_Count": 2,
    "Chip_No_Per_Channel": 2,
    "Channel_Transfer_Rate": 333,
    "Die_No_Per_Chip": 2,
    "Plane_No_Per_Die": 2,
    "Block_No_Per_Plane": 64,
    "Page_No_Per_Block": 32,
    "Page_Metadat_Capacity": 448,
}

SYNTHETIC: Mapping[str, object] = {
    "Priority_Class": "HIGH",
    "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
    "Channel_IDs": "0,1",
    "Chip_IDs": "0,1",
    "Die_IDs": "0,1",
    "Plane_IDs": "0,1",
    "Initial_Occupancy_Percentage": 70,
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 50,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 0,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 16,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 8,
    "Variance_Request_Size": 0,
    "Seed": 7,
    "Average_No_of_Reqs_in_Queue": 4,
    "Stop_Time": 0,
    "Total_Requests_To_Generate": 200,
}

TRACE: Mapping[str, object] = {
    **{name: SYNTHETIC[name] for name in list(SYNTHETIC)[:7]},
    "File_Path": "some.trace",
    "Percentage_To_Be_Executed": 100,
    "Relay_Count": 1,
    "Time_Unit": "NANOSECOND",
}


def write_drive(folder: Path, **changes: object) -> str:
    """Write ssdconfig.xml with the fields of `DRIVE` and `changes`; give its path."""
    path = folder / "ssdconfig.xml"
    path.write_text(drive_text({**DRIVE, **changes}))
    return str(path)


def flow(kind: str, **changes: object) -> str:
    """A flow, `synthetic` or `trace`; a change to None leaves the field out."""
    values = {**(SYNTHETIC if kind == "synthetic" else TRACE), **changes}
    return flow_text({key: value for key, value in values.items() if value is not None})


def write_workload(folder: Path, *scenarios: tuple[str, ...]) -> str:
    """Write workload.xml with scenarios of flows; give its path."""
    path = folder / "workload.xml"
    path.write_text(workload_text(scenarios))
    return str(path)
