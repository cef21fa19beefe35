"""Do the two models of a chip, its cells and the tables derived from them, answer alike on the bench?

Conditions lie off the grid of the tables; of the sample they were derived from, other blocks are looked at.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import numpy as np
import pytest

from floatgate import _core
from floatgate.errors import InputError
from floatgate.lab.chip import Entry, Pages
from floatgate.lab.patterns import random_page
from floatgate.lab.simulated import Model, SimulatedSource, TabledChip

CHIPS = Path(__file__).parents[2] / "chips"
DAY_S = 86_400.0
WORDLINES = 3  # programmed; the last has no neighbour above and is not read
FIRST = 700  # block: those before were used up to derive the tables
# More blocks can be looked at in the same time; the wordlines that are read lie in one layer: the middle one.
SMALL = ("page_size=2KiB", "oob_size=128B", "cells.tails.layer_spread=0")
WRONG_LEAST = 100  # bits: fewer say little about a rate


@dataclass(frozen=True)
class Bench:
    """A chip, how worn its blocks are, and what they go through."""

    chip: str
    pe_cycles: int
    blocks: int
    days: float
    celsius: float
    reads: int
    errs: bool = True  # a part whose code corrects a single bit has too few wrong ones to compare


@dataclass(frozen=True)
class Seen:
    """Means over the blocks."""

    t_prog_ns: list[float]  # by page type
    t_bers_ns: float
    wrong: list[int]  # bits, by page type
    bits: int  # read of each page type


def look(bench: Bench, model: Model) -> Seen:
    chip = SimulatedSource(f"derived/{bench.chip}", overrides=SMALL, model=model).open()
    identity = chip.identify()
    programs: list[list[int]] = [[] for _ in range(identity.bits)]
    alive: list[int] = []
    for block in range(FIRST, FIRST + bench.blocks):
        chip.cycle(block, bench.pe_cycles, pattern="random", pages="all")
        if chip.status() != "ok":
            continue  # it lived no longer
        alive.append(block)
        for page in range(WORDLINES * identity.bits):
            answer = chip.program(block, page, random_page(identity, block, page))
            assert answer.status == "ok"
            programs[identity.page_bits[page]].append(answer.busy_ns)
    chip.set_temperature(bench.celsius)
    chip.let_time_pass(bench.days * DAY_S)
    chip.set_temperature(25.0)
    wrong = [0] * identity.bits
    erases = []
    for block in alive:
        for _ in range(bench.reads):
            chip.read(block, 0)
        for page in range((WORDLINES - 1) * identity.bits):
            found = np.frombuffer(chip.read(block, page).data, np.uint8)
            meant = np.frombuffer(random_page(identity, block, page), np.uint8)
            wrong[identity.page_bits[page]] += int(np.unpackbits(found ^ meant).sum())
        erases.append(chip.erase(block).busy_ns)
    bits = len(alive) * (WORDLINES - 1) * identity.whole_page_bytes * 8
    return Seen([fmean(times) for times in programs], fmean(erases), wrong, bits)


def pulses_ns(chip: str) -> tuple[float, float]:
    """One program pulse that verifies all states, and one erase pulse, as the chip's file has them."""
    cells = tomllib.loads((CHIPS / f"{chip}.toml").read_text())["cells"]

    ns = _core.nanoseconds
    states = len(cells["normal"]["verify"])
    program, erase = cells["program"], cells["erase"]
    pulse = ns(program["t_pulse"]) + states * ns(program["t_verify"])
    return pulse, ns(erase["t_pulse"]) + ns(erase["t_verify"])


BENCHES = [
    Bench("mt29f4g08aac", 120_000, 48, 100, 40, 0, errs=False),
    Bench("mt29f4g08aac", 170_000, 48, 30, 55, 20, errs=False),
    Bench("poster-mlc", 7_000, 48, 0, 25, 0),
    Bench("poster-mlc", 12_000, 48, 100, 40, 0),
    Bench("tlc-3d-256g", 4_300, 32, 0, 25, 0),
    Bench("tlc-3d-256g", 2_400, 24, 60, 40, 5),
    Bench("qlc-3d-1t", 1_300, 16, 20, 55, 0),
]


@pytest.mark.parametrize("bench", BENCHES, ids=[f"{b.chip}-{b.pe_cycles}-{b.days:g}d" for b in BENCHES])
def test_tables_answer_as_cells_do(bench: Bench) -> None:
    """Times within one pulse, error rates within a factor of 1.5, each page type for itself."""
    cells, tables = look(bench, "cells"), look(bench, "tables")
    program_ns, erase_ns = pulses_ns(bench.chip)
    for one, other in zip(cells.t_prog_ns, tables.t_prog_ns, strict=True):
        assert abs(one - other) < program_ns
    assert abs(cells.t_bers_ns - tables.t_bers_ns) < erase_ns
    counted = 0
    assert bench.errs or max(tables.wrong) < WRONG_LEAST
    for one_wrong, other_wrong in zip(cells.wrong, tables.wrong, strict=True):
        if one_wrong >= WRONG_LEAST:
            counted += 1
            ratio = other_wrong / tables.bits / (one_wrong / cells.bits)
            assert 1 / 1.5 < ratio < 1.5, (cells.wrong, tables.wrong, cells.bits, tables.bits)
    assert (counted > 0) == bench.errs, f"{cells.wrong} of {cells.bits} bits: more or fewer than are compared"


def test_blocks_of_both_models_live_alike() -> None:
    def lives(model: Model, celsius: float) -> list[int]:
        chip = SimulatedSource("derived/mt29f4g08aac", model=model).open()
        chip.set_temperature(celsius)
        return sorted(
            chip.cycle(block, 10**8, pattern="random", pages="all")[-1].cycle
            for block in range(FIRST, FIRST + 60)
        )

    for celsius in (25.0, 5.0):
        cells, tables = lives("cells", celsius), lives("tables", celsius)
        assert fmean(tables) == pytest.approx(fmean(cells), rel=0.15)
        assert tables[30] == pytest.approx(cells[30], rel=0.2)


STEPS: list[tuple[int, str, Pages]] = [
    (900, "random", "all"),
    (77, "zeros", "first"),
    (30, "state:1", "none"),
]


def test_a_chip_of_tables_logs_n_cycles_as_n_times_one() -> None:
    def opened() -> TabledChip:
        return SimulatedSource("derived/mt29f4g08aac", seed=5, model="tables").open()

    whole, single = opened(), opened()
    for cycles, pattern, pages in STEPS:
        at_once = whole.cycle(3, cycles, pattern=pattern, pages=pages)
        one_by_one: list[Entry] = []
        for _ in range(cycles):
            one_by_one += single.cycle(3, 1, pattern=pattern, pages=pages)
        assert at_once == one_by_one


def test_a_chip_without_tables_is_told_so() -> None:
    with pytest.raises(InputError, match="floatgate derive"):
        SimulatedSource("poster-mlc", model="tables").open()
