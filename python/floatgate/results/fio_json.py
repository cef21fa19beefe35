"""A run in the shape of fio 3's `--output-format=json`, so that the tools that read that read this."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from floatgate.inputs.fio.bins import bins
from floatgate.inputs.fio.steady import as_json

PERCENTILES = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99)
_US_BINS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000)
_MS_BINS = (2, 4, 10, 20, 50, 100, 250, 500, 750, 1000, 2000)
# What stands below `floatgate`: a write amplification with what says whether it is settled.
_OWN = ("drive", "seed", "waf", "waf_bytes", "jobs", "interrupted")
_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
_COSTS = {"usr_cpu": 0.0, "sys_cpu": 0.0, "ctx": 0, "majf": 0, "minf": 0}  # of the simulated host

Histogram = list[tuple[int, int]]


def fio_json(document: dict[str, Any], histograms: dict[str, Histogram]) -> dict[str, Any]:
    """Return the fio result for a run and its latency histograms by kind of request.

    One job stands for the whole run; the jobs of a fio file appear by name under `floatgate.jobs`, since
    percentiles are kept for the run and not for each of them; so does the `steadystate` of each of several.
    Submission latency is 0: the simulated host hands a request over in no time, so `clat` equals `lat`.
    Latencies have the bins of fio's `json+` and the percentiles of `percentile_list`, each where
    `slat_percentiles`, `clat_percentiles` and `lat_percentiles` say so.
    """
    jobs = document["jobs"]
    lone = document["workload"]["format"] == "fio" and len(jobs) == 1
    name = jobs[0]["name"] if lone else document["workload"]["name"]
    runtime_ms = round(document["simulated_ns"] / 1e6)
    job: dict[str, Any] = {
        "jobname": name,
        "groupid": 0,
        "job_start": 0,
        "error": 0,
        "eta": 0,
        "elapsed": max(1, round(runtime_ms / 1000)),
        "job options": {"name": name, **_job_options(document)},
    }
    shown = _Shown.of(job["job options"])
    for kind in ("read", "write", "trim"):
        side = document["host"].get(kind)
        job[kind] = _direction(side, histograms.get(kind, []), document["simulated_ns"], shown)
    job["sync"] = {"total_ios": _requests(document, "flush"), "lat_ns": _latency(histograms.get("flush", []))}
    job |= {
        "job_runtime": runtime_ms,
        **_COSTS,
        "iodepth_level": dict.fromkeys(_DEPTHS, 0.0),
        "iodepth_submit": dict.fromkeys(("0", "4", "8", "16", "32", "64", ">=64"), 0.0),
        "iodepth_complete": dict.fromkeys(("0", "4", "8", "16", "32", "64", ">=64"), 0.0),
        **_latency_bins([pair for pairs in histograms.values() for pair in pairs]),
        "latency_depth": 0,
        "latency_target": 0,
        "latency_target_ns": 0,
        "latency_percentile": 100.0,
        "latency_window": 0,
        "latency_window_us": 0,
    }
    states = document["workload"].get("steady_states") or []
    if len(states) == 1:
        job["steadystate"] = as_json(states[0])
    own = {key: document.get(key) for key in _OWN}
    if len(states) > 1:
        own["steadystate"] = [{"jobname": state["job"], **as_json(state)} for state in states]
    return {
        "fio version": f"fio-3.42 (floatgate {document['version']})",
        "timestamp": 0,
        "timestamp_ms": 0,
        "time": "Thu Jan  1 00:00:00 1970",
        "global options": {},
        "jobs": [job],
        "disk_util": [],
        "floatgate": own,
    }


def _job_options(document: dict[str, Any]) -> dict[str, str]:
    """Return the options of a fio file's first job, its globals below them, as fio prints them: text.

    `iodepth` and `numjobs` are there even where the file leaves them at fio's default of 1, since tools sort
    results by them. Empty for a trace.
    """
    jobs = document["workload"].get("jobs")
    return {"iodepth": "1", "numjobs": "1"} | jobs[0]["options"] if jobs else {}


def _requests(document: dict[str, Any], kind: str) -> int:
    side = document["host"].get(kind)
    return side["requests"] if side else 0


@dataclass(frozen=True)
class _Shown:
    """Which latencies are given in detail: fio's options of those names."""

    slat: bool = False
    clat: bool = True
    lat: bool = False
    percentiles: tuple[float, ...] = PERCENTILES

    @classmethod
    def of(cls, options: Mapping[str, str]) -> "_Shown":
        def on(name: str, default: str) -> bool:
            return options.get(f"{name}_percentiles", default).strip().lower() in ("1", "true", "yes")

        given = options.get("percentile_list", "").split(":")
        try:
            listed = tuple(sorted(float(text) for text in given if text.strip()))
        except ValueError:
            listed = ()
        return cls(on("slat", "0"), on("clat", "1"), on("lat", "0"), listed or PERCENTILES)


