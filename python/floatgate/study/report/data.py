"""A study's table in columns: numbers by configuration and workload, parameters by configuration.

A study may have a hundred thousand runs: what goes over all of them here is NumPy's.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import log as ln, sqrt
from typing import TYPE_CHECKING, Any

from floatgate import _core
from floatgate.extras import needed
from floatgate.study.aggregate import LEVEL, Configuration
from floatgate.study.parameters import Choices, Parameter, Range
from floatgate.study.spec import ENV, Spec
from floatgate.study.store import REMARKS
from floatgate.study.table import RESULTS, SET, text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from floatgate.study.result import Study

    Floats = npt.NDArray[np.float64]
    Places = npt.NDArray[np.int64]

# What is shown of a study that has no objectives and no bounds: the first of them that it has.
USUAL = ("waf", "host.read.latency_ns.p99", "host.write.latency_ns.p99", "host.read.iops", "host.write.iops")
USUAL_MOST = 3
DRIVE = "drive"
LEVELS_MOST = 12  # different numbers of a range; where there are more, they are put into bins
BINS = 8
_LOG_FROM = 16.0  # largest over smallest number of a list, from which it is shown on a logarithmic scale
_NEAR = 0.05  # of an axis: numbers of a list that lie nearer to each other are spaced evenly


@dataclass(frozen=True)
class Factor:
    """A parameter, or the drive where there are several: the level that each configuration has of it."""

    name: str
    labels: tuple[str, ...]  # of the levels, in their order
    places: tuple[float, ...]  # of the levels on an axis
    levels: "Places"  # by configuration; -1 where it does not apply
    numbers: "Floats | None" = None  # by configuration, where the levels are numbers on a scale
    log: bool = False
    binned: bool = False

    @property
    def is_scale(self) -> bool:
        """Whether its places are its numbers, and not those of names."""
        return self.numbers is not None


@dataclass(frozen=True)
class Data:
    """What a report says of a study, before anything is drawn."""

    study: "Study"
    found: list[Configuration]
    keys: tuple[str, ...]  # the numbers that are shown
    table: "pa.Table"

    @property
    def spec(self) -> Spec:
        """What was asked."""
        return self.study.spec

    @property
    def workloads(self) -> tuple[str, ...]:
        """The workloads, in the study's order."""
        return self.spec.workloads

    @cached_property
    def _configuration(self) -> "tuple[Places, Places]":
        """The first row of each configuration, and the configuration of each row, counted from 0."""
        numpy = needed("numpy")
        _, first, inverse = numpy.unique(
            self.table["configuration"].to_numpy(), return_index=True, return_inverse=True
        )
        return first, inverse

    @cached_property
    def _cells(self) -> "Places":
        """Return the cell of each row: its configuration and workload."""
        _, inverse = self._configuration
        return inverse * len(self.workloads) + codes(self.table["workload"], self.workloads)

    @cached_property
    def by_workload(self) -> "Mapping[str, tuple[Floats, Floats]]":
        """Each number's mean over the seeds and its interval's half width, by configuration and workload.

        NaN where not every seed has it; the half width also where there is one seed.
        """
        return {key: self._over_seeds(key) for key in self.keys}

    def _over_seeds(self, key: str) -> "tuple[Floats, Floats]":
        numpy = needed("numpy")
        shape, seeds = (len(self.found), len(self.workloads)), len(self.spec.seeds)
        values = _floats(self.table, key)
        known = (codes(self.table["status"], ("done",)) == 0) & ~numpy.isnan(values)
        cells, values = self._cells[known], values[known]
        size = shape[0] * shape[1]
        counts = numpy.bincount(cells, minlength=size)
        with numpy.errstate(invalid="ignore", divide="ignore"):
            means = numpy.bincount(cells, values, size) / counts
            squares = numpy.bincount(cells, (values - means[cells]) ** 2, size)
            means[counts < seeds] = numpy.nan
            deviations = numpy.sqrt(squares / (seeds - 1)) if seeds > 1 else numpy.full(size, numpy.nan)
        halves = deviations * (student(seeds) / sqrt(seeds))
        halves[numpy.isnan(means)] = numpy.nan
        return means.reshape(shape), halves.reshape(shape)

    @cached_property
    def totals(self) -> "Mapping[str, Floats]":
        """Each number over all workloads, by configuration, as the study puts them together; NaN: unknown."""
        numpy = needed("numpy")
        found = {}
        for key in self.keys:
            if key in self.spec.needed:
                values = [one.numbers[key] for one in self.found]
                found[key] = numpy.array([numpy.nan if one is None else one for one in values], float)
            else:
                means = self.by_workload[key][0]
                none = numpy.isnan(means).all(axis=0)  # a workload that never has it
                found[key] = means[:, ~none].mean(axis=1) if not none.all() else means[:, 0]
        return found

    def half(self, key: str) -> "Floats":
        """Return the half width over seeds of each configuration's total; NaN where it is unknown."""
        numpy = needed("numpy")
        if key not in {one.key for one in self.spec.objectives}:
            means = self.by_workload[key][1]
            return means[:, 0] if means.shape[1] == 1 else numpy.full(len(means), numpy.nan)
        spreads = [one.spread.get(key) for one in self.found]
        halves = [one.half_width if one is not None else None for one in spreads]
        found: Floats = numpy.array([numpy.nan if one is None else one for one in halves], float)
        return found

    @cached_property
    def factors(self) -> list[Factor]:
        """What was varied and has more than one level among the configurations, in the study's order."""
        first, _ = self._configuration
        found = []
        if len(self.spec.drives) > 1:
            levels = codes(self.table[DRIVE], self.spec.drives)[first]
            found.append(_named(DRIVE, self.spec.drives, levels))
        rows = self.table.take(needed("pyarrow").array(first))
        found += [_factor(one, rows[SET + one.name]) for one in self.spec.parameters]
        return [one for one in found if len({*one.levels.tolist()} - {-1}) > 1]


