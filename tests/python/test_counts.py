"""Do the rows of requests.parquet that count agree with run.json: by operation and job, in bytes and time?"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from test_run import SMALL, trace_lines

OPS = ("read", "write", "trim", "flush")
MIXED = (
    "fio --name=all --rw=randrw --bs=4k --iodepth=8 --ioengine=libaio --size=64m --number_ios=2000 --fsync=50"
)
JOBS = """\
[global]
ioengine=libaio
iodepth=4
size=32m
ramp_time=2ms
time_based
runtime=20ms
[reader]
rw=randread
bs=8k
[writer]
rw=randwrite
bs=4k
numjobs=2
[trimmer]
rw=randtrim
bs=64k
"""
WORN = {"nand.bad_blocks.program_fail_ratio": 0.2}

CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "one job": (MIXED, {}),
    "a ramp": (MIXED + " --ramp_time=3ms", {}),
    "several jobs and a ramp": ("jobs.fio", {}),
    "several jobs, a ramp and a limit of requests": ("jobs.fio", {"limit_requests": 700}),
    "several jobs, a ramp and a limit of time": ("jobs.fio", {"limit_time": "9ms"}),
    "a limit of requests": (MIXED, {"limit_requests": 777}),
    "a loop": (MIXED, {"loop": 3}),
    "a loop of jobs and a limit": ("jobs.fio", {"loop": 2, "limit_requests": 5000}),
    "a trace": ("mixed.csv", {}),
    "a trace, looped, with a limit of time": ("mixed.csv", {"loop": 2, "limit_time": "400ms"}),
    "a worn drive": (MIXED, {"loop": 20, "set": WORN}),
}


def _where(table: Mapping[str, list[int]], column: str, value: int) -> dict[str, list[int]]:
    """The rows whose column has that value."""
    rows = [row for row, found in enumerate(table[column]) if found == value]
    return {name: [values[row] for row in rows] for name, values in table.items()}


def _counted(table: Mapping[str, list[int]]) -> dict[str, dict[str, int]]:
    """Requests and bytes of each operation, and how many failed."""
    found = {op: {"requests": 0, "bytes": 0, "failed": 0, "min": 1 << 62, "max": 0} for op in OPS}
    columns = ("op", "failed", "bytes", "arrive_ns", "complete_ns")
    for op, failed, size, arrive, complete in zip(*(table[name] for name in columns), strict=True):
        of = found[OPS[op]]
        of["failed"] += failed
        if not failed:
            of["requests"] += 1
            of["bytes"] += size
            of["min"] = min(of["min"], complete - arrive)
            of["max"] = max(of["max"], complete - arrive)
    return found


def _agrees(rows: Mapping[str, int], latency: Mapping[str, float]) -> None:
    """The least and the greatest latency: within a level of the histogram, and none below what was seen."""
    assert rows["min"] <= latency["min"] <= 1.02 * rows["min"]
    assert rows["max"] == pytest.approx(latency["max"], rel=0.02)


@pytest.mark.parametrize("case", CASES)
def test_rows_that_count_are_what_is_counted(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("small.toml").write_text(SMALL)
    Path("mixed.csv").write_text("".join(trace_lines(3000)))
    Path("jobs.fio").write_text(JOBS)
    workload, options = CASES[case]
    run = fg.run("small.toml", workload, requests=True, check=True, **options)
    rows = run.requests()
    counts = _where(rows.to_pydict(), "measured", 1)
    found, host = _counted(counts), run.host.to_dict()
    assert len(counts["op"]) > 100, "nothing was measured"
    if "ramp" in case:
        assert len(counts["op"]) < rows.num_rows, "the ramp counts"
    for op in OPS:
        assert found[op]["requests"] == host[op]["requests"] == host["completed"][op], op
        assert found[op]["bytes"] == host[op]["bytes"], op
        assert found[op]["failed"] == host["failed"][op], op
        if found[op]["requests"]:
            _agrees(found[op], host[op]["latency_ns"])
    for tag, job in enumerate(run.document.to_dict()["jobs"]):
        of_job = _counted(_where(counts, "tag", tag))
        for op in OPS[:3]:
            figures = job[op] or {"requests": 0, "bytes": 0}
            assert of_job[op]["requests"] == figures["requests"], (job["name"], op)
            assert of_job[op]["bytes"] == figures["bytes"], (job["name"], op)
            if of_job[op]["requests"]:
                _agrees(of_job[op], figures["latency_ns"])
    if case == "a worn drive":
        assert host["failed"]["write"] > 0, "no write failed: the case shows nothing"
