"""The fio result: the shape that fio 3 writes, key by key, and its numbers against a small histogram."""

from pathlib import Path
from typing import Any

import pytest

from conftest import made_up_run
from floatgate.inputs.fio.steady import as_json, in_a_line, short
from floatgate.results.fio_json import PERCENTILES, fio_json, read_histograms
from floatgate.results.run import Run

# What fio 3's --output-format=json holds, by key and type; a dict is a nested object.
LATENCY = {"min": int, "max": int, "mean": float, "stddev": float, "N": int}
DIRECTION: dict[str, Any] = {
    **dict.fromkeys(
        ("io_bytes", "io_kbytes", "bw_bytes", "bw", "runtime", "total_ios", "short_ios", "drop_ios"), int
    ),
    "iops": float,
    "slat_ns": LATENCY,
    "clat_ns": LATENCY,
    "lat_ns": LATENCY,
    **dict.fromkeys(("bw_min", "bw_max", "bw_samples", "iops_min", "iops_max", "iops_samples"), int),
    **dict.fromkeys(("bw_agg", "bw_mean", "bw_dev", "iops_mean", "iops_stddev"), float),
}
JOB: dict[str, Any] = {
    "jobname": str,
    **dict.fromkeys(
        ("groupid", "job_start", "error", "eta", "elapsed", "job_runtime", "ctx", "majf", "minf"), int
    ),
    "job options": dict,
    "read": DIRECTION,
    "write": DIRECTION,
    "trim": DIRECTION,
    "sync": {"total_ios": int, "lat_ns": LATENCY},
    "usr_cpu": float,
    "sys_cpu": float,
    **dict.fromkeys(("iodepth_level", "iodepth_submit", "iodepth_complete"), dict),
    **dict.fromkeys(("latency_ns", "latency_us", "latency_ms"), dict),
    **dict.fromkeys(("latency_depth", "latency_target", "latency_window"), int),
    **dict.fromkeys(("latency_target_ns", "latency_window_us"), int),
    "latency_percentile": float,
}
TOP: dict[str, Any] = {
    "fio version": str,
    "timestamp": int,
    "timestamp_ms": int,
    "time": str,
    "global options": dict,
    "jobs": list,
    "disk_util": list,
}


def _conforms(value: Any, schema: Any, where: str = "") -> None:
    if isinstance(schema, dict):
        assert isinstance(value, dict), where
        for key, inner in schema.items():
            assert key in value, f"{where}.{key} is missing"
            _conforms(value[key], inner, f"{where}.{key}")
    else:
        assert type(value) is schema, f"{where} is {type(value)}, fio writes {schema}"


@pytest.fixture
def result(tmp_path: Path) -> dict[str, Any]:
    run = Run.open(made_up_run(tmp_path / "run"))
    return fio_json(run.document.to_dict(), read_histograms(run.latency_histogram()))


def test_the_shape_is_fios(result: dict[str, Any]) -> None:
    _conforms(result, TOP)
    assert result["fio version"].startswith("fio-3.")
    for job in result["jobs"]:
        _conforms(job, JOB)


def test_percentiles_are_keyed_and_ordered_as_fio_has_them(result: dict[str, Any]) -> None:
    percentiles = result["jobs"][0]["read"]["clat_ns"]["percentile"]
    assert list(percentiles) == [f"{p:.6f}" for p in PERCENTILES]
    assert list(percentiles.values()) == sorted(percentiles.values())


def test_the_latency_bins_hold_every_request(result: dict[str, Any]) -> None:
    job = result["jobs"][0]
    share = sum(sum(job[name].values()) for name in ("latency_ns", "latency_us", "latency_ms"))
    assert share == pytest.approx(100)


def test_numbers_by_hand() -> None:
    side = {"requests": 4, "bytes": 16384}
    document = {
        "version": "1",
        "simulated_ns": 2_000_000_000,
        "workload": {"name": "w.fio", "format": "fio"},
        "jobs": [{"name": "w"}],
        "host": {"read": side, "write": None, "trim": None, "flush": None},
    }
    job = fio_json(document, {"read": [(1000, 1), (3000, 2), (9000, 1)]})["jobs"][0]
    read = job["read"]
    assert job["jobname"] == "w"
    assert (read["io_bytes"], read["bw_bytes"], read["bw"], read["iops"]) == (16384, 8192, 8, 2.0)
    assert read["runtime"] == 2000
    # Mean (1 + 2 * 3 + 9) / 4 = 4 us; variance (9 + 1 + 1 + 25) / 4 = 9 us^2.
    assert read["lat_ns"] == {"min": 1000, "max": 9000, "mean": 4000.0, "stddev": 3000.0, "N": 4}
    percentiles = read["clat_ns"]["percentile"]
    assert [
        percentiles[key] for key in ("20.000000", "50.000000", "70.000000", "80.000000", "99.990000")
    ] == [
        1000,
        3000,
        3000,
        9000,
        9000,
    ]
    assert job["latency_us"]["2"] == 25.0  # fio's bin of 1 to 2 us
    assert job["latency_us"]["4"] == 50.0
    assert job["write"]["total_ios"] == 0


