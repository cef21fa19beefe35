"""What a workload finds on the drive is written before the clock starts, through every front door."""

import json
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from conftest import Command
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import resolve
from floatgate.options import Options
from floatgate.runs.session import command

JOB = "[r]\nrw=randread\nbs=4k\nsize=64m\niodepth=8\nnumber_ios=2000\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a job that reads at random, as the working directory."""
    (tmp_path / "r.fio").write_text(JOB)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _document(folder: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads((folder / "run.json").read_text())
    return document


def test_reads_of_a_fresh_drive_meet_flash_and_the_table_says_so(floatgate: Command, here: Path) -> None:
    result = floatgate("run", "tlc", "r.fio", "--out", "o")
    assert result.returncode == 0, result.stderr
    assert "state                  fresh, 64.0 MiB laid out; 100 % of reads met flash" in result.stdout
    assert result.stdout.startswith("tlc, r.fio")
    assert _document(here / "o")["state"]["reads_unmapped"] == {"units": 0, "share": 0.0}
    assert "fresh, 64.0 MiB laid out; 100 % of reads met flash" in (here / "o" / "report.html").read_text()


SAID = "--no-layout: 2,000 of 2,000 reads of 4.00 KiB (100 %) met nothing"


def test_without_a_layout_the_first_line_says_how_many_reads_met_nothing(
    floatgate: Command, here: Path
) -> None:
    result = floatgate("run", "tlc", "r.fio", "--no-layout", "--out", "o")
    assert result.stdout.startswith(SAID), result.stdout
    assert "fresh; 0 % of reads met flash" in result.stdout
    assert SAID in (here / "o" / "report.html").read_text()
    again = floatgate("run", "o/run.json", "--format", "json", "--no-report")
    assert SAID in again.stderr
    assert json.loads(again.stdout)["state"] == _document(here / "o")["state"]
    turned = floatgate("run", "o/run.json", "--layout", "--no-report", "--out", "turned")
    assert "100 % of reads met flash" in turned.stdout


def test_a_result_of_before_there_was_a_layout_is_repeated_without(floatgate: Command, here: Path) -> None:
    assert floatgate("run", "tlc", "r.fio", "--no-layout", "--no-report", "--out", "o").returncode == 0
    document = _document(here / "o")
    del document["state"], document["invocation"]["options"]["layout"]
    (here / "o" / "run.json").write_text(json.dumps(document))
    assert floatgate("run", "o/run.json", "--no-report", "--out", "again").stdout.startswith(SAID)


def test_several_seeds_say_it_too(floatgate: Command, here: Path) -> None:
    result = floatgate("run", "tlc", "r.fio", "--repeat", "2", "--no-report", "--no-layout")
    assert result.stdout.startswith("--no-layout: 4,000 of 4,000 reads of 4.00 KiB (100 %) met nothing")
    result = floatgate("run", "tlc", "r.fio", "--repeat", "2", "--no-report")
    assert "state fresh, 64.0 MiB laid out; 100 % of reads met flash" in result.stdout
    assert "wrote out/tlc-r-2" in result.stderr


def test_the_python_face_lays_out(here: Path) -> None:
    assert fg.run("tlc", "r.fio").document["state"]["reads_from_flash"]["share"] == 1.0
    bare = fg.run("tlc", "r.fio", layout=False)
    laid_out = bare.document.state.layout
    assert (laid_out.on, laid_out.units, laid_out.bytes) == (False, 0, 0)


def test_the_command_that_repeats_a_run_names_it(here: Path) -> None:
    plan = Plan("tlc", resolve("r.fio"), options=Options(layout=False))
    assert command(plan) == "floatgate run tlc r.fio --seed 1 --no-layout"
