"""The command line on the stand-in core: exit codes, one-line errors, formats, Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import Command, in_process, one_line_error
from ctrl_c import ctrl_c

PROGRESS = "floatgate.shell.console:RunProgress.update"
RUN = ("run", "fake-tlc", "uniform-writes")


def test_a_run_leaves_its_folder_and_says_where(fake: Command, tmp_path: Path) -> None:
    result = fake(*RUN, "--seed", "7")
    assert result.returncode == 0, result.stderr
    out = tmp_path / "out" / "fake-tlc-uniform-writes"
    names = {path.name for path in out.iterdir()}
    assert names == {".floatgate.json", "run.json", "latency.parquet", "series.parquet", "report.html"}
    assert "wrote out/fake-tlc-uniform-writes/report.html" in result.stderr
    assert "write amplification" in result.stdout
    document = json.loads((out / "run.json").read_text())
    assert document["seed"] == 7
    assert document["interrupted"] is False
    assert document["energy_j"]["controller"] is None  # the tiny drive does not say what it draws
    assert document["energy_j"]["nand"] is None
    assert "series" not in document
    assert "histogram" not in document


def test_a_second_run_of_the_same_names_has_a_folder_of_its_own(fake: Command, tmp_path: Path) -> None:
    for name in ("fake-tlc-uniform-writes", "fake-tlc-uniform-writes-2"):
        result = fake(*RUN, "--no-report")
        assert result.returncode == 0, result.stderr
        assert f"wrote out/{name}\n" in result.stderr
        assert (tmp_path / "out" / name / "run.json").is_file()


def test_json_is_all_that_is_printed(fake: Command, tmp_path: Path) -> None:
    result = fake(*RUN, "--format", "json", "--no-report", "--out", "o")
    assert json.loads(result.stdout) == json.loads((tmp_path / "o" / "run.json").read_text())
    assert not (tmp_path / "o" / "report.html").exists()


def test_fio_json_is_printed(fake: Command) -> None:
    result = fake(*RUN, "--format", "fio-json", "--no-report")
    assert json.loads(result.stdout)["jobs"][0]["jobname"] == "uniform-writes"


def test_requests_and_timeline_are_written_while_the_run_goes_on(fake: Command, tmp_path: Path) -> None:
    assert fake(*RUN, "--requests", "--timeline", "--no-report", "--out", "o").returncode == 0
    requests = pq.read_table(tmp_path / "o" / "requests.parquet")
    assert requests.column_names == ["arrive_ns", "latency_ns", "op"]
    assert requests.num_rows == 41 * 100  # 40 slices and the rest
    pieces = (tmp_path / "o" / "timeline.perfetto-trace").read_bytes().split(b";")
    assert pieces == [*(b"piece %d" % step for step in range(1, 41)), b"piece 40", b""]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("run", "fake-tcl", "uniform-writes"), "fake-tcl: no such drive: expected one of fake-tlc"),
        (("run", "fake-tlc"), "WORKLOAD is missing"),
        (("run",), "Missing argument"),
        (("run", "fake-tlc", "uniform-wrtes"), "did you mean uniform-writes?"),
        (("run", "fake-tlc", "missing.fio"), "missing.fio: no such file"),
        (("run", "fake-tlc", "missing.csv.gz"), "missing.csv.gz: no such file"),
        (("run", "fake-tlc", "/"), "/: is a folder"),
        ((*RUN, "--sort"), "--sort: uniform-writes is a generator"),
        ((*RUN, "--seed", "x"), "--seed"),
        ((*RUN, "--seed", "-1"), "--seed"),
        ((*RUN, "--repeat", "0"), "--repeat"),
        ((*RUN, "--precondition", "often"), "--precondition"),
        ((*RUN, "--format", "xml"), "--format"),
        ((*RUN, "--wrp"), "--wrap"),
        ((*RUN, "--save-state", "s", "--repeat", "2"), "--save-state"),
        (("drives", "fake-tcl"), "fake-tcl: no such drive"),
        (("policies", "gredy"), "did you mean greedy?"),
        (("polices",), "policies"),
        (("report", "nowhere"), "nowhere/run.json: no such file"),
        (("trace", "info", "nowhere.csv"), "nowhere.csv: no such file"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(
    fake: Command, tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    assert said in one_line_error(fake(*arguments))
    assert list(tmp_path.rglob("*.json")) == []


def test_trace_options_that_exclude_each_other(fake: Command, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("1\n")
    assert "at most one" in one_line_error(fake("run", "fake-tlc", "t.csv", "--wrap", "--scale"))
    assert "--as-fast-as-possible" in one_line_error(fake("run", "fake-tlc", "t.csv", "--depth", "4"))


def test_an_unwritable_place_is_found_before_the_run(fake: Command, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in one_line_error(fake(*RUN, "--out", "file/below", "--seed", "99"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(fake: Command, tmp_path: Path) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert "permission denied" in one_line_error(fake(*RUN, "--out", "locked/o", "--seed", "99"))


def test_a_broken_invariant_names_seed_and_command(fake: Command, tmp_path: Path) -> None:
    result = fake(*RUN, "--seed", "13", "--set", "ftl.op_ratio=0.1")
    assert result.returncode == 70
    assert (
        "repeat with: floatgate run fake-tlc uniform-writes --set ftl.op_ratio=0.1 --seed 13" in result.stderr
    )
    assert "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_bug_is_a_line_too_and_shows_where_on_request(fake: Command) -> None:
    plain = fake(*RUN, "--seed", "14")
    assert plain.returncode == 70
    said = "a bug, please report it: RuntimeError: this was never thought of\\x1b[31m"
    assert plain.stderr.splitlines()[-1].startswith(f"floatgate: {said}")
    assert "Traceback" not in plain.stderr
    assert "Traceback" in fake("--debug", *RUN, "--seed", "14").stderr


def test_a_message_is_short_and_harmless_on_a_terminal(fake: Command) -> None:
    said = one_line_error(fake("run", "\x1b[2J" + "x" * 50_000, "uniform-writes"))
    assert "\\x1b[2J" in said
    assert len(said) < 2_100


def test_ctrl_c_ends_the_run_with_what_it_has(tmp_path: Path) -> None:
    # The stand-in's run with seed 99 never ends of itself.
    arguments = (*RUN, "--seed", "99", "--out", "o")
    result = ctrl_c(tmp_path, *arguments, method=PROGRESS, when="p: p.host_requests > 0", fake=True)
    assert result.returncode == 130, result.stderr
    assert "Traceback" not in result.stderr
    document = json.loads((tmp_path / "o" / "run.json").read_text())
    assert document["interrupted"] is True
    assert document["interrupted_at"]["phase"] == "run"
    assert 0 < document["interrupted_at"]["workload_fraction"] < 1
    assert (tmp_path / "o" / "report.html").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


def test_sigterm_leaves_nothing_behind(tmp_path: Path) -> None:
    arguments = (*RUN, "--seed", "99", "--out", "a/o")
    result = ctrl_c(
        tmp_path, *arguments, method=PROGRESS, when="p: p.host_requests > 0", fake=True, sent=signal.SIGTERM
    )
    assert result.returncode == 128 + signal.SIGTERM, result.stderr
    assert result.stderr.endswith("\nfloatgate: ended by SIGTERM\n")
    assert list(tmp_path.iterdir()) == []


def test_what_a_killed_run_left_is_cleared_by_the_next(fake: Command, tmp_path: Path) -> None:
    arguments = (*RUN, "--seed", "99", "--out", "o")
    ctrl_c(
        tmp_path, *arguments, method=PROGRESS, when="p: p.host_requests > 0", fake=True, sent=signal.SIGKILL
    )
    assert len(list(tmp_path.glob(".o.partial-*"))) == 1
    assert fake(*RUN, "--out", "o").returncode == 0
    assert [path.name for path in tmp_path.iterdir()] == ["o"]


def test_listings(fake: Command) -> None:
    assert "fake-tlc" in fake("drives").stdout
    assert "fake-chip" in fake("chips").stdout
    assert json.loads(fake("drives", "--json").stdout)[0]["name"] == "fake-tlc"
    explained = fake("drives", "fake-tlc").stdout
    assert "geometry.channels" in explained
    assert "published data sheet, table 2" in explained
    assert "drives/fake-tlc.toml:4" in explained
    assert "d-choices" in fake("policies", "ftl.gc.victim").stdout
    assert "ftl.gc.victim.d" in fake("policies", "d-choices").stdout


@pytest.mark.parametrize("listed", [("drives", "nvme-tlc"), ("chips", "derived/tlc-3d-256g")])
def test_long_lists_of_numbers_are_shortened_on_the_terminal_only(listed: tuple[str, str]) -> None:
    rates = next(line for line in in_process(*listed).out.splitlines() if "tables.errors.rate " in line)
    assert ", ... 1512 values]" in rates
    assert len(rates) < 300
    entries = json.loads(in_process(*listed, "--json").out)["entries"]
    values = next(str(entry["value"]) for entry in entries if entry["key"].endswith("tables.errors.rate"))
    assert values.count(",") == 1511


def test_the_report_is_made_again_from_the_folder(fake: Command, tmp_path: Path) -> None:
    assert fake(*RUN, "--out", "o").returncode == 0
    report = tmp_path / "o" / "report.html"
    before = report.read_bytes()
    report.unlink()
    assert fake("report", "o").returncode == 0
    assert report.read_bytes() == before


def test_the_command_by_itself_says_what_there_is() -> None:
    ended = in_process()
    assert (ended.code, ended.err) == (0, "")
    assert "characterize" in ended.out


@pytest.mark.parametrize(
    "line",
    [
        "from floatgate.shell import main\ntry: main(['--help'])\nexcept SystemExit: pass",
        "import floatgate",
        "import floatgate.report, floatgate.lab.figures, floatgate.report.plot",
    ],
)
def test_no_heavy_package_is_loaded_before_it_is_needed(line: str) -> None:
    heavy = ("pyarrow", "lets_plot", "perfetto", "pydantic", *(() if "lab" in line else ("numpy",)))
    code = f"import sys\n{line}\nsys.exit(any(name in sys.modules for name in {heavy!r}))"
    assert subprocess.run([sys.executable, "-c", code], check=False, capture_output=True).returncode == 0
