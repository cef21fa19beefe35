"""`floatgate trace info|convert|formats|volumes`: look at block traces and synthetic volumes."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from floatgate.cli.command import Command, given, without_effect
from floatgate.cli.options import takes
from floatgate.options import TraceOptions

app = typer.Typer(help="Describe, convert and list block traces and synthetic volumes.", no_args_is_help=True)

# Options of `floatgate run` for how a trace is read; the others say how it is replayed.
_READ = (
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
_Seed = Annotated[
    int | None,
    typer.Option("--seed", metavar="N", help="Seed of synthetic volumes.", show_default="1", min=0),
]


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"


_NUMBERS, _PICTURE = "traces.json", "traces.svg"


@app.command(cls=Command)
@takes(trace=TraceOptions, only=_READ, panels=False)
def info(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Traces, also compressed or in a tar; blktrace folders; synthetic volumes: volume:NAME.",
        ),
    ],
    page_size: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Page size for counting accesses.", show_default="4KiB"),
    ] = None,
    threshold: Annotated[
        str | None,
        typer.Option(
            metavar="SHARE",
            help="A page is read-only if more than this share of its accesses are reads, or all.",
            show_default="0.95",
        ),
    ] = None,
    constant_memory: Annotated[
        bool,
        typer.Option("--constant-memory", help="Do not track pages; estimate the footprint."),
    ] = False,
    seed: _Seed = None,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.TABLE,  # noqa: A002
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for traces.json and the figure traces.svg.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files with the same names in DIR.")] = False,
    *,
    trace: dict[str, Any],
) -> None:
    """Print trace statistics: rate, footprint, sizes, gaps, read-only and write-only pages."""
    from floatgate.cli import console
    from floatgate.folder import shared_folder
    from floatgate.traces import lines
    from floatgate.traces.measure import Access, measure

    options = TraceOptions(**trace)
    pages = given(page_size=page_size, threshold=threshold)
    if constant_memory:
        without_effect(pages, "--constant-memory tells no pages apart", "one of both")
    access = None if constant_memory else Access.read(**pages)
    if out is None:
        without_effect({"force": force or None}, "nothing is written without --out", "it with --out DIR")
        found = measure(files, options, access, seed)
    else:
        with shared_folder(out, _NUMBERS, _PICTURE, force=force):
            found = measure(files, options, access, seed)
            written = _write(found, out)
    if format is Format.JSON:
        console.print_json(found)
    elif len(found) == 1:
        for part in (console.describe_lines(lines.plain(found[0])), lines.details(found[0])):
            for line in part:
                console.out.print(line, markup=False)
    else:
        console.print_rows("trace", lines.REQUEST_COLUMNS, map(lines.requests_row, found))
        if not constant_memory:
            console.out.print()
            console.print_rows("trace", lines.PAGE_COLUMNS, map(lines.pages_row, found))
        console.out.print(lines.LEGEND, markup=False, style="dim")
    if out is not None:
        console.err.print(f"wrote {written}", markup=False)


def _write(found: list[dict[str, Any]], out: Path) -> Path:
    """The numbers and the picture, into a folder."""
    from floatgate.files import putting
    from floatgate.folder import write_json
    from floatgate.traces.figure import draw

    with putting(out) as partial:
        write_json(partial / _NUMBERS, found)
        draw(found, partial / _PICTURE)
    return out / _PICTURE


@app.command(cls=Command)
@takes(trace=TraceOptions, only=_READ, panels=False)
def convert(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A trace, or a synthetic volume: volume:NAME.")],
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; .gz, .zst, .bz2, .xz compress.")
    ],
    to: Annotated[
        str | None,
        typer.Option(
            "--to", metavar="NAME", help="The format to write.", show_default="fio-iolog-v3; msr for a volume"
        ),
    ] = None,
    seed: _Seed = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
    *,
    trace: dict[str, Any],
) -> None:
    """Rewrite a trace in another format, or write a synthetic volume as one."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.folder import check_replaceable
    from floatgate.traces.measure import is_volume, refuse_misplaced
    from floatgate.workload import trace_path

    check_replaceable(out, force=force)
    options = TraceOptions(**trace)
    refuse_misplaced([file], options, seed)
    if is_volume(file):
        requests = _core.volume_convert(file, 1 if seed is None else seed, str(out), to or "msr")
    else:
        how = json.dumps(options.for_core())
        requests = _core.trace_convert(trace_path(file), how, str(out), to or "fio-iolog-v3")
    console.err.print(f"wrote {requests} requests to {out}", markup=False)


@app.command(cls=Command)
def formats() -> None:
    """List the trace formats with their columns and units."""
    from floatgate import _core
    from floatgate.cli import console

    for entry in json.loads(_core.trace_formats()):
        marks = [
            "recognised" if entry["recognised"] else "if no other format is plausible, otherwise by name"
        ]
        marks += ["can be written"] if entry["writable"] else []
        console.out.print(f"{entry['name']:<20} {entry['title']} ({', '.join(marks)})", markup=False)
        console.out.print(f"{'':<20} {entry['units']}", markup=False, style="dim")


@app.command(cls=Command)
def volumes(
    name: Annotated[str | None, typer.Argument(help="Explain this one.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the synthetic volumes, or explain one: the source of every number, and its parameters."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.traces import listing

    known = json.loads(_core.volumes())
    if name is not None:
        known["volumes"] = [listing.named(known["volumes"], name)]
    if as_json:
        console.print_json(known)
        return
    console.out.print(known["synthetic"], markup=False, style="bold")
    if name is None:
        console.print_rows("volume", listing.COLUMNS, listing.rows(known["volumes"]))
        console.out.print(listing.HINT, markup=False, style="dim")
        return
    for line in listing.explained(known["volumes"][0], known["parameters"]):
        console.out.print(line, markup=False)
