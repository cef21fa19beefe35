"""`floatgate rber`: the rates are those of tables and cells, and the retries those that a run counts."""

import json
import tomllib
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

import floatgate as fg
from conftest import in_process
from floatgate import _core
from floatgate.files import shipped
from floatgate.lab.simulated import SimulatedSource

ROOT = Path(__file__).parents[2]
DAY_S = 86_400.0
JOB = "[job]\nrw=randread\nbs=4k\nsize=100%\nnumber_ios=4000\niodepth=4\n"
# Four dies, all data in cells of three bits.
SMALL = {
    "geometry.channels": 2,
    "geometry.ways": 2,
    "nand.blocks_per_plane": 40,
    "ftl.user_capacity": "10GB",
    "ftl.slc_cache.name": "none",
}


@pytest.mark.parametrize(("cycles", "age"), [(1500, "60d"), (1120, "90d"), (3000, "365d")])
def test_retries_are_those_that_a_run_counts(cycles: int, age: str, tmp_path: Path) -> None:
    (tmp_path / "job.fio").write_text(JOB)
    settings = SMALL | {"nand.pe_cycles": cycles, "ftl.reading.data_age": age}
    run = fg.run("nvme-tlc", tmp_path / "job.fio", precondition="fill", set=settings).document
    assert run.ecc is not None
    counts = run.ecc.requests_by_retries.requests
    assert (run.ecc.reads_retried.other, sum(counts)) == (0, run.host.read.requests)
    # Each request is one flash read, and each number of retries has an entry of its own.
    assert sum(n * count for n, count in enumerate(counts)) == run.ecc.read_retries
    foretold = [page.read for page in fg.rber("nvme-tlc", wear=[cycles], age=[age]).pages]
    reads = [read for read in foretold if read is not None]
    assert len(reads) == 3
    # Reads are drawn from all pages alike: four standard errors of their mean, counted in the run itself.
    mean = sum(n * count for n, count in enumerate(counts)) / sum(counts)
    variance = sum((n - mean) ** 2 * count for n, count in enumerate(counts)) / sum(counts)
    error = 4 * sqrt(variance / sum(counts))
    assert fmean(read.retries_mean for read in reads) == pytest.approx(mean, abs=error + 1e-6)
    retried = fmean(read.retried for read in reads)
    error = 4 * sqrt(retried * (1 - retried) / sum(counts))
    assert run.ecc.requests_by_retries.share == pytest.approx(retried, abs=error + 1e-6)
    # Each step of the table is one retry more, up to where the page comes right.
    assert {read.step for read in reads} <= {n for n, count in enumerate(counts) if count}


def test_rates_of_tables_are_the_files() -> None:
    name = "derived/tlc-3d-256g"
    table = tomllib.loads((ROOT / "chips" / f"{name}.toml").read_text())["tables"]["errors"]
    found = fg.rber(name, wear=table["pe_cycles"], age=table["ages"])
    assert (found.code, found.model, found.celsius) == (None, "tables", table["reference_celsius"])
    usual = table["steps"].index(1.0) * len(table["pe_cycles"])
    tabled = _core.Chip(name, shipped.folders(), 1, [], True)
    for page in found.pages:
        wear = table["pe_cycles"].index(page.pe_cycles)
        ages = [float(age.removesuffix("s")) for age in table["ages"]]
        place = 3 * ((usual + wear) * len(ages) + ages.index(page.age_s)) + page.page_type
        assert page.rber == pytest.approx(table["rate"][place], rel=1e-6)
        assert page.rber_best == pytest.approx(table["rate_best"][place], rel=1e-6)
        # The chip on the bench has the same.
        (best,) = tabled.table_rates(page.pe_cycles, [(page.age_s, 0)], page.page_type)
        assert page.rber_best == pytest.approx(best, rel=1e-9)
        assert not page.extrapolated
    assert all(page.extrapolated for page in fg.rber(name, wear=[10_000_000], age=["30d"]).pages)


def test_rates_of_cells_are_their_closed_form() -> None:
    found = fg.rber("poster-mlc", wear=[5000], age=["0s", "365d"], reads=100_000, seed=2)
    cells = SimulatedSource("poster-mlc", 2).cells()
    rests = [(0.0, 100_000), (365 * DAY_S, 100_000)]
    expected = [rate for of in cells.error_rates(5000, rests, 20_000) for rate in of.usual]
    assert [page.rber for page in found.pages] == expected
    assert [page.reads for page in found.pages] == [100_000] * 4
    assert "best lie lower by" in found._repr_html_()


def test_a_drive_says_what_its_code_reads(tmp_path: Path) -> None:
    words = ["rber", "nvme-tlc", "--wear", "0,3000", "--age", "0s,365d", "--out", str(tmp_path / "o")]
    ended = in_process(*words)
    assert ended.code == 0, ended.err
    head, *rows = ended.out.splitlines()[1:]
    assert "read at step" in head
    assert len([row for row in rows if row.split()[0] in "012"]) == 12
    assert "wrote" in ended.err
    found = json.loads((tmp_path / "o" / "rber.json").read_text())
    assert found == json.loads(json.dumps(fg.rber("nvme-tlc", wear=[0, 3000], age="0s,365d").document()))
    new, old = found["pages"][0], found["pages"][-1]
    assert new["read"]["step"] == 0
    assert 0 < old["read"]["step"] <= old["read"]["best_step"] <= found["code"]["retry_steps"]
    # What the code corrects in a hard read, it corrects at its accepted chance.
    assert old["rber"] > found["code"]["rber_hard"] > old["rber_best"] > new["rber"]
    assert old["read"]["codeword_failure"] < found["code"]["target"] < old["read"]["codeword_failure_first"]
    page = (tmp_path / "o" / "report.html").read_text()
    assert "Errors against wear" in page
    assert "<script src" not in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("nvme-tcl",), "nvme-tcl: no drive or chip has that name (did you mean nvme-tlc?)"),
        (("tlc",), "nand.errors.name = none: no bit is read wrong"),
        (("nvme-tlc", "--model", "cells"), "--model cells: a drive says it by nand.errors.name"),
        (("tlc-3d-256g", "--set", "ftl.op_ratio=1"), "--set ftl.op_ratio=1: a chip has no keys of a drive"),
        (("derived/tlc-3d-256g", "--seed", "2"), "--seed 2: tables are of the mean block"),
        (("nvme-tlc", "--wear", "1e3"), "--wear 1e3: expected whole numbers from 0"),
        (("nvme-tlc", "--age", "30"), "--age 30: "),
        (
            ("nvme-tlc", "--reads", "9999999999"),
            "--reads 9999999999: expected a whole number from 0",
        ),
    ],
)
def test_what_cannot_be_told_is_refused(words: tuple[str, ...], said: str) -> None:
    ended = in_process("rber", *words)
    assert (ended.code, ended.out, ended.err.count("\n")) == (2, "", 1)
    assert said in ended.err


def test_other_error_models_and_drives_without_code() -> None:
    own: dict[str, Any] = {"nand.errors.name": "power-law", "ecc.code.name": "none"}
    page = fg.rber("tlc", set=own, wear=[1000], age=["365d"]).pages[0]
    assert (page.read, page.rber_best) == (None, None)
    assert page.rber == pytest.approx(6.0e-3, rel=0.02)  # as the law's own test has it
