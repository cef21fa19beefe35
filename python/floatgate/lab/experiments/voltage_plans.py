"""Threshold voltage reduction: speed, endurance and errors with each set of voltages that a chip can use."""

from dataclasses import dataclass
from statistics import fmean

from floatgate.lab import errors, figures, patterns
from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.chip import Chip, Regulated
from floatgate.lab.experiment import Experiment, Result, Table, lacks_plans
from floatgate.lab.lives import summary
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

BLOCKS = 4  # whose program times and errors are taken
AGES_S = {"at once": 0.0, "1 day": 86_400.0, "30 days": 2_592_000.0}


@dataclass(frozen=True)
class Found:
    """What one set of voltages gives."""

    program_ns: float  # mean over the pages of fresh blocks, pseudo-random data
    cycles: float  # mean endurance, all pages, pseudo-random data
    errors_per_million: dict[str, float]  # wrong cells at the rated cycles, by the age of the data


def run(bench: Bench) -> Result:
    """Write pseudo-random data with each set of voltages: how fast, how often, and how long it stays."""
    chip = bench.source.open()
    assert isinstance(chip, Regulated)
    plans = chip.voltage_plans()
    found = {plan: _measure(bench, plan) for plan in bench.through(plans)}
    base = found[plans[0]]
    speed = {plan: base.program_ns / one.program_ns - 1 for plan, one in found.items()}
    cycles = {plan: one.cycles / base.cycles - 1 for plan, one in found.items()}
    rows = tuple(
        (
            plan,
            q.duration(one.program_ns),
            f"{100 * speed[plan]:+.1f} %",
            q.count(one.cycles),
            f"{100 * cycles[plan]:+.1f} %",
            *(q.three(rate) for rate in one.errors_per_million.values()),
        )
        for plan, one in found.items()
    )
    said = [
        f"With {plan} voltages, programs are {100 * speed[plan]:.1f} % faster and blocks last "
        f"{100 * cycles[plan]:.1f} % more cycles than with {plans[0]} ones."
        for plan in plans[1:]
    ]
    return Result(
        " ".join(said) + " The last columns say what becomes of the data with time, at the rated cycles.",
        {
            "program_ns": {plan: one.program_ns for plan, one in found.items()},
            "mean_cycles": {plan: one.cycles for plan, one in found.items()},
            "speed_gain": speed,
            "cycles_gain": cycles,
            "errors_per_million_cells": {plan: one.errors_per_million for plan, one in found.items()},
        },
        (
            Table(
                ("voltages", "program", "speed", "endurance", "cycles", *(f"errors {age}" for age in AGES_S)),
                rows,
            ),
        ),
        {
            "plans-speed": figures.bars(
                {plan: {"program": one.program_ns / 1e3} for plan, one in found.items()},
                figures.time_axis("mean program time", "us"),
                colours=figures.OPERATIONS,
            ),
            "plans-errors": figures.bars(
                {plan: dict(one.errors_per_million) for plan, one in found.items()},
                Axis("wrong cells of a million", zero=True),
            ),
        },
    )


def _measure(bench: Bench, plan: str) -> Found:
    lives = bench.lives("random", "all", CELSIUS, plan)
    chip, blocks = _sample(bench, plan, "times")
    program_ns = fmean(time for block in blocks for time in _program_times(bench, chip, block))
    rates = {}
    for age, seconds in AGES_S.items():
        chip, blocks = _sample(bench, plan, age.replace(" ", "-"))
        for block in blocks:
            chip.cycle(block, bench.identity.rated.pe_cycles or 10_000, pattern="random", pages="all")
        collected = [
            one
            for block in blocks
            if (one := errors.collect(chip, bench.identity, block, 1, seconds)) is not None
        ]
        rates[age] = errors.mean_per_million(collected) or 0.0
    return Found(program_ns, summary(lives).mean, rates)


def _sample(bench: Bench, plan: str, label: str) -> tuple[Chip, list[int]]:
    chip, blocks = bench.sample(BLOCKS, f"{plan}-{label}")
    assert isinstance(chip, Regulated)
    chip.use_voltage_plan(plan)
    return chip, blocks


def _program_times(bench: Bench, chip: Chip, block: int) -> list[int]:
    identity = bench.identity
    pages = errors.written_pages(identity, min(errors.WORDLINES, 1 + max(identity.wordlines)))
    return [chip.program(block, page, patterns.random_page(identity, block, page)).busy_ns for page in pages]


EXPERIMENT = Experiment(
    "voltage-plans",
    "Threshold voltage reduction",
    "What do lower or narrower threshold voltages gain, and what do they cost?",
    "Wang 2014 (poster), threshold voltage reduction",
    run,
    lacks_plans,
)
