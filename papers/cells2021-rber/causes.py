"""What lines miss by, taken away (--causes)."""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean

from floatgate.reproduce import Finding, published

from .looks import BAKE, BEST_LAYER, HOUR, KIB, TLC, WORST_LAYER, Look, rates

EXPECTED = published(Path(__file__).parent)
CHIPS, CODEWORDS = (
    160,
    16,
)  # P21's chips; codewords of 1 KiB in a page, of which a chip has many
SOON = 'cells.uneven.t0="60s"'  # loss that begins at once: H21's first reading is after 30 days


def run(name: str, cells: int) -> Finding:
    """Run one."""
    return EXPERIMENTS[name](cells)


def _layers(cells: int) -> Finding:
    """Layers with references that follow what all cells lose."""
    worst, best = (
        max(rates(Look(TLC, 5000, *BAKE, layer=layer), cells).best) for layer in (WORST_LAYER, BEST_LAYER)
    )
    return _off(worst / best, "layers", "CT TLC, default", "times as many")


def _greatest(cycles: int) -> Callable[[int], Finding]:
    """The most errors of one page of each chip, where the line has the mean of the worst layer."""

    def experiment(cells: int) -> Finding:
        mean = KIB * max(rates(Look(TLC, cycles, 0.0, celsius=30.0, layer=WORST_LAYER), cells).best)
        most = _most(mean, CHIPS * CODEWORDS)
        return _off(most, "worst", f"{cycles} cycles, 0 months", f"bits at most, {mean:.1f} in the mean,")

    return experiment


def _most(mean: float, draws: int) -> float:
    """Return the mean of the greatest of so many draws of Poisson's distribution."""
    found, share, below = 0.0, math.exp(-mean), 0.0
    for count in range(round(mean + 40 * math.sqrt(mean) + 40)):
        below = min(below + share, 1.0)
        found += 1.0 - below**draws
        share *= mean / (count + 1)
    return found


def _first(hours: int) -> Callable[[int], Finding]:
    """Growth over new data where loss begins within a minute."""

    def experiment(cells: int) -> Finding:
        aged, new = (
            fmean(rates(Look(TLC, 10_000, age, settings=(SOON,)), cells).usual) for age in (hours * HOUR, 0.0)
        )
        return _off(aged / new, "first-days", f"{hours} h", "times as many")

    return experiment


def _off(value: float, exhibit: str, case: str, what: str) -> Finding:
    asked = float(EXPECTED[exhibit, case])
    return Finding(f"{value:.3g} {what} ({asked:g})", measure=value / asked - 1)


EXPERIMENTS: Mapping[str, Callable[[int], Finding]] = {
    "layers, references that follow": _layers,
    **{f"one page of 160 chips, {cycles} cycles": _greatest(cycles) for cycles in (0, 1000, 2000)},
    **{f"loss that begins at once, {hours} h": _first(hours) for hours in (3, 264)},
}
