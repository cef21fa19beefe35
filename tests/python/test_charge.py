"""Do blocks wear by what their cells hold, and do planar chips err as their codes allow?"""

from itertools import pairwise
from statistics import fmean

import pytest

from floatgate.lab import Bench
from floatgate.lab.chip import CellModel
from floatgate.lab.experiments import chosen
from floatgate.lab.experiments.state_life import HIGH, LOW, RANDOM
from floatgate.lab.run import measure
from floatgate.lab.simulated import Model, SimulatedSource

YEAR_S = 365.25 * 86_400.0
CELLS = 40_000  # of each block whose error rates are sampled
# Bits that the data sheet's code corrects in 512 bytes, and at which raw rate one in 1e15 bits is then lost.
CODES = {1: 7.0e-10, 4: 3.3e-6, 8: 5.5e-5}
PLANAR = {
    "nand128w3a2bn": 1,
    "hy27us08121a": 1,
    "mt29f2g08aad": 1,
    "mt29f4g08aac": 1,
    "nand08gw3b2c": 1,
    "mt29f8g08maawc": 4,
    "29f16g08canc1": 1,
    "mt29f32g08qaa": 8,
}


def ratios(*overrides: str) -> dict[str, float]:
    (asked,) = chosen(["state-life"])
    found: dict[str, float] = asked.run(Bench(SimulatedSource("poster-mlc", overrides=overrides), 3)).numbers[
        "ratio"
    ]
    return found


def test_low_voltage_data_let_blocks_live_longer() -> None:
    found = ratios()
    assert found[LOW] > found[RANDOM] > found[HIGH]
    assert found["11"] > found["10"] > found["00"] > found["01"]


def test_without_charge_all_states_but_the_erased_wear_alike() -> None:
    found = ratios("cells.wear.charge=0")
    assert found["10"] == found["00"] == found["01"] == found[HIGH] == 1
    assert found["11"] > 1


@pytest.mark.parametrize("pattern", ["mix:11=0.5,10=0.5", "mix:00=0.5,01=0.5", "state:10", "state:11"])
def test_tables_wear_by_the_mix_of_states_as_cells_do(pattern: str) -> None:
    def life(model: Model, what: str) -> float:
        chip = SimulatedSource("derived/poster-mlc", model=model).open()
        return fmean(chip.cycle(block, 10**7, pattern=what, pages="all")[-1][3] for block in range(40, 60))

    cells, tables = (life(model, pattern) / life(model, "random") for model in ("cells", "tables"))
    assert tables == pytest.approx(cells, rel=0.01)


def test_what_single_programs_wrote_wears_a_chip_of_tables_as_its_pattern_does() -> None:
    """A block is worn by cycles almost to its end, then by single operations of the same data."""
    for pattern, data in (("state:01", (0x00, 0xFF)), ("state:10", (0xFF, 0x00)), ("state:11", (0xFF, 0xFF))):
        chip = SimulatedSource("derived/poster-mlc", overrides=("pages_per_block=2",), model="tables").open()
        whole = chip.identify().whole_page_bytes
        life = chip.cycle(1, 10**7, pattern=pattern, pages="all")[-1][3]
        chip = SimulatedSource("derived/poster-mlc", overrides=("pages_per_block=2",), model="tables").open()
        chip.cycle(1, life - 20, pattern=pattern, pages="all")
        done = life - 20
        while chip.status() == "ok":
            for page, byte in enumerate(data):
                chip.program(1, page, bytes([byte]) * whole)
            chip.erase(1)
            done += 1
        assert abs(done - life) <= 1, pattern


def test_dwell_is_refused_where_it_is_not_modelled() -> None:
    (outcome,) = measure(Bench(SimulatedSource("mt29f8g08maawc"), 2), chosen(["dwell"])).outcomes
    assert outcome.state == "not possible"
    assert "not modelled" in outcome.reason


def planar(name: str) -> tuple[CellModel, int]:
    chip = SimulatedSource(name).cells()
    rated = chip.identify().rated.pe_cycles
    assert rated is not None
    return chip, rated


@pytest.mark.parametrize(("name", "bits"), PLANAR.items())
def test_planar_chips_hold_a_year_at_their_rating_with_the_code_that_they_ask_for(
    name: str, bits: int
) -> None:
    chip, rated = planar(name)
    (aged,) = chip.error_rates(rated, [(YEAR_S, 0)], CELLS)
    assert fmean(aged.usual) <= CODES[bits]


@pytest.mark.parametrize(("name", "bits"), PLANAR.items())
def test_reads_of_planar_chips_are_a_line_and_no_cliff(name: str, bits: int) -> None:
    """Between 1e5 and 1e6 reads a code reaches its limit (Desnoyers 2009, section 2.1)."""
    chip, rated = planar(name)
    reads = (100_000, 200_000, 400_000, 800_000)
    new, *read = (fmean(at.usual) for at in chip.error_rates(rated, [(0.0, n) for n in (0, *reads)], CELLS))
    added = [rate - new for rate in read]
    for less, more in pairwise(added):
        assert more == pytest.approx(2 * less, rel=0.1)
    assert read[0] < CODES[bits] < 1.3 * read[-1]
