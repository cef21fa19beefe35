"""`floatgate trace info|convert|formats|volumes`: look at block traces and synthetic volumes."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Unpack

import typer

from floatgate import _core
from floatgate._generated.keywords import TraceConvertKeywords, TraceInfoKeywords
from floatgate.errors import InputError
from floatgate.files import putting
from floatgate.inputs.traces import listing
from floatgate.inputs.traces.measure import Access, is_volume, measure, refuse_misplaced
from floatgate.inputs.workload import trace_path
from floatgate.options import TraceOptions
from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.effect import given, without_effect
from floatgate.options.shared import NAME, SEED, Force, Format, Json, OutFolder
from floatgate.options.taking import offered, take
from floatgate.results.folder import check_replaceable, shared_folder, write_json
from floatgate.shell import console
from floatgate.shell.command import Command
from floatgate.shell.options import takes
from floatgate.values.arguments import named

if TYPE_CHECKING:
    from floatgate.inputs.traces.found import TraceFormat, TraceInfo, Volume

NUMBERS, PICTURE = "traces.json", "traces.svg"
__all__ = ["convert", "formats", "info", "volumes"]
app = typer.Typer(help="Describe, convert and list block traces and synthetic volumes.", no_args_is_help=True)


# Options of `TraceOptions` for how a trace is read; the others say how it is replayed.
READ = (
    "trace_format",
    "columns",
    "align",
    "member",
    "volume",
    "sort",
    "skip_bad_lines",
    "action",
    "since",
    "until",
)


@dataclass(frozen=True)
class TraceInfoOptions(CommandOptions):
    """`floatgate trace info`: what traces hold."""

    files: Annotated[
        tuple[str, ...],
        Argument(
            "Traces, also compressed or in a tar; blktrace folders; synthetic volumes: volume:NAME.",
            metavar="FILE...",
            takes="files of a format of `floatgate trace formats`",
        ),
    ]
    page_size: Annotated[
        str | None,
        Option("Page size for counting accesses.", metavar="SIZE", takes="a size of a power of two"),
    ] = usual("4KiB")
    threshold: Annotated[
        str | None,
        Option(
            "A page is read-only if more than this share of its accesses are reads, or all.",
            metavar="SHARE",
            takes="a share from 0.5 to 1, of up to six digits",
        ),
    ] = usual("0.95")
    constant_memory: Annotated[bool, Option("Do not track pages; estimate the footprint.")] = False
    seed: Annotated[int | None, SEED] = usual("1")
    format: Format = "table"
    out: OutFolder = None
    force: Force = False


@dataclass(frozen=True)
class TraceConvertOptions(CommandOptions):
    """`floatgate trace convert`: a trace in another format."""

    file: Annotated[
        str,
        Argument(
            "A trace, or a synthetic volume: volume:NAME.",
            metavar="FILE",
            takes="a file of a format of `floatgate trace formats`",
        ),
    ]
    out: Annotated[
        Path,
        Argument(
            "The file to write; .gz, .zst, .bz2, .xz compress.",
            metavar="OUT",
            takes="a new file, or with --force any",
            differs="required: what is made is nothing but this file",
        ),
    ]
    to: Annotated[
        str | None,
        Option("The format to write.", metavar="NAME", takes="a format of `floatgate trace formats`"),
    ] = usual("fio-iolog-v3; msr for a volume")
    seed: Annotated[int | None, SEED] = usual("1")
    force: Force = False


@dataclass(frozen=True)
class TraceFormatsOptions(CommandOptions):
    """`floatgate trace formats`: none."""


@dataclass(frozen=True)
class TraceVolumesOptions(CommandOptions):
    """`floatgate trace volumes`: the synthetic volumes there are."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@offered(TraceInfoOptions, TraceOptions, only=READ)
def info(*files: str | PathLike[str], **options: Unpack[TraceInfoKeywords]) -> "list[TraceInfo]":
    """Return what each trace or synthetic volume (`"volume:prn_0"`) holds, in one pass over it.

    Requests and bytes by kind, footprint in bytes, time in ns, requests per second; `document` of each has
    the distributions of sizes and gaps, and the pages that are only read or only written. With `out`,
    traces.json and the figure traces.svg are written to that folder.

    Raises InputError for a faulty trace, naming file and line, or an option that applies to none of them.
    """
    from floatgate.inputs.traces.found import TraceInfo

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
def formats() -> "list[TraceFormat]":
    """Return the formats of traces, with their columns and units."""
    from floatgate.inputs.traces.found import TraceFormat

    return [TraceFormat(**entry) for entry in json.loads(_core.trace_formats())]


