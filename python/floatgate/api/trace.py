"""`floatgate.trace`: what block traces and synthetic volumes hold, and how they are rewritten."""

import json
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any, Unpack

from floatgate import _core
from floatgate._generated.keywords import TraceConvertKeywords, TraceInfoKeywords
from floatgate.errors import InputError
from floatgate.files import putting
from floatgate.inputs.traces import listing
from floatgate.inputs.traces.found import Known, TraceFormat, TraceInfo, Volume
from floatgate.inputs.traces.measure import Access, is_volume, measure, refuse_misplaced
from floatgate.inputs.workload import trace_path
from floatgate.options import TraceOptions
from floatgate.options.effect import given, without_effect
from floatgate.options.taking import offered, take
from floatgate.options.traces import READ, TraceConvertOptions, TraceInfoOptions
from floatgate.results.folder import check_replaceable, shared_folder, write_json
from floatgate.values.arguments import named

NUMBERS, PICTURE = "traces.json", "traces.svg"

__all__ = ["convert", "formats", "info", "volumes"]


@offered(TraceInfoOptions, TraceOptions, only=READ)
def info(*files: str | PathLike[str], **options: Unpack[TraceInfoKeywords]) -> list[TraceInfo]:
    """Return what each trace or synthetic volume (`"volume:prn_0"`) holds, in one pass over it.

    Requests and bytes by kind, footprint in bytes, time in ns, requests per second; `document` of each has
    the distributions of sizes and gaps, and the pages that are only read or only written. With `out`,
    traces.json and the figure traces.svg are written to that folder.

    Raises InputError for a faulty trace, naming file and line, or an option that applies to none of them.
    """
    trace, own = _apart(options)
    asked = take(TraceInfoOptions, own, files=files)
    if not asked.files:
        raise InputError("no trace given: expected files, or synthetic volumes: volume:NAME")
    return [TraceInfo.of(found) for found in measured(asked, trace)]


def _apart(options: Mapping[str, Any]) -> tuple[TraceOptions, dict[str, Any]]:
    """Tell how the trace is read from everything else."""
    trace = {name: value for name, value in options.items() if name in READ}
    return TraceOptions(**trace), {name: value for name, value in options.items() if name not in READ}


def measured(asked: TraceInfoOptions, trace: TraceOptions) -> list[dict[str, Any]]:
    """Measure what was asked for, and write it to a folder where one is named."""
    pages = given(page_size=asked.page_size, threshold=asked.threshold)
    if asked.constant_memory:
        without_effect(pages, "--constant-memory tells no pages apart", "one of both")
    access = None if asked.constant_memory else Access.read(**pages)
    if asked.out is None:
        force = {"force": asked.force or None}
        without_effect(force, "nothing is written without --out", "it with --out DIR")
        return measure(asked.files, trace, access, asked.seed)
    with shared_folder(asked.out, NUMBERS, PICTURE, force=asked.force):
        found = measure(asked.files, trace, access, asked.seed)
        _write(found, asked.out)
    return found


def _write(found: list[dict[str, Any]], out: Path) -> None:
    """The numbers and the picture, into a folder."""
    from floatgate.report.trace_volumes import draw

    with putting(out) as partial:
        write_json(partial / NUMBERS, found)
        draw(found, partial / PICTURE)


@offered(TraceConvertOptions, TraceOptions, only=READ)
def convert(
    file: str | PathLike[str], out: str | PathLike[str], **options: Unpack[TraceConvertKeywords]
) -> int:
    """Rewrite a trace in another format, or write a synthetic volume as one; return the requests written.

    `out` may end in .gz, .zst, .bz2 or .xz, which compresses.

    Raises InputError for a faulty trace, an unknown format, or an `out` that is there (unless `force`).
    """
    trace, own = _apart(options)
    return converted(take(TraceConvertOptions, own, file=file, out=out), trace)


def converted(asked: TraceConvertOptions, trace: TraceOptions) -> int:
    """Rewrite the trace that was asked for; return the requests written."""
    check_replaceable(asked.out, force=asked.force)
    refuse_misplaced([asked.file], trace, asked.seed)
    if is_volume(asked.file):
        seed = 1 if asked.seed is None else asked.seed
        return _core.volume_convert(asked.file, seed, str(asked.out), asked.to or "msr")
    how = json.dumps(trace.for_core())
    return _core.trace_convert(trace_path(asked.file), how, str(asked.out), asked.to or "fio-iolog-v3")


@named
def formats() -> list[TraceFormat]:
    """Return the formats of traces, with their columns and units."""
    return [TraceFormat(**entry) for entry in json.loads(_core.trace_formats())]


@named
def volumes(name: str | None = None) -> list[Volume]:
    """Return the synthetic volumes, or the one of that name: the source of every number.

    Raises InputError for a name that none has, naming the nearest.
    """
    known = json.loads(_core.volumes())["volumes"]
    chosen = known if name is None else [listing.named(known, name)]
    numbers = ("requests", "reads", "mean_bytes", "distinct")
    return [
        Volume(one["name"], one["server"], **{number: Known(**one[number]) for number in numbers})
        for one in chosen
    ]
