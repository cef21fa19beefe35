"""Twins: measurements are read strictly, and a drive is found again from what was measured of it."""

import json
from collections.abc import Callable
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from conftest import in_process
from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.twin.built import shape, usable
from floatgate.twin.compared import MISSES, WITHIN, Compared
from floatgate.twin.evaluate import Simulator
from floatgate.twin.families import oldest_first
from floatgate.twin.fio_job import job
from floatgate.twin.measurements import CALIBRATE, CHECK, Measurements, Row, read_measurements
from floatgate.twin.parameters import PARAMETERS, read_base
from floatgate.twin.pattern import Setting, read_pattern
from floatgate.twin.recorded import read_folder
from floatgate.twin.replica import replica, waiting
from floatgate.twin.script import jobs, script
from floatgate.twin.simulated import run
from floatgate.twin.skew import reaching
from floatgate.twin.stages import fit
from floatgate.twin.steps import steps
from floatgate.twin.write import text
from floatgate.workers import crew

HEAD = "what,pattern,size,depth,value,unit,role\n"
PATTERNS = (
    "randread",
    "randread empty",
    "write",
    "randwrite zipf:0.8",
    "randwrite zoned:90/10:10/90",
    "randrw mix:70",
    "randwrite of:60",
    "randwrite of:60 scattered",
    "randrw mix:5 poisson",
    "write burst:8MiB",
    "randwrite flush filled",
)


@pytest.mark.parametrize("words", PATTERNS)
def test_a_pattern_is_read_as_it_is_written(words: str) -> None:
    assert str(read_pattern(words)) == words


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("randwrit", "did you mean randwrite"),
        ("randrw", "mix:PERCENT"),
        ("write zipf:0.8", "zipf:THETA"),
        ("randread burst:1MiB", "burst:SIZE"),
        ("randwrite empty", "empty"),
        ("randwrite scattered", "scattered, that part"),
    ],
)
def test_a_pattern_that_is_none_is_refused(words: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        read_pattern(words)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ("iops,randread,4KiB,1,10000,IOPS,fit\n", "role = fit: expected calibrate or check"),
        ("iops,randread,4KiB,1,10000,,check\n", "unit = nothing: expected one of IOPS"),
        ("iop,randread,4KiB,1,10000,IOPS,check\n", "did you mean iops"),
        ("iops,randread,4,1,10000,IOPS,check\n", "size = 4: expected the size of a request"),
        ("iops,randread,4KiB,0,10000,IOPS,check\n", "depth = 0"),
        ("iops,randread,4KiB,1,-3,IOPS,check\n", "value = -3: expected a number above 0"),
        (
            "iops,randread,4KiB,1,10000,IOPS,check\nmean,randread,4KiB,1,200,us,check\n",
            "2 in flight, and depth is 1: expected them to agree within 10% (Little's law)",
        ),
        (
            "iops,randread,4KiB,1,10000,IOPS,check\nbandwidth,randread,4KiB,1,20,MB/s,check\n",
            "are 40.96 MB/s, and",
        ),
        (
            "p50,randread,4KiB,1,90,us,check\np99,randread,4KiB,1,80,us,check\n",
            "expected percentiles to rise",
        ),
        ("write_amplification,randwrite,4KiB,1,0.5,ratio,check\n", "expected 1 or more"),
        (
            "iops,randread,4KiB,1,10000,IOPS,check\niops,randread,4KiB,1,10000,IOPS,calibrate\n",
            "expected one row for a number",
        ),
        ("", "no measurements"),
    ],
)
def test_measurements_that_cannot_be_true_are_refused_by_row(tmp_path: Path, rows: str, says: str) -> None:
    table = tmp_path / "measurements.csv"
    table.write_text(HEAD + rows)
    ended = in_process("twin", "fit", str(table))
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.count("\n") == 1
    assert "measurements.csv" in ended.err
    assert says in ended.err


