"""Does a drive's life end where its blocks' lives say, and is what cannot be aged refused?"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from floatgate.ageing import Life, age
from floatgate.cli import app
from floatgate.errors import InputError

TINY = str(Path(__file__).parents[1] / "drives" / "tiny.toml")
MORTAL = [
    "nand.blocks_per_plane=128",
    "nand.tables.pe_cycles=[0]",
    'nand.tables.t_prog=["200us", "400us"]',
    'nand.tables.t_bers=["1ms"]',
    "nand.tables.endurance.cycles=[150, 200, 210, 220, 290]",
    "ftl.op_ratio=0.4",
]


@pytest.fixture(scope="module")
def life() -> Life:
    return age(TINY, MORTAL)


def test_a_life_ends_with_its_blocks(life: Life) -> None:
    assert life.ended
    assert life.rows[-1].pe_cycles_max <= 290 * 1.02
    assert life.bytes_written == pytest.approx(life.rows[-1].drive_writes * life.capacity_bytes)
    assert life.dwpd(5) == pytest.approx(life.rows[-1].drive_writes / (5 * 365.25))
    assert life.document(5)["ended"] is True


def test_hot_data_keep_write_amplification_other_than_uniform(life: Life) -> None:
    hot = age(TINY, MORTAL, hot="0.9/0.1")
    assert hot.rows[0].waf != pytest.approx(life.rows[0].waf, rel=0.02)


def test_ageing_can_be_stopped() -> None:
    assert not age(TINY, MORTAL, stopped=lambda: True).ended


@pytest.mark.parametrize("hot", ["0.9", "2/0.1", "a/b", "0.9/1"])
def test_shares_that_are_none_are_refused(hot: str) -> None:
    with pytest.raises(InputError, match="expected shares"):
        age(TINY, MORTAL, hot=hot)


def test_a_drive_without_endurance_is_refused() -> None:
    with pytest.raises(InputError, match=r"nand\.tables\.endurance: missing"):
        age("tlc")


def test_the_command_writes_a_report(tmp_path: Path) -> None:
    out = tmp_path / "age.html"
    changes = [part for change in MORTAL for part in ("--set", change)]
    done = CliRunner().invoke(app, ["age", TINY, *changes, "--out", str(out), "--format", "json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["ended"] is True
    assert "TBW" in out.read_text()
