"""Grids: rules of steadiness on made-up series, points on real drives, and input that is not right."""

import csv
import json
import random
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from conftest import Command, one_line_error
from ctrl_c import ctrl_c
from floatgate.grid import Asked, Point, measure_one, run_grid, settings, steady
from floatgate.grid.measure import Rule
from floatgate.grid.point import NOT_REACHED, STEADY, Setting
from floatgate.runs import session

QUICK = ("--file-size", "64MiB", "--block", "64k", "--depth", "1,4")


def test_independent_batches_around_a_mean_are_steady() -> None:
    noise = random.Random(1)
    assert steady.batch_means([1000 + noise.gauss(0, 10) for _ in range(steady.BATCHES)]).steady


def test_a_constant_is_steady_with_no_width() -> None:
    verdict = steady.batch_means([500.0] * steady.BATCHES)
    assert verdict.steady
    assert verdict.interval is not None
    assert verdict.interval.half_width == 0


@pytest.mark.parametrize(
    "rates",
    [
        [1000 - 4 * i for i in range(steady.BATCHES)],  # drifts
        [1000 + 5 * (-1) ** (i // 10) for i in range(steady.BATCHES)],  # two levels: neighbours alike
        [1000 + 200 * (-1) ** i for i in range(steady.BATCHES)],  # too wide
    ],
)
def test_what_drifts_hangs_together_or_spreads_is_not_steady(rates: list[float]) -> None:
    assert not steady.batch_means(rates).steady


@pytest.mark.parametrize(
    ("rounds", "is_steady"),
    [
        ([100, 100, 100, 100], False),  # four rounds are not five
        ([100, 100, 100, 100, 100], True),
        ([300, 200, 100, 100, 100, 100, 100], True),  # the last five count
        ([90, 110, 100, 90, 110], True),  # range 20 % of 100, slope 4 %
        ([89, 111, 100, 89, 111], False),  # range 22 %
        ([95, 97, 100, 103, 105], False),  # range 10 %, slope 10.4 %
        ([95.2, 97.6, 100, 102.4, 104.8], True),  # slope 9.6 %
        ([0, 0, 0, 0, 0], False),
    ],
)
def test_snia_looks_at_range_and_slope_of_five_rounds(rounds: list[float], is_steady: bool) -> None:
    assert steady.snia(rounds).steady is is_steady


def test_snia_names_the_first_round_behind_the_rate() -> None:
    verdict = steady.snia([300, 200, 100, 100, 100, 100, 100])
    assert verdict.first == 2
    assert verdict.interval is not None
    assert verdict.interval.mean == 100


def test_points_agree_with_what_their_parts_add_up_to() -> None:
    asked = Asked("slc", tuple(settings((4096,), (1, 4), ("sequential",), ("read", "write"))))
    points = {(p.setting.op, p.setting.depth): p for p in run_grid(asked, workers=2).points}
    assert {point.state for point in points.values()} == {STEADY}
    one = points["read", 1]
    assert one.iops is not None
    assert one.latency_ns_mean is not None
    assert one.iops == pytest.approx(1e9 / one.latency_ns_mean, rel=1e-3)
    assert sum(one.stages_ns.values()) == pytest.approx(one.latency_ns_mean, rel=1e-6)
    four = points["write", 4]
    assert four.mb_per_s == pytest.approx(550, rel=0.01)  # the link binds


def test_a_point_does_not_depend_on_the_number_of_workers() -> None:
    asked = Asked("slc", tuple(settings((8192,), (2,), ("random",), ("read", "write"))), file_bytes=1 << 26)
    assert run_grid(asked, workers=1).points == run_grid(asked, workers=2).points


def test_a_point_does_not_depend_on_the_speed_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    setting = Setting("random", "read", 8192, 2)

    def found(slice_s: float) -> Point:
        monkeypatch.setattr(session, "SLICE_S", slice_s)
        return measure_one("slc", setting, file_bytes=1 << 26)

    assert found(1e-4) == found(1.0)


def test_no_steady_state_in_the_time_given_is_said() -> None:
    rule = Rule(seconds=0.01)  # a hundred requests: less than the rule asks for
    asked = Asked("slc", (Setting("random", "read", 4096, 1),), rule=rule)
    (point,) = run_grid(asked, workers=1).points
    assert point.state == NOT_REACHED
    assert (point.iops, point.mb_per_s, point.latency_ns_mean) == (None, None, None)


def test_snia_rounds_are_in_the_result() -> None:
    asked = Asked("slc", (Setting("random", "read", 4096, 4),), rule=Rule("snia", 0.01))
    (point,) = run_grid(asked, workers=1).points
    assert point.state == STEADY
    assert len(point.windows) == 5
    assert point.iops == pytest.approx(sum(point.windows) / 5)
    assert point.simulated_ns >= 5e7


def test_the_command_writes_a_folder(floatgate: Command, tmp_path: Path) -> None:
    result = floatgate("grid", "slc", *QUICK, "--out", "out")
    assert result.returncode == 0, result.stderr
    assert "random write" in result.stdout
    with (tmp_path / "out" / "grid.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 2 * 2
    assert {row["state"] for row in rows} == {STEADY}
    assert pq.read_table(tmp_path / "out" / "grid.parquet").column("iops").to_pylist() == pytest.approx(
        [float(row["iops"]) for row in rows]
    )
    document = json.loads((tmp_path / "out" / "grid.json").read_text())
    assert len(document["points"][0]["windows_iops"]) == steady.BATCHES
    assert '"rates"' in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--block", "700"), "--block 700: expected a multiple of the sector of 512 bytes"),
        (("--block", ""), '--block "": nothing given'),
        (("--block", "4x"), "--block 4x: expected sizes such as 512,4k,1m"),
        (("--depth", "0"), "--depth 0: expected whole numbers"),
        (("--pattern", "radnom"), "(did you mean random?)"),
        (("--op", "trim"), "--op trim: expected read or write"),
        (("--file-size", "900GB"), "expected at most the drive's"),
        (("--file-size", "64k", "--block", "1m"), "expected at most the file"),
        (("--round", "1s"), "--round 1s: batches have no rounds: expected --steady snia"),
        (("--time", "10"), "--time 10: "),
        (("--set", "ftl.gc.victim.name=gredy"), "greedy"),
    ],
)
def test_what_is_not_right_is_one_line(floatgate: Command, arguments: tuple[str, ...], said: str) -> None:
    assert said in one_line_error(floatgate("grid", "slc", *arguments))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("scsi-15",), 'did you mean "scsi-15k"?'),
        (("slcc",), 'did you mean "slc"?'),
        (("scsi-15k", "--precondition", "instant"), "is a disk, which has no state"),
        (("scsi-15k", "--load-state", "used"), "is a disk, which has no state"),
        (("scsi-15k", "--set", "ftl.op_ratio=0.1"), "is a disk: expected a flash drive with this"),
    ],
)
def test_what_is_no_flash_drive_is_said(floatgate: Command, arguments: tuple[str, ...], said: str) -> None:
    assert said in one_line_error(floatgate("grid", *arguments))


def test_a_disk_runs_alone_and_behind_flash() -> None:
    setting = Setting("random", "write", 8192, 4)
    rates = {}
    for disk in ("scsi-15k", "scsi-15k-flash-cache"):
        (point,) = run_grid(Asked(disk, (setting,), file_bytes=30 << 30, rule=Rule(seconds=300))).points
        assert point.state == STEADY
        assert point.iops is not None
        rates[disk] = point.iops
    # Sweeps of the arm over thousands of writes are shorter than its way between the best of four.
    assert rates["scsi-15k-flash-cache"] > 1.3 * rates["scsi-15k"]


def test_ctrl_c_keeps_what_is_done(tmp_path: Path) -> None:
    arguments = ("grid", "slc", "--workers", "1", "--out", "out", "--op", "read")
    result = ctrl_c(
        tmp_path, *arguments, method="floatgate.shell.bar:Bar.show", when="completed, **_: completed > 0"
    )
    assert result.returncode == 130, result.stderr
    document = json.loads((tmp_path / "out" / "grid.json").read_text())
    assert document["interrupted"]
    states = [point["state"] for point in document["points"]]
    assert {STEADY, "interrupted"} <= set(states)
    assert all((point["iops"] is None) == (point["state"] != STEADY) for point in document["points"])
