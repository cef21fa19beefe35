"""Numbers as people read them: three digits and a unit."""

from collections.abc import Sequence

_SI = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_IEC = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))
_TIME = ((86_400e9, "d"), (3.6e12, "h"), (60e9, "min"), (1e9, "s"), (1e6, "ms"), (1e3, "us"), (1, "ns"))

NOTHING = (
    "-"  # shown where there is no number: nothing of that kind happened, or its model does not exist yet
)


def three(value: float) -> str:
    """Three digits, no exponent in the usual range: `1234.5` as `1234`, `0.012345` as `0.0123`."""
    if value == 0:
        return "0"
    if abs(value) >= 1e6 or abs(value) < 1e-4:
        return f"{value:.3g}"
    digits = max(0, 2 - _magnitude(value))
    return f"{value:.{digits}f}"


def _magnitude(value: float) -> int:
    return int(f"{value:.2e}".split("e")[1])  # after rounding to three digits


def count(value: float | None) -> str:
    """A count or a rate: `12.3k`."""
    if value is None:
        return NOTHING
    for factor, prefix in _SI:
        if abs(value) >= factor:
            return three(value / factor) + prefix
    return three(value) if value != int(value) else str(int(value))


def several(number: int, noun: str) -> str:
    """Write a number with its noun: `1 victim`, `1,204 victims`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def ranged(numbers: Sequence[int], most: int = 8) -> str:
    """Write whole numbers in their order, such as seeds: `1 to 8`, `3`, `1, 5, 7`; at most so many."""
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:
        return f"{numbers[0]} to {numbers[-1]}"
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return ", ".join(map(str, numbers[:most])) + more


def duration(ns: float | None) -> str:
    """A time given in nanoseconds: `81.2 us`."""
    return _in_units(ns, _TIME)


def size(value: float | None) -> str:
    """A size in bytes, in powers of two: `16.0 GiB`."""
    return _in_units(value, _IEC)


def _in_units(value: float | None, units: Sequence[tuple[float, str]]) -> str:
    """Write a number in the largest unit that it reaches, the last one if it reaches none."""
    if value is None:
        return NOTHING
    factor, unit = next((each for each in units if abs(value) >= each[0]), units[-1])
    return f"{three(value / factor)} {unit}"


def bandwidth(value: float | None) -> str:
    """A rate in bytes per second, in powers of ten as drives are sold: `512 MB/s`."""
    return NOTHING if value is None else f"{count(value).rstrip('kMGT')} {_prefix(value)}B/s"


def _prefix(value: float) -> str:
    return next((prefix for factor, prefix in _SI if abs(value) >= factor), "")


def ratio(value: float | None) -> str:
    """A dimensionless number: `2.41`."""
    return NOTHING if value is None else three(value)


#: Units of energy, the largest first.
ENERGIES = ((1.0, "J"), (1e-3, "mJ"), (1e-6, "uJ"), (1e-9, "nJ"), (1e-12, "pJ"))


def energy(joules: float | None) -> str:
    """An energy: `3.1 mJ`, `12.6 nJ`."""
    return _in_units(joules, ENERGIES)


def energy_per_byte(joules: float | None) -> str:
    """An energy for each byte: `12.6 nJ/B`."""
    return NOTHING if joules is None else f"{energy(joules)}/B"


def percent(value: float | None) -> str:
    """A fraction, in percent: `41.3 %`."""
    return NOTHING if value is None else f"{three(100 * value)} %"