def test_a_fit_needs_rows_that_calibrate(tmp_path: Path) -> None:
    table = tmp_path / "measurements.csv"
    table.write_text(HEAD + "iops,randread,4KiB,1,10000,IOPS,check\n")
    ended = in_process("twin", "fit", str(table))
    assert ended.code == 2
    assert "no row calibrates: expected some with role = calibrate" in ended.err


def test_a_base_whose_chip_has_times_in_tables_is_refused(tmp_path: Path) -> None:
    table = tmp_path / "measurements.csv"
    table.write_text(HEAD + "iops,randread,4KiB,1,10000,IOPS,calibrate\n")
    ended = in_process("twin", "fit", str(table), "--base", "nvme-tlc")
    assert ended.code == 2
    assert "nvme-tlc: its chip has times of programs by wear in tables" in ended.err


def test_jobs_are_fio_jobs_and_say_what_they_are() -> None:
    made = jobs(960_000_000_000, 3600.0)
    assert [one.name.partition("-")[2] for one in made] == [step.name for step in steps(960e9)]
    for one in made:
        text_of = one.text.replace("${DEVICE}", "drive")
        given = {"kind": "fio_text", "name": f"{one.name}.fio", "text": text_of, "variables": {}}
        (read,) = json.loads(_core.fio_jobs(json.dumps(given)))
        assert read["options"]["description"].startswith("twin ")
    lines = script(made, "/dev/nvme0n1").splitlines()
    assert [line.split()[-1] for line in lines if line.startswith("fio --output=/dev/null")] == [
        f"{one.name}.settle.fio" for one in made if one.settles
    ]
    assert 3300 < sum(one.seconds for one in made) < 3900


@pytest.mark.parametrize("seconds", [1.0, 1e9])
def test_jobs_that_fit_no_time_are_refused(seconds: float) -> None:
    with pytest.raises(InputError, match="--budget"):
        jobs(960_000_000_000, seconds)


def _fio(setting: Setting, **numbers: object) -> dict[str, object]:
    """Return what fio writes of a job."""
    lines = job("a", setting, 1 << 30, "runtime=1", role=CHECK).splitlines()[1:]
    options = dict(line.split("=", 1) for line in lines)
    return {"jobs": [{"jobname": "a", "job options": options, **numbers}]}


COUNTERS = (
    lambda media: {"Physical media units written": {"hi": 0, "lo": media}},
    lambda media: {"physical_media_units_written": media},
    lambda media: {"physical_media_units_written": str(media)},
)


@pytest.mark.parametrize("counter", COUNTERS)
def test_a_folder_of_fio_and_nvme_cli_is_a_table(tmp_path: Path, counter: Callable[[int], object]) -> None:
    setting = Setting(read_pattern("randwrite"), 4096, 256)
    side = {"total_ios": 1000, "iops": 50_000.0, "io_bytes": 4_096_000, "clat_ns": {"mean": 1e6}}
    (tmp_path / "1-a.json").write_text(json.dumps(_fio(setting, write=side)))
    (tmp_path / "1-a.before.json").write_text(json.dumps(counter(1_000_000)))
    (tmp_path / "1-a.after.json").write_text(json.dumps(counter(1_000_000 + 3 * 4_096_000)))
    (tmp_path / "capacity.txt").write_text("960197124096\n")
    found = read_folder(tmp_path)
    assert found.capacity == 960197124096
    assert {(row.what, row.value, row.role) for row in found.rows} == {
        ("iops", 50_000.0, CHECK),
        ("write_amplification", 3.0, CHECK),
    }
    assert all(row.setting == setting for row in found.rows)


