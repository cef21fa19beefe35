"""Drives as in the shops: a code, their cells' errors, an SLC cache; retries come with wear and age."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import floatgate as fg

ROOT = Path(__file__).parents[2]
CHIPS = {"nvme-tlc": "tlc-3d-256g", "nvme-qlc": "qlc-3d-1t", "sata-tlc": "tlc-3d-256g"}
WORN = {"tlc-3d-256g": "3000", "qlc-3d-1t": "1300"}  # cycles at which many reads of a year's age take retries
JOB = "[job]\nrw=randread\nbs=16k\nioengine=libaio\niodepth=4\nsize=64m\nio_size=32m\n"
# The same dies and channels with few blocks, the cache in proportion.
FEW = {
    "nand.blocks_per_plane": "24",
    "ftl.op_ratio": "0.6",
    "ftl.buffer.size": "32MiB",
    "ftl.slc_cache.least": "64MiB",
    "ftl.slc_cache.most": "128MiB",
}


def read(name: str, folder: Path, **more: str) -> Mapping[str, Any]:
    """Random reads from the small drive, filled; `nand__pe_cycles` stands for nand.pe_cycles."""
    job = folder / "job.fio"
    job.write_text(JOB)
    few = dict(FEW)
    if name == "sata-tlc":
        few |= {"ftl.slc_cache.size": few.pop("ftl.slc_cache.least")}
        del few["ftl.slc_cache.most"]
    settings = few | {key.replace("__", "."): value for key, value in more.items()}
    return fg.run(name, job, precondition="fill", check=True, set=settings).document.to_dict()


def retried(document: Mapping[str, Any]) -> float:
    return float(document["ecc"]["requests_by_retries"]["share"])


def p99(document: Mapping[str, Any]) -> float:
    return float(document["host"]["read"]["latency_ns"]["p99"])


@pytest.mark.parametrize("name", CHIPS)
def test_a_generic_drive_has_its_cells_errors_a_code_that_fits_and_a_cache(name: str, tmp_path: Path) -> None:
    config = read(name, tmp_path)["config"]
    derived = tomllib.loads((ROOT / "chips" / "derived" / f"{CHIPS[name]}.toml").read_text())
    assert config["nand.errors.name"] == "tables"
    assert list(config["nand.tables.errors.rate"]) == derived["tables"]["errors"]["rate"]
    assert config["ecc.code.name"] == "ldpc"
    table = tomllib.loads((ROOT / "codes" / "tables" / f"{config['ecc.code.table']}.toml").read_text())
    page, spare = 16384, 2208
    assert page * (table["bits"] / table["data_bits"] - 1) < spare
    assert config["bus.transfer_oob"] is True
    assert config["ftl.slc_cache.name"] in ("static", "dynamic")


@pytest.mark.parametrize("name", CHIPS)
def test_retries_come_with_wear_and_age_together(name: str, tmp_path: Path) -> None:
    worn = WORN[CHIPS[name]]
    fresh = read(name, tmp_path)
    used = read(name, tmp_path, nand__pe_cycles=worn)
    kept = read(name, tmp_path, ftl__reading__data_age="365d")
    both = read(name, tmp_path, nand__pe_cycles=worn, ftl__reading__data_age="365d")
    assert [retried(document) for document in (fresh, used)] == [0, 0]
    # Charge traps lose so much in a year that even new cells need other references (Park and others, 2021).
    assert (retried(kept) > 0) == (CHIPS[name] == "tlc-3d-256g")
    assert retried(both) > max(0.2, retried(kept))
    assert p99(both) > 1.5 * p99(fresh)
    # After a year on worn charge traps no request does without many retries.
    some = kept if retried(kept) > 0 else both
    by_retries = some["ecc"]["requests_by_retries"]
    assert sum(by_retries["requests"]) == some["host"]["read"]["requests"]
    means = [mean for mean in by_retries["latency_ns_mean"] if mean is not None]
    assert means[-1] > means[0]
    if CHIPS[name] == "tlc-3d-256g":  # each number of retries is counted, as far as the table goes
        most = len(both["ecc"]["requests_by_retries"]["requests"]) - 1
        assert 25 < most <= both["config"]["ecc.code.retries"]
    # JESD218: a client drive keeps its data for a year at 30 degrees, on blocks with the rated cycles.
    assert float(worn) >= both["config"]["nand.pe_cycles_rated"]
    assert both["host"]["read"]["uncorrectable"] == 0
    assert both["unreadable"]["reads_rebuilt"] == {"host": 0, "other": 0}


@pytest.mark.parametrize(("name", "stripe"), [("nvme-tlc", 31), ("sata-tlc", 15)])
def test_there_is_room_for_parity_over_all_dies(name: str, stripe: int, tmp_path: Path) -> None:
    job = tmp_path / "job.fio"
    job.write_text(JOB)
    document = fg.run(name, job, set={"ftl.parity.name": "rain"}).document
    assert document["ftl"]["parity"]["stripe"] == stripe
    assert document["host"]["completed"]["read"] == 2048


def test_pipelined_retries_are_as_many_and_take_less(tmp_path: Path) -> None:
    aged = {"nand__pe_cycles": "1000", "ftl__reading__data_age": "365d"}
    in_turn, pipelined = (
        read("nvme-tlc", tmp_path, ecc__code__retry_pipelined=on, **aged) for on in ("false", "true")
    )
    assert in_turn["ecc"]["read_retries"] == pipelined["ecc"]["read_retries"] > 0
    means = [document["host"]["read"]["latency_ns"]["mean"] for document in (in_turn, pipelined)]
    assert means[1] < 0.85 * means[0]