# Two runs of fio 3.33, and what it printed of them: null engine, 200 requests of 4 KiB a second.
STATE: dict[str, Any] = {
    "job": "j",
    "asked": "iops:10.000000%",
    "metric": "iops",
    "is_slope": False,
    "in_percent": True,
    "duration_s": 5,
    "attained": True,
    "attained_after_ns": 7_900_000_000,
    "criterion": 0.0,
    "max_deviation": 0.0,
    "slope": 0.0,
    "iops": [200, 200, 200, 200, 200],
    "bandwidth_bytes_per_s": [819200, 820020, 819200, 819200, 820020],
    "latency_ns": [0, 0, 0, 0, 0],
}


def test_a_steady_state_is_written_as_fio_writes_it() -> None:
    assert as_json(STATE) == {
        "ss": "iops:10.000000%",
        "duration": 5,
        "attained": 1,
        "criterion": "0.000000%",
        "max_deviation": 0.0,
        "slope": 0.0,
        "data": {
            "bw_mean": 819528,
            "iops_mean": 200,
            "iops": STATE["iops"],
            "bw": STATE["bandwidth_bytes_per_s"],
        },
    }
    latency = as_json(STATE | {"metric": "lat", "criterion": None, "latency_ns": [1000, 2000, 0, 0, 0]})
    assert (latency["data"]["lat_mean"], latency["data"]["lat_ns"][:2]) == (600, [1000, 2000])
    assert latency["criterion"] == "nan%"


def test_a_steady_state_is_a_line_of_fios_output() -> None:
    # fio says 800kB/s, the KiB under another name.
    said = "attained=yes, bw=800KiB/s (819kB/s), iops=200, iops mean dev=0.400%"
    assert in_a_line(STATE | {"criterion": 0.4}, {}) == said
    slope = STATE | {"metric": "bw", "is_slope": True, "in_percent": False, "attained": False}
    assert in_a_line(slope, {}).startswith("attained=no, ")
    assert in_a_line(slope, {}).endswith("bw slope=0.000")
    bits = in_a_line(STATE, {"unit_base": "1", "kb_base": "1000", "significant_figures": "5"})
    assert bits == "attained=yes, bw=6552kbit/s (6400Kibit/s), iops=200, iops mean dev=0.000%"
    assert "lat=12.3knsec, lat mean dev" in in_a_line(
        STATE | {"metric": "lat", "latency_ns": [12345] * 5}, {}
    )


def test_numbers_have_so_many_figures() -> None:
    # fio 3.42: num2str.
    numbers = (999, 9999, 12_345, 123_456, 1_234_567, 99_999_999, 19_996)
    assert [short(number, 4, 1000) for number in numbers] == [
        "999",
        "9999",
        "12.3k",
        "123k",
        "1235k",
        "100.0M",
        "20.0k",
    ]
    assert [short(number, 4, 1024, 1) for number in (4000, 40_000)] == ["4000Ki", "39.1Mi"]


def test_steady_states_stand_where_fio_has_them() -> None:
    document: dict[str, Any] = {
        "version": "1",
        "simulated_ns": 2_000_000_000,
        "workload": {"name": "w.fio", "format": "fio", "steady_states": [STATE]},
        "jobs": [{"name": "w"}],
        "host": {"read": None, "write": None, "trim": None, "flush": None},
    }
    found = fio_json(document, {})
    assert found["jobs"][0]["steadystate"]["attained"] == 1
    assert "steadystate" not in found["floatgate"]
    document["workload"] |= {"steady_states": [STATE, STATE | {"job": "k", "attained": False}]}
    found = fio_json(document, {})
    assert "steadystate" not in found["jobs"][0]
    assert [(one["jobname"], one["attained"]) for one in found["floatgate"]["steadystate"]] == [
        ("j", 1),
        ("k", 0),
    ]
