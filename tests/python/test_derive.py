"""Does a drive on worn chips behave as its chips' cells say?"""

import tomllib
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg
from floatgate.errors import InputError
from floatgate.lab.derive import PageModel, chip_file, derive, further
from floatgate.lab.derive.report import page
from floatgate.lab.derive.times import times
from floatgate.lab.simulated import SimulatedSource

CHIP = "hy27us08121a"
STEPS = (0.65, 1.0, 1.5)
JOB = "[job]\nrw=write\nbs=512\niodepth=1\nio_size=256k\n"


def written(model: PageModel) -> str:
    return chip_file(model, CHIP, "A chip", one_shot=False, provenance="this test")


@pytest.fixture(scope="module")
def model() -> PageModel:
    return derive(SimulatedSource(CHIP).cells, steps=STEPS, cells=4_000)


@pytest.fixture(scope="module")
def derived(model: PageModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("chips") / "derived.toml"
    path.write_text(written(model))
    return path


def test_errors_are_looked_at_as_far_as_blocks_live(model: PageModel) -> None:
    assert further(9_000, 3_000, 20_108) == [12_000, 15_000, 19_500]
    assert further(9_000, 3_000, 11_000) == []
    rows = [row.pe_cycles for row in model.rows]
    assert list(model.rates.pe_cycles[: len(rows)]) == rows


def run(chip: str, folder: Path, pe_cycles: int) -> dict[str, Any]:
    job = folder / "job.fio"
    job.write_text(JOB)
    changes = {
        "chip": chip,
        "nand.pe_cycles": pe_cycles,
        "bus.interface.name": "plain",
        "bus.interface.rate": "20MB/s",
        "ftl.mapping_unit": "512B",
        "ftl.op_ratio": 0.2,
        "ftl.buffer.write_back": False,
    }
    done = fg.run("slc", job, set=changes, check=True)
    return {
        "latency_ns_p50": done.document["host"]["write"]["latency_ns"]["p50"],
        "program_j": done.document["energy_j"]["nand_by_kind"]["program"],
        "worn": done.document["wear"]["pe_cycles_min"],
    }


def test_worn_chips_program_faster(derived: Path, tmp_path: Path) -> None:
    fresh, worn = run(str(derived), tmp_path, 0), run(str(derived), tmp_path, 2_000_000)
    assert worn["worn"] == 2_000_000
    assert worn["latency_ns_p50"] < 0.9 * fresh["latency_ns_p50"]
    assert worn["program_j"] < 0.9 * fresh["program_j"]
    # Without tables, wear is counted and changes nothing.
    assert run(CHIP, tmp_path, 2_000_000)["latency_ns_p50"] == run(CHIP, tmp_path, 0)["latency_ns_p50"]


def test_the_same_part_gives_the_same_bytes(model: PageModel) -> None:
    assert written(derive(SimulatedSource(CHIP).cells, steps=STEPS, cells=4_000)) == written(model)


def test_times_follow_wear_and_step(model: PageModel) -> None:
    """Finer steps take longer, wear shortens programs and lengthens erases, samples are a pulse apart."""
    other = times(SimulatedSource(CHIP, seed=2).cells(), 100_000, (1.0,), lambda _part: None)
    usual = model.steps.index(1.0)
    t_pulse = 21_700  # ns, as the chip's file has it, with its verify
    for one, two in zip(model.rows, other, strict=False):
        assert abs(one.t_prog[usual][0] - two.t_prog[0][0]) < t_pulse
        by_step = [step[0] for step in one.t_prog]
        assert by_step == sorted(by_step, reverse=True)
    programs = [row.t_prog[usual][0] for row in model.rows]
    assert programs[-1] < 0.8 * programs[0]
    assert [row.t_bers for row in model.rows] == sorted(row.t_bers for row in model.rows)


def test_errors_grow_with_wear_age_reads_and_step(model: PageModel) -> None:
    rates = model.rates
    worn = rates.pe_cycles[-1]
    by_age = [at.usual[0] for at in rates.rates[1.0, worn]]
    assert by_age == sorted(by_age)
    assert by_age[-1] > 100 * by_age[0]
    by_wear = [rates.rates[1.0, wear][5].usual[0] for wear in rates.pe_cycles]
    assert by_wear[-1] > 1e3 * by_wear[0]
    assert rates.after_reads[0][-1].usual[0] > 10 * rates.after_reads[0][0].usual[0]
    assert all(at.best[0] <= at.usual[0] for row in rates.rates.values() for at in row)


def test_lives_and_stress_are_those_of_the_cells(model: PageModel) -> None:
    lived = model.endurance
    assert list(lived.cycles) == sorted(lived.cycles)
    cold, room, hot = (mean for _, mean in lived.by_celsius)
    assert 0.35 * room < cold < 0.65 * room
    assert hot == room
    stress = {row.pattern: row.stress for row in model.states.rows}
    assert stress["random"] == 1.0
    assert stress["1"] < 1.0, "cells that are not programmed wear less"
    assert stress["1"] == pytest.approx(model.states.erase_only)


def test_the_tables_are_drawn(model: PageModel) -> None:
    text = page(model, SimulatedSource(CHIP).cells().identify(), "this test")
    for name in ("programs", "erases", "by-age", "by-page", "step-errors", "step-times", "alive"):
        assert f'id="{name}"' in text


BREAKS: list[tuple[str, Any, str]] = [
    ("pe_cycles", lambda values: [7, *values[1:]], r"nand\.tables\.pe_cycles.*rising values, the first 0"),
    ("t_bers", lambda values: values[:-1], r"nand\.tables\.t_bers.*expected \d+ values, not \d+"),
    ("steps", lambda values: [*values[:-1], 0.9], r"nand\.tables\.steps"),
    ("errors.rate", lambda values: [1.5, *values[1:]], r"nand\.tables\.errors\.rate.*expected 0 to 1"),
    ("errors.rate", lambda values: values[1:], r"nand\.tables\.errors\.rate.*not \d+"),
    ("errors.reads", lambda values: [5, *values[1:]], r"nand\.tables\.errors\.reads.*expected 0"),
    ("endurance.cycles", lambda values: values[::-1], r"nand\.tables\.endurance\.cycles.*do not fall"),
    ("states.patterns", lambda values: ["11", *values[1:]], r"nand\.tables\.states\.patterns.*1 bits"),
]


@pytest.mark.parametrize(("key", "change", "error"), BREAKS, ids=[f"{key} {e[-9:]}" for key, _, e in BREAKS])
def test_a_broken_table_is_refused(key: str, change: Any, error: str, derived: Path, tmp_path: Path) -> None:
    """One list of the tables is changed on the command line's way; the reader names it."""
    values: Any = tomllib.loads(derived.read_text())["tables"]
    for part in key.split("."):
        values = values[part]
    job = tmp_path / "job.fio"
    job.write_text(JOB)
    with pytest.raises(InputError, match=error):
        fg.run("slc", job, set={"chip": str(derived), f"nand.tables.{key}": change(values)})


SHIPPED = sorted((Path(__file__).parents[2] / "chips" / "derived").glob("*.toml"))


@pytest.mark.parametrize("path", SHIPPED, ids=[path.stem for path in SHIPPED])
def test_shipped_tables_are_read_and_say_where_they_come_from(path: Path, tmp_path: Path) -> None:
    text = path.read_text()
    assert text.startswith(f"# The page model of {path.stem}. Made by `floatgate derive {path.stem} --seed 1")
    keys = [line for line in text.splitlines() if " = " in line or line.startswith("]")]
    assert all(
        "  # derived: " in line
        for line in keys
        if not line.startswith(("base", "title"))
        if not line.endswith("[")
    )
    assert SimulatedSource(f"derived/{path.stem}").open().identify().states


def test_a_chip_must_not_stand_on_itself(tmp_path: Path) -> None:
    path = tmp_path / "round.toml"
    path.write_text(f'base = "{path}"\n')
    with pytest.raises(InputError, match="inherits from itself"):
        SimulatedSource(str(path)).open()
