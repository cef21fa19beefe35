"""How sure a fitted parameter is: its interval, what hides it, and what cannot be told apart from it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import exp, log

import numpy as np

from floatgate.twin.built import shape
from floatgate.twin.evaluate import Numbers
from floatgate.twin.fitting import CONTINUOUS, Fitting, Found, Twin
from floatgate.twin.measurements import Measurements, Row
from floatgate.twin.parameters import PARAMETERS, matter

SHIFT = 0.2  # a change that no measurement shows leaves a parameter undetermined
CLEAR = 8.0  # errors by which such a change moves a row: no doubt is left
WITHIN = 2.0  # errors in which a row stays that does not show a change
SIDES = (1, -1)  # a fifth more, a fifth less
SEEDS = (1, 2, 3)
WIDE = 1.96  # standard deviations of a 95 % interval on each side
ALIKE = 0.95  # a correlation of two parameters that cannot be told apart
ROWS = 2  # that are named for a parameter, where others show it by less than a tenth as much
HELD = 0.1  # weight of staying where one is: what no row shows does not move


def told(state: Fitting, measurements: Measurements) -> Twin:
    """Fit all parameters together once more, and say how sure each is."""
    names = [name for name in CONTINUOUS if name in state.touched - state.listed]
    state.rows = _with_noise(state)
    deviations, slopes = _together(state, names)
    unseen = _unseen(state, names)
    lost = {name for name, sides in unseen.items() if len(sides) == len(SIDES)}
    errors = np.array([row.error for row in state.rows])
    kept = [name for name in names if name not in lost]
    columns = {name: slopes[:, names.index(name)] / errors for name in kept}
    spread, alike = _spread(columns, deviations / errors)
    found = {}
    for name in PARAMETERS:
        if name in columns:
            value, half = state.values[name], WIDE * spread[name]
            low, high = (
                None if -side in unseen.get(name, []) else value * exp(-side * half) for side in SIDES
            )
            found[name] = Found(value, low, high, _revealing(state.rows, columns[name]))
        elif name in state.touched and name not in lost:
            rows = state.told_by.get(name) or [row for row in state.rows if name in matter(row.setting)]
            found[name] = Found(state.values[name], None, None, tuple(rows[:ROWS]))
    pairs = tuple(zip(state.rows, map(float, deviations), strict=True))
    capacity = shape(state.simulator.base, state.values, state.simulator.capacity).capacity
    undetermined = tuple(name for name in PARAMETERS if name not in found)
    base, runs = state.simulator.base.drive, state.simulator.runs
    return Twin(measurements, base, capacity, found, undetermined, alike, pairs, runs)


def _with_noise(state: Fitting) -> list[Row]:
    """Return the rows with errors that allow for how much runs of other seeds differ."""
    state.progress("noise of runs", state.simulator.runs)
    many = [state.simulator.deviations(state.rows, [state.values], seed)[0] for seed in SEEDS]
    noise = np.std(np.array(many), axis=0, ddof=1)
    # The measurement has as much noise as the run beside it.
    return [
        replace(row, error=float((row.error**2 + 2 * one**2) ** 0.5))
        for row, one in zip(state.rows, noise, strict=True)
    ]


def _together(state: Fitting, names: Sequence[str]) -> tuple[Numbers, Numbers]:
    """Take one step with all parameters, if it brings them nearer; return deviations, and slopes there."""
    state.progress("all together", state.simulator.runs)
    errors = np.array([row.error for row in state.rows])
    if not names:
        here = np.array(state.simulator.deviations(state.rows, [state.values])[0])
        return here, np.zeros((len(errors), 0))
    here, slopes = state.slopes(names, state.rows, state.values)
    if state.simulator.scale(state.rows, state.values) > 1:
        return here, slopes  # a replica's noise is as large as what such a step would gain
    weighted = np.vstack([slopes / errors[:, None], HELD * np.eye(len(names))])
    step = np.linalg.lstsq(weighted, np.concatenate([-here / errors, np.zeros(len(names))]), rcond=None)[0]
    for length in (1.0, 0.5):
        values = dict(state.values)
        for name, one in zip(names, step, strict=True):
            least, most = state.limits(name)
            values[name] = min(max(values[name] * exp(length * one), least), most)
        there = np.array(state.simulator.deviations(state.rows, [values])[0])
        if np.sum((there / errors) ** 2) < np.sum((here / errors) ** 2):
            state.values = values
            return there, slopes
    return here, slopes


def _unseen(state: Fitting, names: Sequence[str]) -> dict[str, list[int]]:
    """Return the parameters of which a change of a fifth stays unseen, and on which sides.

    Unseen is what leaves all measurements within their errors. Only where the slopes of a side leave it open
    is that simulated.
    """
    state.progress("what is undetermined", state.simulator.runs)
    errors = np.array([row.error for row in state.rows])
    doubtful = []
    # On a replica, whose runs take seconds, a change and its opposite are taken to move a row alike.
    is_large = state.simulator.scale(state.rows, state.values) > 1
    for side in SIDES if names else ():
        _, slopes = state.slopes(names, state.rows, state.values, 1 if is_large else side)
        moves = np.max(np.abs(slopes) * log(1 + SHIFT) / errors[:, None], axis=0)
        doubtful += [(name, side) for name, most in zip(names, moves, strict=True) if most < CLEAR]
    many = [{**state.values, name: state.values[name] * (1 + SHIFT) ** side} for name, side in doubtful]
    here, *others = map(np.array, state.simulator.deviations(state.rows, [state.values, *many]))
    found: dict[str, list[int]] = {}
    for (name, side), there in zip(doubtful, others, strict=True):
        if np.all(np.abs(there - here) <= WITHIN * errors):
            found.setdefault(name, []).append(side)
    return found


def _spread(
    columns: dict[str, Numbers], misses: Numbers
) -> tuple[dict[str, float], tuple[tuple[str, str], ...]]:
    """Return each parameter's standard deviation as a logarithm, and pairs that go together."""
    names = list(columns)
    if not names:
        return {}, ()
    slopes = np.stack([columns[name] for name in names], axis=1)
    covariance = np.linalg.pinv(slopes.T @ slopes)
    freedom = max(1, len(misses) - len(names))
    # Rows that miss by more than their errors say that these are too small.
    widened = max(1.0, float(np.sum(misses**2)) / freedom)
    spread = np.sqrt(np.diag(covariance))
    alike = tuple(
        (names[i], names[j])
        for i, j in combinations(range(len(names)), 2)
        if abs(covariance[i, j]) > ALIKE * spread[i] * spread[j]
    )
    return {name: float(one) * widened**0.5 for name, one in zip(names, spread, strict=True)}, alike


def _revealing(rows: Sequence[Row], column: Numbers) -> tuple[Row, ...]:
    """Return the rows that follow a parameter most."""
    strength = np.abs(column)
    order = [int(index) for index in np.argsort(-strength)[:ROWS]]
    return tuple(rows[index] for index in order if strength[index] > 0.1 * strength[order[0]])
