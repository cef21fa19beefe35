"""Compare short runs on drives with an SLC cache or a buffer, in settled states, with runs 20 times as long.

    .venv/bin/python benches/settled.py [--first 0] [--runs 20]

A row of the table says the drive, its settings, the job, how the state is made and how much of the capacity
the short run writes. What counts is IOPS, mean latencies and write amplification: a figure that is more than
5 % off the long run's must be flagged by a remark, or by an interval that holds the long run's.
"""

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any, Literal

import floatgate

TIMES = 20
OFF = 0.05

SMALL = {
    "geometry.channels": 2,
    "geometry.ways": 2,
    "nand.blocks_per_plane": 100,
    "nand.pages_per_block": 48,
    "nand.page_size": "4KiB",
}
CAPACITY = 4096 * 4 * 2 * 100 * 48  # bytes of cells of two planes: what is the user's is less


def _slc(**more: Any) -> dict[str, Any]:
    size = {"size": "4MiB"} if more.get("name", "static") == "static" else {}
    keys = {"name": "static", "when_full": "bypass"} | size | more
    return {f"ftl.slc_cache.{key}": value for key, value in keys.items()}


def _buffer(size: str, **more: Any) -> dict[str, Any]:
    return {"ftl.buffer.size": size} | {f"ftl.buffer.{key.replace('__', '.')}": v for key, v in more.items()}


_FOLD = _slc(when_full="fold-first")
_LRU = _buffer("2MiB", eviction__name="lru")
_READS = _LRU | {"ftl.buffer.read_cache": True}

# drive, settings, job, state, share of the capacity that the short run writes
State = Literal["instant", "steady", "workload"]
ROWS: list[tuple[str, dict[str, Any], str, State, float]] = [
    ("tlc", _slc(), "rw=randwrite iodepth=16", "instant", 0.05),
    ("tlc", _slc(), "rw=randwrite iodepth=16", "steady", 0.05),
    ("tlc", _slc(), "rw=randwrite iodepth=1", "workload", 0.05),
    ("tlc", _slc(), "rw=randrw rwmixread=70 iodepth=8", "instant", 0.05),
    ("tlc", _slc(), "rw=randrw rwmixread=50 iodepth=8 random_distribution=zipf:1.0", "workload", 0.1),
    ("tlc", _FOLD, "rw=randwrite iodepth=16", "instant", 0.05),
    ("tlc", _FOLD, "rw=randwrite iodepth=4", "steady", 0.1),
    ("tlc", _FOLD, "rw=randwrite iodepth=16 random_distribution=zipf:0.9", "workload", 0.1),
    ("tlc", _slc(name="dynamic", least="2MiB"), "rw=randwrite iodepth=16", "instant", 0.05),
    ("tlc", _slc(name="dynamic", least="2MiB", when_full="fold-first"), "rw=randwrite", "steady", 0.05),
    ("slc", _buffer("8MiB"), "rw=randwrite iodepth=16", "instant", 0.05),
    ("slc", _buffer("8MiB"), "rw=randrw rwmixread=50 iodepth=8", "instant", 0.05),
    (
        "slc",
        _buffer("4MiB"),
        "rw=randrw rwmixread=50 iodepth=8 random_distribution=zipf:1.1",
        "workload",
        0.05,
    ),
    ("slc", _buffer("4MiB"), "rw=randwrite iodepth=32 random_distribution=zipf:1.1", "workload", 0.1),
    ("slc", _LRU, "rw=randwrite iodepth=8 random_distribution=zipf:1.1", "workload", 0.1),
    ("slc", _LRU, "rw=randrw rwmixread=60 iodepth=4 random_distribution=zipf:1.1", "workload", 0.05),
    ("slc", _READS, "rw=randrw rwmixread=60 iodepth=4 random_distribution=zipf:1.1", "workload", 0.05),
    ("mlc", _buffer("8MiB"), "rw=randwrite iodepth=4", "steady", 0.05),
    ("mlc", _buffer("2MiB", write_back=False), "rw=randwrite iodepth=4", "instant", 0.05),
    ("tlc", _FOLD | _buffer("8MiB"), "rw=randrw rwmixread=30 iodepth=16", "workload", 0.1),
]


def _figures(document: dict[str, Any]) -> dict[str, float]:
    long_run = document["waf_long_run"] or {}
    found = {"waf": long_run.get("value") or document["waf"]}
    for kind in ("read", "write"):
        side = document["host"][kind]
        if side["requests"]:
            found |= {f"{kind} iops": side["iops"], f"{kind} mean": side["latency_ns"]["mean"]}
    return found


def _run(number: int, folder: Path, times: int) -> dict[str, Any]:
    drive, settings, job, state, share = ROWS[number]
    bits = {"slc": 1, "mlc": 2, "tlc": 3}[drive]
    settings = SMALL | {"nand.planes": 2, "ftl.op_ratio": 0.3} | settings
    settings |= {"nand.pages_per_block": 16 * bits}
    mixed = "rwmixread" in job
    reads = int(job.split("rwmixread=")[1].split()[0]) / 100 if mixed else 0.0
    written = CAPACITY * 16 * bits / 48 * share * times
    bytes_all = int(written / (1 - reads)) // 4096 * 4096
    lines = ["[w]", "bs=4k", "size=100%", "norandommap=1", "ioengine=libaio", *job.split()]
    lines.append(f"io_size={bytes_all}")
    path = folder / f"{number}.fio"
    path.write_text("\n".join(lines) + "\n")
    run = floatgate.run(drive, path, set=settings, seed=3 + times, precondition=state, report=False)
    found: dict[str, Any] = json.loads((run.folder / "run.json").read_text())
    return found


def _intervals(document: dict[str, Any]) -> dict[str, tuple[float, float]]:
    long_run = document["waf_long_run"] or {}
    found = {"waf": (long_run["low"], long_run["high"])} if long_run.get("value") else {}
    for kind in ("read", "write"):
        interval = document["host"][kind]["interval"]
        if interval:
            found |= {f"{kind} iops": interval["iops"], f"{kind} mean": interval["latency_ns"]["mean"]}
    return {name: bounds for name, bounds in found.items() if bounds}


def compare(number: int, folder: Path) -> tuple[dict[str, float], list[str], list[str], bool]:
    """Compare a short run and a long one.

    Return how far each figure is off, the figures that are far off and whose interval does not hold the long
    run's, the short run's remarks, and whether it was too short to say.
    """
    short, long = _run(number, folder, 1), _run(number, folder, TIMES)
    truth, bounds = _figures(long), _intervals(short)
    off = {name: value / truth[name] - 1 for name, value in _figures(short).items() if truth.get(name)}
    missed = [
        name
        for name, by in off.items()
        if abs(by) > OFF and not (name in bounds and bounds[name][0] <= truth[name] <= bounds[name][1])
    ]
    kinds = [remark["kind"] for remark in short["remarks"]]
    return off, missed, kinds, (short["waf_long_run"] or {}).get("value") is None


def main() -> None:
    """Go through the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=len(ROWS))
    parser.add_argument("--first", type=int, default=0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(asked.first, min(asked.first + asked.runs, len(ROWS))):
            off, missed, kinds, short = compare(number, Path(folder))
            far = {name: f"{100 * by:+.1f} %" for name, by in off.items()}
            why = "too short" if short else ""
            sys.stdout.write(f"{number:2} {far} outside the interval: {missed} {kinds} {why}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
