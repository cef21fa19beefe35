"""Numbers as people read them."""

import pytest

from floatgate.values import quantities as q


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "0"), (1234.5, "1234"), (99.96, "100"), (12.345, "12.3"), (0.012345, "0.0123"), (2.5e-7, "2.5e-07")],
)
def test_three_digits(value: float, shown: str) -> None:
    assert q.three(value) == shown


@pytest.mark.parametrize(
    ("ns", "shown"),
    [
        (0, "0 ns"),
        (999, "999 ns"),
        (81_234, "81.2 us"),
        (1_500_000, "1.50 ms"),
        (60_000_000_000, "1.00 min"),
        (165 * 3_600_000_000_000, "6.88 d"),
        (None, "-"),
    ],
)
def test_times_carry_their_unit(ns: float | None, shown: str) -> None:
    assert q.duration(ns) == shown


def test_sizes_are_binary_and_rates_decimal() -> None:
    assert q.size(4096) == "4.00 KiB"
    assert q.size(800 << 20) == "800 MiB"
    assert q.bandwidth(512_000_000) == "512 MB/s"
    assert q.bandwidth(4_096_000) == "4.10 MB/s"
    assert q.count(12_345) == "12.3k"
    assert q.count(7) == "7"
    assert q.percent(0.413) == "41.3 %"
