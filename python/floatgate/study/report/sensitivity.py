"""Sobol indices: what share of a number's variance each parameter brings, alone and with all others."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floatgate.extras import needed
from floatgate.study.design import problem, sampled
from floatgate.study.report.data import Data
from floatgate.study.table import text

if TYPE_CHECKING:
    from floatgate.study.spec import Spec

RESAMPLES = 500  # of the bootstrap that gives the intervals


@dataclass(frozen=True)
class Index:
    """A parameter's share of the variance, with the half widths of its 95 % intervals."""

    parameter: str
    first: float
    first_half: float
    total: float
    total_half: float


def why_not(data: Data) -> str | None:
    """Say why a study of Saltelli's design has no Sobol indices; None where it has."""
    if not data.keys:
        return "There is nothing to explain: no run has a number."
    runs = data.study.record["runs"] or {}
    lacking = sum(runs.values()) - runs.get("done", 0)
    if lacking or not runs:
        return f"They need every run of the design, and {lacking:,} of {sum(runs.values()):,} have no result."
    if _places(data) is None:
        return "The table's configurations are not those of this version's design for this study."
    return None


def indices(data: Data, key: str, drive: int, workload: int | None) -> list[Index] | None:
    """Return the indices of all parameters for a number on one drive, over the workloads or on one of them.

    None where the number is missing somewhere, or the same everywhere: nothing varies then.
    """
    numpy, sobol = needed("numpy"), needed("SALib.analyze.sobol")
    places = _places(data)
    assert places is not None, "asked for only where there is a design"
    values = data.totals[key] if workload is None else data.by_workload[key][0][:, workload]
    at_points = values[numpy.array(places) * len(data.spec.drives) + drive]
    if numpy.isnan(at_points).any() or numpy.ptp(at_points) <= 1e-12 * numpy.abs(at_points).max():
        return None
    with numpy.errstate(invalid="ignore", divide="ignore"):
        found = sobol.analyze(
            problem(data.spec.parameters),
            at_points,
            calc_second_order=False,
            num_resamples=RESAMPLES,
            seed=data.spec.search.seed,
        )
    rows = zip(found["S1"], found["S1_conf"], found["ST"], found["ST_conf"], strict=True)
    return [
        Index(one.name, *(float(value) for value in row))
        for one, row in zip(data.spec.parameters, rows, strict=True)
    ]


def _places(data: Data) -> list[int] | None:
    """Return which of the study's combinations each point of the design is; None where one is not there."""
    spec, drives = data.spec, len(data.spec.drives)
    known: dict[tuple[str, ...], int] = {}
    for place, one in enumerate(data.found[::drives]):
        known.setdefault(_same(spec, one.values), place)
    for number, one in enumerate(data.found):
        if one.number != number or one.drive != spec.drives[number % drives]:
            return None
    found = [known.get(_same(spec, values)) for values in sampled(spec)]
    whole = [place for place in found if place is not None]
    return whole if len(whole) == len(found) else None


def _same(spec: "Spec", values: Any) -> tuple[str, ...]:
    """Return what tells configurations apart, whether from a design or from a table."""
    said = []
    for one in spec.parameters:
        value = values.get(one.name)
        try:
            said.append(repr(float(value)) if not isinstance(value, bool) else text(value))
        except (TypeError, ValueError):
            said.append(text(value))
    return tuple(said)
