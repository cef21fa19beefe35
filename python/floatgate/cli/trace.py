"""`floatgate trace info|convert|formats`: look at block traces without a drive."""

import json
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Describe, convert and list block traces.", no_args_is_help=True)

_File = Annotated[Path, typer.Argument(metavar="FILE", help="The trace; gzip and zstd are read as they are.")]
_Format = Annotated[
    str | None, typer.Option("--trace-format", metavar="NAME", help="See `floatgate trace formats`.")
]
_Volume = Annotated[
    list[str] | None, typer.Option("--volume", metavar="V", help="Only this volume (repeatable).")
]
_Sort = Annotated[bool, typer.Option("--sort", help="Put it in order of time.")]
_Skip = Annotated[bool, typer.Option("--skip-bad-lines", help="Skip unreadable lines; count them.")]
_Action = Annotated[
    str | None,
    typer.Option("--action", metavar="A", help="blkparse, blktrace: these events.", show_default="D"),
]
_Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="Leave out what is before: 10s.")]
_Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Leave out what is later.")]
_Exact = Annotated[bool, typer.Option("--exact-footprint", help="Count touched units exactly.")]


@app.command()
def info(
    file: _File,
    trace_format: _Format = None,
    volume: _Volume = None,
    sort: _Sort = False,
    skip_bad_lines: _Skip = False,
    action: _Action = None,
    since: _Since = None,
    until: _Until = None,
    exact_footprint: _Exact = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print format, span, rate, footprint and sizes of a trace."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.workload import TraceOptions

    options = TraceOptions(
        trace_format=trace_format,
        volume=tuple(volume or ()),
        sort=sort,
        skip_bad_lines=skip_bad_lines,
        exact_footprint=exact_footprint,
        action=action,
        since=since,
        until=until,
    )
    found = json.loads(_core.trace_info(_existing(file), json.dumps(options.for_core())))
    if as_json:
        console.print_json(found)
        return
    for line in console.describe_lines(found):
        console.out.print(line, markup=False)


@app.command()
def convert(
    file: _File,
    out: Annotated[Path, typer.Argument(metavar="OUT", help="The file to write; .gz and .zst compress.")],
    to: Annotated[str, typer.Option("--to", metavar="NAME", help="The format to write.")] = "fio-iolog-v3",
    trace_format: _Format = None,
    volume: _Volume = None,
    sort: _Sort = False,
    skip_bad_lines: _Skip = False,
    action: _Action = None,
    since: _Since = None,
    until: _Until = None,
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
) -> None:
    """Rewrite a trace in another format."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.errors import InputError
    from floatgate.workload import TraceOptions

    if out.exists() and not force:
        raise InputError(f"{out}: exists already: expected a new file, or --force to replace it")
    options = TraceOptions(
        trace_format=trace_format,
        volume=tuple(volume or ()),
        sort=sort,
        skip_bad_lines=skip_bad_lines,
        action=action,
        since=since,
        until=until,
    )
    requests = _core.trace_convert(_existing(file), json.dumps(options.for_core()), str(out), to)
    console.err.print(f"wrote {requests} requests to {out}", markup=False)


@app.command()
def formats() -> None:
    """List the trace formats with their columns and units."""
    from floatgate import _core
    from floatgate.cli import console

    for entry in json.loads(_core.trace_formats()):
        marks = ["recognised" if entry["recognised"] else "by name only"]
        marks += ["can be written"] if entry["writable"] else []
        console.out.print(f"{entry['name']:<20} {entry['title']} ({', '.join(marks)})", markup=False)
        console.out.print(f"{'':<20} {entry['units']}", markup=False, style="dim")


def _existing(file: Path) -> str:
    from floatgate.errors import InputError

    if not file.is_file():
        raise InputError(f"{file}: {'is a folder' if file.is_dir() else 'no such file'}: expected a trace")
    return str(file)
