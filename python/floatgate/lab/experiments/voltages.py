"""Distributions of threshold voltages."""

from typing import Any

import numpy as np

from floatgate.lab import distributions, patterns
from floatgate.lab.bench import Bench, OutOfBlocksError
from floatgate.lab.chip import CellProbe, Chip, VoltagePlan
from floatgate.lab.errors import written_pages
from floatgate.lab.experiment import Experiment, Result, Table, lacks_probe

WORDLINES = 8
SPARE = 4  # blocks, should the first not live so long
AGE_S = 30 * 86_400.0  # after which the distributions are drawn again


def run(bench: Bench) -> Result:
    """Write pseudo-random data and look at the threshold voltages, fresh and worn, with each voltage plan."""
    chip = bench.source.open()
    assert isinstance(chip, CellProbe)
    rated = bench.identity.rated.pe_cycles or 10_000
    drawn, rows, numbers = {}, [], {}
    for plan in chip.voltage_plans():
        shown = {}
        for name, cycles, wait_s in (("fresh", 0, 0.0), (f"{rated:,} cycles, 30 days", rated, AGE_S)):
            in_force, voltages, meant = _voltages(bench, plan, cycles, wait_s)
            shown[name] = (voltages, meant)
            rows += _rows(f"{plan}, {name}", bench.identity.states, voltages, meant)
            numbers[f"{plan}, {name}"] = _moments(bench.identity.states, voltages, meant)
        titled = {f"{plan}: {name}": cells for name, cells in shown.items()}
        drawn[f"voltages-{plan}"] = distributions.figure(in_force, titled)
    return Result(
        "Each hump is a state. A programmed state begins at its verify level, because a cell is left alone "
        "as "
        "soon as it has passed it, and is about one step wide, because the last pulse carries a cell that "
        "far "
        "beyond at most; noise and neighbours that are programmed later widen it. Reading compares with the "
        "references between the humps; the room between hump and reference is what wear and time may use up.",
        numbers,
        (Table(("state", "cells", "mean (V)", "standard deviation (V)"), tuple(rows)),),
        drawn,
    )


def _voltages(
    bench: Bench, plan: str, cycles: int, wait_s: float
) -> tuple[VoltagePlan, "np.ndarray", "np.ndarray"]:
    """Return the plan, and threshold voltages with the states meant, of some wordlines."""
    identity = bench.identity
    chip, blocks = bench.sample(SPARE, f"{plan}-{cycles}-cycles")
    assert isinstance(chip, CellProbe)
    in_force = chip.use_voltage_plan(plan)
    block = next((one for one in blocks if _worn(chip, one, cycles)), None)
    if block is None:
        raise OutOfBlocksError(f"none of {SPARE} blocks lived for {cycles:,} cycles")
    lines = min(WORDLINES, 1 + max(identity.wordlines))
    written = {}
    for page in written_pages(identity, lines):
        written[page] = patterns.random_page(identity, block, page)
        chip.program(block, page, written[page])
    if wait_s:
        chip.let_time_pass(wait_s)
    voltages = [np.asarray(chip.threshold_voltages(block, line)) for line in range(lines)]
    meant = [
        patterns.states_of(identity, [written[page] for page in identity.pages_of(line)])
        for line in range(lines)
    ]
    return in_force, np.concatenate(voltages), np.concatenate(meant)


def _worn(chip: Chip, block: int, cycles: int) -> bool:
    """Wear a block, and return whether it lives."""
    if not cycles:
        return True
    chip.cycle(block, cycles, pattern="random", pages="all")
    return chip.status() == "ok"


def _moments(states: tuple[str, ...], voltages: "np.ndarray", meant: "np.ndarray") -> dict[str, Any]:
    return {
        state: {
            "mean_v": float(np.mean(voltages[meant == place])),
            "standard_deviation_v": float(np.std(voltages[meant == place])),
        }
        for place, state in enumerate(states)
    }


def _rows(
    name: str, states: tuple[str, ...], voltages: "np.ndarray", meant: "np.ndarray"
) -> list[tuple[str, ...]]:
    return [
        (
            f"{state}, {name}",
            f"{int(np.sum(meant == place)):,}",
            f"{float(np.mean(voltages[meant == place])):.3f}",
            f"{float(np.std(voltages[meant == place])):.3f}",
        )
        for place, state in enumerate(states)
    ]


EXPERIMENT = Experiment(
    "voltages",
    "Threshold-voltage distributions",
    "Where are the cells of each state, fresh and worn, and how far are they from the read references?",
    "Wang 2014 (poster), figures 1 and 8",
    run,
    lacks_probe,
)
