"""Synthetic volumes from the command: listed, written, run, and never taken for recordings."""

import json
from pathlib import Path

import pytest

from conftest import Command
from floatgate.errors import InputError
from floatgate.inputs.workload import resolve
from floatgate.options import TraceOptions


def test_the_twelve_are_listed_with_sources(floatgate: Command) -> None:
    done = floatgate("trace", "volumes")
    assert done.stdout.startswith("SYNTHETIC")
    known = json.loads(floatgate("trace", "volumes", "--json").stdout)
    assert len(known["volumes"]) == 12
    for volume in known["volumes"]:
        assert f"volume:{volume['name']} " in done.stdout
        for key in ("requests", "reads", "mean_bytes", "distinct"):
            assert len(volume[key]["source"]) >= 10
    one = floatgate("trace", "volumes", "prn_0").stdout
    assert one.startswith("SYNTHETIC")
    for parameter in known["parameters"]:
        assert f"\n{parameter['name']} " in one
    wrong = floatgate("trace", "volumes", "prn0")
    assert (wrong.returncode, "did you mean prn_0?" in wrong.stderr) == (2, True)


def test_a_volume_is_written_as_msr_and_described_like_the_file(floatgate: Command, tmp_path: Path) -> None:
    volume, out = "volume:usr_0,requests=3000,interleaved=0.2", tmp_path / "usr.csv"
    assert floatgate("trace", "convert", volume, str(out)).returncode == 0
    first = out.read_text(encoding="utf-8").splitlines()[0].split(",")
    assert first[1:3] == ["synthetic-usr", "0"]
    found = json.loads(floatgate("trace", "info", volume, str(out), "--format", "json").stdout)
    assert found[0]["access"] == found[1]["access"]
    assert (found[0]["format"], found[1]["format"]) == ("synthetic", "msr")
    again = floatgate("trace", "convert", volume, str(out))
    assert (again.returncode, "expected a new file" in again.stderr) == (2, True)
    other = tmp_path / "other.csv"
    assert floatgate("trace", "convert", volume, str(other), "--seed", "2").returncode == 0
    assert other.read_text() != out.read_text()


def test_a_run_says_that_it_is_synthetic(floatgate: Command, tmp_path: Path) -> None:
    volume = "volume:wdev_0,requests=3000,requests_per_s=5000"
    done = floatgate("run", "bench-256g", volume, "--out", "o")
    assert done.returncode == 0, done.stderr
    assert "SYNTHETIC" in done.stdout
    assert "SYNTHETIC" in done.stderr
    document = json.loads((tmp_path / "o" / "run.json").read_text(encoding="utf-8"))
    assert document["workload"]["format"] == "synthetic"
    assert document["workload"]["notes"]["synthetic"].startswith("SYNTHETIC")
    assert document["workload"]["notes"]["requests"] == "3000 (given)"
    assert "assumed" in document["workload"]["notes"]["skew"]
    assert "SYNTHETIC" in (tmp_path / "o" / "report.html").read_text(encoding="utf-8")
    assert floatgate("run", "o/run.json", "--out", "again").returncode == 0
    again = json.loads((tmp_path / "again" / "run.json").read_text(encoding="utf-8"))
    assert again["host"] == document["host"]


@pytest.mark.parametrize(
    ("volume", "message"),
    [
        ("volume:prn0", 'no volume "prn0"'),
        ("volume:prn_0,interleved=0.1", 'did you mean "interleaved"?'),
        ("volume:prn_0,skew=9", "skew=9: expected a number from 0"),
        ("volume:src1_0,size=64KiB", "fit=0.9"),
    ],
)
def test_what_is_wrong_is_one_line(floatgate: Command, volume: str, message: str) -> None:
    done = floatgate("run", "bench-256g", volume)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_options_of_traces_are_refused(floatgate: Command) -> None:
    with pytest.raises(InputError, match="synthetic volume"):
        resolve("volume:prn_0", TraceOptions(wrap=True))
    done = floatgate("trace", "info", "volume:prn_0,requests=1000", "--sort")
    assert (done.returncode, "is synthetic" in done.stderr) == (2, True)
    with pytest.raises(InputError, match="did you mean volume:prn_0"):
        resolve("volumeprn_0")
    assert resolve("volume:prn_0,skew=0.5").stem == "volume-prn_0,skew=0.5"