def test_a_folder_with_counters_of_something_else_is_refused(tmp_path: Path) -> None:
    side = {"total_ios": 1000, "iops": 5.0, "io_bytes": 4096, "clat_ns": {"mean": 1e6}}
    setting = Setting(read_pattern("randwrite"), 4096, 1)
    (tmp_path / "1-a.json").write_text(json.dumps(_fio(setting, write=side)))
    for when in ("before", "after"):
        (tmp_path / f"1-a.{when}.json").write_text('{"percentage_used": 1}')
    with pytest.raises(InputError, match=r"1-a\.after\.json: no physical_media_units_written"):
        read_folder(tmp_path)


BASE = "tlc"
CAPACITY = 1.5e9
TRUTH = {
    "command_time": 7e-6,
    "link_rate": 2.5e9,
    "channels": 2.0,
    "dies": 4.0,
    "read_time": 62e-6,
    "channel_rate": 700e6,
    "program_time": 900e-6,
    "spare": 0.25,
    "unit": 4096.0,
    "buffer": float(6 << 20),
}
STEPS = (
    *("empty-d1", "empty-128k", "fill"),
    *("read-4k-d1", "read-4k-d4", "read-4k-d16", "read-4k-d64"),
    *("read-16k-d64", "read-64k-d1", "read-64k-d64"),
)


def _hidden(names: tuple[str, ...]) -> Measurements:
    """Measure a drive that is not the base, with another seed than fits have."""
    base, rows = read_base(BASE), []
    for step in steps(CAPACITY):
        if step.name in names:
            drive = replica(base, TRUTH, CAPACITY, step.setting, seed=5)
            numbers = run(drive, step.setting)
            side = "write" if step.setting.pattern.is_write else "read"
            rows.append(
                Row(step.name, "iops", step.setting, side, numbers[f"{side} iops"] or 0.0, "IOPS", CALIBRATE)
            )
    return Measurements("hidden", tuple(rows), CAPACITY)


def test_a_hidden_drive_is_found_again(tmp_path: Path) -> None:
    base = read_base(BASE)
    with crew(workers=1) as workers:
        twin = fit(_hidden(STEPS), Simulator(base, CAPACITY, workers), lambda _stage, _runs: None)
    for name in ("channels", "dies"):
        assert twin.values[name] == TRUTH[name]
    for name in ("command_time", "link_rate", "read_time", "channel_rate", "program_time"):
        assert twin.values[name] == pytest.approx(TRUTH[name], rel=0.05), name
        low, high = twin.found[name].low, twin.found[name].high
        assert low is None or low < 1.01 * TRUTH[name]
        assert high is None or high > 0.99 * TRUTH[name]
    assert {"spare", "buffer", "unit", "victim"} <= set(twin.undetermined)
    path = tmp_path / "twin.toml"
    path.write_text(text(twin, base, "floatgate twin fit hidden.csv"))
    written = path.read_text()
    assert f"To measure: {PARAMETERS['spare'].revealed_by}." in written
    assert "95 %" in written
    card = json.loads(_core.explain_drive(str(path), [], shipped.folders()))
    config = {one["key"]: json.loads(one["value"]) for one in card["entries"]}
    assert (config["geometry.channels"], config["geometry.ways"]) == (2, 2)


SMALL = """title = "Two dies"
base = "tlc"
[geometry]
channels = 1
ways = 2
[nand]
pages_per_block = 24
blocks_per_plane = 150
[ftl]
user_capacity = "360MiB"
[ftl.buffer]
size = "2MiB"
"""


def test_a_simulated_drive_measures_itself_and_passes_its_own_check(tmp_path: Path) -> None:
    drive, table = tmp_path / "small.toml", tmp_path / "small.csv"
    drive.write_text(SMALL)
    ended = in_process("twin", "measure", str(drive), "--workers", "1", "--out", str(table))
    assert ended.code == 0, ended.err
    assert len(read_measurements(table).rows) == len(table.read_text().splitlines()) - 3
    ended = in_process(
        "twin", "check", str(drive), str(table), "--workers", "1", "--out", str(tmp_path / "o")
    )
    assert ended.code == 0, ended.err
    assert "1 of 1 held-out rows within their bounds, mean deviation 0.0 %" in ended.out
    document = json.loads((tmp_path / "o" / "check.json").read_text())
    assert {row["verdict"] for row in document["rows"]} == {WITHIN}


