"""MQSim's two files with few, small numbers, for tests; no text of MQSim's own."""

from collections.abc import Mapping
from pathlib import Path

from floatgate.mqsim.fields import DEVICE, FLASH, HOST

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


def _elements(values: Mapping[str, object]) -> str:
    return "\n".join(f"<{name}>{value}</{name}>" for name, value in values.items())


def write_drive(folder: Path, **changes: object) -> str:
    """Write ssdconfig.xml with the fields of `DRIVE` and `changes`; give its path."""
    values = {**DRIVE, **changes}
    parts = {
        name: _elements({key: value for key, value in values.items() if key in kinds})
        for name, kinds in (("host", HOST), ("device", DEVICE), ("flash", FLASH))
    }
    other = {key: value for key, value in values.items() if key not in {**HOST, **DEVICE, **FLASH}}
    text = (
        "<Execution_Parameter_Set>\n<Host_Parameter_Set>\n"
        f"{parts['host']}\n</Host_Parameter_Set>\n<Device_Parameter_Set>\n{parts['device']}\n"
        f"{_elements(other)}\n<Flash_Parameter_Set>\n{parts['flash']}\n</Flash_Parameter_Set>\n"
        "</Device_Parameter_Set>\n</Execution_Parameter_Set>\n"
    )
    path = folder / "ssdconfig.xml"
    path.write_text(text)
    return str(path)


def flow(kind: str, **changes: object) -> str:
    """A flow, `synthetic` or `trace`; a change to None leaves the field out."""
    name = {"synthetic": "Synthetic", "trace": "Trace_Based"}[kind]
    values = {**(SYNTHETIC if kind == "synthetic" else TRACE), **changes}
    given = {key: value for key, value in values.items() if value is not None}
    return f"<IO_Flow_Parameter_Set_{name}>\n{_elements(given)}\n</IO_Flow_Parameter_Set_{name}>"


def write_workload(folder: Path, *scenarios: tuple[str, ...]) -> str:
    """Write workload.xml with scenarios of flows; give its path."""
    body = "\n".join("<IO_Scenario>\n" + "\n".join(flows) + "\n</IO_Scenario>" for flows in scenarios)
    path = folder / "workload.xml"
    path.write_text(f"<MQSim_IO_Scenarios>\n{body}\n</MQSim_IO_Scenarios>\n")
    return str(path)
