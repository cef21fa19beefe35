"""fio's command line, variables, result bins and logs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from conftest import Command, one_line_error
from floatgate import _core
from floatgate.errors import InputError
from floatgate.inputs.fio import is_command, translate
from floatgate.inputs.fio.bins import bins, index, value
from floatgate.inputs.fio.logs import Asked, LogSink, wanted
from floatgate.inputs.workload import resolve


def test_a_command_line_becomes_a_job_file() -> None:
    text = translate("fio --bs 4k --name=a --rw=randread --time_based --name=b --output=x -rw=write").text
    lines = ["[global]", "bs=4k", "[a]", "rw=randread", "time_based", "[b]", "rw=write"]
    assert text.splitlines() == lines
    assert translate("fio --name=a --output-format=json --minimal").notes == (
        "no effect on a raw drive: output-format, minimal",
    )


def test_job_files_among_the_words_follow(tmp_path: Path) -> None:
    job = tmp_path / "j.fio"
    job.write_text("[global]\nbs=8k\n[one]\nrw=read\n[two]\nrw=write\n")
    text = translate(f"fio --size=1m {job} --section=two").text
    told = [line for line in text.splitlines() if line]
    assert told == ["[global]", "size=1m", "[global]", "bs=8k", "[two]", "rw=write"]
    with pytest.raises(InputError, match="no such file"):
        translate(f"fio {tmp_path / 'none.fio'}")


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("fio --version", "fio command line: --version: a version is no job"),
        ("fio --bs 4k", "fio command line: no job: expected --name=JOB"),
        ("fio --name=", "expected a job's name"),
        ("fio --name=x --filename=a#b", "a comment's sign"),
        (
            "fio --name=x --rw write --readonly",
            "fio command line: --rw write: beside --readonly: expected rw=read",
        ),
        ("fio --name='x", "expected words as a shell reads them"),
    ],
)
def test_what_is_no_job_is_one_line(command: str, said: str) -> None:
    with pytest.raises(InputError, match=said) as error:
        translate(command)
    assert "\n" not in str(error.value)


# Each kind of error that a job's text can have: an option, and whether the error is about the whole job.
_WRONG = [
    ("bs=4q", False),
    ("bs=1000", False),
    ("size=", False),
    ("rw=rondread", False),
    ("ioengine=libaoi", False),
    ("ioengine=net", False),
    ("filename=/dev/null", False),
    ("numjobs=$ncpus", False),
    ("iodepth", False),
    ("iodpeth=4", False),
    ("nosuchthing", False),
    ("zonemode=zbd", True),
    ("opendir=/tmp", False),
    ("cpuload=5", False),
    ("bs=${BS}", False),
    ("bs=${BS", False),
    ("r+w=read", False),
    ("random_generator=lfsr rw=randread bssplit=4k/50:8k/50", True),
    ("rate=1m rate_iops=7", True),
    ("wait_for=other", True),
    ("numjobs=4096 name=y", True),
    ("filename=/dev/sda:other", True),
    ("size=1t", True),
    ("nrfiles=1000000 numjobs=4000 size=1t", True),
]


@pytest.mark.parametrize(("options", "of_the_job"), _WRONG)
def test_an_error_names_the_line_of_a_file_and_the_words_of_a_command(
    tmp_path: Path, options: str, of_the_job: bool
) -> None:
    def refused(workload: str) -> str:
        with pytest.raises(InputError) as error:
            _core.fio_check(resolve(workload).to_json(), 1 << 30)
        return str(error.value)

    job = tmp_path / "j.fio"
    words = options.split()
    # The second job shows that it is not always the first line.
    lines = ["[global]", "size=1m", "[x]", *(word.replace("name=y", "[y]") for word in words)]
    job.write_text("\n".join(lines) + "\n")
    in_file, said_of_file = refused(str(job)).split(": ", 1)
    number = int(in_file.removeprefix(f"{job}:"))
    assert lines[number - 1].startswith("[") == of_the_job
    written = ["--size=1m", "--name=x", *(f"--{word}" for word in words)]
    said = refused("fio " + " ".join(written))
    # One word for each line; `[global]` has none.
    assert re.match(rf"fio command line: {re.escape(written[number - 2])}[: ]", said)
    assert said.partition(": expected ")[2] == said_of_file.partition(": expected ")[2]


def test_a_value_of_its_own_word_is_named_as_it_was_typed() -> None:
    with pytest.raises(InputError, match=r"fio command line: -bs 4q: expected a size"):
        _core.fio_check(resolve("fio --name=x -bs 4q --rw read").to_json(), 1 << 30)


def test_an_error_in_a_job_file_of_a_command_names_its_line(tmp_path: Path) -> None:
    job = tmp_path / "j.fio"
    job.write_text("[a]\nrw=read\n[b]\nbs=4q\n")
    with pytest.raises(InputError, match=f"{job}:4: bs=4q: expected a size"):
        _core.fio_check(resolve(f"fio --size=1m {job} --section=b").to_json(), 1 << 30)


def test_commands_are_told_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert is_command("fio --name=x")
    assert is_command("/usr/bin/fio j.fio")
    assert not is_command("fio")
    assert not is_command("my-fio --name=x")
    assert not is_command("trace.csv")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fio job.fio").write_text("[j]\nrw=read\n")
    assert not is_command("fio job.fio")


def test_bins_are_those_of_fio() -> None:
    # By fio 3.33's stat.c: below 128 each ns, then 64 to a power of two, by their middles.
    assert [value(index(ns)) for ns in (0, 1, 127, 128, 129, 130)] == [0, 1, 127, 129, 129, 131]
    assert value(index(1_000_000)) == 999_424 + 4_096
    assert index(10**15) == 29 * 64 - 1
    assert bins([(100, 2), (128, 1), (129, 3)]) == {"100": 2, "129": 4}
    for ns in range(1, 1 << 20, 997):
        assert abs(value(index(ns)) - ns) <= max(ns / 64, 1)


def test_a_command_line_runs(floatgate: Command, tmp_path: Path) -> None:
    command = (
        "fio --name=x --rw=randread --bs=4k --size=4m --ioengine=libaio --iodepth=4"
        " --write_lat_log=x --write_bw_log --write_iops_log=x --log_avg_msec=1 --log_offset=1"
    )
    done = floatgate("run", "slc", command, "--format", "fio-json", "--no-report", "--out", "o")
    assert done.returncode == 0, done.stderr
    job = json.loads(done.stdout)["jobs"][0]
    assert job["jobname"] == "x"
    assert job["job options"]["rw"] == "randread"
    assert job["read"]["total_ios"] == 1024 == sum(job["read"]["clat_ns"]["bins"].values())
    logs = {path.name: path.read_text().splitlines() for path in (tmp_path / "o" / "fio-logs").iterdir()}
    assert set(logs) == {f"x_{kind}.1.log" for kind in ("bw", "iops", "slat", "clat", "lat")}
    rows = [[int(part) for part in line.split(",")] for line in logs["x_iops.1.log"]]
    assert all(len(row) == 6 and row[2:] == [0, 0, 0, 0] for row in rows)
    seconds = [row[0] / 1000 for row in rows]
    assert sum(row[1] * length for row, length in zip(rows, _lengths(seconds), strict=True)) == pytest.approx(
        1024, rel=0.02
    )
    again = floatgate("run", "o/run.json", "--no-report", "--out", "p")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "p" / "fio-logs" / "x_lat.1.log").read_text().splitlines() == logs["x_lat.1.log"]


def _lengths(ends: list[float]) -> list[float]:
    return [end - before for before, end in zip([0.0, *ends[:-1]], ends, strict=True)]


def test_a_job_that_a_slow_request_ended_says_so(floatgate: Command) -> None:
    command = "fio --name=x --rw=randread --size=4m --max_latency="
    ended = floatgate("run", "slc", command + "1us", "--no-report", "--out", "o")
    assert ended.returncode == 0, ended.stderr
    assert "at a request that took longer than max_latency: x: ended after" in ended.stdout
    whole = floatgate("run", "slc", command + "1s", "--no-report", "--out", "p")
    assert "max_latency:" not in whole.stdout


def test_variables_are_given_on_the_command_line(floatgate: Command, tmp_path: Path) -> None:
    (tmp_path / "j.job").write_text("[j]\nrw=read\nbs=${BS}\nsize=1m\n")
    run = ("run", "slc", "j.job", "--no-report", "--out")
    assert floatgate(*run, "a", "--env", "BS=8k").returncode == 0
    document = json.loads((tmp_path / "a" / "run.json").read_text())
    assert document["host"]["read"]["requests"] == 128
    assert floatgate("run", "a/run.json", "--no-report", "--out", "b").returncode == 0
    assert "j.job:3: ${BS} has no value" in one_line_error(floatgate(*run, "c"))
    assert "--env SIZ" in one_line_error(floatgate(*run, "c", "--env", "BS=8k", "--env", "SIZ=1"))
    assert "BS is given twice" in one_line_error(floatgate(*run, "c", "--env", "BS=8k", "--env", "BS=4k"))
    assert "expected NAME=VALUE" in one_line_error(floatgate(*run, "c", "--env", "BS"))
    other = floatgate("run", "slc", "random-read", "--env", "BS=8k")
    assert "random-read is no fio job" in one_line_error(other)


def _batch(rows: list[tuple[int, int, int, int, int, int]]) -> Any:
    names = ("arrive_ns", "complete_ns", "op", "tag", "offset", "bytes")
    columns = {name: [row[at] for row in rows] for at, name in enumerate(names)}
    columns["measured"] = [1] * len(rows)
    return _core.Table([(name, "int64", "1", "") for name in columns], columns)


def test_logs_hold_each_request_or_the_means_of_windows(tmp_path: Path) -> None:
    ms = 1_000_000
    rows = [
        (0, ms, 0, 0, 4096, 4096),
        (ms, 3 * ms, 1, 0, 0, 8192),
        (3 * ms, 5 * ms, 0, 0, 512, 4096),
        (5 * ms, 25 * ms, 0, 0, 0, 4096),
    ]

    def lines(**options: Any) -> dict[str, list[str]]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        sink = LogSink(folder, [Asked(0, (("lat", "l"), ("bw", "b"), ("iops", "i")), **options)])
        sink.take(_batch(rows[:2]))
        sink.take(_batch(rows[2:]))
        sink.close()
        return {path.name: path.read_text().splitlines() for path in (folder / "fio-logs").iterdir()}

    each = lines(offset=True)
    assert each["l"] == [
        "1, 1000000, 0, 4096, 4096, 0",
        "3, 2000000, 1, 8192, 0, 0",
        "5, 2000000, 0, 4096, 512, 0",
        "25, 20000000, 0, 4096, 0, 0",
    ]
    assert each["b"][0] == "1, 4096, 0, 4096, 4096, 0"
    assert each["i"][0] == "1, 1, 0, 4096, 4096, 0"
    windows = lines(window_ms=10)
    assert windows["l"] == ["10, 1500000, 0, 0, 0", "10, 2000000, 1, 0, 0", "25, 20000000, 0, 0, 0"]
    assert windows["i"] == ["10, 200, 0, 0, 0", "10, 100, 1, 0, 0", "25, 200, 0, 0, 0"]
    assert windows["b"][0] == "10, 800, 0, 0, 0", "8192 bytes in 10 ms, in KiB/s"
    assert lines(window_ms=10, most=True)["l"][0] == "10, 2000000, 0, 0, 0"
    assert lines(window_ms=10, both=True, priority=True)["l"][0] == "10, 1500000, 2000000, 0, 0, 0x0000"


def test_the_histogram_log_counts_what_came_in_each_window(tmp_path: Path) -> None:
    ms = 1_000_000
    rows = [(at * ms, at * ms + 100, at % 2, 0, 0, 4096) for at in range(1, 30)]
    sink = LogSink(tmp_path, [Asked(0, (("clat_hist", "h"),), hist_ms=10, coarseness=2)])
    sink.take(_batch(rows))
    sink.close()
    lines = [line.split(", ") for line in (tmp_path / "fio-logs" / "h").read_text().splitlines()]
    # 100 ns are in bin 100, so in the 25th group of four.
    # As in fio an answer in the first millisecond starts no window.
    assert [line[:3] for line in lines] == [
        [ms, op, "4096"] for ms, op in (("11", "0"), ("12", "1"), ("21", "0"), ("22", "1"))
    ]
    assert all(len(line) == 3 + 29 * 64 // 4 for line in lines)
    assert [(line[3 + 25], sum(map(int, line[3:]))) for line in lines] == [
        ("6", 6),
        ("7", 7),
        ("5", 5),
        ("5", 5),
    ]


def test_logs_are_named_as_fio_names_them() -> None:
    job = {
        "name": "j",
        "clones": 2,
        "together": False,
        "options": {"write_lat_log": "1", "disable_slat": "1"},
    }
    last = {"name": "k", "clones": 3, "together": True, "options": {"write_bw_log": "d/b"}}
    found = wanted([job, last])
    assert [one.files for one in found] == [
        (("clat", "j_clat.1.log"), ("lat", "j_lat.1.log")),
        (("clat", "j_clat.2.log"), ("lat", "j_lat.2.log")),
        (("bw", "b_bw.3.log"),),
    ]
    job["options"] = {"write_iops_log": "x", "per_job_logs": "0"}
    assert {name for one in wanted([job]) for _, name in one.files} == {"x_iops.log"}
