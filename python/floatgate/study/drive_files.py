"""The best configurations of a study as drive files: `floatgate run FILE WORKLOAD` runs them again.

A file stands on the drive that it changes where that is one of Floatgate's; else it holds the whole
configuration. Either is read again before it is kept: it must be the configuration that the study ran.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate import files
from floatgate.errors import InputError, one_line
from floatgate.inputs import cards
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload, resolve
from floatgate.options import Options, TraceOptions
from floatgate.results.flags import words
from floatgate.results.folder import unwritable
from floatgate.runs.session import command
from floatgate.study.aggregate import Configuration
from floatgate.study.parameters import Choices, Parameter
from floatgate.study.spec import ENV, Spec
from floatgate.values import quantities as q

if TYPE_CHECKING:
    from floatgate.study.result import Study

BEST = "best"  # the usual name of their folder
MOST = 10
MADE = "# Made by `floatgate study`"
_BARE = re.compile(r"[A-Za-z0-9_-]+")
# Texts that mean themselves on a command line: names, and numbers with a unit, which no number of TOML is.
_PLAIN = re.compile(r"(?!(true|false|inf|nan)$)[A-Za-z_][\w./:+-]*|(?!0[xob])[0-9.]+[A-Za-z/]+", re.ASCII)


def write_drive_files(study: "Study", folder: Path) -> list[Path]:
    """Write the best configurations into `folder`, at most ten, best first; return their files.

    What an earlier call wrote there goes. Raises InputError where the folder cannot be written.
    """
    front = study.front()
    best = front[:MOST]
    try:
        if not best and not folder.is_dir():
            return []
        folder.mkdir(parents=True, exist_ok=True)
        with files.putting(folder) as partial:
            written = [_write(study, rank, one, len(front), partial) for rank, one in enumerate(best)]
        for path in sorted(folder.glob("*.toml")):
            if path.name not in written and _is_own(path):
                path.unlink()
    except OSError as error:
        raise unwritable(folder, error) from error
    return [folder / name for name in written]


def name(rank: int, one: Configuration) -> str:
    """Return the name of a configuration's file, by its place among the best, from 0."""
    return f"{rank + 1:02}-configuration-{one.number}.toml"


def settings(spec: Spec, one: Configuration) -> list[tuple[str, Any]]:
    """Return the keys that a configuration sets and their values: those of all runs, then its own."""
    own = [
        (parameter.name, _original(parameter, one.values[parameter.name]))
        for parameter in spec.parameters
        if parameter.name in one.values and not parameter.name.startswith(ENV)
    ]
    return [*spec.fixed, *own]


def variables(spec: Spec, one: Configuration) -> dict[str, str]:
    """Return the variables of a fio job that a configuration runs with."""
    own = {
        parameter.name.removeprefix(ENV): str(_original(parameter, one.values[parameter.name]))
        for parameter in spec.parameters
        if parameter.name in one.values and parameter.name.startswith(ENV)
    }
    return dict(spec.env) | own


def _original(one: Parameter, value: Any) -> Any:
    """Return a value as the study has it: in a table, 1 beside 0.5 is 1.0, and beside a text a text."""
    if isinstance(one.space, Choices):
        for choice in one.space.values:
            said = str(choice).lower() if isinstance(choice, bool) else choice
            if isinstance(choice, bool) == isinstance(value, bool) and choice == value:
                return choice
            if isinstance(value, str) and str(said) == value:
                return choice
    return value


def commands(spec: Spec, one: Configuration, drive: str | None = None) -> "Commands":
    """Return what says the commands of a configuration's runs; with `drive`, of runs of that file."""
    return Commands(spec, one, drive)


class Commands:
    """The commands that repeat the runs of a configuration."""

    def __init__(self, spec: Spec, one: Configuration, drive: str | None) -> None:
        self._spec, self._drive = spec, drive or one.drive
        changed = [] if drive else settings(spec, one)
        self._set = tuple(f"{key}={_plain(value)}" for key, value in changed)
        self._variables = tuple(sorted(variables(spec, one).items()))

    def of(self, workload: str, seed: int) -> str:
        """Return the command for a workload and a seed; it is read as a shell reads it."""
        found = _workload(workload, json.dumps(dict(self._spec.trace)))
        if found.kind == "fio":
            found = replace(found, variables=self._variables)
        options = Options(**{**self._spec.options, "seed": seed})
        try:
            return command(Plan(self._drive, found, self._set, options))
        except InputError:  # a saved state that is not there any more
            return command(Plan(self._drive, found, self._set, replace(options, load_state=None)))


def _plain(value: Any) -> str:
    """Return a value as `--set` takes it, with as few quotes as it needs."""
    return value if isinstance(value, str) and _PLAIN.fullmatch(value) else json.dumps(value)


@cache
def _workload(name: str, trace: str) -> Workload:
    """Return a workload with what a command says of it; where its file is gone, its name."""
    for options in (TraceOptions(**json.loads(trace)), TraceOptions()):
        try:
            return resolve(name, options)
        except InputError:
            continue
    return Workload("fio" if name.endswith(".fio") else "", name)


def _is_own(path: Path) -> bool:
    return path.is_file() and path.read_bytes().startswith(MADE.encode())


