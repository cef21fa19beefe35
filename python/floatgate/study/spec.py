"""What a study is asked for: a TOML file, or a mapping of the same shape, read strictly."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, get_args

from pydantic import Field, ValidationError

from floatgate.errors import InputError, nearest
from floatgate.inputs import strict_toml
from floatgate.inputs.strict_toml import Strict
from floatgate.options import SEEDS, Options, TraceOptions, nanoseconds
from floatgate.study.parameters import Choices, Parameter, Range, in_order

Method = Literal["grid", "random", "lhs", "sobol", "saltelli", "tpe", "nsga2"]
SEARCHES = ("tpe", "nsga2")
Pruner = Literal["median", "percentile", "halving"]
Over = Literal["mean", "worst"]
SIGNS = ("<=", ">=", "<", ">")
ENV = "env."
SEEDS_MOST = 1_000_000
RUNS_MOST = 10_000_000
# What a study decides itself, or what one run's files are: they mean nothing for a row of a table.
NOT_OPTIONS = ("seed", "requests", "timeline", "save_state")
BATCH = {"tpe": 10, "nsga2": 50}  # configurations asked for at once, where the file does not say


class _Section(Strict):
    drive: str | list[str] = Field(description="a drive's name or file, or a list of them")
    workload: str | list[str] = Field(description="a workload as `floatgate run` takes it, or a list of them")
    seeds: int | list[int] = Field(
        default=1, description="a number of seeds of at least 1, or a list of seeds"
    )
    options: dict[str, Any] = Field(default={}, description="options of `floatgate run`")
    set: dict[str, Any] = Field(default={}, description="configuration keys and their values, for all runs")
    env: dict[str, str] = Field(default={}, description="variables of a fio job, as texts")


class _Search(Strict):
    method: Method = Field(default="grid", description="one of " + ", ".join(get_args(Method)))
    runs: int | None = Field(
        default=None, ge=1, le=RUNS_MOST, description=f"a number of runs from 1 to {RUNS_MOST}"
    )
    time: str | None = Field(default=None, description="wall time in quotes: 2h")
    seed: int = Field(default=1, ge=0, lt=1 << 32, description="a whole number from 0 to 2^32 - 1")
    batch: int | None = Field(
        default=None, ge=1, le=10_000, description="configurations asked for at once, 1 to 10,000"
    )
    over: Over = Field(default="mean", description="mean or worst: of several workloads")
    pruner: Pruner | None = Field(default=None, description="one of " + ", ".join(get_args(Pruner)))


class _File(Strict):
    study: _Section = Field(description="a table with drive and workload")
    parameters: dict[str, Any] = Field(description="a table of keys and the values they may have")
    objectives: dict[str, Literal["min", "max"]] = Field(default={}, description='min or max: "waf" = "min"')
    constraints: dict[str, str] = Field(default={}, description='a bound in quotes: "waf" = "< 3"')
    search: _Search = Field(default=_Search(), description="a table with method and runs")


class _Varied(Strict):
    values: list[Any] | None = Field(default=None, description="a list of values")
    low: int | float | None = Field(default=None, alias="from", description="a number")
    high: int | float | None = Field(default=None, alias="to", description="a number")
    steps: int | None = Field(
        default=None, ge=2, le=10_000, description="how many values a grid has, 2 to 10,000"
    )
    log: bool = Field(default=False, description="true or false")
    when: dict[str, Any] = Field(default={}, description="other parameters and what they must be")


@dataclass(frozen=True)
class Objective:
    """A number of `run.json` that should be small or large."""

    key: str
    aim: Literal["min", "max"]


@dataclass(frozen=True)
class Constraint:
    """A bound that a number of `run.json` must keep."""

    key: str
    sign: str
    bound: float

    def excess(self, value: float) -> float:
        """By how much a value breaks the bound; at most 0 where it keeps it."""
        beyond = value - self.bound if self.sign.startswith("<") else self.bound - value
        # On the bound itself a strict one is broken, by as little as can be told.
        return 5e-324 if beyond == 0 and len(self.sign) == 1 else beyond

    def __str__(self) -> str:
        return f"{self.key} {self.sign} {self.bound:g}"


@dataclass(frozen=True)
class Search:
    """How configurations are chosen, and when that ends."""

    method: Method = "grid"
    runs: int | None = None  # at most
    time_s: float | None = None  # wall time
    seed: int = 1
    batch: int = 1
    over: Over = "mean"
    pruner: Pruner | None = None


@dataclass(frozen=True)
class Spec:
    """A study: what is varied, on what it is run, what is wanted."""

    name: str
    drives: tuple[str, ...]
    workloads: tuple[str, ...]
    seeds: tuple[int, ...]
    parameters: tuple[Parameter, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    trace: Mapping[str, Any] = field(default_factory=dict)
    fixed: tuple[tuple[str, Any], ...] = ()
    env: tuple[tuple[str, str], ...] = ()
    objectives: tuple[Objective, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    search: Search = field(default_factory=Search)
    written: Mapping[str, Any] = field(default_factory=dict)  # as the file has it

    @property
    def runs_each(self) -> int:
        """How many runs one configuration takes: each seed on each workload."""
        return len(self.workloads) * len(self.seeds)

    @property
    def needed(self) -> tuple[str, ...]:
        """The numbers that say how good a configuration is: what is wanted, and what is bounded."""
        wanted = [one.key for one in self.objectives]
        return tuple(dict.fromkeys(wanted + [one.key for one in self.constraints]))


def read(path: Path) -> Spec:
    """Read a study file. Raises InputError with file and line."""
    file = strict_toml.read_toml(path, _File)
    return _spec(path.stem, str(path), file)


def of(study: Mapping[str, Any], name: str = "study") -> Spec:
    """Read a mapping of the same shape. Raises InputError."""
    try:
        file = _File.model_validate(dict(study))
    except ValidationError as error:
        raise InputError(f"{name}: {_said(error)}") from error
    return _spec(name, name, file)


def _said(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg'].lower()}"


def _spec(name: str, place: str, file: _File) -> Spec:
    section = file.study
    options, trace = _options(place, section.options)
    found = Spec(
        name,
        _several(place, "study.drive", section.drive),
        _several(place, "study.workload", section.workload),
        _seeds(place, section.seeds),
        _parameters(place, file),
        options,
        trace,
        tuple((key, value) for key, value in flat(section.set).items()),
        tuple(section.env.items()),
        tuple(Objective(key, aim) for key, aim in file.objectives.items()),
        tuple(_constraint(place, key, bound) for key, bound in file.constraints.items()),
        _search(place, file),
        file.model_dump(mode="json", exclude_unset=True),
    )
    for key, _ in found.fixed:
        if key in {one.name for one in found.parameters}:
            raise InputError(f"{place}: study.set: {key}: is a parameter, too: expected it once")
    return found


def _several(place: str, key: str, given: str | list[str]) -> tuple[str, ...]:
    names = (given,) if isinstance(given, str) else tuple(given)
    if not names or len(set(names)) < len(names):
        raise InputError(f"{place}: {key} = {list(names)}: expected at least one name, none twice")
    return names


def _seeds(place: str, given: int | list[int]) -> tuple[int, ...]:
    said = f"{place}: study.seeds = {given}"
    if isinstance(given, int) and not 1 <= given <= SEEDS_MOST:
        raise InputError(f"{said}: expected a number from 1 to {SEEDS_MOST}, or a list of seeds")
    seeds = tuple(range(1, given + 1)) if isinstance(given, int) else tuple(given)
    if not seeds or len(set(seeds)) < len(seeds) or min(seeds) < 0 or max(seeds) >= SEEDS:
        raise InputError(f"{said}: expected at least one seed from 0 to {SEEDS - 1}, none twice")
    return seeds


def _options(place: str, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell a run's options from those of its trace, and refuse what is neither."""
    ran = {one.name for one in fields(Options)} - set(NOT_OPTIONS)
    traced = {one.name for one in fields(TraceOptions)}
    for name in given:
        if name in NOT_OPTIONS:
            raise InputError(f"{place}: study.options: {name}: expected no such option in a study")
        if name not in ran | traced:
            hint = nearest(name, sorted(ran | traced), "`floatgate run --help` has them")
            raise InputError(f"{place}: study.options: {name}: unknown option ({hint})")
    options = {name: value for name, value in given.items() if name in ran}
    trace = {name: value for name, value in given.items() if name in traced}
    try:
        Options(**options).verify()
        TraceOptions(**trace)
    except (InputError, TypeError, ValueError) as error:
        raise InputError(f"{place}: study.options: {error}") from error
    return options, trace