@named
def volumes(name: str | None = None) -> "list[Volume]":
    """Return the synthetic volumes, or the one of that name: the source of every number.

    Raises InputError for a name that none has, naming the nearest.
    """
    from floatgate.inputs.traces.found import Known, Volume

    numbers = ("requests", "reads", "mean_bytes", "distinct")
    return [
        Volume(one["name"], one["server"], **{number: Known(**one[number]) for number in numbers})
        for one in _volumes(name)["volumes"]
    ]


def _volumes(name: str | None) -> dict[str, Any]:
    """What the core knows of synthetic volumes, or of the one of that name."""
    known: dict[str, Any] = json.loads(_core.volumes())
    if name is not None:
        known["volumes"] = [listing.named(known["volumes"], name)]
    return known


@app.command(cls=Command)
@takes(
    TraceInfoOptions,
    trace=TraceOptions,
    only=READ,
    panels=False,
    examples=(
        "floatgate trace info trace.csv.gz",
        "floatgate trace info volume:prn_0 --page-size 8KiB --format json",
    ),
)
def info_in_shell(asked: TraceInfoOptions, *, trace: dict[str, Any]) -> None:
    """Print trace statistics: rate, footprint, sizes, gaps, read-only and write-only pages."""
    from floatgate.inputs.traces import lines

    found = measured(asked, TraceOptions(**trace))
    if asked.format == "json":
        console.print_json(found)
    elif len(found) == 1:
        for part in (console.describe_lines(lines.plain(found[0])), lines.details(found[0])):
            for line in part:
                console.out.print(line)
    else:
        console.print_rows("trace", lines.REQUEST_COLUMNS, map(lines.requests_row, found))
        if not asked.constant_memory:
            console.out.print()
            console.print_rows("trace", lines.PAGE_COLUMNS, map(lines.pages_row, found))
        console.out.print(lines.LEGEND, style="dim")
    if asked.out is not None:
        console.err.print(f"wrote {asked.out / PICTURE}")


@app.command(cls=Command)
@takes(
    TraceConvertOptions,
    trace=TraceOptions,
    only=READ,
    panels=False,
    examples=(
        "floatgate trace convert trace.csv.gz trace.iolog --to fio-iolog",
        "floatgate trace convert volume:prn_0 prn_0.csv.zst --to msr --seed 7",
    ),
)
def convert_in_shell(asked: TraceConvertOptions, *, trace: dict[str, Any]) -> None:
    """Rewrite a trace in another format, or write a synthetic volume as one."""
    requests = converted(asked, TraceOptions(**trace))
    console.err.print(f"wrote {requests} requests to {asked.out}")


@app.command(cls=Command)
@takes(TraceFormatsOptions, examples=("floatgate trace formats", "floatgate trace formats | grep fio"))
def formats_in_shell(_asked: TraceFormatsOptions) -> None:
    """List the trace formats with their columns and units."""
    for entry in json.loads(_core.trace_formats()):
        marks = [
            "recognised" if entry["recognised"] else "if no other format is plausible, otherwise by name"
        ]
        marks += ["can be written"] if entry["writable"] else []
        console.out.print(f"{entry['name']:<20} {entry['title']} ({', '.join(marks)})")
        console.out.print(f"{'':<20} {entry['units']}", style="dim")


@app.command(cls=Command)
@takes(TraceVolumesOptions, examples=("floatgate trace volumes", "floatgate trace volumes prn_0 --json"))
def volumes_in_shell(asked: TraceVolumesOptions) -> None:
    """List the synthetic volumes, or explain one: the source of every number, and its parameters."""
    known = _volumes(asked.name)
    if asked.json:
        console.print_json(known)
        return
    console.out.print(known["synthetic"], style="bold")
    if asked.name is None:
        console.print_rows("volume", listing.COLUMNS, listing.rows(known["volumes"]))
        console.out.print(listing.HINT, style="dim")
        return
    for line in listing.explained(known["volumes"][0], known["parameters"]):
        console.out.print(line)
