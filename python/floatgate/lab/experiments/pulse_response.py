"""What one pulse does to fresh and to aged cells."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from floatgate.lab import figures
from floatgate.lab.bench import Bench
from floatgate.lab.chip import CellProbe, Entry, Staircase
from floatgate.lab.experiment import Experiment, Result, Table, lacks_probe
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

SHARES = (0.0, 0.25, 0.5, 0.9)  # of the block's life
ASKED = 400  # cells followed
PULSES = 6  # whose response is shown


def run(bench: Bench) -> Result:
    """Wear one block to several shares of its life, and send the same pulses each time."""
    whole = bench.lives()[0]
    found = [_at(bench, whole.block, round(share * whole.cycles)) for share in SHARES]
    names = [_named(share) for share in SHARES]
    first, last = found[0], found[-1]
    rows = tuple(
        (name, f"{of['program_v'][0]:.3f}", q.duration(of["erase_ns"]), str(of["erase_pulses"] or q.NOTHING))
        for name, of in zip(names, found, strict=True)
    )
    rises = [last["program_v"][0] - first["program_v"][0], last["erase_ns"] / first["erase_ns"]]
    return Result(
        f"The first program pulse brings a cell of an aged block {rises[0]:.3g} V higher than one of a fresh "
        f"block, so programs take fewer pulses; a pulse of the erase does less, so that an erase takes "
        f"{q.ratio(rises[1])} times as long.",
        {"share_of_life": list(SHARES), "at": found},
        (Table(("life used", "after the first pulse (V)", "erase", "erase pulses"), rows),),
        {
            "pulse-response": figures.lines(
                {
                    name: (range(1, len(of["program_v"]) + 1), of["program_v"])
                    for name, of in zip(names, found, strict=True)
                },
                Axis("program pulses"),
                Axis("mean threshold voltage (V)"),
            )
        },
    )


def _named(share: float) -> str:
    return f"{share:.0%} of its life" if share else "fresh"


def _at(bench: Bench, block: int, cycles: int) -> dict[str, Any]:
    """Wear the block of a fresh chip, and look at what pulses do then."""
    chip, blocks = bench.sample(bench.blocks, f"{cycles}-cycles")
    assert isinstance(chip, CellProbe)
    assert block in blocks, "a renewable chip offers the same blocks again"
    chip.use_voltage_plan(chip.voltage_plans()[0])
    erase = _last_erase(chip.cycle(block, max(cycles, 1)))
    risen = [mean for mean in _means(chip.staircases(block, 0, ASKED)) if mean is not None]
    return {
        "cycles": cycles,
        "program_v": risen,
        "erase_ns": erase.busy_ns,
        "erase_pulses": erase.pulses,
    }


def _last_erase(entries: Sequence[Entry]) -> Entry:
    return [entry for entry in entries if entry.operation == "erase"][-1]


def _means(cells: list[Staircase]) -> list[float | None]:
    """Mean threshold voltage after each pulse, of the cells that have had all of them."""
    after = []
    for pulse in range(1, PULSES + 1):
        at_work = [cell.volts[pulse] for cell in cells if len(cell.volts) > pulse <= cell.inhibited_after]
        after.append(fmean(at_work) if at_work else None)
    return after


EXPERIMENT = Experiment(
    "pulse-response",
    "One pulse, fresh and aged",
    "Does the same pulse do more, or less, to a block that has aged?",
    "Desnoyers 2009, section 3.2, figure 4",
    run,
    lacks_probe,
)
