"""fio's command line: job files with includes, several files, and lines longer than a file's name."""

from pathlib import Path

import pytest

import floatgate as fg
from floatgate.errors import InputError
from floatgate.inputs import fio


def _texts(command: str) -> list[str]:
    return [line.text for line in fio.translate(command).lines]


def test_a_line_longer_than_a_files_name_is_a_command() -> None:
    percents = ":".join(str(percent) for percent in range(1, 99))
    assert len(percents) > 255
    assert fio.is_command(f"fio --name=w --size=4m --percentile_list={percents}")


def test_includes_stand_in_their_places_with_their_own_lines(tmp_path: Path) -> None:
    (tmp_path / "part.inc").write_text("bs=4k\ninclude deeper/more.inc\n")
    (tmp_path / "deeper").mkdir()
    (tmp_path / "deeper" / "more.inc").write_text("iodepth=4\n")
    job = tmp_path / "main.fio"
    job.write_text("[r]\nrw=randread\ninclude part.inc ; the rest\n")
    translated = fio.translate(f"fio --filename=/dev/nvme0n1 --size=16m {job}")
    texts = [line.text for line in translated.lines]
    assert texts == [
        "[global]",
        "filename=/dev/nvme0n1",
        "size=16m",
        "[r]",
        "rw=randread",
        "bs=4k",
        "iodepth=4",
    ]
    assert translated.lines[-1].place == f"{tmp_path}/deeper/more.inc:1"


def test_an_include_that_is_missing_or_endless_is_named(tmp_path: Path) -> None:
    job = tmp_path / "main.fio"
    job.write_text("[r]\ninclude nowhere.inc\n")
    with pytest.raises(InputError, match=r"main\.fio:2: include: .*nowhere\.inc"):
        fio.translate(f"fio --size=1m {job}")
    job.write_text("[r]\ninclude main.fio\n")
    with pytest.raises(InputError, match="at most 8 deep"):
        fio.translate(f"fio --size=1m {job}")


def test_a_second_job_file_waits_for_the_first(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.fio").write_text(f"[global]\nsize=1m\n[{name}]\nrw=read\n[{name}2]\n")
    texts = _texts(f"fio {tmp_path}/a.fio {tmp_path}/b.fio")
    assert texts.count("stonewall") == 1
    assert texts[texts.index("[b]") + 1] == "stonewall"


def test_a_log_has_the_time_of_issue_where_it_is_asked_for(tmp_path: Path) -> None:
    logs = "--write_lat_log=z --log_offset=1 --log_issue_time=1"
    command = f"fio --name=j --rw=read --bs=4k --size=16k --rate_iops=100 {logs}"
    run = fg.run("slc", command, out=tmp_path / "run", report=False)
    rows = [
        [int(word) for word in line.split(", ")]
        for line in (run.folder / "fio-logs" / "z_clat.1.log").read_text().splitlines()
    ]
    assert [row[-1] for row in rows] == [0, 10_000_000, 20_000_000, 30_000_000]
    assert all(len(row) == 7 for row in rows)
    lat = (run.folder / "fio-logs" / "z_lat.1.log").read_text().splitlines()
    assert all(line.endswith(", 0, 0") for line in lat)  # as in fio 3.42