_SPACE = frozenset(("from", "to", "values", "steps", "log", "when"))


def flat(table: Mapping[str, Any], above: str = "") -> dict[str, Any]:
    """Return a table of keys by their whole paths: TOML reads `ftl.op_ratio` without quotes as two tables."""
    found: dict[str, Any] = {}
    for name, value in table.items():
        if isinstance(value, Mapping) and not _SPACE & set(value):
            found |= flat(value, f"{above}{name}.")
        else:
            found[above + name] = value
    return found


def _parameters(place: str, file: _File) -> tuple[Parameter, ...]:
    given = flat(file.parameters)
    found = []
    for name, value in given.items():
        found.append(_parameter(f"{place}: parameters: {name}", name, value))
    known = {one.name: one for one in found}
    for one in found:
        for other, allowed in one.when:
            _check_condition(f"{place}: parameters: {one.name}: when", known.get(other), other, allowed)
        if file.search.method == "grid" and isinstance(one.space, Range) and one.space.steps is None:
            raise InputError(
                f"{place}: parameters: {one.name}: a range: expected steps with a full grid, "
                "{ from = ..., to = ..., steps = 5 }"
            )
    try:
        return in_order(found)
    except ValueError as error:
        raise InputError(f"{place}: parameters: {error}: expected an order") from None


