"""`floatgate trace info|convert|formats|volumes`: look at block traces and synthetic volumes."""

import json
from typing import Any

import typer

from floatgate.options import TraceOptions
from floatgate.options.traces import (
    READ,
    TraceConvertOptions,
    TraceFormatsOptions,
    TraceInfoOptions,
    TraceVolumesOptions,
)
from floatgate.shell.command import Command
from floatgate.shell.options import takes

app = typer.Typer(help="Describe, convert and list block traces and synthetic volumes.", no_args_is_help=True)


@app.command(cls=Command)
@takes(TraceInfoOptions, trace=TraceOptions, only=READ, panels=False)
def info(asked: TraceInfoOptions, *, trace: dict[str, Any]) -> None:
    """Print trace statistics: rate, footprint, sizes, gaps, read-only and write-only pages."""
    from floatgate.api.trace import PICTURE, measured
    from floatgate.inputs.traces import lines
    from floatgate.shell import console

    found = measured(asked, TraceOptions(**trace))
    if asked.format == "json":
        console.print_json(found)
    elif len(found) == 1:
        for part in (console.describe_lines(lines.plain(found[0])), lines.details(found[0])):
            for line in part:
                console.out.print(line, markup=False)
    else:
        console.print_rows("trace", lines.REQUEST_COLUMNS, map(lines.requests_row, found))
        if not asked.constant_memory:
            console.out.print()
            console.print_rows("trace", lines.PAGE_COLUMNS, map(lines.pages_row, found))
        console.out.print(lines.LEGEND, markup=False, style="dim")
    if asked.out is not None:
        console.err.print(f"wrote {asked.out / PICTURE}", markup=False)


@app.command(cls=Command)
@takes(TraceConvertOptions, trace=TraceOptions, only=READ, panels=False)
def convert(asked: TraceConvertOptions, *, trace: dict[str, Any]) -> None:
    """Rewrite a trace in another format, or write a synthetic volume as one."""
    from floatgate.api.trace import converted
    from floatgate.shell import console

    requests = converted(asked, TraceOptions(**trace))
    console.err.print(f"wrote {requests} requests to {asked.out}", markup=False)


@app.command(cls=Command)
@takes(TraceFormatsOptions)
def formats(_asked: TraceFormatsOptions) -> None:
    """List the trace formats with their columns and units."""
    from floatgate import _core
    from floatgate.shell import console

    for entry in json.loads(_core.trace_formats()):
        marks = [
            "recognised" if entry["recognised"] else "if no other format is plausible, otherwise by name"
        ]
        marks += ["can be written"] if entry["writable"] else []
        console.out.print(f"{entry['name']:<20} {entry['title']} ({', '.join(marks)})", markup=False)
        console.out.print(f"{'':<20} {entry['units']}", markup=False, style="dim")


@app.command(cls=Command)
@takes(TraceVolumesOptions)
def volumes(asked: TraceVolumesOptions) -> None:
    """List the synthetic volumes, or explain one: the source of every number, and its parameters."""
    from floatgate import _core
    from floatgate.inputs.traces import listing
    from floatgate.shell import console

    known = json.loads(_core.volumes())
    if asked.name is not None:
        known["volumes"] = [listing.named(known["volumes"], asked.name)]
    if asked.json:
        console.print_json(known)
        return
    console.out.print(known["synthetic"], markup=False, style="bold")
    if asked.name is None:
        console.print_rows("volume", listing.COLUMNS, listing.rows(known["volumes"]))
        console.out.print(listing.HINT, markup=False, style="dim")
        return
    for line in listing.explained(known["volumes"][0], known["parameters"]):
        console.out.print(line, markup=False)
