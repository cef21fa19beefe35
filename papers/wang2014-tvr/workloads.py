"""The workloads of the drive half: real traces where they are at hand, and synthetic volumes."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floatgate.reproduce import Trace, traces
from floatgate.reproduce.traces import Piece

DEPTH = 100  # drives/disksim-ssd.toml: the controller's queue
REQUESTS = {False: 5_000, True: 50_000}  # of a volume
OWN_TIMES = 50_000  # in either form, of a volume at its own times: of hm_1's, one in twenty is a write
# Writes of MSR volumes come in flushes: of 18 to 23 requests, weighted by writes, 3 to 13 us apart, in hm_0,
# hm_1, rsrch_0 and rsrch_1 (papers/li2016-agcr, exhibit `flushes`). With this mean the weighted one is 19.
FLUSHES: Mapping[str, Any] = {"write_burst": 10, "write_burst_gap": "10us"}

# prxy_0 first: the poster names proxies as what overwrites most.
VOLUMES = ("prxy_0", "hm_1", "src1_0", "hm_0", "prn_0", "stg_1", "usr_0", "wdev_0")
QUICK_VOLUMES = 3

TRACES: dict[str, Trace] = {
    "MSR hm_0, slice": Trace("msr-hm_0-slice.csv.gz", quick=True),
    "MSR hm_0, 20:80": Trace("msr-window-rw20_80.trace.gz", {"trace_format": "ms-offset"}, quick=True),
    "UMass Financial1": Trace(
        "umass-financial1-first50k-pages.trace.gz", {"trace_format": "diskpages"}, quick=True, cost=3
    ),
    "FIU mail": Trace("fiu-mail-10k.blkparse.gz", quick=True),
    "CloudPhysics": Trace("cloudphysics-vscsi-2h.csv.gz", cost=12),
    "web server": Trace("derived-linux-webserver-2-no-repeats.load.gz", cost=10),
    "SQL Server": Trace("blkreplay-windows-mssql.load.gz", cost=5),
    "Postmark": Trace("disksim-ssd-postmark.trace.gz", {"trace_format": "disksim"}, cost=30),
}

PIECES: dict[str, Piece] = {
    "MSR hm_0, slice after the sample that ends 22 s before": Piece(
        Trace("msr-hm_0-slice.csv.gz", quick=True), Trace("msr-hm_0-first-sample.csv.gz"), 1000
    ),
    "UMass Financial1, second half": Piece(
        Trace("umass-financial1-first50k-pages.trace.gz", {"trace_format": "diskpages"}, quick=True, cost=3)
    ),
    "MSR rsrch_1, second half of the week": Piece(Trace("msr-rsrch_1.csv.gz")),
    "MSR wdev_1, second half of the week": Piece(Trace("msr-wdev_1.csv.gz", quick=True)),
}


def at_hand(full: bool) -> dict[str, Trace]:
    """Return the traces that are there; say which are not."""
    found = traces.at_hand(TRACES, full)
    missing = {name: trace for name, trace in TRACES.items() if (full or trace.quick) and name not in found}
    if missing:
        folder = next(iter(missing.values())).path.parent
        print(f"wang2014-tvr: left out, no trace in {folder}: {', '.join(missing)}", file=sys.stderr)
    return found


def volume(name: str, full: bool, **changes: Any) -> str:
    """Return the synthetic volume as a workload: what is not published at its default, but for flushes."""
    arrivals = {} if "depth" in changes else FLUSHES  # a closed loop has none
    return traces.volume(name, **{"requests": REQUESTS[full], **arrivals, **changes})


@dataclass(frozen=True)
class Source:
    """A workload whose requests can be made to arrive faster or slower."""

    case: Mapping[str, Any]
    full: bool

    def saturated(self) -> tuple[Any, dict[str, Any]]:
        """Return it with as many requests outstanding as the drive's queue holds, at any times."""
        if "trace" in self.case:
            return self._trace(as_fast_as_possible=True, depth=DEPTH)
        return volume(self.case["volume"], self.full, depth=DEPTH), {}

    def natural(self) -> tuple[Any, dict[str, Any]]:
        """Return it at its own times."""
        if "trace" in self.case:
            return self._trace()
        return volume(self.case["volume"], self.full), {}

    def twice(self) -> tuple[Any, dict[str, Any]]:
        """Return twice as much of it at its own times: a trace is a cut, and is played again."""
        if "trace" in self.case:
            alone = {"as_fast_as_possible": True, "depth": self.case["depth"]} if "depth" in self.case else {}
            return self._trace(loop=2, **alone)
        changes = {key: self.case[key] for key in ("write_burst",) if key in self.case}
        return volume(self.case["volume"], self.full, requests=2 * OWN_TIMES, **changes), {}

    def at(self, requests_per_s: float, natural_per_s: float) -> tuple[Any, dict[str, Any]]:
        """Return it at another rate: a trace's times are divided, a volume's arrivals drawn at that rate."""
        if "trace" in self.case:
            return self._trace(speedup=requests_per_s / natural_per_s)
        return volume(self.case["volume"], self.full, requests_per_s=requests_per_s), {}

    def _trace(self, **options: Any) -> tuple[Any, dict[str, Any]]:
        trace = TRACES[self.case["trace"]]
        return trace.path, {"compact": True, **trace.options, **options}
