"""Does a drive on worn chips behave as its chips' cells say?"""

from pathlib import Path

import pytest

import floatgate as fg
from floatgate.errors import InputError
from floatgate.lab.derive import derive, worn_file
from floatgate.lab.simulated import SimulatedSource

CHIP = "hy27us08121a"
FOLDER = Path(__file__).parents[2] / "chips"
JOB = "[job]\nrw=write\nbs=512\niodepth=1\nio_size=256k\n"


@pytest.fixture(scope="module")
def derived(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rows = derive(SimulatedSource(CHIP).open())
    path = tmp_path_factory.mktemp("chips") / "worn.toml"
    path.write_text(worn_file(FOLDER / f"{CHIP}.toml", rows, "this test"))
    return path


def run(chip: str, folder: Path, pe_cycles: int) -> dict[str, float]:
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
    fresh, worn = run(str(derived), tmp_path, 0), run(str(derived), tmp_path, 3_000_000)
    assert worn["worn"] == 3_000_000
    assert worn["latency_ns_p50"] < 0.9 * fresh["latency_ns_p50"]
    assert worn["program_j"] < 0.9 * fresh["program_j"]
    # Without tables, wear is counted and changes nothing.
    assert run(CHIP, tmp_path, 3_000_000)["latency_ns_p50"] == run(CHIP, tmp_path, 0)["latency_ns_p50"]


def test_tables_follow_the_cells(derived: Path) -> None:
    """The page model's rows lie within a pulse of what single blocks of the cell model show."""
    rows = derive(SimulatedSource(CHIP).open())
    other = derive(SimulatedSource(CHIP, seed=2).open())
    t_pulse = 21_700  # ns, as the chip's file has it, with its verify
    for one, two in zip(rows, other, strict=False):
        assert abs(one.t_prog[0] - two.t_prog[0]) < t_pulse
    assert [row.t_prog[0] for row in rows] == sorted((row.t_prog[0] for row in rows), reverse=True)
    assert [row.t_bers for row in rows] == sorted(row.t_bers for row in rows)
    assert "[tables]" in derived.read_text()


def test_a_broken_table_is_refused(derived: Path, tmp_path: Path) -> None:
    text = derived.read_text()
    start = text.index("pe_cycles = [0, ")
    broken = tmp_path / "broken.toml"
    broken.write_text(text[:start] + text[start:].replace("[0, ", "[7, ", 1))
    with pytest.raises(InputError, match=r"nand\.tables.pe_cycles.*rising values, the first 0"):
        run(str(broken), tmp_path, 0)
