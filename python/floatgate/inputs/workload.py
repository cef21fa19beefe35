"""What a WORKLOAD on the command line stands for: jobs of fio or DiskSpd, a trace, a named generator."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError, nearest
from floatgate.files import MIB, copies, read_text, shipped
from floatgate.inputs import diskspd, fio
from floatgate.options import TraceOptions

VOLUME_PREFIX = "volume:"  # before the name of a synthetic volume


def trace_path(argument: str) -> str:
    """Return `argument`: a trace, or the folder or base name of the files of all CPUs that blktrace writes.

    Raises InputError when there is no such thing. What is in it is the core's to judge.
    """
    path = Path(argument)
    if not trace_files(argument):
        raise InputError(
            f"{argument}: {'is a folder' if path.is_dir() else 'no such file'}: expected a trace"
        )
    return place_of(argument)


def place_of(argument: str) -> str:
    """Return where a trace lies: as it is named, or the example of this name."""
    there = copies.place(argument)
    return there if Path(there).exists() else str(shipped.here_or_example(Path(argument)))


def trace_files(argument: str) -> list[Path]:
    """Return the files that a trace consists of: its own, or those of all CPUs that blktrace writes."""
    path = shipped.here_or_example(Path(argument))
    return [path] if path.is_file() else _cpu_files(path)


def _cpu_files(path: Path) -> list[Path]:
    """Return blktrace's files of all CPUs in `path`, a folder, or with it as their base name."""
    folder, name = (path, "") if path.is_dir() else (path.parent, path.name.removesuffix(".blktrace"))
    wanted = f"{name}.blktrace."
    try:
        files = sorted(folder.iterdir())
    except OSError:
        return []
    return [one for one in files if (wanted in one.name if path.is_dir() else one.name.startswith(wanted))]


@dataclass(frozen=True)
class Workload:
    """A workload by kind (`fio`, `trace`, `volume`, `generator` or `flows`) and by its path or name."""

    kind: str
    source: str
    options: TraceOptions = field(default_factory=TraceOptions)
    text: str | None = None  # of a fio job file without includes, of flows: a result then needs no other file
    notes: tuple[str, ...] = ()  # what a translation is to say
    variables: tuple[tuple[str, str], ...] = ()  # values for the `${NAME}` of a fio job file
    lines: tuple[fio.Line, ...] = ()  # of the text, with where each was written, where that is no file

    @property
    def stem(self) -> str:
        """The short name used for folders: `random-write` for `examples/random-write.fio`."""
        if diskspd.is_command(self.source):
            return "diskspd"
        if fio.is_command(self.source):
            return "fio"
        if self.kind in ("generator", "volume"):
            return self.source.replace(":", "-")
        return Path(self.source).name.split(".")[0]

    def to_json(self) -> str:
        """Return the workload as the core takes it."""
        if self.kind == "flows" and self.text is not None:
            return json.dumps({"kind": "flows", "name": self.source, "flows": _placed(json.loads(self.text))})
        variables = dict(self.variables)
        if self.lines:
            lines = [vars(line) for line in self.lines]
            given = {"name": self.source, "lines": lines, "variables": variables}
            return json.dumps({"kind": "fio_lines", **given})
        if self.text is not None:
            text = {"name": self.source, "text": self.text, "variables": variables}
            return json.dumps({"kind": "fio_text", **text})
        key = {"generator": "name", "volume": "spec"}.get(self.kind, "path")
        options: dict[str, Any] = {"options": self.options.for_core()} if self.kind == "trace" else {}
        if self.kind == "fio":
            options = {"variables": variables}
        source = self.source if key in ("name", "spec") else place_of(self.source)
        return json.dumps({"kind": self.kind, key: source, **options})

    def named(self, found: str) -> str:
        """Return the name of a trace in a result: an example's is not where it lies."""
        return self.source if found == place_of(self.source) else found


def _placed(flows: Any) -> Any:
    """Return flows in which the traces that some replay stand where they lie."""
    if isinstance(flows, list):
        return [_placed(flow) for flow in flows]
    if isinstance(flows, dict):
        return {key: copies.place(value) if key == "path" else _placed(value) for key, value in flows.items()}
    return flows


