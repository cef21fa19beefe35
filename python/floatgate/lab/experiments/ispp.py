"""Incremental step pulse programming: how a cell comes to its threshold voltage."""

import numpy as np

from floatgate.lab import distributions, errors, patterns
from floatgate.lab.bench import Bench
from floatgate.lab.chip import CellProbe, Staircase
from floatgate.lab.experiment import Experiment, Result, Table, lacks_probe
from floatgate.values import quantities as q

ASKED = 400  # cells followed
SHOWN = 3  # of each state: the ends of its range and between


def run(bench: Bench) -> Result:
    """Follow some cells of a wordline from pulse to pulse, and look at all of them at the end."""
    chip, (block,) = bench.sample(1, "")
    assert isinstance(chip, CellProbe)
    plan = chip.use_voltage_plan(chip.voltage_plans()[0])
    cells = chip.staircases(block, 0, ASKED)
    identity = bench.identity
    data = {page: patterns.random_page(identity, block, page) for page in errors.written_pages(identity, 1)}
    for page, written in data.items():
        chip.program(block, page, written)
    shown = [cell for state in plan.states for cell in _some(cells, state)]
    voltages = np.asarray(chip.threshold_voltages(block, 0))
    meant = patterns.states_of(identity, [data[page] for page in identity.pages_of(0)])
    pulses = max((len(cell.volts) - 1 for cell in cells), default=0)
    rows = tuple(
        (
            state,
            q.NOTHING if level is None else f"{level:.3f}",
            f"{min(stops)} to {max(stops)}" if (stops := _stops(cells, state)) else q.NOTHING,
        )
        for state, level in zip(plan.states, plan.verify, strict=True)
    )
    return Result(
        f"Incremental step pulse programming: each of the {pulses} pulses is {plan.step:.3g} V higher than "
        f"the "
        "one before, and raises a cell that is still in work by about as much. After each pulse the cells "
        "are "
        "verified; a cell that has passed the verify level of its state (ring) is inhibited and stays. The "
        "last "
        "pulse takes it beyond that level by up to one step (band), which makes the hump that wide: a "
        "smaller "
        "step makes narrower humps and takes more pulses.",
        {"pulses": pulses, "step_v": plan.step, "start_v": plan.start},
        (Table(("state", "verify (V)", "inhibited after pulse"), rows),),
        {"ispp": distributions.staircase(plan, shown, (voltages, meant))},
    )


def _stops(cells: list[Staircase], state: str) -> list[int]:
    return [cell.inhibited_after for cell in cells if cell.target == state and cell.inhibited_after]


def _some(cells: list[Staircase], state: str) -> list[Staircase]:
    """Return a few cells of a state, from the first inhibited to the last."""
    mine = sorted((cell for cell in cells if cell.target == state), key=lambda cell: cell.inhibited_after)
    if len(mine) <= SHOWN:
        return mine
    return [mine[round(index * (len(mine) - 1) / (SHOWN - 1))] for index in range(SHOWN)]


EXPERIMENT = Experiment(
    "ispp",
    "From pulse to pulse",
    "How do program pulses bring a cell to its state, and why are the humps as wide as they are?",
    "Desnoyers 2009, section 2.1; Wang 2014 (poster), figure 1",
    run,
    lacks_probe,
)
