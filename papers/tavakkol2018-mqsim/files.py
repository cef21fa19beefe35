"""MQSim's two files with the values of the measured runs, written from numbers alone."""

from collections.abc import Mapping
from pathlib import Path

from floatgate.inputs.mqsim.write import drive_text, flow_text, workload_text

HOST: Mapping[str, object] = {"PCIe_Lane_Bandwidth": 1.0, "PCIe_Lane_Count": 4}

# The values of the configuration that comes with MQSim; what is left out has MQSim's own.
DEVICE: Mapping[str, object] = {
    "Seed": 321,
    "Enabled_Preconditioning": "false",
    "IO_Queue_Depth": 65535,
    "Queue_Fetch_Size": 512,
    "Data_Cache_Capacity": 268435456,
    "Data_Cache_DRAM_Row_Size": 8192,
    "Data_Cache_DRAM_Data_Rate": 100,
    "Data_Cache_DRAM_Data_Busrt_Size": 1,
    "Ideal_Mapping_Table": "false",
    "CMT_Capacity": 2097152,
    "Plane_Allocation_Scheme": "CWDP",
    "Transaction_Scheduling_Policy": "PRIORITY_OUT_OF_ORDER",
    "Overprovisioning_Ratio": 0.07,
    "GC_Exec_Threshold": 0.05,
    "GC_Block_Selection_Policy": "RGA",
    "Preemptible_GC_Enabled": "false",
    "GC_Hard_Threshold": 0.005,
    "Flash_Channel_Count": 8,
    "Channel_Transfer_Rate": 333,
    "Chip_No_Per_Channel": 4,
}
FLASH: Mapping[str, object] = {
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
    "Device_Level_Data_Caching_Mode": "WRITE_CACHE",
    "Channel_IDs": "0,1,2,3,4,5,6,7",
    "Chip_IDs": "0,1,2,3",
    "Die_IDs": "0,1",
    "Plane_IDs": "0,1",
    "Initial_Occupancy_Percentage": 70,
}
SYNTHETIC: Mapping[str, object] = {
    **FLOW,
    "Working_Set_Percentage": 50,
    "Synthetic_Generator_Type": "QUEUE_DEPTH",
    "Read_Percentage": 100,
    "Address_Distribution": "RANDOM_UNIFORM",
    "Percentage_of_Hot_Region": 0,
    "Generated_Aligned_Addresses": "true",
    "Address_Alignment_Unit": 16,
    "Request_Size_Distribution": "FIXED",
    "Average_Request_Size": 8,
    "Variance_Request_Size": 0,
    "Seed": 798,
    "Average_No_of_Reqs_in_Queue": 16,
    "Bandwidth": 262144,
    "Stop_Time": 0,
    "Total_Requests_To_Generate": 20000,
}
TRACE: Mapping[str, object] = {
    **FLOW,
    "Percentage_To_Be_Executed": 100,
    "Relay_Count": 1,
    "Time_Unit": "NANOSECOND",
}


def write_drive(folder: Path, blocks: int, changes: Mapping[str, object]) -> Path:
    """Write the drive with so many blocks a plane, and what else differs; give the file."""
    path = folder / "ssdconfig.xml"
    path.write_text(drive_text({**HOST, **DEVICE, **FLASH, "Block_No_Per_Plane": blocks, **changes}))
    return path


def write_workload(folder: Path, *flows: Mapping[str, object]) -> Path:
    """Write one scenario of flows, each with what differs from the usual one; give the file."""
    described = [
        flow_text({**(TRACE if "File_Path" in changes else SYNTHETIC), **changes}) for changes in flows
    ]
    path = folder / "workload.xml"
    path.write_text(workload_text([described]))
    return path