def _write(study: "Study", rank: int, one: Configuration, many: int, folder: Path) -> str:
    """Write one file, and make sure that it is what the study ran."""
    path = folder / name(rank, one)
    changed = settings(study.spec, one)
    wanted = _entries(one.drive, tuple(f"{key}={json.dumps(value)}" for key, value in changed))
    head = list(_head(study, rank, one, many))
    notes = dict(_notes(study.spec, one))
    title = f"{json.loads(wanted['title']['value'])}; configuration {one.number} of study {study.spec.name}"
    if not one.drive.endswith(".toml"):
        table = {"title": title, "base": one.drive} | dict(changed)
        lines = ((key, _toml(value), notes.get(key, "")) for key, value in table.items())
        path.write_text(_text(head, lines), encoding="utf-8")
        if _same(path, wanted):
            return path.name
    lines = (
        (key, _toml(title) if key == "title" else entry["value"], notes.get(key) or entry["source"] or "")
        for key, entry in wanted.items()
    )
    path.write_text(_text(head, lines), encoding="utf-8")
    if not _same(path, wanted):
        raise InputError(
            f"{study.folder}: configuration {one.number}: the drive {one.drive} is another than the study's: "
            "expected the drive file and the policies that it ran with"
        )
    return path.name


def _entries(drive: str, overrides: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return the whole configuration of a drive, by key."""
    return {entry["key"]: entry for entry in cards.of_drive(drive, overrides)["entries"]}


def _same(path: Path, wanted: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether a file is a drive with these entries; its title is its own."""
    try:
        found = _entries(str(path), ())
    except InputError:
        return False
    values = [
        {key: entry["value"] for key, entry in one.items() if key != "title"} for one in (found, wanted)
    ]
    return values[0] == values[1]


def _head(study: "Study", rank: int, one: Configuration, many: int) -> Iterator[str]:
    """Say where a file comes from, as comments; `many` are on the front."""
    spec = study.spec
    yield f"{MADE} {study.record['version']}: configuration {one.number} of study {spec.name}, on {one.drive}"
    if len(spec.objectives) > 1:
        yield f"# Number {rank + 1} of {many} on the front: none betters it without being worse elsewhere."
    else:
        yield f"# The best of all{f', as are {many - 1} others' if many > 1 else ''}."
    seeds = q.several(len(spec.seeds), "seed")
    yield f"# Means over {q.several(len(spec.workloads), 'workload')} and {seeds}:"
    for objective in spec.objectives:
        yield f"#   {objective.key} = {_number(one, objective.key)} ({objective.aim})"
    for bound in spec.constraints:
        yield f"#   {bound.key} = {_number(one, bound.key)}, bound: {bound}"
    yield "# Keys that the study sets:"
    for key, chosen in settings(spec, one):
        yield f"#   {key} = {_toml(chosen)}"
    given = variables(spec, one)
    if given:
        said = " ".join(f"{key}={value}" for key, value in given.items())
        yield f"# Variables of the fio job, which are no part of a drive: {said}"
    yield "# One of its runs again:"
    yield f"#   {commands(spec, one, name(rank, one)).of(spec.workloads[0], spec.seeds[0])}"


def _number(one: Configuration, key: str) -> str:
    value, spread = one.numbers[key], one.spread.get(key)
    half = f" ± {spread.half_width:.2g}" if spread and spread.half_width is not None else ""
    flagged = words(one.flags(key))
    return f"{value:.6g}{half}" + (f" [{flagged}]" if flagged else "")


def _notes(spec: Spec, one: Configuration) -> Iterator[tuple[str, str]]:
    """Say of each key that the study sets what it chose from, and what the drive has without it."""
    plain = _entries(one.drive, ())
    for key, _ in spec.fixed:
        yield key, f"study {spec.name}: in all its runs; {one.drive} has {_shown(plain, key)}"
    for parameter in spec.parameters:
        space = parameter.space
        if isinstance(space, Choices):
            chosen = "one of " + ", ".join(str(value) for value in space.values)
        else:
            chosen = f"from {space.low} to {space.high}"
        yield parameter.name, f"study {spec.name}: {chosen}; {one.drive} has {_shown(plain, parameter.name)}"


def _shown(entries: Mapping[str, Mapping[str, Any]], key: str) -> str:
    return str(entries[key]["value"]) if key in entries else "none"


def _toml(value: Any) -> str:
    # JSON lets one control character stand as it is, TOML none.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _text(head: Iterable[str], lines: Iterable[tuple[str, str, str]]) -> str:
    """Return a TOML file of comments and of keys with their values and sources, table by table."""
    tables: dict[str, list[str]] = {"": []}
    for key, value, source in lines:
        *above, last = (part if _BARE.fullmatch(part) else _toml(part) for part in key.split("."))
        comment = f"  # {one_line(source)}" if source else ""
        tables.setdefault(".".join(above), []).append(f"{last} = {value}{comment}")
    said = [re.match("# *", line)[0] + one_line(line.lstrip("# ")) for line in head]  # type: ignore[index]
    for table, keys in tables.items():
        said += ["", *([f"[{table}]"] if table else []), *keys]
    return "\n".join(said) + "\n"