def test_a_row_that_misses_is_told() -> None:
    row = Row("t:1", "iops", Setting(read_pattern("randread"), 4096, 1), "read", 100.0, "IOPS", CHECK)
    assert Compared(row, 114.0).verdict == WITHIN
    assert Compared(row, 116.0).verdict == MISSES
    assert Compared(row, 84.0).verdict == MISSES
    assert Compared(replace(row, what="p99"), 148.0).verdict == WITHIN


def test_offered_requests_are_a_rate_for_each_direction_and_are_read_as_one(tmp_path: Path) -> None:
    setting = Setting(read_pattern("randrw mix:25 poisson"), 4096, 448, offered=20_000.0)
    lines = job("a", setting, 1 << 30, "runtime=1").splitlines()
    assert {"numjobs=4", "rate_iops=1250,3750", "rate_process=poisson"} <= set(lines)
    side = {"total_ios": 1000, "iops": 5000.0, "io_bytes": 4096, "clat_ns": {"mean": 1e5}}
    (tmp_path / "1-a.json").write_text(json.dumps(_fio(setting, read=side)))
    assert {row.setting for row in read_folder(tmp_path).rows} == {setting}


def test_a_scattered_part_lies_everywhere() -> None:
    setting = Setting(read_pattern("randwrite of:60 scattered"), 4096, 1)
    (line,) = [line for line in job("a", setting, 1 << 30, "").splitlines() if "zoned_abs" in line]
    sizes = [int(zone.partition("/")[2]) for zone in line.partition(":")[2].split(":")]
    assert sum(sizes[::2]) / sum(sizes) == pytest.approx(0.6, abs=1e-3)
    assert len(sizes) == 200
    assert (1 << 30) - 100 * 4096 < sum(sizes) <= 1 << 30


@pytest.mark.parametrize(("used_gib", "counted"), [(372.6, 1.106), (521.6, 1.274), (745.2, 1.890)])
def test_the_oldest_first_move_what_a_real_drive_counts(used_gib: float, counted: float) -> None:
    assert 1.03 * oldest_first(1070 / used_gib) == pytest.approx(counted, rel=0.015)


def test_a_buffer_catches_the_hottest_pages_of_zipfs_law() -> None:
    # A part p = 1 / (19.9 rank) of the writes goes to a page; of it a part n p / (1 + n p) meets the page in
    # the buffer, where it waits for n writes: until 10,000 have reached the flash.
    pages, waiting = 234_000_000, 10_000
    total = log(pages) + 0.5772
    found = reaching(read_pattern("randwrite zipf:1"), pages, waiting)
    writes = waiting / found.part
    caught = sum(1 / (rank * total) / (1 + rank * total / writes) for rank in range(1, 3_000_000))
    assert 1 - found.part == pytest.approx(caught, rel=0.03)
    assert sum(found.sizes) == pytest.approx(1.0)
    assert list(found.sizes[5:]) == sorted(found.sizes[5:])
    assert reaching(read_pattern("randwrite"), pages, waiting).part == 1.0


@pytest.mark.parametrize(
    ("victim", "megabytes", "dies"), [(1, 3.2, 8), (1, 12.8, 8), (1, 6.4, 4), (0, 6.4, 4)]
)
def test_what_a_buffer_catches_on_a_whole_drive_is_what_is_reckoned(
    victim: int, megabytes: float, dies: int
) -> None:
    base, pattern = read_base("tlc"), read_pattern("randwrite zipf:1")
    values = {"channels": 1.0, "dies": float(dies), "program_time": 4e-3, "spare": 0.5}
    values |= {"victim": float(victim), "buffer": megabytes * 1e6}
    whole = replica(base, values, 2.5e8, Setting(pattern, 4096, 128))
    assert whole.scale == 1.0
    reached = run(whole, Setting(pattern, 4096, 128))["reached"]
    reckoned = reaching(pattern, int(2.5e8 / 4096), waiting(base, values) / 4096).part
    assert reckoned == pytest.approx(reached, rel=0.04)


