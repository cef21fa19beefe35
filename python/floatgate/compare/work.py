"""The comparison of two sets of runs, number by number and combination by combination."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.compare.key import Key, compared
from floatgate.compare.sets import Cell, ResultSet, Run, read
from floatgate.errors import InputError
from floatgate.results import flags
from floatgate.results.flags import Raised, Said
from floatgate.results.paired import LEAST, Paired, Verdict, by_seed
from floatgate.study import numbers
from floatgate.values import quantities as q


@dataclass(frozen=True)
class Comparison:
    """One number of A and B in one combination of the other keys."""

    metric: str
    of: Mapping[str, Any]  # the other keys; empty where there is one combination
    pairs: int
    found: Paired | None  # None where there are too few pairs
    flags_a: tuple[Raised, ...]
    flags_b: tuple[Raised, ...]

    @property
    def verdict(self) -> Verdict | None:
        """Which is lower; None where there are too few pairs."""
        return self.found.verdict if self.found else None

    @property
    def flags(self) -> str:
        """What flags the number, in words; nothing where it is what it is called."""
        said = flags.of_sides(self.flags_a, self.flags_b)
        if self.found is None:
            said.insert(0, f"{self.pairs} pairs have it, and {LEAST} are needed")
        return "; ".join(said)

    def document(self) -> dict[str, Any]:
        """Return it as compare.json has it."""
        found = self.found
        return {
            "metric": self.metric,
            "of": dict(self.of),
            "pairs": self.pairs,
            "a": found and found.mean_a,
            "b": found and found.mean_b,
            "difference": found and found.difference,
            "difference_low": found and found.low,
            "difference_high": found and found.high,
            "ratio": found and found.ratio,
            "ratio_low": found and found.ratio_low,
            "ratio_high": found and found.ratio_high,
            "verdict": self.verdict,
            "flags_a": flags.as_document(self.flags_a),
            "flags_b": flags.as_document(self.flags_b),
            "seeds": list(found.seeds) if found else [],
            "values_a": list(found.a) if found else [],
            "values_b": list(found.b) if found else [],
        }


@dataclass(frozen=True)
class Compared:
    """Two sets of runs beside each other. `B - A` is what B has more."""

    a: Path
    b: Path
    keys: tuple[Key, ...]  # what is compared, with the value that each has
    comparisons: tuple[Comparison, ...]
    notes: tuple[str, ...]  # what was left out
    remarks_a: tuple[Said, ...]
    remarks_b: tuple[Said, ...]
    version: str

    def __getitem__(self, metric: str) -> Comparison:
        """Return the comparison of a number, the first where there are several combinations.

        Raises KeyError.
        """
        for one in self.comparisons:
            if one.metric == metric:
                return one
        raise KeyError(metric)

    def document(self) -> dict[str, Any]:
        """Return the whole comparison, as compare.json has it."""
        return {
            "version": self.version,
            "a": str(self.a),
            "b": str(self.b),
            "keys": [vars(key) for key in self.keys],
            "confidence_level": 0.95,
            "comparisons": [one.document() for one in self.comparisons],
            "notes": list(self.notes),
            "remarks_a": flags.as_document(self.remarks_a),
            "remarks_b": flags.as_document(self.remarks_b),
        }

    def _repr_html_(self) -> str:
        from floatgate.compare.show import head, row, title
        from floatgate.results.notebook import table

        return table(title(self), head(self), [row(self, one) for one in self.comparisons])


def compare(a: Path, b: Path, metrics: Sequence[str] = (), keys: Sequence[str] = ()) -> Compared:
    """Compare the runs in two folders, pair by pair of the same seed.

    Raises InputError for folders without results, sets that cannot be compared, an unknown number, and fewer
    than five pairs.
    """
    for metric in metrics:
        numbers.check("--metric", metric)
    one, other = read(a), read(b)
    found = compared(one, other, keys)
    cells_a, cells_b = _by_cell(one), _by_cell(other)
    cells = [cell for cell in cells_a if cell in cells_b]
    if not cells:
        raise InputError(f"{a} and {b}: no combination of the other keys is in both: expected the same ones")
    _check_seeds(one, other, [(cells_a[cell], cells_b[cell]) for cell in cells])
    asked = tuple(dict.fromkeys(metrics)) or _usual(one, other)
    comparisons = [
        _comparison(metric, cell, cells_a[cell], cells_b[cell]) for metric in asked for cell in cells
    ]
    for metric in metrics:
        most = max(one.pairs for one in comparisons if one.metric == metric)
        if most < LEAST:
            raise InputError(f"--metric {metric}: {most} pairs of runs have it: expected at least {LEAST}")
    return Compared(
        a,
        b,
        found,
        tuple(one for one in comparisons if one.pairs or one.flags_a or one.flags_b or metrics),
        tuple(_left_out(one, other, cells_a, cells_b)),
        flags.together([run.remarks for cell in cells for run in cells_a[cell].values()]),
        flags.together([run.remarks for cell in cells for run in cells_b[cell].values()]),
        one.version,
    )


Runs = Mapping[int, Run]  # by seed


def _by_cell(of: ResultSet) -> dict[Cell, dict[int, Run]]:
    found: dict[Cell, dict[int, Run]] = {}
    for run in of.runs:
        found.setdefault(run.cell, {})[run.seed] = run
    return found


def _usual(a: ResultSet, b: ResultSet) -> tuple[str, ...]:
    """Return the usual numbers of both, in their order."""
    found = list(a.metrics)
    for place, metric in enumerate(b.metrics):
        if metric not in found:
            before = next((one for one in reversed(b.metrics[:place]) if one in found), None)
            found.insert(found.index(before) + 1 if before else 0, metric)
    return tuple(found)


def _check_seeds(a: ResultSet, b: ResultSet, cells: Sequence[tuple[Runs, Runs]]) -> None:
    """Refuse sets of which too few runs can be paired."""
    most = max(len(one.keys() & other.keys()) for one, other in cells)
    if most >= LEAST:
        return
    seeds = [sorted({seed for pair in cells for seed in pair[side]}) for side in (0, 1)]
    has = f"{a.folder} has {q.ranged(seeds[0])}, {b.folder} has {q.ranged(seeds[1])}"
    if not most:
        raise InputError(f"{a.folder} and {b.folder}: no seed is in both ({has}): expected the same seeds")
    raise InputError(
        f"{a.folder} and {b.folder}: {most} pairs of runs with the same seed ({has}): "
        f"expected at least {LEAST}"
    )


def _comparison(metric: str, cell: Cell, a: Runs, b: Runs) -> Comparison:
    both = sorted(a.keys() & b.keys())
    found = by_seed(*({seed: of[seed].value(metric) for seed in both} for of in (a, b)))
    raised = [flags.flagged(metric, flags.kinds_of(of[seed].remarks for seed in both)) for of in (a, b)]
    return Comparison(metric, dict(cell), *found, *raised)


def _left_out(
    a: ResultSet, b: ResultSet, cells_a: Mapping[Cell, Runs], cells_b: Mapping[Cell, Runs]
) -> Iterator[str]:
    """Say which runs have no partner."""
    for one, mine, others in ((a, cells_a, cells_b), (b, cells_b, cells_a)):
        alone = [cell for cell in mine if cell not in others]
        if alone:
            runs = sum(len(mine[cell]) for cell in alone)
            what = "combination" if len(alone) == 1 else "combinations"
            yield f"{len(alone):,} {what} ({runs:,} runs) are in {one.folder} only, and not compared"
        shared = [(runs, others[cell]) for cell, runs in mine.items() if cell in others]
        seeds = sorted({seed for runs, theirs in shared for seed in runs.keys() - theirs.keys()})
        if seeds:
            yield f"seeds without a partner are in {one.folder}, and not compared: {q.ranged(seeds)}"
