"""`floatgate trace info|convert|formats`: look at block traces without a drive."""

import json
from pathlib import Path
from typing import Annotated, Any

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
_Exact = Annotated[bool, typer.Option("--exact-footprint", help="Count touched units exactly.")]


@app.command()
def info(
    file: _File,
    trace_format: _Format = None,
    volume: _Volume = None,
    sort: _Sort = False,
    skip_bad_lines: _Skip = False,
    exact_footprint: _Exact = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Print format, span, rate, footprint and sizes of a trace."""
    from floatgate import _core
    from floatgate.cli import console

    options = _options(trace_format, volume, sort, skip_bad_lines, exact_footprint)
    found = json.loads(_core.trace_info(_existing(file), options))
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
    force: Annotated[bool, typer.Option("--force", help="Replace OUT.")] = False,
) -> None:
    """Rewrite a trace in another format."""
    from floatgate import _core
    from floatgate.cli import console
    from floatgate.errors import InputError

    if out.exists() and not force:
        raise InputError(f"{out}: exists already: expected a new file, or --force to replace it")
    options = _options(trace_format, volume, sort, skip_bad_lines, False)
    done = json.loads(_core.trace_convert(_existing(file), options, str(out), to))
    console.err.print(f"wrote {out}: {', '.join(console.describe_lines(done))}", markup=False)


@app.command()
def formats() -> None:
    """List the trace formats, with an example line each."""
    from floatgate import _core
    from floatgate.cli import console

    for entry in json.loads(_core.trace_formats()):
        how = "recognised" if entry.get("recognised") else "by name only"
        console.out.print(f"{entry['name']:<16} {entry['title']} ({how})", markup=False)
        if entry.get("example"):
            console.out.print(f"{'':<16} {entry['example']}", markup=False, style="dim")


def _existing(file: Path) -> str:
    from floatgate.errors import InputError

    if not file.is_file():
        raise InputError(f"{file}: {'is a folder' if file.is_dir() else 'no such file'}: expected a trace")
    return str(file)


def _options(
    trace_format: str | None,
    volume: list[str] | None,
    sort: bool,
    skip_bad_lines: bool,
    exact_footprint: bool,
) -> str:
    from floatgate.workload import TraceOptions

    options: dict[str, Any] = TraceOptions(
        trace_format=trace_format,
        volume=tuple(volume or ()),
        sort=sort,
        skip_bad_lines=skip_bad_lines,
        exact_footprint=exact_footprint,
    ).given()
    return json.dumps(options)
