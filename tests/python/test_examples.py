"""The examples come along: they are listed, copied, and found from every folder."""

import compileall
import gzip
import json
import shutil
from pathlib import Path
from runpy import run_path

import pytest

import floatgate as fg
from conftest import Command, one_line_error
from floatgate.files import shipped
from floatgate.inputs.examples import copy, listed as examples_listed
from floatgate.plan import read_workload

ROOT = Path(__file__).parents[2]


def test_every_example_is_listed_with_what_it_is(floatgate: Command) -> None:
    done = floatgate("examples")
    assert done.returncode == 0
    listed = {line.split("  ")[0] for line in done.stdout.splitlines()}
    assert listed == {
        str(path.relative_to(ROOT)) for path in (ROOT / "examples").rglob("*") if path.is_file()
    }
    assert all(len(title.split()) > 3 for _, title in examples_listed())


def test_an_example_is_found_from_every_folder(floatgate: Command, tmp_path: Path) -> None:
    done = floatgate("run", "slc", "examples/fill-then-read.fio", "--limit-requests", "100", "--out", "o")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "o" / "run.json").read_text())
    assert document["workload"]["name"] == "examples/fill-then-read.fio"
    assert str(ROOT) not in json.dumps(document["workload"])
    done = floatgate("run", "slc", "examples/diskspd/read-then-write.xml", "--limit-requests", "100")
    assert done.returncode == 0, done.stderr
    assert read_workload(Path("examples/plan/tpc-c-2007.toml")).title.startswith("TPC-C")


def test_a_file_of_the_readers_own_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("examples/random-write.fio")
    assert shipped.here_or_example(path) == ROOT / path
    path.parent.mkdir()
    path.write_text("[own]\n")
    assert shipped.here_or_example(path) == path
    assert shipped.here_or_example(Path("examples/other.fio")) == Path("examples/other.fio")
    assert shipped.here_or_example(Path("examples")) == Path("examples")


def test_examples_are_copied_once(floatgate: Command, tmp_path: Path) -> None:
    assert floatgate("examples", "--copy", "here").returncode == 0
    assert (tmp_path / "here/examples/plan/tpc-c-2007.toml").is_file()
    assert "here/examples: exists" in one_line_error(floatgate("examples", "--copy", "here"))


def test_an_example_that_is_none_is_no_such_file(floatgate: Command) -> None:
    assert "examples/none.fio: no such file" in one_line_error(floatgate("run", "slc", "examples/none.fio"))


def test_the_trace_is_what_its_script_writes(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "traces"
    run_path(str(folder / "server.py"))["main"](str(tmp_path / "again.csv.gz"))
    again, shipped_one = (
        gzip.decompress(path.read_bytes()) for path in (tmp_path / "again.csv.gz", folder / "server.csv.gz")
    )
    assert again == shipped_one


def test_a_trace_among_the_examples_is_run_and_repeated_from_every_folder(
    floatgate: Command, tmp_path: Path
) -> None:
    trace = "examples/traces/server.csv.gz"
    done = floatgate("run", "small-tlc", trace, "--limit-requests", "300", "--out", "o", "--no-report")
    assert done.returncode == 0, done.stderr
    first = json.loads((tmp_path / "o" / "run.json").read_text())
    assert first["workload"]["name"] == trace
    assert str(ROOT) not in json.dumps(first["workload"])
    done = floatgate("run", "o/run.json", "--out", "p", "--no-report")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "p" / "run.json").read_text())["host"] == first["host"]
    assert floatgate("trace", "info", trace).returncode == 0


def test_what_pip_compiled_is_no_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed = tmp_path / "installed"
    shutil.copytree(shipped.examples(), installed)
    before = examples_listed()
    assert compileall.compile_dir(installed, quiet=1)
    monkeypatch.setattr(shipped, "examples", lambda: installed)
    assert examples_listed() == before
    copied = copy(tmp_path / "here")
    assert not list(copied.rglob("*.pyc"))
    assert (copied / "policies" / "mdc.py").is_file()


def test_the_data_centre_profile_answers_line_by_line(tmp_path: Path) -> None:
    """Rates of a larger drive do not pass, a percentile of too few requests is not answered."""
    profile = run_path(str(ROOT / "examples/ocp/profile.py"))
    load = profile["LOADS"][2]
    job = tmp_path / "job.fio"
    job.write_text(profile["jobs"](load, 0.01, 1))
    run = fg.run("small-tlc", job, precondition="instant", limit_requests=1000)
    said = {one.target: one.passes for one in profile["answers"](load, run, 0.01)}
    assert said["210 MiB/s read for each TB"] is True
    assert said["p99.99 of a read at most 5,000 us"] is None
    assert said["max of a read at most 15,000 us"] is True
    fast = {one.target: one.passes for one in profile["answers"](load, run, 3.0)}
    assert fast["210 MiB/s read for each TB"] is False
