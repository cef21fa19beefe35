"""Do error rates follow from measured threshold voltages, and are impossible ones refused?"""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from conftest import Command, one_line_error
from floatgate import _core
from floatgate.errors import InputError
from floatgate.lab import errors, patterns
from floatgate.lab.fit import voltages
from floatgate.lab.fit.measured import fit_voltages
from floatgate.lab.simulated import SimulatedSource

TABLE = Path(__file__).parents[2] / "papers" / "cai2017-tlc" / "voltages.csv"
HEAD = "pe_cycles,state,mean,sigma\n"


def test_pages_share_the_overlap_by_their_sensings() -> None:
    means, sigmas = [8.0 * state for state in range(8)], [1.0] * 8
    references = _core.best_references(means, sigmas)
    assert references == pytest.approx([8.0 * state + 4.0 for state in range(7)])
    tail = 3.167e-5  # of a normal distribution beyond four deviations
    for two_step, sensings in ((True, (1, 2, 4)), (False, (2, 3, 2))):
        rates = _core.page_error_rates(means, sigmas, references, two_step)
        assert rates == pytest.approx([2 * tail / 8 * count for count in sensings], rel=1e-3)


def test_the_overlap_of_a_simulated_parts_states_is_its_error_rate(tmp_path: Path) -> None:
    """The model's cells are not quite normal: counted and computed rates agree within a factor of two."""
    chip = SimulatedSource("tlc-3d-256g").cells()
    identity = chip.identify()
    chip.cycle(0, 3000, pattern="random", pages="all")
    written = errors.write(chip, identity, 0, seed=1)
    assert written is not None
    chip.let_time_pass(365 * 86_400.0)
    lines = ["# coding: one-shot", HEAD.strip()]
    volts, meant = [], []
    for line in range(8):
        volts.append(chip.threshold_voltages(0, line))
        meant.append(patterns.states_of(identity, [written[page] for page in identity.pages_of(line)]))
    for place, state in enumerate(identity.states):
        hump = np.concatenate(volts)[np.concatenate(meant) == place].astype(np.float64)
        lines.append(f"3000,{state},{hump.mean():.6f},{hump.std():.6f}")
    path = tmp_path / "tlc.csv"
    path.write_text("\n".join(lines) + "\n")
    table = voltages.read(path)
    row = table.rows[0]
    references = list(chip.use_voltage_plan("normal").references)
    computed = _core.page_error_rates(list(row.means), list(row.sigmas), references, False)
    counted = errors.compare(chip, identity, 0, written)
    for page in range(3):
        assert 0.5 < computed[page] / counted.bit_rate(page) < 2.0, (page, computed, counted)


def test_growth_is_found_and_shown_bad_where_there_is_none(tmp_path: Path) -> None:
    def table(name: str, moved: Callable[[int, int], float]) -> voltages.Growth:
        rows = [
            f"{wear},{state},{moved(wear, state) + 10 * state},1"
            for wear in (0, 100, 400, 1000, 2500, 5000)
            for state in range(4)
        ]
        path = tmp_path / name
        path.write_text(HEAD + "\n".join(rows) + "\n")
        found = voltages.growth(voltages.read(path), "mean")
        assert found is not None
        return found

    power = table("power.csv", lambda wear, state: 0.01 * (state + 1) * wear**0.6)
    assert power.shape.name == "power"
    assert power.bend == pytest.approx(0.6, abs=1e-3)
    assert power.goodness.r2 == pytest.approx(1.0, abs=1e-6)
    assert table("line.csv", lambda wear, _: 0.001 * wear).shape.name == "linear"
    wild = table("wild.csv", lambda wear, state: wear // 100 % 3 + wear % 7 * state / 4)
    assert (wild.goodness.r2 or 0.0) < 0.9


REFUSED = {
    "falling means": ("0,a,0,1\n0,b,-1,1\n", r"0 cycles: mean of b = -1: expected more than a's 0"),
    "no width": ("0,a,0,1\n0,b,5,0\n", r":3: sigma = 0: expected a number above 0"),
    "twice": ("0,a,0,1\n0,a,5,1\n", r":3: state = a: given twice for 0 cycles"),
    "one missing": ("0,a,0,1\n0,b,5,1\n9,a,0,1\n", r"9 cycles: state b: expected a, b, as in the first row"),
    "three states": ("0,a,0,1\n0,b,5,1\n0,c,9,1\n", r"3 states: expected 2, 4, 8, 16"),
    "no number": ("0,a,0,1\n0,b,five,1\n", r":3: mean = five: expected a number"),
    "half a cycle": ("0.5,a,0,1\n0.5,b,5,1\n", r":2: pe_cycles = 0.5: expected a whole number"),
    "a short line": ("0,a,0\n", r":2: 3 fields: expected 4"),
    "nothing": ("", r"no rows"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_impossible_voltages_are_refused(name: str, tmp_path: Path) -> None:
    text, says = REFUSED[name]
    path = tmp_path / "table.csv"
    path.write_text(HEAD + text)
    with pytest.raises(InputError, match=says):
        voltages.read(path)


def test_heads_that_name_what_is_not_there(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    path.write_text("# fixed: 7\n" + HEAD + "0,a,0,1\n0,b,5,1\n")
    with pytest.raises(InputError, match="fixed: 7: expected one of 0"):
        voltages.read(path)
    path.write_text("# coding: grey\n" + HEAD + "0,a,0,1\n0,b,5,1\n")
    with pytest.raises(InputError, match="coding: grey: expected one of two-step, one-shot"):
        voltages.read(path)


def test_the_command_on_the_published_table(floatgate: Command, tmp_path: Path) -> None:
    done = floatgate("fit", "--voltages", str(TABLE), "--out", "fit")
    assert done.returncode == 0, done.stderr
    assert "2000, 1 y" in done.stdout
    document = json.loads((tmp_path / "fit" / "fit.json").read_text())
    assert document["growth"][0]["good"]
    assert fit_voltages(TABLE).document() == document
    refused = one_line_error(floatgate("fit", str(TABLE), "--voltages", str(TABLE)))
    assert "given beside --voltages" in refused