WIDE = {"channels": 4.0, "dies": 16.0, "spare": 0.5, "victim": 1.0}


@pytest.mark.parametrize(("parity", "near"), [(0.0, 0.01), (16.0, 0.06)])
def test_a_part_of_the_dies_gives_what_all_of_them_give(
    monkeypatch: pytest.MonkeyPatch, parity: float, near: float
) -> None:
    """Without parity within noise; with it, groups that are emptied together are reckoned, not simulated."""
    base, capacity, values = read_base(BASE), 4e9, {**WIDE, "parity": parity}
    setting = Setting(read_pattern("randwrite"), 4096, 256)
    monkeypatch.setattr("floatgate.twin.replica.WHOLE_BYTES", 1 << 30)
    part = replica(base, values, capacity, setting)
    assert (part.width, part.own) == (4, 16 / 15 if parity else 1.0)
    of_part = run(part, setting)
    # Too few in flight for a part: as many dies as the drive has, with its parity.
    monkeypatch.setattr("floatgate.twin.replica.DEPTH_LEAST", 1000)
    all_dies = replica(base, values, capacity, setting)
    assert (all_dies.width, all_dies.own) == (1, 1.0)
    of_all = run(all_dies, setting)
    for name in ("write_amplification", "write iops"):
        assert of_part[name] == pytest.approx(of_all[name], rel=near), name


def test_space_that_is_not_used_holds_nothing() -> None:
    base, capacity = read_base(BASE), 1e9
    values = {"channels": 1.0, "dies": 4.0, "spare": 0.3, "victim": 1.0, "buffer": float(4 << 20)}
    setting = Setting(read_pattern("randwrite"), 4096, 64, used=0.8 * capacity)
    drive = replica(base, values, capacity, setting)
    of = shape(base, values, capacity)
    usable_bytes = usable(of.superblocks, 0.0, is_mixed=True) * of.pages * base.row_bytes * of.dies
    form = oldest_first(usable_bytes / (0.8 * capacity))
    assert run(drive, setting)["write_amplification"] == pytest.approx(form, rel=0.03)


def test_a_twin_is_simulated_as_it_was_when_it_was_fitted(tmp_path: Path) -> None:
    """What copies need is that of the twin's own way of collecting, not of the base's."""
    drive = tmp_path / "twin.toml"
    drive.write_text(
        'title = "t"\nbase = "tlc"\n[ftl.streams]\nname = "mixed"\n[ftl.gc.victim]\nname = "fifo"\n'
        '[nand]\nblocks_per_plane = 200\n[ftl]\nuser_capacity = "120GB"\n'
    )
    setting = Setting(read_pattern("randwrite"), 4096, 512)
    spare = 200 * 8 * read_base("tlc").superblock_bytes / 120e9 - 1
    fitted = replica(read_base("tlc"), {"victim": 1.0, "spare": spare}, 120e9, setting)
    assert replica(read_base(str(drive)), {}, 120e9, setting).capacity == fitted.capacity


def test_the_tail_of_reads_tells_whether_they_interrupt_programs() -> None:
    base = read_base("tlc")
    setting = Setting(read_pattern("randrw mix:10 poisson"), 4096, 64, offered=20_000.0)
    values = {"channels": 1.0, "dies": 4.0, "program_time": 4e-3, "spare": 0.4, "buffer": float(4 << 20)}
    tails = [
        run(replica(base, {**values, "reads_first": first}, 1e9, setting), setting)["read p99"] or 0.0
        for first in (0.0, 1.0)
    ]
    assert tails[0] > 5 * tails[1], tails
