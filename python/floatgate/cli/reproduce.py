"""`floatgate reproduce`: published numbers beside simulated ones."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floatgate.cli.command import without_effect

if TYPE_CHECKING:
    from floatgate.reproduce.paper import Paper
    from floatgate.reproduce.run import Reproduced
    from floatgate.reproduce.verdict import Row
    from floatgate.reproduce.work import Progress

EXIT_MISS = 1
EXIT_INTERRUPTED = 130


def reproduce(
    paper: Annotated[
        list[str] | None, typer.Argument(help="Papers to reproduce.  [default: all of them]")
    ] = None,
    full: Annotated[
        bool | None,
        typer.Option(
            "--full/--quick",
            help="All cases with narrow intervals, or the quick ones, in about two minutes.",
            show_default="quick",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Folder for results.csv and the figures.", show_default="out/reproduce"
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Processes.  [default: one per core]")
    ] = None,
    record: Annotated[
        bool, typer.Option("--record", help="Also write ours.csv and the figures into the papers' folders.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace the results of an earlier run.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List the papers and exit.")] = False,
) -> int:
    """Reproduce papers: published, simulated, deviation, tolerance and verdict of every exhibit.

    Exits with 1 if a claim was not reproduced and the paper's README does not explain it.
    """
    from floatgate import places
    from floatgate.reproduce.paper import find
    from floatgate.reproduce.run import reproduce as run
    from floatgate.session import interruptible

    chosen = find(paper or [], places.papers())
    if list_:
        others = {
            "full": full,
            "out": out,
            "workers": workers,
            "record": record or None,
            "force": force or None,
        }
        without_effect(others, "--list runs nothing", "it without --list")
        return _list(chosen)
    from floatgate.cli.console import err
    from floatgate.folder import own_folder

    usual = Path("out/reproduce")
    with own_folder(out, usual, force=force) as folder, interruptible() as interrupt, _Bar() as bar:
        done = run(
            chosen,
            folder,
            force=force,
            full=bool(full),
            record=record,
            workers=workers,
            progress=bar.update,
            stopped=interrupt,
        )
    _print(chosen, done)
    if done.interrupted:
        err.print("interrupted: nothing was written; the cases above were completed", markup=False)
        return EXIT_INTERRUPTED
    err.print(f"wrote {folder / 'results.csv'} and {folder / 'reproduce.html'}", markup=False)
    return EXIT_MISS if done.unexplained else 0


def _list(papers: "list[Paper]") -> int:
    from floatgate.cli.console import out

    width = max((len(paper.key) for paper in papers), default=0)
    for paper in papers:
        out.print(f"{paper.key:<{width}}  {paper.title}. {paper.authors}, {paper.venue}.", markup=False)
    return 0


def _print(papers: "list[Paper]", done: "Reproduced") -> None:
    """Print a table for each exhibit, then the counts, predicted lines first."""
    from floatgate.cli.console import out
    from floatgate.reproduce.verdict import tally

    for paper in papers:
        for exhibit in paper.exhibits.values():
            mine = [row for row in done.rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
            if mine:
                out.print(f"\n{paper.key}: {exhibit.title}", markup=False, style="bold")
                out.print(exhibit.claim, markup=False, style="dim")
                _print_table(mine)
    out.print(f"\n{tally(done.rows)}", markup=False)


def _print_table(rows: "list[Row]") -> None:
    from rich.table import Table
    from rich.text import Text

    from floatgate.cli.console import out
    from floatgate.reproduce.show import cells, heads

    table = Table(box=None, pad_edge=False, header_style="dim")
    for index, head in enumerate(heads(rows[0])):
        table.add_column(head, justify="left" if index == 0 else "right")
    for row in rows:
        style = "red" if row.unexplained else "yellow" if row.missed else ""
        table.add_row(*(Text(cell) for cell in cells(row)), style=style)
    out.print(table)


class _Bar:
    """A bar with an estimate, on a terminal only."""

    def __init__(self) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        from floatgate.cli.console import err

        self._bar = Progress(
            TextColumn("{task.fields[count]}"),
            BarColumn(bar_width=30),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=err,
            transient=True,
            disable=not err.is_terminal,
        )
        self._task = self._bar.add_task("", total=1.0, count="starting")

    def __enter__(self) -> "_Bar":
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def update(self, progress: "Progress") -> None:
        """Show how far the cases are."""
        self._bar.update(
            self._task, completed=progress.fraction, count=f"{progress.done}/{progress.total} cases"
        )