def _direction(
    side: dict[str, Any] | None, histogram: Histogram, simulated_ns: int, shown: _Shown
) -> dict[str, Any]:
    """One of read, write, trim; all zero where nothing of it was done, as fio writes it."""
    requests = side["requests"] if side else 0
    total = (side.get("bytes") or 0) if side else 0
    seconds = simulated_ns / 1e9
    bandwidth = total / seconds if seconds else 0.0
    iops = requests / seconds if seconds else 0.0
    latency = _latency(histogram)
    none: Histogram = [(0, requests)] if requests else []

    def detailed(found: Histogram, wanted: bool) -> dict[str, Any]:
        if not wanted or not found:
            return {}
        return {"percentile": _percentiles(found, shown.percentiles), "bins": bins(found)}

    return {
        "io_bytes": total,
        "io_kbytes": total // 1024,
        "bw_bytes": round(bandwidth),
        "bw": round(bandwidth / 1024),
        "iops": iops,
        "runtime": round(simulated_ns / 1e6) if requests else 0,
        "total_ios": requests,
        "short_ios": 0,
        "drop_ios": 0,
        "slat_ns": {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0} | detailed(none, shown.slat),
        "clat_ns": latency | detailed(histogram, shown.clat),
        "lat_ns": latency | detailed(histogram, shown.lat),
        "bw_min": round(bandwidth / 1024),
        "bw_max": round(bandwidth / 1024),
        "bw_agg": 100.0 if requests else 0.0,
        "bw_mean": bandwidth / 1024,
        "bw_dev": 0.0,
        "bw_samples": 0,
        "iops_min": round(iops),
        "iops_max": round(iops),
        "iops_mean": iops,
        "iops_stddev": 0.0,
        "iops_samples": 0,
    }


def _latency(histogram: Histogram) -> dict[str, Any]:
    samples = sum(count for _, count in histogram)
    if not samples:
        return {"min": 0, "max": 0, "mean": 0.0, "stddev": 0.0, "N": 0}
    mean = sum(ns * count for ns, count in histogram) / samples
    variance = sum(count * (ns - mean) ** 2 for ns, count in histogram) / samples
    low, high = histogram[0][0], histogram[-1][0]
    return {"min": low, "max": high, "mean": mean, "stddev": variance**0.5, "N": samples}


def _percentiles(histogram: Histogram, percentiles: tuple[float, ...]) -> dict[str, int]:
    """The latencies below which the given percentages of requests lie, keyed as fio keys them."""
    samples = sum(count for _, count in histogram)
    found: dict[str, int] = {}
    seen, pairs = 0, iter(histogram)
    ns = 0
    for percentile in percentiles:
        while seen < percentile / 100 * samples:
            ns, count = next(pairs)
            seen += count
        found[f"{percentile:.6f}"] = ns
    return found


def _latency_bins(pairs: Histogram) -> dict[str, Any]:
    """The shares of requests in fio's fixed latency bins, in percent."""
    samples = sum(count for _, count in pairs) or 1

    def shares(bounds_ns: list[int], names: list[str], floor_ns: int) -> dict[str, float]:
        share = dict.fromkeys(names, 0.0)
        edges = [floor_ns, *bounds_ns]
        for name, low, high in zip(names, edges[:-1], edges[1:], strict=True):
            share[name] = 100 * sum(count for ns, count in pairs if low <= ns < high) / samples
        return share

    ns_bins = [2, 4, 10, 20, 50, 100, 250, 500, 750, 1000]
    milli = shares([edge * 1_000_000 for edge in _MS_BINS], [str(edge) for edge in _MS_BINS], 1_000_000)
    milli[">=2000"] = 100 * sum(count for ns, count in pairs if ns >= 2_000_000_000) / samples
    return {
        "latency_ns": shares(ns_bins, [str(edge) for edge in ns_bins], 0),
        "latency_us": shares([edge * 1000 for edge in _US_BINS], [str(edge) for edge in _US_BINS], 1000),
        "latency_ms": milli,
    }


def read_histograms(folder_table: Any) -> dict[str, Histogram]:
    """Return the histograms in a latency table (`latency.parquet`), by kind of request."""
    found: dict[str, Histogram] = {}
    columns = folder_table.to_pydict()
    for op, ns, requests in zip(columns["op"], columns["latency_ns"], columns["requests"], strict=True):
        found.setdefault(op, []).append((ns, requests))
    return found
