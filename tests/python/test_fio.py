"""fio job files and generators on the real core."""

import json
from pathlib import Path

import pytest

import floatgate as fg
from conftest import Command, one_line_error
from ctrl_c import ctrl_c

PROGRESS = "floatgate.shell.console:RunProgress.update"
JOB = (
    "[global]\nbs=4k\nioengine=libaio\niodepth=8\n"
    "[mixed]\nrw=randrw\nrwmixread=50\nsize=64m\nnumber_ios=4000\n"
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "job.fio").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_job_file_runs(floatgate: Command, here: Path) -> None:
    result = floatgate("run", "slc", "job.fio", "--format", "fio-json", "--check", "--out", "o")
    assert result.returncode == 0, result.stderr
    job = json.loads(result.stdout)["jobs"][0]
    assert job["jobname"] == "mixed"
    assert job["read"]["total_ios"] + job["write"]["total_ios"] == 4000
    assert job["read"]["total_ios"] * 4096 == job["read"]["io_bytes"]
    document = json.loads((here / "o" / "run.json").read_text())
    assert document["workload"]["format"] == "fio"
    assert document["jobs"][0]["name"] == "mixed"


def test_a_result_holds_its_job_file(floatgate: Command, here: Path) -> None:
    assert floatgate("run", "slc", "job.fio", "--seed", "4", "--out", "a", "--no-report").returncode == 0
    (here / "job.fio").unlink()
    assert floatgate("run", "a/run.json", "--out", "b", "--no-report").returncode == 0
    first, second = (json.loads((here / out / "run.json").read_text()) for out in ("a", "b"))
    del first["engine"], second["engine"]
    assert first == second


def test_an_included_file_is_found_beside_the_job_file(floatgate: Command, here: Path) -> None:
    (here / "jobs").mkdir()
    (here / "jobs" / "common.fio").write_text("[global]\nbs=8k\n")
    (here / "jobs" / "job.fio").write_text("include common.fio\n[j]\nrw=write\nsize=1m\n")
    assert floatgate("run", "slc", "jobs/job.fio", "--out", "o", "--no-report").returncode == 0
    assert json.loads((here / "o" / "run.json").read_text())["host"]["write"]["requests"] == 128


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[job\nrw=read\n", "job.fio:1:"),
        ("rw=read\n", "job.fio:1:"),
        ("[job]\nrw=read\nsize=1m\nrwmixreed=3\n", "job.fio:4:"),
        ("[job]\nrw=raed\nsize=1m\n", "job.fio:2:"),
        ("[job]\nrw=read\nbs=4q\nsize=1m\n", "job.fio:3:"),
        ("[job]\nrw=read\nsize=900t\n", "expected no more than the drive's"),
        ("include nowhere.fio\n", "nowhere.fio"),
        ("", "job.fio"),
        ("\x00\x01\x02", "job.fio"),
    ],
    ids=["section", "no job", "key", "value", "size", "too large", "include", "empty", "binary"],
)
def test_a_faulty_job_file_is_one_line_and_no_result(
    floatgate: Command, here: Path, text: str, said: str
) -> None:
    (here / "job.fio").write_text(text)
    assert said in one_line_error(floatgate("run", "slc", "job.fio", "--out", "o"))
    assert not (here / "o").exists()


def test_generators_need_no_file(floatgate: Command, here: Path) -> None:
    result = floatgate("run", "slc", "random-write", "--limit-requests", "1000", "--no-report")
    assert result.returncode == 0, result.stderr
    document = json.loads((here / "out" / "slc-random-write" / "run.json").read_text())
    assert document["host"]["submitted"]["write"] == 1000
    assert "did you mean random-write?" in one_line_error(floatgate("run", "slc", "random-wrote"))


def test_the_lines_of_the_package_documentation(here: Path) -> None:
    run = fg.run("slc", "job.fio", seed=7, policies=[fg.gc.victim.DChoices(d=4)])
    assert run.waf is not None
    assert run.latency.read.p99
    assert run.document.config["ftl.gc.victim.d"] == 4


def test_ctrl_c_on_the_real_core(here: Path) -> None:
    (here / "long.fio").write_text(
        "[j]\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=8\nsize=1g\nruntime=1000000\ntime_based\n"
    )
    arguments = ("run", "slc", "long.fio", "--out", "o", "--check")
    result = ctrl_c(here, *arguments, method=PROGRESS, when="p: p.host_requests > 0")
    assert result.returncode == 130, result.stderr
    document = json.loads((here / "o" / "run.json").read_text())
    assert document["interrupted"] is True
    host = document["host"]
    assert host["submitted"]["write"] == host["completed"]["write"] > 0
    assert (here / "o" / "report.html").exists()


def test_two_passes_of_a_job_over_several_files_are_each_the_whole_job(
    floatgate: Command, here: Path
) -> None:
    # Three files of 42 blocks each, and two clones with a file of their own.
    (here / "files.fio").write_text(
        "[w]\nrw=randwrite\nbs=4k\nsize=512k\nnrfiles=3\n[r]\nrw=read\nbs=4k\nsize=128k\nnumjobs=2\n"
    )
    for passes in (1, 2):
        out = here / f"o{passes}"
        result = floatgate("run", "slc", "files.fio", "--loop", str(passes), "--check", "--out", str(out))
        assert result.returncode == 0, result.stderr
        found = json.loads((out / "run.json").read_text())
        asked = [(job["name"], (job.get("write") or job["read"])["requests"]) for job in found["jobs"]]
        assert asked == [("w", 126 * passes), ("r", 32 * passes), ("r", 32 * passes)]


def test_a_steady_state_ends_a_job_and_is_said(floatgate: Command, here: Path) -> None:
    (here / "steady.fio").write_text(
        "[j]\nrw=randread\nsize=1m\ntime_based\nruntime=100\nrate_iops=200\nss=iops:10%\nss_dur=3\nss_ramp=1\n"
    )
    said = floatgate("run", "slc", "steady.fio", "--out", "o", "--no-report")
    # The first tick after the ramp comes too early to count, as in fio: 3 s, 4 s, 5 s.
    line = "steadystate            attained=yes, bw=800KiB/s (819kB/s), iops=200, iops mean dev=0.000%"
    assert line in said.stdout, said.stdout + said.stderr
    found = json.loads((here / "o" / "run.json").read_text())["workload"]["steady_states"]
    assert [(one["job"], one["attained_after_ns"]) for one in found] == [("j", 5_000_000_000)]
    written = floatgate("run", "slc", "steady.fio", "--out", "p", "--no-report", "--format", "fio-json")
    state = json.loads(written.stdout)["jobs"][0]["steadystate"]
    assert (state["ss"], state["attained"], state["data"]["iops"]) == ("iops:10.000000%", 1, [200, 200, 200])
