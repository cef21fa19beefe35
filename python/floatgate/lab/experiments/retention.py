"""Errors of data by its age, at room temperature and hotter."""

from floatgate.lab import errors, figures
from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.experiment import Experiment, Result, Table
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

BLOCKS = 2
HOT = 55.0
HOUR = 3600.0
AGES_S = {
    "1 hour": HOUR,
    "1 day": 24 * HOUR,
    "1 week": 168 * HOUR,
    "1 month": 730 * HOUR,
    "3 months": 2190 * HOUR,
    "1 year": 8760 * HOUR,
}


def run(bench: Bench) -> Result:
    """Write fresh and worn blocks, leave them alone at two temperatures, and count errors now and then."""
    rated = bench.identity.rated.pe_cycles or 10_000
    found: dict[str, list[float]] = {}
    for cycles, celsius in bench.through(((0, CELSIUS), (rated, CELSIUS), (rated, HOT))):
        wear = f"{cycles:,} cycles" if cycles else "fresh"
        found[f"{wear}, {celsius:g} C"] = _aged(bench, cycles, celsius)
    ages = list(AGES_S)
    rows = tuple((name, *(q.three(rate) for rate in rates)) for name, rates in found.items())
    worn = found[f"{rated:,} cycles, {CELSIUS:g} C"]
    return Result(
        f"At {CELSIUS:g} C, blocks that had been worn for {rated:,} cycles had {q.three(worn[0])} wrong "
        f"cells of "
        f"a million {ages[0]} after the write and {q.three(worn[-1])} {ages[-1]} after it.",
        {"ages_s": list(AGES_S.values()), "errors_per_million_cells": found},
        (Table(("wrong cells of a million", *ages), rows),),
        {
            "retention": figures.lines(
                {name: ([age / HOUR for age in AGES_S.values()], rates) for name, rates in found.items()},
                Axis("age of the data (hours)", log=True),
                Axis("wrong cells of a million", zero=True),
            )
        },
    )


def _aged(bench: Bench, cycles: int, celsius: float) -> list[float]:
    """Return wrong cells of a million at each age, over blocks that live so long."""
    chip, blocks = bench.sample(BLOCKS, f"{cycles}-cycles-{celsius:g}C")
    written = {}
    for block in blocks:
        if cycles:
            chip.cycle(block, cycles, pattern="random", pages="all")
        data = errors.write(chip, bench.identity, block, seed=1)
        if data is not None:
            written[block] = data
    chip.set_temperature(celsius)
    rates, age = [], 0.0
    for later in AGES_S.values():
        chip.let_time_pass(later - age)
        age = later
        compared = [errors.compare(chip, bench.identity, block, data) for block, data in written.items()]
        rates.append(errors.mean_per_million(compared) or 0.0)
    return rates


EXPERIMENT = Experiment(
    "retention",
    "Errors by the age of the data",
    "How do errors grow while data is left alone, fresh and worn, at room temperature and hotter?",
    "Desnoyers 2009, section 2.1 (not measured there); Wang 2014 (poster), threshold voltage reduction",
    run,
)
