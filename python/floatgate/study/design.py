"""Which configurations a study runs where nothing is searched: a grid, or a design that fills the space."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import prod
from typing import Any

from floatgate.errors import InputError
from floatgate.extras import needed
from floatgate.study.parameters import Parameter, configuration
from floatgate.study.spec import RUNS_MOST, SEARCHES, Spec


def configurations(spec: Spec) -> list[dict[str, Any]]:
    """Return the values of the parameters, one mapping for each configuration, none twice.

    Raises InputError where the budget has no room for one.
    """
    found = list(_grid(spec.parameters)) if spec.search.method == "grid" else sampled(spec)
    unique: dict[tuple[tuple[str, Any], ...], dict[str, Any]] = {}
    for values in found:
        # True is 1 for Python, but not for a drive.
        unique.setdefault(tuple((name, repr(value)) for name, value in values.items()), values)
    return list(unique.values())


def _grid(parameters: Sequence[Parameter]) -> Iterator[dict[str, Any]]:
    spaces = [one.space.on_grid() for one in parameters]
    for combined in product(*spaces):
        values: dict[str, Any] = {}
        for one, value in zip(parameters, combined, strict=True):
            if one.applies(values):
                values[one.name] = value
        yield values


def verify(spec: Spec) -> None:
    """Refuse a budget without room for a configuration, and conditions that a design cannot have."""
    if spec.search.method == "grid":
        count = prod(len(one.space.on_grid()) for one in spec.parameters) * len(spec.drives) * spec.runs_each
        if count > RUNS_MOST:
            raise InputError(f"{spec.name}: {count:,} runs: expected at most {RUNS_MOST:,}, or a search")
        return
    affordable(spec)
    for one in spec.parameters if spec.search.method == "saltelli" else ():
        if one.when:
            raise InputError(f"{spec.name}: parameters: {one.name}: when: expected none with method saltelli")


def affordable(spec: Spec) -> int:
    """Return how many configurations the budget of runs has room for, on every drive. Raises InputError."""
    assert spec.search.runs is not None, "the study's reader asks for runs"
    each = spec.runs_each * (1 if spec.search.method in SEARCHES else len(spec.drives))
    least = len(spec.parameters) + 2 if spec.search.method == "saltelli" else 1
    count = spec.search.runs // each
    if count < least:
        raise InputError(
            f"{spec.name}: search.runs = {spec.search.runs}: expected at least {least * each}, "
            f"as a configuration takes {each} runs"
        )
    return count


def sampled(spec: Spec) -> list[dict[str, Any]]:
    """Return the configurations of a design in its order, repeated ones, too."""
    count, width = affordable(spec), len(spec.parameters)
    return [configuration(spec.parameters, shares) for shares in _points(spec, count, width)]


def _points(spec: Spec, count: int, width: int) -> list[list[float]]:
    """Return points of the unit cube, as many as there is room for."""
    if not width:
        return [[]]
    seed = spec.search.seed
    if spec.search.method == "saltelli":
        return _saltelli(spec, count)
    qmc = needed("scipy.stats").qmc
    if spec.search.method == "lhs":
        return list(qmc.LatinHypercube(width, rng=seed).random(count).tolist())
    if spec.search.method == "sobol":
        # Only a power of two of its points fills the cube evenly.
        return list(qmc.Sobol(width, rng=seed).random_base2(count.bit_length() - 1).tolist())
    generator = needed("numpy").random.default_rng(seed)
    return list(generator.random((count, width)).tolist())


def problem(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """Return the parameters as SALib takes them: shares of the way through each one's values."""
    names = [one.name for one in parameters]
    return {"num_vars": len(names), "names": names, "bounds": [[0.0, 1.0]] * len(names)}


def base_samples(count: int, width: int) -> int:
    """Return the largest power of two of base samples whose design has at most `count` points."""
    return 1 << ((count // (width + 2)).bit_length() - 1)


def _saltelli(spec: Spec, count: int) -> list[list[float]]:
    """Return Saltelli's design for first-order and total indices: N (D + 2) points."""
    sobol = needed("SALib.sample.sobol")
    base = base_samples(count, len(spec.parameters))
    points = sobol.sample(problem(spec.parameters), base, calc_second_order=False, seed=spec.search.seed)
    return list(points.tolist())
