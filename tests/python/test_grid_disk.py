"""The magnetic disk beside flash drives: service times by hand, queues, and a flash write cache."""

from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest

from conftest import Command, one_line_error
from floatgate.grid import Asked, Setting, run_grid
from floatgate.grid.disk.model import Disk, find, read_disk
from floatgate.grid.disk.simulate import CacheTimes, Load, run

FOUND = find("scsi-15k")
assert FOUND is not None
DISK = read_disk(FOUND)
WHOLE = 30 << 30
LOAD = Load(random=True, write=False, block_bytes=8192, depth=1, file_bytes=WHOLE, seed=1)


def rate(disk: Disk, load: Load, times: CacheTimes | None = None, parts: int = 40) -> float:
    """Requests per second over the second half of `parts` parts."""
    done = [at for part in islice(run(disk, load, times), parts) for at in part.done_ns]
    half = len(done) // 2
    return (len(done) - half - 1) / (done[-1] - done[half]) * 1e9


def test_a_random_read_is_overhead_seek_half_a_turn_and_transfer() -> None:
    expected = DISK.overhead + DISK.seek_mean + DISK.turn_ms / 2 + DISK.transfer_ms(8192)
    # The file is a little shorter than the stroke, so that its seeks are, too.
    stroke = (WHOLE / DISK.capacity) ** 0.5
    expected -= (DISK.seek_mean - DISK.seek_track) * (1 - stroke)
    assert rate(DISK, LOAD) == pytest.approx(1000 / expected, rel=0.02)


def test_the_seek_curve_has_the_mean_it_is_given() -> None:
    steps = 400
    distances = [abs(a - b) / steps for a in range(steps) for b in range(steps)]
    assert sum(DISK.seek_ms(d) for d in distances) / len(distances) == pytest.approx(DISK.seek_mean, rel=0.01)


def test_sequential_reads_run_at_the_media_rate() -> None:
    load = replace(LOAD, random=False, block_bytes=131072, depth=4)
    assert rate(DISK, load) * 131072 == pytest.approx(DISK.media, rel=0.01)


def test_a_lone_sequential_write_misses_its_turn() -> None:
    load = replace(LOAD, random=False, write=True)
    assert rate(DISK, load) == pytest.approx(1000 / (DISK.turn_ms + DISK.transfer_ms(8192)), rel=0.01)


def test_a_deeper_queue_shortens_the_way_of_the_arm() -> None:
    deep = replace(LOAD, depth=8)
    assert rate(DISK, deep) > 1.3 * rate(DISK, LOAD)
    assert rate(DISK.model_copy(update={"scheduler": "fcfs"}), deep) < 1.1 * rate(DISK, LOAD)


def test_stages_add_up_to_latency() -> None:
    for part in islice(run(DISK, replace(LOAD, depth=4), None), 5):
        assert sum(part.stages_ns.values()) == pytest.approx(sum(part.latency_ns), rel=1e-6)


def test_a_flash_cache_takes_bursts_and_then_goes_at_the_pace_of_sorted_writes() -> None:
    found = find("scsi-15k-flash-cache")
    assert found is not None
    cached = read_disk(found)
    assert cached.cache is not None
    small = cached.model_copy(update={"cache": cached.cache.model_copy(update={"size": 8e6})})
    load, times = replace(LOAD, write=True), CacheTimes(0.1, 0.1)
    burst = rate(cached, load, times, parts=20)
    lasting = rate(small, load, times, parts=60)
    assert burst == pytest.approx(1000 / (0.1 + DISK.overhead), rel=0.01)
    assert 1.2 * rate(DISK, load) < lasting < 0.2 * burst


def test_a_grid_takes_a_disk() -> None:
    asked = Asked("scsi-15k", (Setting("random", "read", 8192, 1), Setting("random", "write", 8192, 4)),
                  file_bytes=WHOLE)  # fmt: skip
    read, write = run_grid(asked, workers=1).points
    assert read.state == write.state == "steady"
    assert read.iops is not None
    assert read.iops == pytest.approx(180, rel=0.05)
    assert set(read.stages_ns) >= {"seek", "rotation", "media"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"3.6ms"', "3.6", "disk.toml:6: seek_mean = 3.6: expected a number with its unit, such as 3.5ms"),
        ("seek_mean", "seek_men", "unknown key (did you mean seek_mean?)"),
        ('"sptf"', '"best"', 'scheduler = "best": expected fcfs (in order) or sptf'),
    ],
)
def test_a_faulty_disk_is_one_line(floatgate: Command, tmp_path: Path, old: str, new: str, said: str) -> None:
    assert FOUND is not None
    text = FOUND.read_text()
    assert old in text
    (tmp_path / "disk.toml").write_text(text.replace(old, new))
    assert said in one_line_error(floatgate("grid", "disk.toml"))


def test_a_disk_has_no_configuration_keys(floatgate: Command) -> None:
    assert "is a disk" in one_line_error(floatgate("grid", "scsi-15k", "--set", "ftl.op_ratio=0.1"))
