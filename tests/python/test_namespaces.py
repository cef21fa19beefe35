"""Several namespaces on one drive, from a drive file to the result."""

from pathlib import Path

import pytest

import floatgate as fg

DRIVE = """base = "slc"
[ftl]
user_capacity = "48MiB"
[nand]
blocks_per_plane = 64
[host.namespaces]
names = ["log", "data"]
[host.namespaces.log]
size = "16MiB"
"""
JOBS = "fio --bs=4k --ioengine=libaio --iodepth=4 --number_ios=300 --name=a --filename=log --rw=write"


@pytest.fixture
def drive(tmp_path: Path) -> Path:
    file = tmp_path / "two.toml"
    file.write_text(DRIVE, encoding="utf-8")
    return file


def test_each_namespace_is_counted_and_a_drive_of_one_says_nothing_of_any(drive: Path) -> None:
    run = fg.run(drive, f"{JOBS} --name=b --filename=/dev/nvme0n2 --rw=randwrite", check=True)
    log, data = run.host.namespaces
    assert (log.name, log.command_set, log.size_bytes) == ("log", "nvm", 16 << 20)
    assert [one.write.requests for one in (log, data)] == [300, 300]
    assert [one["name"] for one in run.host.to_dict()["namespaces"]] == ["log", "data"]
    alone = fg.run("slc", f"{JOBS} --size=16m")
    assert alone.host.namespaces == ()
    assert "namespaces" not in alone.host.to_dict()


def test_a_job_that_names_no_namespace_is_refused_in_a_line(drive: Path) -> None:
    with pytest.raises(
        fg.InputError, match=r'filename=lag: expected a namespace .*did you mean "log"'
    ) as error:
        fg.run(drive, JOBS.replace("=log", "=lag"))
    assert "\n" not in str(error.value)
    with pytest.raises(fg.InputError, match=r"command_set = \"zns\": expected nvm: this drive has no zones"):
        fg.run(drive, JOBS, set={"host.namespaces.log.command_set": "zns"})