def read(study: "Study") -> Data:
    """Read what the report needs of a study's table. Raises InputError where that is not there."""
    there = set(needed("pyarrow.parquet").read_schema(study.folder / RESULTS).names)
    keys = study.spec.needed or tuple(key for key in USUAL if key in there)[:USUAL_MOST]
    keys = tuple(key for key in keys if key in there)
    columns = ["configuration", "drive", "workload", "seed", "status"]
    columns += [REMARKS] if REMARKS in there else []
    columns += [SET + one.name for one in study.spec.parameters]
    return Data(study, study.configurations(), keys, study.table([*columns, *keys]))


def student(samples: int) -> float:
    """Return the quantile of Student's t for the interval of a mean of so many samples; NaN below two."""
    return _core.student_t((1 + LEVEL) / 2, samples - 1) if samples > 1 else float("nan")


def codes(column: "pa.ChunkedArray[Any]", names: Sequence[str]) -> "Places":
    """Return the place of each text of a column among `names`; -1 where it is none of them."""
    numpy, arrow = needed("numpy"), needed("pyarrow.compute")
    found = arrow.index_in(column, value_set=needed("pyarrow").array(names, needed("pyarrow").string()))
    places: Places = numpy.asarray(found.fill_null(-1).to_numpy(), dtype=numpy.int64)
    return places


def _floats(table: "pa.Table", key: str) -> "Floats":
    """Return a column of numbers; NaN for null."""
    numpy, arrow = needed("numpy"), needed("pyarrow")
    found: Floats = numpy.asarray(table[key].cast(arrow.float64()).to_numpy(), dtype=float)
    return found


def _factor(one: Parameter, column: "pa.ChunkedArray[Any]") -> Factor:
    arrow = needed("pyarrow")
    if isinstance(one.space, Range):
        return _scale(one.name, _floats(arrow.table({"x": column}), "x"), log=one.space.log)
    if _is_scale(one.name, one.space):
        numbers = _floats(arrow.table({"x": column}), "x")
        low, high = min(one.space.values), max(one.space.values)
        return _scale(one.name, numbers, log=low > 0 and high / low >= _LOG_FROM, listed=True)
    names = [text(value) for value in one.space.values]
    # In a column beside numbers with a point, 1 is 1.0.
    shown = {float(value): text(value) for value in one.space.values if _is_number(value)}
    values: list[Any] = column.to_pylist()
    texts = [
        shown.get(float(value)) if _is_number(value) else None if value is None else text(value)
        for value in values
    ]
    return _named(one.name, names, codes(arrow.chunked_array([arrow.array(texts, arrow.string())]), names))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_scale(name: str, space: Choices) -> bool:
    """Whether a list is one of numbers that have room beside each other."""
    if name.startswith(ENV) or len(space.values) < 2 or not all(map(_is_number, space.values)):
        return False
    ordered = sorted(map(float, space.values))
    if ordered[0] > 0 and ordered[-1] / ordered[0] >= _LOG_FROM:
        ordered = [ln(value) for value in ordered]
    span = ordered[-1] - ordered[0]
    return all(after - before >= _NEAR * span for before, after in pairwise(ordered))


def _named(name: str, names: Sequence[str], levels: "Places") -> Factor:
    return Factor(name, tuple(names), tuple(float(place) for place in range(len(names))), levels)


def _scale(name: str, numbers: "Floats", *, log: bool, listed: bool = False) -> Factor:
    """Return a factor of numbers: a level for each, or bins of equally many where there are too many."""
    numpy = needed("numpy")
    known = ~numpy.isnan(numbers)
    levels = numpy.full(len(numbers), -1, numpy.int64)
    different, inverse = numpy.unique(numbers[known], return_inverse=True)
    if len(different) <= LEVELS_MOST or listed:
        levels[known] = inverse
        places = tuple(float(one) for one in different)
        return Factor(name, tuple(f"{one:.6g}" for one in places), places, levels, numbers, log)
    edges = numpy.unique(numpy.quantile(numbers[known], numpy.linspace(0, 1, BINS + 1)))
    bins = numpy.clip(numpy.searchsorted(edges, numbers[known], side="right") - 1, 0, len(edges) - 2)
    levels[known] = bins
    shown = numpy.log(numbers[known]) if log else numbers[known]
    with numpy.errstate(invalid="ignore"):
        middles = numpy.bincount(bins, shown, len(edges) - 1) / numpy.bincount(bins, minlength=len(edges) - 1)
    places = tuple(float(one) for one in (numpy.exp(middles) if log else middles))
    labels = tuple(f"{low:.3g} to {high:.3g}" for low, high in pairwise(edges))
    return Factor(name, labels, places, levels, numbers, log, binned=True)