def resolve(
    argument: str, options: TraceOptions | None = None, variables: Mapping[str, str] | None = None
) -> Workload:
    """Find out what `argument` names; `variables` are for the `${NAME}` of a fio job file.

    Raises InputError when it is neither a file nor a generator, or when an option does not apply to it.
    """
    found = _find(argument, options or TraceOptions())
    if not variables:
        return found
    if found.kind != "fio" or diskspd.is_command(argument):
        name = next(iter(variables))
        raise InputError(f"--env {name}: {argument} is no fio job: expected one with this option")
    return replace(found, variables=tuple(sorted(variables.items())))


def variables_of(assignments: tuple[str, ...]) -> dict[str, str]:
    """Read `NAME=VALUE` of the option --env. Raises InputError."""
    found: dict[str, str] = {}
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name:
            raise InputError(f"--env {assignment}: expected NAME=VALUE")
        if name in found:
            raise InputError(
                f"--env {assignment}: {name} is given twice: expected one value for each variable"
            )
        found[name] = value
    return found


def _find(argument: str, options: TraceOptions) -> Workload:
    path = Path(argument)
    if fio.is_command(argument):
        return _fio_command(argument, options)
    if diskspd.is_command(argument) or diskspd.is_profile(path):
        return _diskspd(argument, options)
    if argument.startswith(VOLUME_PREFIX):
        found = Workload("volume", argument, options)
    elif argument.endswith(".fio") or _is_job_file(path):
        found = Workload("fio", argument, options)
    elif path.exists() or path.suffix or len(path.parts) > 1 or _cpu_files(path):
        found = Workload("trace", argument, options)
    else:
        found = _generator(argument, options)
    if found.kind != "trace" and options.given():
        name = next(iter(options.given())).replace("_", "-")
        raise InputError(f"--{name}: {argument} is a {_KINDS[found.kind]}: expected a trace with this option")
    there = shipped.here_or_example(path).is_file() or (found.kind == "trace" and _cpu_files(path))
    if found.kind in ("fio", "trace") and not there:
        found_there = "is a folder" if path.is_dir() else "no such file"
        raise InputError(f"{argument}: {found_there}: expected a fio job file, a trace or a generator's name")
    options.check()
    return replace(found, text=_job_text(path)) if found.kind == "fio" else found


def _fio_command(argument: str, options: TraceOptions) -> Workload:
    if options.given():
        name = next(iter(options.given())).replace("_", "-")
        raise InputError(f"--{name}: {argument} is fio's: expected a trace with this option")
    translated = fio.translate(argument)
    return Workload("fio", argument, options, translated.text, translated.notes, lines=translated.lines)


def _is_job_file(path: Path) -> bool:
    """Whether a file is a fio job file by another name: a section first, and options of a job."""
    if path.suffix not in _JOB_SUFFIXES or not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            lines = file.read(MIB).decode("utf-8", errors="strict").splitlines()
    except (OSError, UnicodeDecodeError):
        return False
    told = [line.strip() for line in lines if line.strip() and line.strip()[0] not in "#;"]
    keys = {line.partition("=")[0].strip() for line in told}
    return bool(told) and told[0].startswith("[") and bool(keys & {"rw", "readwrite", "ioengine", "bs"})


_JOB_SUFFIXES = ("", ".job", ".ini", ".cfg", ".conf", ".txt", ".fiojob")


def _diskspd(argument: str, options: TraceOptions) -> Workload:
    if options.given():
        name = next(iter(options.given())).replace("_", "-")
        raise InputError(f"--{name}: {argument} is DiskSpd's: expected a trace with this option")
    from floatgate.inputs.diskspd.fio import translate

    translated = translate(diskspd.read(argument))
    return Workload("fio", argument, options, translated.text, translated.notes)


def _job_text(path: Path) -> str | None:
    """The text of a job file that stands alone; None when it includes others."""
    text = read_text(path, "a fio job file")
    includes = any(line.split()[:1] == ["include"] for line in text.splitlines())
    return None if includes else text


_KINDS = {"fio": "fio job file", "generator": "generator", "trace": "trace", "volume": "synthetic volume"}


def _generator(name: str, options: TraceOptions) -> Workload:
    known = [entry["name"] for entry in json.loads(_core.generators())]
    if name in known:
        return Workload("generator", name, options)
    known += [VOLUME_PREFIX + entry["name"] for entry in json.loads(_core.volumes())["volumes"]]
    hint = nearest(name, known, f"generators: {', '.join(known)}")
    raise InputError(
        f"{name}: no such file or generator: expected a fio job file, a trace or a generator ({hint})"
    )