def _parameter(place: str, name: str, value: Any) -> Parameter:
    if not isinstance(value, dict):
        return Parameter(name, _choices(place, value))
    try:
        varied = _Varied.model_validate(value)
    except ValidationError as error:
        raise InputError(f"{place}: {_said(error)}") from None
    when = tuple((key, _listed(one)) for key, one in flat(varied.when).items())
    if varied.values is not None:
        if varied.low is not None or varied.high is not None:
            raise InputError(f"{place}: values and a range: expected one of them")
        return Parameter(name, _choices(place, varied.values), when)
    if varied.low is None or varied.high is None:
        raise InputError(f"{place}: expected a list of values, or a range {{ from = 0.07, to = 0.28 }}")
    if varied.low >= varied.high:
        raise InputError(f"{place}: from {varied.low} to {varied.high}: expected a smaller from than to")
    if varied.log and varied.low <= 0:
        raise InputError(f"{place}: from {varied.low}: expected a number above 0 on a logarithmic scale")
    return Parameter(name, Range(varied.low, varied.high, varied.log, varied.steps), when)


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list) else (value,)


def _choices(place: str, value: Any) -> Choices:
    if not isinstance(value, list):
        raise InputError(
            f"{place} = {value!r}: expected a list of values, or a range; fixed ones go to study.set"
        )
    if not value:
        raise InputError(f"{place} = []: an empty product: expected at least one value")
    shown = [repr(one) for one in value]
    if len(set(shown)) < len(shown):
        raise InputError(f"{place} = {value}: a value twice: expected each once")
    for one in value:
        if isinstance(one, dict | list) or not isinstance(one, bool | int | float | str):
            raise InputError(f"{place}: {one!r}: expected numbers, texts or switches")
    return Choices(tuple(value))


def _check_condition(place: str, other: Parameter | None, name: str, allowed: tuple[Any, ...]) -> None:
    if other is None:
        raise InputError(
            f"{place}: {name}: no parameter is called so: expected another parameter of the study"
        )
    if isinstance(other.space, Range):
        raise InputError(f"{place}: {name}: is a range: expected a parameter with a list of values")
    for value in allowed:
        if value not in other.space.values:
            raise InputError(
                f"{place}: {name} = {value!r}: expected one of its values, {list(other.space.values)}"
            )


_BOUND = re.compile(r"\s*(<=|>=|<|>)\s*(\S+)\s*")


def _constraint(place: str, key: str, text: str) -> Constraint:
    found = _BOUND.fullmatch(text)
    try:
        if found is None:
            raise ValueError
        return Constraint(key, found[1], float(found[2]))
    except ValueError:
        raise InputError(
            f'{place}: constraints: {key} = "{text}": expected one of {" ".join(SIGNS)} and a number: "< 3"'
        ) from None


def _search(place: str, file: _File) -> Search:
    asked = file.search
    said = f"{place}: search"
    if asked.method == "grid" and asked.runs is not None:
        raise InputError(f"{said}.runs = {asked.runs}: a full grid has its own: expected another method")
    if asked.method != "grid" and asked.runs is None:
        raise InputError(f"{said}.runs is missing: expected a number of runs with method {asked.method}")
    if asked.method in SEARCHES and not file.objectives:
        raise InputError(f"{said}.method = {asked.method}: expected at least one objective")
    if asked.method == "nsga2" and len(file.objectives) < 2:
        raise InputError(f"{said}.method = nsga2: expected two objectives or more, or tpe for one")
    if asked.batch is not None and asked.method not in SEARCHES:
        raise InputError(f"{said}.batch: expected one of {', '.join(SEARCHES)} with this")
    if asked.pruner is not None and (asked.method != "tpe" or len(file.objectives) != 1):
        raise InputError(f"{said}.pruner = {asked.pruner}: expected method tpe and one objective with this")
    time_s = None
    if asked.time is not None:
        time_s = nanoseconds(f"{said}.time", asked.time) / 1e9
        if not time_s:
            raise InputError(f"{said}.time = {asked.time}: expected a time above 0")
    batch = asked.batch or BATCH.get(asked.method, 1)
    return Search(asked.method, asked.runs, time_s, asked.seed, batch, asked.over, asked.pruner)
