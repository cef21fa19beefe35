"""`floatgate snapshots`: what snapshots of a logical drive cost, and what a copy would."""

from pathlib import Path
from typing import Annotated

import typer


def snapshots(
    drive: Annotated[str, typer.Argument(help="A page-mapped drive, by name or file.")],
    set_: Annotated[
        list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Change the drive (repeatable).")
    ] = None,
    every: Annotated[
        str, typer.Option(metavar="TIME,...", help="Intervals between snapshots.")
    ] = "50ms,200ms,800ms",
    keep: Annotated[str, typer.Option(metavar="N,...", help="Maximum number of snapshots.")] = "1,2,4,8",
    span: Annotated[
        float, typer.Option(metavar="RATIO", help="Share of the drive to overwrite and copy.")
    ] = 0.25,
    time: Annotated[str, typer.Option(metavar="TIME", help="Simulated time of each run.")] = "4s",
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Seed of every random stream.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Report.  [default: out/snapshots-DRIVE.html]"),
    ] = None,
) -> None:
    """Overwrite a used drive at random with and without snapshots, and copy what they hold."""
    from rich.progress import Progress
    from rich.table import Table

    from floatgate.cli import console
    from floatgate.files import write_whole
    from floatgate.folder import own_file
    from floatgate.snapshots import HEAD, Asked, measure, page, sentence, shown

    periods = tuple(part.strip() for part in every.split(","))
    asked = Asked(drive, tuple(set_ or ()), periods, _counts(keep), span, time, seed)
    with own_file(out, Path("out") / f"snapshots-{Path(drive).stem}.html") as file:
        with Progress(console=console.err, transient=True) as bar:
            task = bar.add_task("snapshots", total=1.0)
            found = measure(asked, lambda part: bar.update(task, completed=part))
        write_whole(file, page(found))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in HEAD:
        table.add_column(name, justify="right")
    for cells in shown(found):
        table.add_row(*cells)
    console.out.print(table)
    console.out.print(sentence(found), markup=False)
    console.err.print(f"wrote {file}", markup=False)


def _counts(text: str) -> tuple[int, ...]:
    from floatgate.errors import InputError

    try:
        counts = tuple(int(part) for part in text.split(","))
    except ValueError:
        counts = ()
    if not counts or min(counts) < 1:
        raise InputError(f"--keep {text}: expected numbers of snapshots of at least 1, such as 1,2,4")
    return counts
