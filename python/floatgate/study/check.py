"""What a study asks for, held against what there is: keys, numbers, drives, workloads, policies."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from floatgate.errors import InputError, meant
from floatgate.inputs import mqsim
from floatgate.inputs.configuration import Key, keys, near
from floatgate.inputs.workload import Workload, resolve
from floatgate.options import Options, TraceOptions
from floatgate.own import names_own
from floatgate.study import numbers
from floatgate.study.design import verify
from floatgate.study.identity import Inputs, inputs, override
from floatgate.study.parameters import Choices
from floatgate.study.spec import ENV, Spec
from floatgate.workers.inputs import of_drive, of_options, of_workload


@dataclass(frozen=True)
class Checked:
    """A study whose drives, workloads and files are there."""

    spec: Spec
    options: Options
    workloads: Mapping[str, Workload]  # by the study's name for it, without variables
    inputs: Inputs

    def files(self) -> list[Path]:
        """Return the files that the runs read: workers elsewhere are sent them."""
        values = [override(name, value) for name, value in self.spec.fixed]
        for one in self.spec.parameters:
            if isinstance(one.space, Choices) and not one.name.startswith(ENV):
                values += [override(one.name, value) for value in one.space.values]
        found = [path for drive in self.spec.drives for path in of_drive(drive, values)]
        found += [path for workload in self.workloads.values() for path in of_workload(workload)]
        return list(dict.fromkeys(found + of_options(self.options)))


def check(spec: Spec) -> Checked:
    """Find everything that a study names. Raises InputError for what is not there, before anything runs."""
    for key in spec.needed:
        numbers.check(spec.name, key)
    named = {one.name: one.space.values if isinstance(one.space, Choices) else () for one in spec.parameters}
    fixed = {name: (value,) for name, value in spec.fixed}
    for name, values in {**named, **fixed}.items():
        if not name.startswith(ENV):
            _check_key(spec.name, name, values, {**named, **fixed})
    _check_policies(spec.name, {**named, **fixed})
    verify(spec)
    workloads = {name: _workload(spec, name) for name in spec.workloads}
    options = Options(**spec.options)
    return Checked(spec, options, workloads, inputs(spec, list(workloads.values()), options))


def _check_key(place: str, name: str, values: Iterable[Any], all_values: Mapping[str, Iterable[Any]]) -> None:
    found = _key(name)
    if found is None:
        if _of_own_policy(name, all_values):
            return
        raise InputError(f"{place}: {name}: no configuration has such a key{near(name)}")
    for value in values:
        if not isinstance(value, str) and found.names:
            raise InputError(f"{place}: {name} = {value!r}: expected {found.takes}")
        if not isinstance(value, str) or not found.names or names_own(name, value) or value in found.names:
            continue
        expected = f"one of {', '.join(found.names)}{meant(value, found.names)}"
        raise InputError(f'{place}: {name} = "{value}": expected {expected}')


def _key(name: str) -> Key | None:
    """Return a key of the configuration; where one means two things, one of them."""
    return next((key for key in _keys() if _fits(name.split("."), key.key.split("."))), None)


@cache
def _keys() -> tuple[Key, ...]:
    return tuple(keys())


def _fits(name: list[str], key: list[str]) -> bool:
    """Whether a name is a key, in which a part in capitals stands for a name of the user's."""
    return len(name) == len(key) and all(
        part.isupper() or part == own for own, part in zip(name, key, strict=True)
    )


def _of_own_policy(name: str, all_values: Mapping[str, Iterable[Any]]) -> bool:
    """Whether a key is a parameter of a policy in Python, which no list has."""
    seam, _, parameter = name.rpartition(".")
    from floatgate.own.found import load

    own = [str(value) for value in all_values.get(f"{seam}.name", ()) if names_own(f"{seam}.name", value)]
    return any(parameter == one.name for value in own for one in load(seam, value).parameters)


def _check_policies(place: str, all_values: Mapping[str, Iterable[Any]]) -> None:
    """Refuse a policy in Python that cannot be, now and not in the middle of a study."""
    for name, values in all_values.items():
        for value in values:
            if names_own(name, value):
                from floatgate.own.found import load

                try:
                    load(name.removesuffix(".name"), str(value))
                except InputError as error:
                    raise InputError(f'{place}: {name} = "{value}": {error}') from error


def _workload(spec: Spec, name: str) -> Workload:
    if any(mqsim.is_mqsim(drive, name) for drive in spec.drives):
        raise InputError(
            f"{spec.name}: {name}: is MQSim's: expected a fio job, a trace or a generator's name"
        )
    try:
        return resolve(name, TraceOptions(**spec.trace))
    except OSError as error:  # a name too long for a file
        raise InputError(f"{name}: {(error.strerror or str(error)).lower()}: expected a workload") from error
    except InputError:
        if not spec.trace:
            raise
        plain = resolve(name)  # Options of traces mean nothing for the others of a list.
        if plain.kind == "trace" or len(spec.workloads) == 1:
            raise
        return plain
