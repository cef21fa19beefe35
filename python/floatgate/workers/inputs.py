"""Which files a run reads: what a cluster's workers must be sent, under the names that the user gave."""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from floatgate.errors import InputError
from floatgate.files import read_toml, shipped
from floatgate.inputs.plan import Plan
from floatgate.inputs.workload import Workload, trace_files
from floatgate.options import Options
from floatgate.own import names_own


def of_plan(plan: Plan) -> list[Path]:
    """Return the files that a run reads."""
    whole = plan.resolved  # with all that the drive's files said
    drive = of_drive(plan.drive, plan.overrides) if whole is None else of_values(whole)
    return [*drive, *of_workload(plan.workload), *of_options(plan.options)]


def of_drive(drive: str, overrides: Iterable[str] = ()) -> list[Path]:
    """Return the files behind a drive and its overrides, `KEY=VALUE`: its own, its chip's, its policies'."""
    return [*_toml(Path(drive)), *of_values(overrides)]


def of_chip(chip: str) -> list[Path]:
    """Return the files behind a chip."""
    return list(_toml(Path(chip)))


def of_values(overrides: Iterable[str]) -> list[Path]:
    """Return the files that overrides name: a chip's, a policy's in Python."""
    found: list[Path] = []
    for assignment in overrides:
        key, _, value = assignment.partition("=")
        text: object = value
        with suppress(ValueError):
            text = json.loads(value)
        found += _of_value(key.strip(), text)
    return found


def of_options(options: Options) -> list[Path]:
    """Return the files that options of a run name."""
    return [] if options.load_state is None else [Path(options.load_state)]


def of_workload(workload: Workload) -> list[Path]:
    """Return the files of a workload."""
    if workload.kind == "trace":
        return [path for path in trace_files(workload.source) if not path.is_relative_to(shipped.examples())]
    if workload.kind == "flows" and workload.text is not None:
        return list(_paths(json.loads(workload.text)))
    if workload.kind == "fio" and workload.text is None and not workload.lines:
        return list(_includes(Path(workload.source), set()))
    return []


def below(folder: Path) -> list[Path]:
    """Return every file below a folder but what Python made there."""
    return [path for path in sorted(folder.rglob("*")) if path.is_file() and "__pycache__" not in path.parts]


def _toml(path: Path) -> Iterator[Path]:
    """Give the file of a drive or chip, where it is the user's, and the files that it names."""
    with suppress(OSError, ValueError):
        if not path.is_file():
            return
    yield path
    try:
        _, table = read_toml(path, "a drive or a chip")
    except (InputError, tomllib.TOMLDecodeError):
        return  # The run says it.
    base = table.get("base")
    if isinstance(base, str):
        beside = path.with_name(f"{base}.toml")
        if beside != path:
            yield from _toml(beside if beside.is_file() else Path(base))
    yield from _of_table("", table)


def _of_table(before: str, table: Mapping[str, Any]) -> Iterator[Path]:
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from _of_table(f"{before}{key}.", value)
        else:
            yield from _of_value(f"{before}{key}", value)


def _of_value(key: str, value: object) -> Iterator[Path]:
    if not isinstance(value, str):
        return
    if key == "chip":
        yield from _toml(Path(value))
    elif names_own(key, value):
        file = Path(value.rsplit(":", 1)[0])
        if file.is_file():
            yield file


def _paths(flows: Any) -> Iterator[Path]:
    """Give the traces that flows replay."""
    if isinstance(flows, list):
        for flow in flows:
            yield from _paths(flow)
    elif isinstance(flows, dict):
        for key, value in flows.items():
            if key == "path":
                yield Path(value)
            else:
                yield from _paths(value)


def _includes(path: Path, seen: set[Path]) -> Iterator[Path]:
    """Give a fio job file, and the files that it includes, which are beside it."""
    if path in seen or not path.is_file():
        return
    seen.add(path)
    yield path
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        words = line.split(maxsplit=1)
        if len(words) == 2 and words[0] == "include":
            yield from _includes(path.parent / words[1].strip(), seen)
