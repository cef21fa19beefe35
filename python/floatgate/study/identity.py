"""What decides a run, as content: the hash under which a study finds it again, and why it is another now."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from floatgate import _core
from floatgate.errors import InputError
from floatgate.files import digest
from floatgate.inputs import cards
from floatgate.inputs.workload import Workload, trace_files
from floatgate.options import Options
from floatgate.own import names_own
from floatgate.results.versions import FORMATS, NEWEST
from floatgate.study.parameters import Choices
from floatgate.study.spec import ENV, Spec

# Options of how, not of what: the outcome of a run does not depend on them. Its seed is not shared.
_NOT_DECIDING = frozenset(("seed", "policy_timeout", "memory_limit"))


@dataclass(frozen=True)
class Inputs:
    """The content of what the runs of a study share; its record keeps it, so that a change can be told."""

    version: str
    results: int  # the format of results: the same number means another thing in another
    drives: Mapping[str, Mapping[str, Any]]  # the whole configuration of each
    fixed: Mapping[str, Any]  # what the study sets for all runs
    names: Mapping[str, Mapping[str, str]]  # by drive: what `KEY = NAME` stands for, such as a policy's text
    workloads: Mapping[str, str]
    options: Mapping[str, Any]


def inputs(spec: Spec, workloads: Sequence[Workload], options: Options) -> Inputs:
    """Read what the runs of a study depend on. Raises InputError where a drive or a file is not right."""
    decides = {name: value for name, value in asdict(options).items() if name not in _NOT_DECIDING}
    if options.load_state is not None:
        decides["load_state"] = digest(options.load_state)
    return Inputs(
        _core.version(),
        NEWEST,
        {drive: _configuration(drive) for drive in spec.drives},
        dict(spec.fixed),
        {drive: dict(_names(drive, spec)) for drive in spec.drives},
        {name: workload_hash(one) for name, one in zip(spec.workloads, workloads, strict=True)},
        json.loads(json.dumps(decides)),
    )


def override(name: str, value: Any) -> str:
    """Return a key and its value as `--set` takes it."""
    return f"{name}={json.dumps(value)}"


def _configuration(drive: str, *overrides: str) -> dict[str, Any]:
    found = cards.values(cards.of_drive(drive, overrides))
    return {key: value for key, value in found.items() if not key.endswith("title")}


def _names(drive: str, spec: Spec) -> list[tuple[str, str]]:
    """Hash what each name among the values brings: a policy's file, or the keys that it alone changes."""
    named = [(name, value) for name, value in spec.fixed if isinstance(value, str)]
    for one in spec.parameters:
        if isinstance(one.space, Choices) and not one.name.startswith(ENV):
            named += [(one.name, value) for value in one.space.values if isinstance(value, str)]
    found = []
    for name, value in named:
        if names_own(name, value):
            from floatgate.own.found import source

            found.append((f"{name} = {value}", sha256(source(value).encode()).hexdigest()))
            continue
        try:
            stands_for = _hash(_configuration(drive, override(name, value)))
        except InputError:
            continue  # It needs other keys beside it, which are then values of the run themselves.
        found.append((f"{name} = {value}", stands_for))
    return found


def workload_hash(workload: Workload) -> str:
    """Hash a workload by its content; where its files lie and what they are called does not count."""
    if workload.kind == "trace":
        files = [digest(file) for file in trace_files(workload.source)]
        return _hash(["trace", workload.options.given(), files])
    said = workload.to_json()
    if workload.kind == "fio":
        return _hash(["fio", _jobs(workload)])
    return _hash([workload.kind, json.loads(said)])


def _jobs(workload: Workload) -> Any:
    """Return the jobs of a fio file, included ones, too; with variables in it, its lines."""
    if workload.text is not None and "${" in workload.text:
        lines = (line.strip() for line in workload.text.splitlines())
        return ["".join(line.split()) for line in lines if line and line[0] not in "#;"]
    return json.loads(_core.fio_jobs(workload.to_json()))


def _hash(value: Any) -> str:
    return sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Keys:
    """Makes the keys of a study's runs; what many runs share is hashed once."""

    def __init__(self, spec: Spec, inputs: Inputs) -> None:
        self._inputs = inputs
        self._fixed = [f"{key} = {value}" for key, value in spec.fixed]
        self._shared: dict[tuple[str, str], str] = {}

    def of(self, drive: str, workload: str, seed: int, values: Mapping[str, Any]) -> str:
        """Return the key of a run: 32 hexadecimal digits."""
        names = self._inputs.names[drive]
        brought = [names.get(f"{key} = {value}") for key, value in values.items() if isinstance(value, str)]
        decides = [self._of_all(drive, workload), seed, values, brought]
        return sha256(json.dumps(decides, sort_keys=True).encode()).hexdigest()[:32]

    def _of_all(self, drive: str, workload: str) -> str:
        """Hash what all runs of a drive and a workload share."""
        if (drive, workload) not in self._shared:
            of = self._inputs
            named = [of.names[drive].get(name) for name in self._fixed]
            shared = [
                of.version,
                of.results,
                of.drives[drive],
                of.fixed,
                named,
                of.workloads[workload],
                of.options,
            ]
            self._shared[drive, workload] = _hash(shared)
        return self._shared[drive, workload]


def changes(before: Mapping[str, Any], now: Inputs) -> list[str]:
    """Say which of a study's inputs differ from its record `before`, a line each."""
    after: dict[str, Any] = json.loads(json.dumps(asdict(now)))
    said = []
    if before["version"] != after["version"]:
        said.append(f"Floatgate was {before['version']}, is {after['version']}")
    if before["results"] != after["results"]:
        since = "; ".join(newer.change for newer in FORMATS[before["results"] :])
        said.append(f"results had format {before['results']}, have {after['results']}: {since}")
    for drive in after["drives"].keys() & before["drives"].keys():
        said += _differing(drive, before["drives"][drive], after["drives"][drive])
        said += _other(
            before["names"][drive], after["names"][drive], f"{drive}: ", "stands for something else"
        )
    said += _differing("study.set", before["fixed"], after["fixed"])
    said += _other(before["workloads"], after["workloads"], "", "has another content")
    said += _differing("options", before["options"], after["options"])
    return sorted(said)


def _other(before: Mapping[str, str], after: Mapping[str, str], of: str, words: str) -> list[str]:
    return [f"{of}{name} {words}" for name, text in after.items() if before.get(name, text) != text]


def _differing(of: str, old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    keys = [key for key in sorted({*old, *new}) if old.get(key) != new.get(key)]
    shown = [f"{key} was {json.dumps(old.get(key))}, is {json.dumps(new.get(key))}" for key in keys[:3]]
    more = [f"and {len(keys) - 3} more"] if len(keys) > 3 else []
    return [f"{of}: {'; '.join(shown + more)}"] if keys else []
