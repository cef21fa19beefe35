"""Which of two values of a key is lower in a number, by pairs of runs with the same other keys and seed."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from typing import Any

from floatgate.results.flags import Raised, flagged, kinds_of, of_sides
from floatgate.results.paired import Paired, by_seed
from floatgate.study.aggregate import Row
from floatgate.study.show import shown
from floatgate.study.spec import Spec
from floatgate.study.store import REMARKS
from floatgate.study.table import SET

VALUES_MOST = 6  # of a key, of which every pair is compared; of more each with the next
DRIVE, WORKLOAD = "drive", "workload"

Value = tuple[tuple[str, Any], ...]  # of a key, with what depends on it
Rows = Mapping[int, Row]  # by seed


@dataclass(frozen=True)
class Difference:
    """Two values of a key with the same other keys."""

    key: str  # a parameter, or drive
    a: Value
    b: Value
    of: Mapping[str, Any]  # the other keys, the workload among them
    pairs: int
    found: Paired | None  # None where there are too few pairs
    flags_a: tuple[Raised, ...]
    flags_b: tuple[Raised, ...]

    @property
    def flags(self) -> str:
        """What flags the number, in words."""
        return "; ".join(of_sides(self.flags_a, self.flags_b))


def name(value: Value) -> str:
    """Return a value in words: `d-choices, ftl.gc.victim.d 4`."""
    (_, first), *more = value
    return ", ".join([shown(first), *(f"{key} {shown(each)}" for key, each in more)])


def differences(spec: Spec, rows: Sequence[Row], metric: str) -> Iterator[Difference]:
    """Give each pair of values of each key in each combination of the others in which both were run."""
    done = [row for row in rows if row["status"] == "done"]
    keys = ([DRIVE] if len(spec.drives) > 1 else []) + [one.name for one in spec.parameters]
    for key in keys:
        by_cell: dict[Value, dict[Value, dict[int, Row]]] = {}
        for row in done:
            value, cell = _split(spec, key, row)
            if value is not None:
                by_cell.setdefault(cell, {}).setdefault(value, {})[row["seed"]] = row
        values = list(dict.fromkeys(value for cell in by_cell.values() for value in cell))
        order = {value: place for place, value in enumerate(values)}
        pairs = combinations(values, 2) if len(values) <= VALUES_MOST else pairwise(values)
        for a, b in sorted(pairs, key=lambda pair: (order[pair[0]], order[pair[1]])):
            for cell, there in by_cell.items():
                if a in there and b in there:
                    found = _difference(metric, there[a], there[b])
                    if found is not None:
                        yield Difference(key, a, b, dict(cell), *found)


def _split(spec: Spec, key: str, row: Row) -> tuple[Value | None, Value]:
    """Return the value that a run has of a key, with what depends on it, and all else that it ran with."""
    depends = {one.name for one in spec.parameters if any(name == key for name, _ in one.when)}
    all_values = [(WORKLOAD, row[WORKLOAD])] + ([(DRIVE, row[DRIVE])] if len(spec.drives) > 1 else [])
    all_values += [(one.name, row[SET + one.name]) for one in spec.parameters]
    known = [(name, value) for name, value in all_values if value is not None]
    own = [pair for pair in known if pair[0] == key]
    more = [pair for pair in known if pair[0] in depends]
    rest = tuple(pair for pair in known if pair[0] != key and pair[0] not in depends)
    return (tuple(own + more) if own else None), rest


def _difference(
    metric: str, a: Rows, b: Rows
) -> tuple[int, Paired | None, tuple[Raised, ...], tuple[Raised, ...]] | None:
    """Compare two values; None where neither has the number."""
    both = sorted(a.keys() & b.keys())
    pairs, found = by_seed(*({seed: of[seed].get(metric) for seed in both} for of in (a, b)))
    flags = [flagged(metric, kinds_of(of[seed].get(REMARKS) or () for seed in both)) for of in (a, b)]
    return (pairs, found, flags[0], flags[1]) if pairs or any(flags) else None
