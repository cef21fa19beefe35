"""How much faster data is lost in the heat: times after which cells have lost equally much."""

from math import exp, log
from statistics import linear_regression

import numpy as np
from scipy.optimize import brentq

from floatgate.lab import errors, figures, patterns
from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.chip import CellProbe
from floatgate.lab.experiment import Experiment, Result, Table, lacks_probe
from floatgate.report.plot import Axis
from floatgate.values import quantities as q

YEAR_S = 365 * 86_400.0
HOT = (40.0, 55.0, 60.0, 70.0, 80.0, 85.0, 100.0, 120.0)
LONGEST_S, SHORTEST_S = 2 * YEAR_S, 60.0
CLOSE = 1e-4  # of a time: where the search ends
BOLTZMANN_EV = 8.617_333_262e-5
KELVIN = 273.15


def lacks(bench: Bench) -> str | None:
    """Say why losses cannot be compared: each needs the same cells, as new."""
    if not bench.source.renewable:
        return "needs the same cells as new for every temperature, which silicon cannot give"
    return lacks_probe(bench)


def run(bench: Bench) -> Result:
    """Find, for each temperature, the time that costs as much voltage as a year at room temperature."""
    wanted = _lost(bench, CELSIUS, YEAR_S)
    times = {celsius: _time_to_lose(bench, celsius, wanted) for celsius in bench.through(HOT)}
    factors = {celsius: YEAR_S / seconds for celsius, seconds in times.items()}
    energy = _activation_ev(factors)
    rows = tuple(
        (f"{celsius:g} C", q.duration(1e9 * seconds), q.three(factors[celsius]))
        for celsius, seconds in times.items()
    )
    return Result(
        f"A year at {CELSIUS:g} C costs the cells of the highest state {1000 * wanted:.1f} mV on average, "
        f"and so "
        f"do {q.duration(1e9 * times[55.0])} at 55 C and {q.duration(1e9 * times[85.0])} at 85 C: an "
        f"activation "
        f"energy of {energy:.2f} eV.",
        {
            "lost_v": wanted,
            "hours": {f"{celsius:g} C": seconds / 3600 for celsius, seconds in times.items()},
            "factor": {f"{celsius:g} C": factor for celsius, factor in factors.items()},
            "activation_ev": energy,
        },
        (Table(("at", "equals a year at 25 C", "factor"), rows),),
        {
            "acceleration": figures.lines(
                {"measured": (list(factors), list(factors.values()))},
                Axis("temperature (C)"),
                Axis("times faster than at 25 C", log=True, format="si"),
            )
        },
    )


def _lost(bench: Bench, celsius: float, seconds: float) -> float:
    """Return the mean loss of the highest state's cells in a time, in volts."""
    identity = bench.identity
    chip, (block,) = bench.sample(1, f"{celsius:g}C")
    assert isinstance(chip, CellProbe)
    chip.cycle(block, identity.rated.pe_cycles or 10_000, pattern="random", pages="all")
    data = {page: patterns.random_page(identity, block, page) for page in errors.written_pages(identity, 1)}
    for page, written in data.items():
        chip.program(block, page, written)
    highest = patterns.states_of(identity, [data[page] for page in identity.pages_of(0)]) == (
        len(identity.states) - 1
    )
    before = np.asarray(chip.threshold_voltages(block, 0), dtype=float)[highest]
    chip.set_temperature(celsius)
    chip.let_time_pass(seconds)
    after = np.asarray(chip.threshold_voltages(block, 0), dtype=float)[highest]
    return float(np.mean(before - after))


def _time_to_lose(bench: Bench, celsius: float, wanted: float) -> float:
    """Return the time in which that much is lost, a minute at least and two years at most."""

    def excess(log_s: float) -> float:
        return _lost(bench, celsius, exp(log_s)) - wanted

    ends = log(SHORTEST_S), log(LONGEST_S)
    if excess(ends[0]) >= 0:
        return SHORTEST_S
    if excess(ends[1]) <= 0:
        return LONGEST_S
    return exp(float(brentq(excess, *ends, xtol=CLOSE)))


def _activation_ev(factors: dict[float, float]) -> float:
    """Fit Arrhenius' line through the origin."""
    inverse = {celsius: 1 / (CELSIUS + KELVIN) - 1 / (celsius + KELVIN) for celsius in factors}
    logs = [log(factor) for factor in factors.values()]
    return BOLTZMANN_EV * linear_regression(list(inverse.values()), logs, proportional=True).slope


EXPERIMENT = Experiment(
    "acceleration",
    "Charge loss in the heat",
    "How long at high temperature costs cells as much charge as a year at room temperature?",
    "JESD218 (not measured in either paper)",
    run,
    lacks,
)
