"""Endurance under several treatments, beside each other: what experiments on wear have in common."""

from collections.abc import Mapping

from floatgate.lab import figures
from floatgate.lab.bench import CELSIUS, Bench
from floatgate.lab.chip import Pages
from floatgate.lab.experiment import Result, Table
from floatgate.lab.lives import summary
from floatgate.values import quantities as q

Treatments = Mapping[
    str, tuple[str, Pages, float]
]  # name: data pattern, pages of each cycle, degrees Celsius
USUAL: tuple[str, Pages, float] = ("zeros", "first", CELSIUS)


def endurance(bench: Bench, key: str, treatments: Treatments) -> Result:
    """Wear blocks in each way; the first treatment is what the others are compared with."""
    lives = {name: bench.lives(*how) for name, how in treatments.items()}
    found = {name: summary(group) for name, group in lives.items()}
    base, *others = found
    ratios = {name: found[name].mean / found[base].mean for name in found}
    rows = tuple(
        (
            name,
            f"{one.mean:,.0f}",
            q.ratio(ratios[name]),
            f"{one.median:,.0f}",
            f"{one.least:,}",
            f"{one.most:,}",
        )
        for name, one in found.items()
    )
    parts = [f"{name} {q.ratio(ratios[name])} times" for name in others]
    return Result(
        f"Mean endurance compared with {base} ({q.count(found[base].mean)} cycles): {', '.join(parts)}.",
        {
            "mean_cycles": {name: one.mean for name, one in found.items()},
            "ratio": ratios,
            "cycles": {name: [life.cycles for life in group] for name, group in lives.items()},
        },
        (Table(("treatment", "mean cycles", "ratio", "median", "least", "most"), rows),),
        {key: figures.endurance(lives, bench.identity.rated.pe_cycles)},
    )
