"""Confidence intervals against numbers computed by hand and printed in any table of Student's t."""

import pytest

from floatgate._core import student_t
from floatgate.results.confidence import confidence_interval


@pytest.mark.parametrize(
    ("freedom", "printed"),
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (9, 2.262), (10, 2.228), (30, 2.042), (120, 1.980)],
)
def test_the_quantile_is_the_printed_one(freedom: int, printed: float) -> None:
    assert student_t(0.975, freedom) == pytest.approx(printed, abs=5e-4)


@pytest.mark.parametrize(("probability", "printed"), [(0.90, 1.476), (0.95, 2.015), (0.995, 4.032)])
def test_other_levels(probability: float, printed: float) -> None:
    assert student_t(probability, 5) == pytest.approx(printed, abs=5e-4)


def test_an_interval_by_hand() -> None:
    # Mean 12, squared distances 4 + 1 + 1 + 4 = 10, s = sqrt(10 / 3) = 1.8257, s / sqrt(4) = 0.91287,
    # times t(0.975, 3) = 3.18245: 2.9052.
    interval = confidence_interval([10.0, 11.0, 13.0, 14.0])
    assert interval.mean == 12.0
    assert interval.half_width == pytest.approx(2.9052, abs=1e-4)
    assert interval.samples == 4


def test_one_sample_gives_no_interval() -> None:
    assert confidence_interval([3.5]).half_width is None


def test_equal_samples_give_an_interval_of_no_width() -> None:
    assert confidence_interval([2.0, 2.0, 2.0]).half_width == 0.0


def test_the_quantile_is_scipys() -> None:
    stats = pytest.importorskip("scipy.stats")
    for freedom in (1, 2, 3, 7, 19, 20, 99, 1000):
        for probability in (0.6, 0.9, 0.975, 0.9995):
            wanted = float(stats.t.ppf(probability, freedom))
            assert student_t(probability, freedom) == pytest.approx(wanted, rel=1e-9)
