"""A set of runs, from its folder: that of `floatgate run --repeat`, of a study, or of several runs."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.own import names_own
from floatgate.results.folder import read_json
from floatgate.results.headline import headline
from floatgate.results.versions import NEWEST, read_document
from floatgate.study import numbers

# Options of how, not of what: the outcome of a run does not depend on them.
NOT_DECIDING = frozenset(
    (
        "seed",
        "policy_timeout",
        "memory_limit",
        "check",
        "requests",
        "timeline",
        "timeline_detail",
        "save_state",
    )
)
EXPECTED = "expected a folder of `floatgate run --repeat`, or of a study"
Cell = tuple[tuple[str, Any], ...]  # what tells runs of a set apart, beside their seeds


@dataclass(frozen=True)
class Run:
    """One run of a set."""

    seed: int
    cell: Cell
    numbers: Mapping[str, Any]  # a result, or a row of a study
    remarks: Sequence[Mapping[str, str]]
    is_row: bool = False

    def value(self, key: str) -> float | None:
        """Return a number of it; None where it has none."""
        if not self.is_row:
            return numbers.number(self.numbers, key)
        found = self.numbers.get(key)
        return float(found) if isinstance(found, int | float) else None


@dataclass(frozen=True)
class ResultSet:
    """Runs of one drive, workload and version, and what these are."""

    folder: Path
    runs: tuple[Run, ...]
    version: str
    workload: Mapping[str, str]  # what it consists of, each as text
    options: Mapping[str, Any]
    config: Mapping[str, Any]  # of the drive
    given: Mapping[str, str]  # keys that the user set
    texts: Mapping[str, str]  # of policies in Python among the values that vary
    metrics: tuple[str, ...]  # that are usual for it
    is_study: bool = False


def read(folder: Path) -> ResultSet:
    """Read the runs in a folder. Raises InputError where it has none."""
    if not folder.is_dir():
        raise InputError(f"{folder}: {'no folder' if folder.exists() else 'no such folder'}: {EXPECTED}")
    if (folder / "study.json").is_file():
        return _of_study(folder)
    if (folder / "run.json").is_file():
        return _of_runs(folder, [folder])
    below = sorted(path.parent for path in folder.glob("*/run.json"))
    if not below:
        raise InputError(f"{folder}: holds no result: {EXPECTED}")
    return _of_runs(folder, below)


def _of_runs(folder: Path, below: Sequence[Path]) -> ResultSet:
    """Read run folders that differ by their seeds."""
    documents = {path: read_document(path / "run.json") for path in below}
    sets = {path: _of_run(folder, path, document) for path, document in documents.items()}
    first_path, first = next(iter(sets.items()))
    seeds: dict[int, Path] = {}
    for path, one in sets.items():
        differing = next(differences(first, one), None)
        if differing is not None:
            raise InputError(
                f"{path}: {differing[0]} is another than in {first_path}: expected runs that differ by seed"
            )
        seed = one.runs[0].seed
        if seed in seeds:
            raise InputError(f"{path}: seed {seed} is that of {seeds[seed]}: expected each seed once")
        seeds[seed] = path
    metrics = dict.fromkeys(name for document in documents.values() for name in _headline(document))
    runs = sorted((run for one in sets.values() for run in one.runs), key=lambda run: run.seed)
    return ResultSet(
        folder,
        tuple(runs),
        first.version,
        first.workload,
        first.options,
        first.config,
        first.given,
        {},
        tuple(metrics),
    )


def _headline(document: Mapping[str, Any]) -> list[str]:
    return [metric.name for metric in headline(dict(document)) if metric.value is not None]


def _of_run(folder: Path, path: Path, document: Mapping[str, Any]) -> ResultSet:
    if document["interrupted"]:
        raise InputError(f"{path}: was interrupted: expected runs that came to their end")
    made = document["invocation"]
    if made is None:
        raise InputError(f"{path}: does not say how it was run: {EXPECTED}")
    shas = {one["file"]: one["sha256"] for one in made["policies"]}
    options = {name: value for name, value in made["options"].items() if name not in NOT_DECIDING}
    run = Run(document["seed"], (), document, document["remarks"])
    return ResultSet(
        folder,
        (run,),
        _version(path, document),
        dict(_workload(document)),
        options,
        {key: _with_text(key, value, shas) for key, value in document["config"].items() if _counts(key)},
        {key.strip(): value for key, _, value in (one.partition("=") for one in made["set"])},
        {},
        (),
    )


def _version(path: Path, document: Mapping[str, Any]) -> str:
    """Return which Floatgate made a result; results of an older format are told apart."""
    written = read_json(path / "run.json").get("schema", 1)
    version = str(document["version"])
    return version if written == NEWEST else f"{version} (format {written})"


def _counts(key: str) -> bool:
    return key != "title" and not key.endswith(".title")


def _with_text(key: str, value: Any, shas: Mapping[str, str]) -> Any:
    """Return a value; a policy in Python by its name and text."""
    if isinstance(value, str) and names_own(key, value):
        return f"{value} ({shas.get(value.rsplit(':', 1)[0], '')[:12]})"
    return value


def _workload(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a workload consists of, as texts by name."""
    stored, jobs = document["invocation"]["workload"], document["workload"]["jobs"]
    yield "kind", stored["kind"]
    if stored["kind"] == "fio" and jobs:
        yield "jobs", json.dumps(jobs, sort_keys=True)
    elif stored["text"] is not None:
        yield "text", stored["text"]
    else:
        yield "source", stored["source"]
    for name in ("options", "variables"):
        yield from ((f"{name}.{key}", json.dumps(value)) for key, value in (stored[name] or {}).items())
    if stored["file_bytes"] is not None:
        yield "file_bytes", str(stored["file_bytes"])


