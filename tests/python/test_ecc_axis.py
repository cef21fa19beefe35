"""The law that pages and noise share: points as they were counted, and the two numbers fitted to them."""

from math import exp, log
from pathlib import Path

import numpy as np
import pytest

import ecc_axis
from floatgate import _core

FOLDER = Path(__file__).parents[2] / "benches" / "ecc_points"


def held() -> list[ecc_axis.Point]:
    """Points that nothing was fitted to."""
    return ecc_axis.read(FOLDER / "others.csv")


def test_words_are_counted_again_as_they_were() -> None:
    first = held()[0]
    trial = _core.EccTrial(ecc_axis.CODE, None, "min-sum-8", [], ecc_axis.SEEDS["others"])
    failures, _, iterations = trial.count(
        first.zero.tolist(), first.one.tolist(), first.ratios.tolist(), 0, first.words
    )
    assert failures == first.failures
    mean = sum(number * words for number, words in enumerate(iterations)) / first.words
    assert mean == pytest.approx(first.iterations, abs=5e-5)


def test_the_two_numbers_come_out_again() -> None:
    wider, aside = ecc_axis.fit(ecc_axis.read(FOLDER / "fitted.csv"))
    assert wider == pytest.approx(ecc_axis.SHIPPED[0], abs=1e-3)
    assert aside == pytest.approx(ecc_axis.SHIPPED[1], rel=0.02)


@pytest.mark.parametrize("soft_bits", [2, 3])
def test_the_table_at_the_noise_alike_fails_as_often_as_words_over_other_pages(soft_bits: int) -> None:
    pages = [one for one in held() if one.soft_bits == soft_bits]
    failures, iterations = ecc_axis.of_table(pages)
    for page, off, taken in zip(pages, failures, iterations, strict=True):
        # Three deviations of the count, and the 5 % that are asked for.
        assert abs(off) < 3 * page.deviation + 0.05, (page.page, exp(off))
        assert abs(taken) < 0.05, (page.page, taken)


def test_flips_have_the_margin_of_their_rate() -> None:
    """A share of exchanged bits is as many flips, and a bit moves the margin by all or nothing."""
    margins = []
    for rate in (0.008, 0.0085):
        ratio = log((1 - rate) / rate)
        margins.append(_core.ecc_evolved([1 - rate, rate], [rate, 1 - rate], [ratio, -ratio]))
    assert margins[0][0] - margins[1][0] == pytest.approx(0.0005, rel=0.05)
    assert margins[1][1] == pytest.approx(np.sqrt(0.0085 * 0.9915), rel=0.05)
