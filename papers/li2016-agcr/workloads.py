"""The workloads: real traces where they are at hand, and twelve synthetic volumes."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

DRIVE = Path(__file__).with_name("drive.toml")
_ROOT = Path(__file__).resolve().parents[2]

VOLUMES = (
    "hm_0",
    "hm_1",
    "mds_0",
    "prn_0",
    "prn_1",
    "prxy_0",
    "rsrch_0",
    "src1_0",
    "stg_1",
    "ts_0",
    "usr_0",
    "wdev_0",
)


@dataclass(frozen=True)
class Trace:
    """A trace of `../shared/traces`, or of the folder that FLOATGATE_TRACES names."""

    file: str
    options: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    quick: bool = False  # small enough for the quick form
    cost: float = 1.0  # page accesses compared with the others


# All that hold reads and writes of real times in a usable number; see the README for those left out.
TRACES: dict[str, Trace] = {
    "MSR hm_0, slice": Trace("msr-hm_0-slice.csv.gz", quick=True),
    "MSR hm_0, 20:80": Trace("msr-window-rw20_80.trace.gz", {"trace_format": "ms-offset"}, quick=True),
    "MSR hm_0, 40:60": Trace("msr-window-rw40_60.trace.gz", {"trace_format": "ms-offset"}, quick=True),
    "UMass Financial1": Trace(
        "umass-financial1-first50k-pages.trace.gz", {"trace_format": "diskpages"}, cost=3
    ),
    "CloudPhysics": Trace("cloudphysics-vscsi-2h.csv.gz", cost=12),
    "web server": Trace("derived-linux-webserver-2-no-repeats.load.gz", cost=10),
    "SQL Server": Trace("blkreplay-windows-mssql.load.gz", cost=5),
    "Postmark": Trace("disksim-ssd-postmark.trace.gz", {"trace_format": "disksim"}, cost=30),
    "PCMark": Trace("pcmark.trace.gz", {"trace_format": "disksim"}, cost=20),
    "FIU mail": Trace("fiu-mail-10k.blkparse.gz", quick=True),
    "Nexus 5, film": Trace("nexus5-movie.txt.gz", {"sort": True}, quick=True),
    "DTRS": Trace("msps-dtrs-300s.trace.gz", {"trace_format": "dtrs"}, cost=25),
}


def folder() -> Path:
    """Where the traces are looked for."""
    return Path(os.environ.get("FLOATGATE_TRACES", _ROOT.parent / "shared" / "traces"))


def at_hand(full: bool) -> dict[str, Trace]:
    """Return the traces that are there."""
    return {
        name: trace
        for name, trace in TRACES.items()
        if (full or trace.quick) and (folder() / trace.file).is_file()
    }


def volume(name: str, full: bool, **changes: Any) -> str:
    """Return the synthetic volume as a workload: what is not published at its default."""
    settings = {"requests": 100_000 if full else 10_000, **changes}
    return ",".join([f"volume:{name}", *(f"{key}={value}" for key, value in settings.items())])
