"""Power cuts by the hundred: what is drawn, what is counted, and what is said when a promise is not kept."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import floatgate as fg
from conftest import in_process
from floatgate.errors import Fault
from floatgate.options.torture import TortureOptions
from floatgate.runs import session, torture

TINY = str(Path(__file__).parents[2] / "tests" / "drives" / "tiny.toml")


def test_drives_keep_their_promises() -> None:
    found = fg.torture(TINY, cuts=30, workers=1)
    assert found.violations == ()
    assert sum(case.planned for case in found.cases) >= 30
    assert sum(case.cuts for case in found.cases) > 10
    assert any(case.cuts_in_recovery for case in found.cases)
    assert not found.interrupted


def test_cases_depend_on_the_seed_alone() -> None:
    one, two = (fg.torture(TINY, cuts=20, workers=workers).cases for workers in (1, 2))
    assert one == two
    last = fg.torture(TINY, cuts=1, seed=one[-1].seed, workers=1).cases
    assert last == one[-1:]


@pytest.mark.parametrize("drive", ["nvme-tlc", "mlc", "mqsim-default"])
def test_a_large_drive_is_made_small(drive: str) -> None:
    settings = dict(one.split("=", 1) for one in torture.smaller(drive, ()))
    small = fg.drive(drive, set=settings)
    assert small.capacity_bytes is not None
    assert small.capacity_bytes < 4 << 30
    given = torture.smaller(drive, ("geometry.ways=4", "ftl.slc_cache.name=none"))
    assert not any(one.startswith(("geometry.ways", "ftl.slc_cache")) for one in given)


@pytest.mark.parametrize("drive", sorted(fg.drives()))
def test_every_drive_that_is_listed_is_tortured(drive: str) -> None:
    """What makes it small leaves it a drive: it is built and its power cut."""
    settings = torture.smaller(drive, ())
    assert settings, "it was left whole"
    small, whole = fg.drive(drive, set=dict(one.split("=", 1) for one in settings)), fg.drive(drive)
    assert small.capacity_bytes is not None
    assert whole.capacity_bytes is not None
    assert small.capacity_bytes < whole.capacity_bytes / 3
    case, plan, _ = torture._cases(TortureOptions((drive,), cuts=1), drive)[0]
    assert case.planned > 0
    plan.open()


@pytest.mark.parametrize(
    ("drive", "given"),
    [
        ("gray2007-flash-disk", ("ftl.mapping.dies_per_block=16",)),
        ("tlc", ("ftl.parity.name=rain", "ftl.parity.stripe=7", "ftl.op_ratio=0.4")),
        ("tlc", ("fault.die=6", "fault.after=500", "ftl.op_ratio=0.4")),
    ],
)
def test_what_is_said_of_the_dies_of_the_whole_drive_holds_of_the_small_one(
    drive: str, given: tuple[str, ...]
) -> None:
    settings = torture.smaller(drive, given)
    assert settings, "it was left whole"
    assert torture._states(drive, (*settings, *given)) == torture.STATES


def test_a_small_drive_is_left_as_it_is() -> None:
    assert torture.smaller(TINY, ()) == ()


def _broken(*_arguments: Any, **_keywords: Any) -> Any:
    raise Fault("Lpn 7 held version 2, which was durable, and holds 1; seed 5; repeat with: floatgate run x")


def test_a_broken_promise_is_told_with_the_command_that_repeats_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    asked = TortureOptions((TINY,), cuts=1, seed=5, set=("ftl.op_ratio=0.3",))
    item = torture._cases(asked, TINY)[0]
    monkeypatch.setattr(session, "drive", _broken)
    case = torture._one(item)
    assert case.violation is not None
    assert "Lpn 7" in case.violation
    assert f"floatgate torture {TINY} --seed 5 --cuts 1 --set 'ftl.op_ratio=0.3'" in case.violation
    found = torture.Tortured((case,), False)
    monkeypatch.setattr(torture, "torture", lambda *_arguments, **_keywords: found)
    ended = in_process("torture", TINY, "--out", str(tmp_path / "o"))
    assert ended.code == 1
    assert "broken     " in ended.out


def test_a_drive_of_zones_keeps_its_promises() -> None:
    found = fg.torture("wd-zn540", cuts=6, workers=1, set={"nand.blocks_per_plane": 96})
    assert found.violations == ()
    assert sum(case.cuts for case in found.cases) > 3
    # Capacitors let programs end, and keep the buffer.
    assert sum(case.torn_rows + case.units_lost_in_buffer for case in found.cases) == 0
    jobs = [torture.host(Random(seed), zoned=True) for seed in range(60)]
    assert all("zonemode=zbd" in job and "trim" not in job for job in jobs)
    assert any("write_mode=zone_append" in job for job in jobs)


PARTED = {"host.namespaces.names": ["log", "data"], "host.namespaces.log.share": 0.3}
BESIDE_ZONES = PARTED | {
    "host.namespaces.data.command_set": "zns",
    "ftl.mapping.name": "zoned-all",
    "ftl.op_ratio": "0.3",
    "ftl.buffer.power_loss_protection": "true",
}


@pytest.mark.parametrize("settings", [PARTED, BESIDE_ZONES], ids=["blocks", "blocks and zones"])
def test_each_namespace_has_a_host(settings: dict[str, Any]) -> None:
    found = fg.torture(TINY, cuts=12, set=settings, workers=1)
    assert found.violations == ()
    assert sum(case.cuts for case in found.cases) > 4
    job = torture.host(Random(1), "data", zoned=True)
    assert job.startswith("[host-data]\nfilename=data\n")
    assert "zonemode=zbd" in job


def test_what_is_written_is_what_was_found(tmp_path: Path) -> None:
    ended = in_process("torture", TINY, "--cuts", "3", "--workers", "1", "--out", str(tmp_path / "o"))
    assert ended.code == 0, ended.err
    written = json.loads((tmp_path / "o" / "torture.json").read_text())
    assert written["violations"] == []
    assert written["cuts"] == sum(case["cuts"] for case in written["cases"])


def test_a_drive_whose_features_do_not_go_together_is_refused() -> None:
    dying = {"fault.die": 0, "fault.at": "1ms"}
    with pytest.raises(fg.InputError, match=r"fault\.die .*ftl\.mapping\.name"):
        fg.torture(TINY, cuts=1, workers=1, set={**dying, "ftl.mapping.name": "bast"})


def test_a_drive_of_which_a_die_fails_keeps_its_promises() -> None:
    room = {"ftl.op_ratio": 2.0}  # one die holds what the host may write
    tortured = fg.torture(TINY, cuts=4, workers=1, set={"fault.die": 0, "fault.after": 500, **room})
    assert tortured.violations == ()
    assert sum(case.cuts for case in tortured.cases) >= 4