def _of_study(folder: Path) -> ResultSet:
    """Read the rows of a study; only runs that came to their end count."""
    from floatgate.study.report.data import USUAL
    from floatgate.study.result import Study
    from floatgate.study.store import REMARKS
    from floatgate.study.table import SET

    study = Study.open(folder)
    rows = study.table().to_pylist()
    inputs, spec = study.record["inputs"], study.spec
    several = len(spec.drives) > 1
    fixed, config = inputs["fixed"], dict[str, Any]()
    for drive, entries in inputs["drives"].items():
        before = f"{drive}: " if several else ""
        texts = inputs["names"][drive]
        shown = {key: _named(key, value, texts) for key, value in {**entries, **fixed}.items()}
        config |= {before + key: value for key, value in shown.items() if _counts(key)}
    runs = []
    for row in rows:
        if row["status"] == "done":
            cell: list[tuple[str, Any]] = [("drive", row["drive"])] if several else []
            cell.append(("workload", row["workload"]))
            values = ((one.name, row[SET + one.name]) for one in spec.parameters)
            cell += [(name, value) for name, value in values if value is not None]
            runs.append(Run(row["seed"], tuple(cell), row, row.get(REMARKS) or (), is_row=True))
    if not runs:
        raise InputError(f"{folder}: no run of this study came to its end: expected some")
    varied = {one.name for one in spec.parameters}
    named = {f"{key}": text for of in inputs["names"].values() for key, text in of.items()}
    texts = {key: text for key, text in named.items() if key.partition(" = ")[0] in varied}
    options = {key: value for key, value in inputs["options"].items() if key not in NOT_DECIDING}
    there = {key for row in rows for key, value in row.items() if value is not None}
    return ResultSet(
        folder,
        tuple(runs),
        inputs["version"],
        inputs["workloads"],
        options,
        config,
        {key: str(value) for key, value in fixed.items()},
        texts,
        tuple(key for key in spec.needed or USUAL if key in there),
        is_study=True,
    )


def _named(key: str, value: Any, texts: Mapping[str, str]) -> Any:
    if isinstance(value, str) and names_own(key, value):
        return f"{value} ({texts.get(f'{key} = {value}', '')[:12]})"
    return value


def differences(a: ResultSet, b: ResultSet) -> Iterator[tuple[str, Any, Any]]:
    """Give what two sets differ in, beside the drive's configuration first: key, value of each."""
    yield from _differing({"version": a.version}, {"version": b.version}, "")
    yield from _differing(a.workload, b.workload, "workload ")
    both = a.texts.keys() & b.texts.keys()
    yield from _differing({key: a.texts[key] for key in both}, {key: b.texts[key] for key in both}, "")
    yield from _differing(a.options, b.options, "")
    yield from _differing(a.config, b.config, "")


def _differing(
    a: Mapping[str, Any], b: Mapping[str, Any], before: str
) -> Iterable[tuple[str, Any, Any]]:  # fmt: skip
    for key in sorted({*a, *b}):
        if a.get(key) != b.get(key):
            yield before + key, a.get(key), b.get(key)
