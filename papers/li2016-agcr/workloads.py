"""The workloads: real traces where they are at hand, and twelve synthetic volumes."""

from pathlib import Path
from typing import Any

from floatgate.reproduce import Trace, traces
from floatgate.reproduce.traces import Piece

DRIVE = Path(__file__).with_name("drive.toml")
FILL = 0.7  # of the drive holds data before a trace begins
REGULATORS = {
    "MCW/MCR": "mcw-mcr",
    "HCW/LCR": "hcw-lcr",
    "LCW/HCR": "lcw-hcr",
    "Li et al.": "li-queue",
    "Wu et al.": "wu-slack",
    "retention relaxation": "retention-relaxation",
    "TVR": "tvr",
    "AGCR": "agcr",
}

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


# Where the reads were left out, or hardly are any: how writes arrive, and no more.
WRITTEN: dict[str, Trace] = {
    "MSR rsrch_1, the week": Trace("msr-rsrch_1.csv.gz"),
    "MSR wdev_1, the week": Trace("msr-wdev_1.csv.gz"),
    "MSR hm_1": Trace("msr-hm_1-writes-only.csv.gz"),
    "MSR mds_0": Trace("msr-mds_0-writes-only-head.csv.gz"),
    "MSR rsrch_0": Trace("msr-rsrch_0-head.csv.gz"),
}

PIECES: dict[str, Piece] = {
    "MSR hm_0, slice after the sample that ends 22 s before": Piece(
        Trace("msr-hm_0-slice.csv.gz", quick=True), Trace("msr-hm_0-first-sample.csv.gz"), 1000
    ),
    "UMass Financial1, second half": Piece(
        Trace("umass-financial1-first50k-pages.trace.gz", {"trace_format": "diskpages"}, cost=3)
    ),
    "MSR rsrch_1, second half of the week": Piece(Trace("msr-rsrch_1.csv.gz")),
    "MSR wdev_1, second half of the week": Piece(Trace("msr-wdev_1.csv.gz", quick=True)),
}


def at_hand(full: bool) -> dict[str, Trace]:
    """Return the traces that are there."""
    return traces.at_hand(TRACES, full)


def volume(name: str, full: bool, **changes: Any) -> str:
    """Return the synthetic volume as a workload: what is not published at its default."""
    return traces.volume(name, **{"requests": 100_000 if full else 10_000, **changes})
