"""The same two files for MQSim and for Floatgate: mean response times side by side."""

import gzip
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from floatgate.reproduce import Case, Finding, Trace, simulate_files, traces

from .files import write_drive, write_workload

BLOCKS = 256  # of a plane, for flows: 64 GiB of flash instead of 512
SHIPPED_BLOCKS = 2048
STREAMING = {"Address_Distribution": "STREAMING", "Average_Request_Size": 128}
WRITES = {"Read_Percentage": 0}
DEPTH = "Average_No_of_Reqs_in_Queue"
CACHING = "Device_Level_Data_Caching_Mode"

# What differs from files.SYNTHETIC, for each flow of a scenario.
Flows = tuple[Mapping[str, object], ...]
SYNTHETIC: dict[str, Flows] = {
    **{f"random reads, depth {depth}": ({DEPTH: depth},) for depth in (1, 4, 16, 32)},
    **{
        f"random writes, depth {depth}": ({DEPTH: depth, **WRITES, "Average_Request_Size": 16},)
        for depth in (1, 4, 32)
    },
    **{f"70 % reads, depth {depth}": ({DEPTH: depth, "Read_Percentage": 70},) for depth in (1, 8)},
    **{f"sequential reads, depth {depth}": ({DEPTH: depth, **STREAMING},) for depth in (1, 4)},
    **{
        f"sequential writes, depth {depth}": (
            {DEPTH: depth, **STREAMING, **WRITES, "Total_Requests_To_Generate": 4000},
        )
        for depth in (1, 4)
    },
}
OTHERS: dict[str, Flows] = {
    "open loop, half reads": (
        {"Synthetic_Generator_Type": "BANDWIDTH", "Bandwidth": 40_000_000, "Read_Percentage": 50},
    ),
    "cache off, half reads": (
        {CACHING: "TURNED_OFF", "Read_Percentage": 50, DEPTH: 8, "Average_Request_Size": 16},
    ),
    "cache for reads, too": (
        {CACHING: "WRITE_READ_CACHE", "Read_Percentage": 70, DEPTH: 4, "Working_Set_Percentage": 1},
    ),
    "parts of pages": (
        {
            "Read_Percentage": 50,
            DEPTH: 8,
            "Average_Request_Size": 12,
            "Generated_Aligned_Addresses": "false",
            "Working_Set_Percentage": 2,
        },
    ),
    "sizes normally distributed": (
        {
            "Read_Percentage": 50,
            DEPTH: 2,
            "Request_Size_Distribution": "NORMAL",
            "Average_Request_Size": 24,
            "Variance_Request_Size": 3,
        },
    ),
}
TWO: Flows = ({DEPTH: 4}, {DEPTH: 2, "Seed": 11, **WRITES})
QUICK = (
    "random reads, depth 16",
    "random writes, depth 4",
    "70 % reads, depth 8",
    "sequential reads, depth 4",
)
TRACES = {
    "tpcc-small": Trace("ms-tpcc-small.trace.gz", quick=True),
    "wsrch-small": Trace("ms-wsrch-small.trace.gz"),
}


def cases(full: bool) -> Iterable[Case]:
    """Quick: one of each kind, and the shipped trace that is at hand."""
    for name in traces.at_hand(TRACES, full):
        yield Case("shipped", name, {"trace": name}, cost=3.0)
    for name in SYNTHETIC:
        if full or name in QUICK:
            yield Case("synthetic", name, {"flows": SYNTHETIC[name]})
    if full:
        for name, flows in OTHERS.items():
            yield Case("others", name, {"flows": flows})
        for op, name in (("read", "two flows, the reads"), ("write", "two flows, the writes")):
            yield Case("others", name, {"flows": TWO, "op": op})


def run(case: Case, full: bool) -> Finding:
    """Run one scenario; the mean response time in us."""
    del full
    with TemporaryDirectory(prefix="floatgate-") as folder:
        if case.exhibit == "shipped":
            name = case.parameters["trace"]
            drive = write_drive(Path(folder), SHIPPED_BLOCKS, {})
            workload = write_workload(Path(folder), {"File_Path": _plain(name, Path(folder))})
            return Finding(_mean_us(drive, workload))
        drive = write_drive(Path(folder), BLOCKS, case.parameters.get("drive", {}))
        workload = write_workload(Path(folder), *case.parameters["flows"])
        return Finding(_mean_us(drive, workload, case.parameters.get("op")))


def _mean_us(drive: Path, workload: Path, op: str | None = None) -> float:
    host: Any = simulate_files(drive, workload, check=True).host
    kinds = [kind for kind in (host.read, host.write) if kind.requests] if op is None else [host[op]]
    total = sum(kind.requests * kind.latency_ns.mean for kind in kinds)
    return float(total / sum(kind.requests for kind in kinds) / 1e3)


def _plain(name: str, folder: Path) -> str:
    """Lay the trace out as MQSim reads it, and give its path."""
    path = folder / f"{name}.trace"
    with gzip.open(TRACES[name].path) as packed, path.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    return str(path)
