"""What a WORKLOAD on the command line stands for: a fio job file, a trace or a named generator."""

import json
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from floatgate import _core
from floatgate.errors import InputError


@dataclass(frozen=True)
class TraceOptions:
    """How a trace is read and replayed; the names are those of the command line."""

    trace_format: str | None = None
    wrap: bool = False
    scale: bool = False
    compact: bool = False
    sort: bool = False
    volume: tuple[str, ...] = ()
    speedup: float | None = None
    as_fast_as_possible: bool = False
    depth: int | None = None
    skip_bad_lines: bool = False
    exact_footprint: bool = False

    def given(self) -> dict[str, Any]:
        """Return the options that differ from their defaults, as the core takes them."""
        plain = TraceOptions()
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in vars(self).items()
            if value != getattr(plain, name)
        }


@dataclass(frozen=True)
class Workload:
    """A workload by kind (`fio`, `trace` or `generator`) and by its path or name."""

    kind: str
    source: str
    options: TraceOptions = field(default_factory=TraceOptions)

    @property
    def stem(self) -> str:
        """The short name used for folders: `random-write` for `examples/random-write.fio`."""
        return Path(self.source).name.split(".")[0] if self.kind != "generator" else self.source

    def to_json(self) -> str:
        """Return the workload as the core takes it."""
        key = "name" if self.kind == "generator" else "path"
        return json.dumps({"kind": self.kind, key: self.source, **self.options.given()})


def resolve(argument: str, options: TraceOptions | None = None) -> Workload:
    """Find out what `argument` names.

    Raises InputError when it is neither a file nor a generator, or when an option does not apply to it.
    """
    options = options or TraceOptions()
    path = Path(argument)
    if argument.endswith(".fio"):
        found = Workload("fio", argument, options)
    elif path.exists() or path.suffix or len(path.parts) > 1:
        found = Workload("trace", argument, options)
    else:
        found = _generator(argument, options)
    if found.kind != "trace" and options.given():
        name = next(iter(options.given())).replace("_", "-")
        raise InputError(f"--{name}: {argument} is a {_KINDS[found.kind]}: expected a trace with this option")
    if found.kind != "generator" and not path.is_file():
        found_there = "is a folder" if path.is_dir() else "no such file"
        raise InputError(f"{argument}: {found_there}: expected a fio job file, a trace or a generator's name")
    if sum((options.wrap, options.scale, options.compact)) > 1:
        raise InputError("--wrap, --scale, --compact: more than one given: expected at most one")
    if options.depth is not None and not options.as_fast_as_possible:
        raise InputError(f"--depth {options.depth}: expected together with --as-fast-as-possible")
    if options.speedup is not None and options.as_fast_as_possible:
        raise InputError(
            f"--speedup {options.speedup:g}: expected without --as-fast-as-possible, which drops times"
        )
    return found


_KINDS = {"fio": "fio job file", "generator": "generator", "trace": "trace"}


def _generator(name: str, options: TraceOptions) -> Workload:
    known = [entry["name"] for entry in json.loads(_core.generators())]
    if name in known:
        return Workload("generator", name, options)
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]}?" if near else f"generators: {', '.join(known)}"
    raise InputError(
        f"{name}: no such file or generator: expected a fio job file, a trace or a generator ({hint})"
    )
