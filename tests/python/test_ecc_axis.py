"""The axis that pages and noise share: points as they were counted, and what is fitted to them."""

from math import log
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import ecc_axis
from ecc_evolution import density, evolved
from floatgate import _core

FOLDER = Path(__file__).parents[2] / "benches" / "ecc_points"
# As docs/explanation/decoding.md has them, fitted to fitted.csv.
WIDER, ASIDE = 1.156, 1.2e-5


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


def test_the_three_numbers_come_out_again() -> None:
    points = [one for one in ecc_axis.read(FOLDER / "fitted.csv") if one.soft_bits > 1]
    noises = {soft_bits: ecc_axis.Noise.counted(points, soft_bits) for soft_bits in (2, 3)}
    scale, most, own = ecc_axis.fit(points, noises, [ecc_axis.SHIPPED])
    assert scale == pytest.approx(0.72, abs=0.02)
    assert most == pytest.approx(7.0, abs=0.4)
    # Points say little of it: what they are off by changes by less than chance.
    at_shipped = ecc_axis.off(points, noises, ecc_axis.SHIPPED)
    assert np.abs(ecc_axis.off(points, noises, (scale, most, own))).mean() < np.abs(at_shipped).mean()


@pytest.mark.parametrize("soft_bits", [1, 2, 3])
def test_margin_and_spread_say_how_often_words_over_other_pages_fail(soft_bits: int) -> None:
    pages = [one for one in held() if one.soft_bits == soft_bits and not one.page.endswith("flips")]
    for page in (pages[0], pages[-1]):
        found = evolved(density(page.zero, page.one, page.ratios))
        deviation = WIDER * found.spread / np.sqrt(ecc_axis.BITS)
        said = float(norm.logsf((found.margin - ASIDE) / deviation))
        # Three deviations of the count, and the 5 % that are asked for.
        assert abs(said - log(page.failures / page.words)) < 3 * page.deviation + 0.05, page.page


def test_flips_have_the_margin_of_their_rate() -> None:
    """A share of exchanged bits is as many flips, and a bit moves the margin by all or nothing."""
    margins = []
    for rate in (0.008, 0.0085):
        ratio = log((1 - rate) / rate)
        values = (np.array(pair) for pair in ([1 - rate, rate], [rate, 1 - rate], [ratio, -ratio]))
        margins.append(evolved(density(*values)))
    assert margins[0].margin - margins[1].margin == pytest.approx(0.0005, rel=0.05)
    assert margins[1].spread == pytest.approx(np.sqrt(0.0085 * 0.9915), rel=0.05)
