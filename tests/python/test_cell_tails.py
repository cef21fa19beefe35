"""Cells with tails: errors only grow, and a chip whose tails cannot be is refused."""

from itertools import pairwise
from statistics import fmean

import pytest

from floatgate.errors import InputError
from floatgate.lab.simulated import SimulatedSource

DAY_S = 86_400.0
AGES_S = (0.0, 3600.0, DAY_S, 30 * DAY_S, 365 * DAY_S, 3650 * DAY_S)
WEARS = (0, 30, 100, 300, 1000, 3000, 6000)
READS = (0, 1_000, 30_000, 1_000_000)
CELLS = 4_000  # of each block


@pytest.mark.parametrize("name", ["tlc-3d-256g", "qlc-3d-1t"])
def test_errors_never_fall_with_wear_age_or_reads(name: str) -> None:
    chip = SimulatedSource(name).cells()
    rests = [*((age, 0) for age in AGES_S), *((AGES_S[-2], reads) for reads in READS)]
    grid = [chip.error_rates(wear, rests, CELLS) for wear in WEARS]
    for references in ("usual", "best"):
        rates = [[fmean(getattr(found, references)) for found in row] for row in grid]
        ages, reads = [row[: len(AGES_S)] for row in rates], [row[len(AGES_S) :] for row in rates]
        worn = [list(column) for column in zip(*rates, strict=True)]
        for line in (*ages, *reads, *worn):
            # New data's default references are best to a step of ten millivolts.
            assert all(more >= 0.98 * less for less, more in pairwise(line)), (references, line)


def test_bad_layers_have_more_errors() -> None:
    chip = SimulatedSource("tlc-3d-256g").cells()
    ranks = [chip.error_rates(1000, [(30 * DAY_S, 0)], CELLS, layer=rank)[0] for rank in (0.1, 0.5, 0.9)]
    assert [fmean(found.best) for found in ranks] == sorted(fmean(found.best) for found in ranks)
    with pytest.raises(InputError, match="layer: expected a rank between 0"):
        chip.error_rates(1000, [(0.0, 0)], CELLS, layer=1.0)


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("cells.tails.program=-1mV", "expected at least 0uV"),
        ("cells.uneven.tail=-0.001", "expected at least 0"),
        ("cells.uneven.t0=0s", "cells.uneven.t0"),
        ("cells.disturb.weak=-1uV", "expected"),
        ("cells.tails.wears=1mV", 'did you mean "nand.cells.tails.wear"?'),
    ],
)
def test_impossible_tails_are_refused(key: str, says: str) -> None:
    with pytest.raises(InputError) as error:
        SimulatedSource("tlc-3d-256g", overrides=(key,)).cells()
    assert says in str(error.value), error.value
