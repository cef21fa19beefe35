"""Placement handles, from an option or a job's own words to the result."""

from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

SMALL: dict[str, Any] = {
    "nand.blocks_per_plane": 64,
    "ftl.user_capacity": "48MiB",
    "ftl.streams.name": "fdp",
    "ftl.streams.handles": 4,
}
JOBS = "fio --bs=4k --iodepth=4 --number_ios=300 --size=8m --rw=randwrite{} --name=a --name=b"
ANY = JOBS.format("")


def bytes_by_handle(run: fg.Run) -> list[int]:
    streams = run.ftl.streams
    assert streams is not None
    return [handle.bytes_written for handle in streams.handles]


def test_a_rule_gives_each_write_its_handle() -> None:
    one = 300 * 4096
    assert bytes_by_handle(fg.run("slc", ANY, set=SMALL)) == [2 * one, 0, 0, 0]
    placed = fg.run("slc", ANY, set=SMALL, place="job", check=True)
    assert bytes_by_handle(placed) == [one, one, 0, 0]
    limits = SMALL | {"host.place.limits": ["4KiB"]}
    assert bytes_by_handle(fg.run("slc", ANY, set=limits, place="size")) == [0, 2 * one, 0, 0]


def test_a_job_names_handles_in_the_words_of_fio() -> None:
    job = JOBS.format(" --ioengine=io_uring_cmd --dataplacement=fdp --plids=1,3")
    half = 300 * 4096  # of both jobs
    assert bytes_by_handle(fg.run("slc", job, set=SMALL, check=True)) == [0, half, 0, half]
    with pytest.raises(fg.InputError, match="a drive with placement handles"):
        fg.run("slc", job)


def test_a_rule_of_ones_own_is_asked_about_each_write(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(
        "import floatgate as fg\n\n\n"
        "class Turns(fg.host.place.Policy):\n"
        "    first: int = 0\n\n"
        "    def attach(self, handles, drive_bytes):\n"
        "        self.next = self.first\n\n"
        "    def place(self, view):\n"
        "        self.next = (self.next + 1) % view.handles\n"
        "        return self.next\n",
        encoding="utf-8",
    )
    run = fg.run("slc", ANY, set=SMALL, place=f"{file}:Turns")
    assert bytes_by_handle(run) == [150 * 4096] * 4


def test_what_places_nothing_is_refused_in_a_line() -> None:
    with pytest.raises(fg.InputError, match=r"host\.place\.name.*ftl\.streams\.name = fdp") as error:
        fg.run("slc", ANY, place="size")
    assert "\n" not in str(error.value)
    with pytest.raises(fg.InputError, match=r"expected one of address, job, hindsight, none"):
        fg.run("slc", ANY, set=SMALL, place="sise")
