"""What the commands do, functions of `floatgate` do: with the same names, and typed results."""

from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

ROOT = Path(__file__).parents[2]
TINY = str(ROOT / "tests" / "drives" / "tiny.toml")
PLAN = ROOT / "examples" / "plan"
LOOSE: Any = fg  # calls that a type checker refuses
MORTAL: dict[str, Any] = {
    "nand.blocks_per_plane": 128,
    "nand.tables.pe_cycles": [0],
    "nand.tables.t_prog": ["200us", "400us"],
    "nand.tables.t_bers": ["1ms"],
    "nand.tables.endurance.cycles": [15, 16, 17],
    "ftl.op_ratio": 0.4,
}


def test_a_drive_is_aged(tmp_path: Path) -> None:
    life = fg.age(TINY, set=MORTAL, measure=0.5, out=tmp_path / "life.html")
    assert life.ended
    assert "TBW" in (tmp_path / "life.html").read_text()


def test_lives_are_compared_by_value() -> None:
    lives = fg.age_compare(TINY, "ftl.wear.name=none,static", set=MORTAL, measure=0)
    assert list(lives) == ["none", "static"]
    assert all(life.ended for life in lives.values())


def test_a_purchase_is_planned(tmp_path: Path) -> None:
    planned = fg.plan(PLAN / "tpc-c-2007.toml", PLAN / "gray2007-prices.toml", out=tmp_path / "plan")
    assert planned.best is not None
    assert (tmp_path / "plan" / "plan.json").exists()


@pytest.mark.parametrize(
    ("call", "error", "said"),
    [
        (lambda: LOOSE.age(TINY, jmp=0.1), TypeError, r"age\(\) has no option 'jmp' \(did you mean jump\?\)"),
        (lambda: LOOSE.age(TINY, jump="much"), TypeError, "jump = 'much': expected a finite number"),
        (lambda: LOOSE.age(TINY, jump=0.5), fg.InputError, "--jump 0.5: expected a number from 0 to 0.2"),
        (lambda: LOOSE.age(TINY, compare="x=1,2"), TypeError, "no option 'compare'"),
        (lambda: LOOSE.age(None), TypeError, "drive = None"),
        (lambda: LOOSE.plan("x.toml", "y.toml", ot="z"), TypeError, "did you mean out?"),
    ],
)
def test_what_a_function_does_not_take_is_refused_by_name(call: Any, error: type, said: str) -> None:
    with pytest.raises(error, match=said):
        call()


def test_policies_and_modules_of_one_name_are_found_together() -> None:
    import floatgate.bus.explore  # noqa: F401 - from then on Python has the module under that name

    assert fg.bus.interface.NvDdr3(mode=12).overrides() == [
        "bus.interface.name=nv-ddr3",
        "bus.interface.mode=12",
    ]
