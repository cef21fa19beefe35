"""From runs to configurations: means over seeds and workloads, what keeps the bounds, the front."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from floatgate.results.confidence import Interval, confidence_interval
from floatgate.results.flags import Raised, flagged, kinds_of
from floatgate.study.spec import Constraint, Objective, Over, Spec
from floatgate.study.store import REMARKS

LEVEL = 0.95
Row = Mapping[str, Any]  # of the table: one run


@dataclass(frozen=True)
class Configuration:
    """One drive with one value for each parameter that applies, and what its runs came to."""

    number: int
    drive: str
    values: Mapping[str, Any]
    runs: int  # that came to their end
    missing: int  # not run yet, refused, failed or ended early
    reason: str | None  # of the first that was refused or failed
    numbers: Mapping[str, float | None]  # each objective and bounded number over workloads and seeds
    spread: Mapping[str, Interval | None]  # of the objectives over seeds; None where it is unknown
    feasible: bool  # all runs ended, and every bound is kept
    raised: Mapping[str, tuple[Raised, ...]] = field(default_factory=dict)  # flags, by number

    def flags(self, key: str) -> tuple[Raised, ...]:
        """Return the flags of a number."""
        return self.raised.get(key, ())

    def objectives(self, objectives: Sequence[Objective]) -> tuple[float, ...] | None:
        """Return its values of `objectives`; None where one is unknown."""
        found = [self.numbers[one.key] for one in objectives]
        return None if None in found else tuple(value for value in found if value is not None)


def configurations(spec: Spec, rows: Iterable[Row]) -> list[Configuration]:
    """Put the rows of a study together, in the order of the configurations' numbers."""
    groups: dict[int, list[Row]] = {}
    for row in rows:
        groups.setdefault(row["configuration"], []).append(row)
    return [_configuration(spec, number, groups[number]) for number in sorted(groups)]


def _configuration(spec: Spec, number: int, rows: Sequence[Row]) -> Configuration:
    done = [row for row in rows if row["status"] == "done"]
    keys = dict.fromkeys([one.key for one in spec.objectives] + [one.key for one in spec.constraints])
    numbers = {key: over(rows, key, _over(spec, key)) for key in keys}
    whole = len(done) == len(rows) == spec.runs_each
    kept = all(value is not None and one.excess(value) <= 0 for one, value in _bounded(spec, numbers))
    return Configuration(
        number,
        rows[0]["drive"],
        {one.name: rows[0][f"set.{one.name}"] for one in spec.parameters if _has(rows[0], one.name)},
        len(done),
        spec.runs_each - len(done),
        next((row["reason"] for row in rows if row["reason"]), None),
        numbers if whole else dict.fromkeys(keys),
        {one.key: _spread(done, one.key) if whole else None for one in spec.objectives},
        whole and kept,
        {key: _flags(done, key) for key in keys},
    )


def _flags(rows: Sequence[Row], key: str) -> tuple[Raised, ...]:
    """Return the flags of a number; runs that cannot have it do not count."""
    kinds = kinds_of(row.get(REMARKS) or () for row in rows)
    counted = [
        one for one, row in zip(kinds, rows, strict=True) if row.get(key) is not None or flagged(key, [one])
    ]
    return flagged(key, counted)


def _has(row: Row, name: str) -> bool:
    return row.get(f"set.{name}") is not None


def _bounded(spec: Spec, numbers: Mapping[str, float | None]) -> Iterable[tuple[Constraint, float | None]]:
    return ((one, numbers[one.key]) for one in spec.constraints)


def _over(spec: Spec, key: str) -> str:
    """How the values of several workloads become one: their mean, or the worst of them."""
    if spec.search.over == "mean":
        return "mean"
    aims = {one.key: one.aim for one in spec.objectives}
    bounds = {one.key: "min" if one.sign.startswith("<") else "max" for one in spec.constraints}
    return "highest" if (aims.get(key) or bounds[key]) == "min" else "lowest"


def over(rows: Iterable[Row], key: str, how: Over | str) -> float | None:
    """Return the mean over seeds of a number, and of these over workloads the mean, highest or lowest.

    A workload whose runs all lack it does not count: reads alone have no write amplification. None where
    only some lack it, or all.
    """
    by_workload: dict[str, list[float | None]] = {}
    for row in rows:
        by_workload.setdefault(row["workload"], []).append(row.get(key))
    means = []
    for values in by_workload.values():
        known = [float(value) for value in values if value is not None]
        if len(known) == len(values):
            means.append(fmean(known))
        elif known:
            return None
    if not means:
        return None
    return fmean(means) if how == "mean" else max(means) if how == "highest" else min(means)


def _spread(rows: Iterable[Row], key: str) -> Interval | None:
    """Return the interval of the mean over seeds; each seed stands for its mean over the workloads."""
    by_seed: dict[int, list[float]] = {}
    for row in rows:
        if row.get(key) is not None:
            by_seed.setdefault(row["seed"], []).append(float(row[key]))
    means = [fmean(values) for values in by_seed.values()]
    return confidence_interval(means, LEVEL) if len(means) > 1 else None


def front(found: Sequence[Configuration], objectives: Sequence[Objective]) -> list[Configuration]:
    """Return the feasible configurations that no other one betters in one objective without being worse.

    With one objective these are the best; they stand in the order of the first objective, best first.
    """
    signs = [1.0 if one.aim == "min" else -1.0 for one in objectives]
    known = []
    for one in found:
        values = one.objectives(objectives)
        if one.feasible and values is not None:
            known.append((tuple(sign * value for sign, value in zip(signs, values, strict=True)), one))
    known.sort(key=lambda pair: (pair[0], pair[1].number))
    kept: list[Configuration] = []
    rivals: list[tuple[float, ...]] = []  # of the points kept; the last to better one comes first
    for values, one in known:
        # A point before is at least as good in the first objective that differs.
        better = next((place for place, other in enumerate(rivals) if _betters(other, values)), None)
        if better is None:
            kept.append(one)
            rivals.append(values)
        else:
            rivals.insert(0, rivals.pop(better))
    return kept


def _betters(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether one is nowhere worse than the other, where less is better, and not the same."""
    return one != other and all(a <= b for a, b in zip(one, other, strict=True))
