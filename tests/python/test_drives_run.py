"""Every drive that comes with Floatgate runs, checked, and says where each of its numbers comes from."""

from pathlib import Path

import pytest

import floatgate as fg

JOB = "[job]\nrw=randrw\nbs=16k\nioengine=libaio\niodepth=8\nio_size=4m\nsize=64m\n"
#: Of a drive that is zones.
ZONED = "[job]\nrw=write\nzonemode=zbd\nbs=16k\nfilename=/dev/nvme0n1\nio_size=4m\n"


def job(folder: Path, text: str = JOB) -> Path:
    path = folder / "job.fio"
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", sorted(set(fg.drives()) - {"bench-256g"}))
def test_a_drive_runs_and_knows_its_sources(name: str, tmp_path: Path) -> None:
    is_zoned = "zn540" in name and not name.startswith("nvmevirt")
    # The job touches 4 MiB: the memory of all other units is never resident, however large the drive.
    run = fg.run(name, job(tmp_path, ZONED if is_zoned else JOB), check=True, memory_limit="256GiB")
    host = run.document["host"]
    assert host["submitted"]["total"] == host["completed"]["total"] == 256
    config, places = run.document["config"], run.document["config_places"]
    assert config.keys() == places.keys()
    for key, place in places.items():
        written = Path(place["place"].rsplit(":", 1)[0]).suffix == ".toml"
        if written and isinstance(config[key], int | float) and not isinstance(config[key], bool):
            assert place["source"], f"{key} at {place['place']} has no source"


@pytest.mark.parametrize("path", sorted((Path(__file__).parents[1] / "drives").glob("*.toml")), ids=str)
def test_the_test_drives_sustain_overwriting(path: Path, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text("[job]\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=8\nnorandommap=1\nio_size=32m\n")
    run = fg.run(path, job, check=True, precondition="fill")
    assert run.flash.erases.gc > 0
    assert run.waf is not None
    assert run.waf > 1
