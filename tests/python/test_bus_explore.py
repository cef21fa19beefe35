"""Does the exploration of interfaces find what arithmetic says, and what does it do with bad input?"""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

import floatgate as fg
from floatgate.bus.explore import BusPoint, explore, front, full_at, shapes, with_all_dies
from floatgate.errors import InputError


def point(mb_per_s: float, pins: int, nj: float, ways: int = 1, channels: int = 1) -> BusPoint:
    return BusPoint("chip", "sdr:5", 50.0, channels, ways, "read", mb_per_s, nj, 0.0, 0.5, pins, channels)


def test_the_front_keeps_what_no_other_beats() -> None:
    slow, fast, beaten, near = point(50, 40, 8), point(400, 60, 2), point(300, 60, 3), point(401, 90, 2.5)
    assert front([slow, fast, beaten, near]) == [slow, fast]


def test_a_channel_is_full_where_doubling_its_ways_gains_under_two_percent() -> None:
    rates = {1: 100.0, 2: 195.0, 4: 197.0}
    points = [point(rate, 20, 1, ways) for ways, rate in rates.items()]
    assert full_at(points, "chip", "sdr:5", "read") == 2
    assert full_at(points[:2], "chip", "sdr:5", "read") is None


def test_a_full_channel_carries_its_rate() -> None:
    points = list(explore(["slc-16g"], ["sdr:5", "nv-ddr:5"]))
    for interface, mt_per_s, strobes in (("sdr:5", 50, 13), ("nv-ddr:5", 200, 14)):
        sixteen = next(
            p for p in points if (p.interface, p.op, p.channels, p.ways) == (interface, "read", 1, 16)
        )
        assert sixteen.mt_per_s == mt_per_s
        # All that is missing is commands, tRR and the first fetch.
        assert 0.97 * mt_per_s < sixteen.mb_per_s < mt_per_s
        assert sixteen.pins == strobes + 16 * 2


def test_a_mode_the_chip_lacks_is_refused() -> None:
    with pytest.raises(InputError, match="the chip knows sdr up to mode 5, nv-ddr up to mode 5"):
        list(explore(["slc-16g"], ["nv-ddr3:12"]))
    with pytest.raises(InputError, match="expected a name and a mode"):
        list(explore(["slc-16g"], ["nv-ddr:fast"]))


def test_channels_share_the_dies_that_are_asked_for() -> None:
    assert shapes()[:5] == [(1, 1), (1, 2), (1, 4), (1, 8), (1, 16)]
    assert shapes()[5:] == [(2, 8), (4, 4), (8, 2), (16, 1)]
    assert shapes(4) == [(1, 1), (1, 2), (1, 4), (2, 2), (4, 1)]
    assert shapes(24, (3, 8))[5:] == [(3, 8), (8, 3)]
    with pytest.raises(InputError, match="--channels 5: 24 dies do not divide so: expected of 1, 2, 3, 4, 6"):
        shapes(24, (3, 5))
    points = fg.bus.explore(chip=["slc-16g"], interface=["nv-ddr:5"], dies=24, channels=[3])
    (read,) = with_all_dies(points, "slc-16g", "read")
    assert (read.channels, read.ways) == (3, 8)
    # Three full channels carry three times what one does.
    alone = next(one for one in points if (one.op, one.channels, one.ways) == ("read", 1, 8))
    assert read.mb_per_s == pytest.approx(3 * alone.mb_per_s, rel=0.02)
    with pytest.raises(InputError, match="--channels 2x: expected whole numbers from 1 to 256"):
        fg.bus.explore(chip=["slc-16g"], channels="1,2x")


def test_the_command_writes_its_points(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "floatgate", "bus", "explore", "--chip", "slc-16g"]
    command += ["--interface", "nv-ddr:5", "--out", str(tmp_path / "out")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "ways to saturate a channel" in done.stdout
    with (tmp_path / "out" / "points.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 9
    assert {row["op"] for row in rows} == {"read", "write"}


JOB = "[trace]\nrw=write\nbs=64k\nioengine=libaio\niodepth=4\nio_size=4m\n"


def bandwidth(drive: str, folder: Path, **changes: object) -> tuple[str, float]:
    job = folder / "job.fio"
    job.write_text(JOB)
    run = fg.run(drive, job, set=changes)
    return run.document["bus"]["interface"], run.document["host"]["write"]["bandwidth_bytes_per_s"]


def test_a_new_controller_drives_an_old_chip_as_an_old_controller_does(tmp_path: Path) -> None:
    old_chip = {"nand.interfaces": '["conv"]'}
    with pytest.raises(InputError, match=r"bus.interface.name = .*proposed.*the chip knows conv"):
        bandwidth("chung2010/slc-proposed-1x4", tmp_path, **old_chip)
    fallen = bandwidth("chung2010/slc-proposed-1x4", tmp_path, **old_chip, **{"bus.fall_back": True})
    assert fallen == bandwidth("chung2010/slc-conv-1x4", tmp_path, **old_chip)
    assert fallen[1] < bandwidth("chung2010/slc-proposed-1x4", tmp_path)[1]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"geometry.ways": 0}, "geometry.ways = 0: expected at least 1"),
        ({"bus.interface.clock": "84MHz"}, r"t_byte of equation \(7\); it has 11.90 ns: slack -0.10 ns"),
        ({"bus.interface.t_diff": "10ns"}, None),
        ({"bus.interface.t_dif": "10ns"}, "did you mean"),
    ],
)
def test_timing_that_cannot_close_is_refused(
    changes: dict[str, object], message: str | None, tmp_path: Path
) -> None:
    if message is None:  # a slower board gives a slower clock, not an error
        assert bandwidth("chung2010/slc-proposed-1x4", tmp_path, **changes)[1] > 0
        return
    with pytest.raises(InputError, match=message):
        bandwidth("chung2010/slc-proposed-1x4", tmp_path, **changes)
