"""Which way of collecting, and how much of a buffer, several patterns together speak for."""

from collections.abc import Sequence
from math import exp, fsum

from floatgate.twin.fitting import Fitting
from floatgate.twin.measurements import Row
from floatgate.twin.parameters import VICTIMS

#: Buffers that are tried together with ways of collecting, where skewed writes tell them: from two programs
#: of every die, with which all are kept busy, to a thousandth of the drive, as its map has.
BUFFERS = (1, 1.5, 2, 3, 5, 9, 27)
PROGRAMS_LEAST, BUFFER_PART = 2, 1e-3
FINALISTS = 2  # ways of collecting that buffers are tried with
ROUNDS = 40
RATES = ("iops", "bandwidth")


def oldest_first(usable: float) -> float:
    """Return the write amplification of uniform writes and victims in the order of closing (Desnoyers 2012).

    `usable` is flash for data and copies over data. A victim's valid part v is exp(-(1 - v) usable).
    """
    low, high = 0.0, 1.0
    for _ in range(ROUNDS):
        valid = (low + high) / 2
        low, high = (valid, high) if exp(-(1 - valid) * usable) > valid else (low, valid)
    # At 1 the equation holds for any flash; the other solution lies below.
    return 1 / (1 - low)


def moved(row: Row) -> float:
    """Return bytes a second of a rate."""
    return row.value if row.what == "bandwidth" else row.value * row.setting.size


def families(state: Fitting, settled: Sequence[Row]) -> None:
    """Choose how superblocks are collected by all rows that differ with it, each simulated once.

    Rates are compared with each other only: how long a program takes is fitted later.
    """
    rows = [row for row in settled if row.what in (*RATES, "write_amplification") and row.setting.depth > 1]
    skewed = [row for row in rows if row.setting.pattern.distribution.startswith("zipf")]
    telling = [row for row in rows if row.setting.pattern.distribution or row.setting.pattern.part < 1]
    if not telling and len({row.setting.used for row in rows}) < 2:
        return
    state.progress("victims", state.simulator.runs)
    is_large = state.simulator.scale(rows, state.values) > 1
    catches = bool(skewed) and is_large
    plain = [row for row in rows if row not in skewed] if catches else rows
    tried = [{**state.values, "victim": float(victim)} for victim in range(len(VICTIMS))]
    nearest = _sorted(state, plain, tried)
    state.values = nearest[0]
    state.touched.add("victim")
    state.told_by["victim"] = telling or rows
    if catches:
        state.progress("buffer", state.simulator.runs)
        base, most = state.simulator.base, BUFFER_PART * state.simulator.capacity
        least = PROGRAMS_LEAST * state.values["dies"] * base.program_bytes
        sizes = [times * least for times in BUFFERS if times == 1 or times * least <= most]
        state.least["buffer"] = least
        tried = [{**values, "buffer": size} for values in nearest[:FINALISTS] for size in sizes]
        state.values = _sorted(state, rows, tried)[0]
        state.touched.add("buffer")


def _sorted(state: Fitting, rows: Sequence[Row], tried: Sequence[dict[str, float]]) -> list[dict[str, float]]:
    """Return drives in the order of how far they are from some rows; of equals the first comes first."""
    found = state.simulator.deviations(rows, tried)
    far = [_differences(rows, one) for one in found]
    return [dict(tried[index]) for index in sorted(range(len(tried)), key=lambda index: far[index])]


def _differences(rows: Sequence[Row], deviations: Sequence[float]) -> float:
    """Return squares of deviations in units of each row's error; all rates may be off by one factor."""
    pairs = list(zip(rows, deviations, strict=True))
    rates = [(one, row.error**-2) for row, one in pairs if row.what in RATES]
    common = (
        fsum(one * weight for one, weight in rates) / fsum(weight for _, weight in rates) if rates else 0.0
    )
    return fsum(((one - (common if row.what in RATES else 0.0)) / row.error) ** 2 for row, one in pairs)
