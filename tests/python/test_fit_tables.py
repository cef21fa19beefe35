"""Do fitted error rates and lives stand in the tables as they were measured, and do drives take them?"""

import json
import tomllib
from pathlib import Path

import numpy as np
import pytest

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import shipped
from floatgate.lab import characterize
from floatgate.lab.experiments import chosen
from floatgate.lab.fit import Fit, error_tables, fit_logs, measured, voltages, write
from floatgate.lab.simulated import SimulatedSource

MLC = "poster-mlc"
LOGS = ("lives-zeros-all-25C.csv", "state-errors.csv")
TABLE = Path(__file__).parents[2] / "papers" / "cai2017-tlc" / "voltages.csv"


def bench(folder: Path, source: SimulatedSource) -> list[Path]:
    """Logs of errors and of lives."""
    characterize(source, chosen(["state-errors", "all-pages"]), 12, folder)
    return [folder / "logs" / name for name in LOGS]


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Fit:
    return fit_logs(bench(tmp_path_factory.mktemp("rig") / "cells", SimulatedSource(MLC)))


def accepted(chip: Path) -> set[str]:
    """The tables of a chip file, as the core has read them: it refuses what does not fit."""
    entries = json.loads(_core.explain_chip(str(chip), shipped.folders()))["entries"]
    return {entry["key"] for entry in entries if entry["key"].startswith("nand.tables")}


def test_logs_of_several_experiments_make_one_page_model(first: Fit, tmp_path: Path) -> None:
    done = first
    write(done, tmp_path / "fit")
    chip = tmp_path / "fit" / f"{MLC}-fitted.toml"
    assert {"nand.tables.t_prog", "nand.tables.errors.rate", "nand.tables.endurance.cycles"} <= accepted(chip)
    tables = tomllib.loads(chip.read_text())["tables"]
    wears, rates = tables["errors"]["pe_cycles"], tables["errors"]["rate"]
    assert len(rates) == 2 * len(wears)
    for kind, fit in done.rates.items():
        for wear, rate in zip(wears, rates[kind::2], strict=True):
            assert rate == pytest.approx(float(fit.law.at(wear)), rel=1e-3)
    lives = sorted(life.cycles for life in done.gathered.lives if life.failed)
    found = tables["endurance"]["cycles"]
    assert found == sorted(found)
    assert found[len(found) // 2] == pytest.approx(lives[len(lives) // 2], rel=0.15)


def test_a_fit_gives_back_the_tables_that_a_part_works_with(first: Fit, tmp_path: Path) -> None:
    """From a log to tables, from these through the bench to a log, and from that to tables again.

    Pulses are the same; times differ by one of them at most, where steps moved; error rates by the factor
    of 1.6 at most, and the median life by no more than its confidence interval.
    """
    write(first, tmp_path / "once")
    chip = str(tmp_path / "once" / f"{MLC}-fitted.toml")
    second = fit_logs(bench(tmp_path / "tables", SimulatedSource(chip, model="tables")), chip)
    for kind, fit in first.times.items():
        if fit.pulse is None:
            continue
        again = second.times[kind]
        assert again.good
        assert again.pulse is not None
        assert again.pulse.ns == pytest.approx(fit.pulse.ns, rel=1e-3)
        for wear in np.geomspace(1, min(fit.wear_most, again.wear_most), 40):
            at = np.array([wear])
            assert abs(fit.at(at)[0] - again.at(at)[0]) <= 1.001 * fit.pulse.ns, (kind, wear)
    for page_type, rates in first.rates.items():
        for wear in (5000, 8000, 10_000):
            ratio = float(rates.law.at(wear)) / float(second.rates[page_type].law.at(wear))
            assert 1 / 1.6 < ratio < 1.6, (page_type, wear, ratio)
    assert first.endurance is not None
    assert second.endurance is not None
    low, high = first.endurance.intervals["0.5"]
    assert low < second.endurance.chosen.quantile(0.5) < high


def test_measured_voltages_make_the_tables_of_a_chip(tmp_path: Path) -> None:
    done = measured.fit_voltages(TABLE, "tlc-3d-256g")
    assert done.table.coding == "one-shot"
    measured.write(done, tmp_path / "fit")
    chip = tmp_path / "fit" / "tlc-3d-256g-fitted.toml"
    assert {"nand.tables.errors.rate", "nand.tables.errors.rate_best"} <= accepted(chip)
    errors = tomllib.loads(chip.read_text())["tables"]["errors"]
    assert errors["pe_cycles"] == [0, 2000, 3000]
    year = next(rates for rates in done.rates if rates.row.name == "2000, 1 y")
    place = 3 * (5 * errors["pe_cycles"].index(2000) + errors["ages"].index("31536000s"))
    assert errors["rate"][place : place + 3] == pytest.approx(year.fixed, rel=1e-3)
    assert errors["rate_best"][place : place + 3] == pytest.approx(year.best, rel=1e-3)
    with pytest.raises(InputError, match="8 states: expected 4, as poster-mlc has"):
        measured.fit_voltages(TABLE, MLC)


def test_ages_are_times(tmp_path: Path) -> None:
    assert [error_tables.seconds(age) for age in ("", "1 d", "2h", "3 mo")] == [0, 86_400, 7200, 7_776_000]
    with pytest.raises(InputError, match="age = long: expected a number and one of s, min"):
        error_tables.seconds("long")
    path = tmp_path / "table.csv"
    path.write_text("pe_cycles,age,state,mean,sigma\n0,1 d,a,0,1\n0,1 d,b,5,1\n9,1 w,a,0,1\n9,1 w,b,5,1\n")
    table = voltages.read(path)
    with pytest.raises(InputError, match="age 1 d: missing: expected every wear at that age"):
        error_tables.of_voltages(table, voltages.rates(table))
