"""`floatgate grid`: a drive asked for every block size, depth, pattern and operation."""

from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.drives import GridOptions
from floatgate.shell.bar import BAR, LEFT, Bar
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.grid import Grid

EXIT_INTERRUPTED = 130


@takes(GridOptions)
def grid(asked: GridOptions) -> int:
    """Measure a drive at every block size, depth, pattern and operation, until each rate is steady.

    Ctrl-C keeps the completed points. A disk stands in for a drive, too: scsi-15k.
    """
    from floatgate.api.grid import asked_of
    from floatgate.grid import run_grid
    from floatgate.grid.write import document, write
    from floatgate.results.folder import atomically, own_folder
    from floatgate.runs.session import interruptible
    from floatgate.shell import console

    wanted = asked_of(asked)
    usual = Path("out") / f"grid-{Path(asked.drive).stem}"
    with (
        own_folder(asked.out, usual, force=asked.force) as final,
        atomically(final, force=asked.force) as folder,
    ):
        with interruptible() as interrupt, _Bar() as bar:
            done = run_grid(
                wanted,
                workers=asked.workers,
                scheduler=asked.scheduler,
                progress=bar.update,
                stopped=interrupt,
            )
        write(done, folder)
    if asked.format == "json":
        console.print_json(document(done))
    else:
        _print(done)
    if done.interrupted:
        console.err.print(f"interrupted: {final} holds the completed points", markup=False)
        return EXIT_INTERRUPTED
    console.err.print(f"wrote {final / 'report.html'}", markup=False)
    return 0


def _print(done: "Grid") -> None:
    """Print a table for each pattern and operation: block sizes down, depths across."""
    from rich.table import Table

    from floatgate.grid.point import STEADY
    from floatgate.grid.write import not_reached_words, spare_words
    from floatgate.shell.console import out
    from floatgate.values import quantities as q

    out.print(f"{done.asked.drive}: {done.title}", markup=False, style="bold")
    groups = dict.fromkeys((point.setting.pattern, point.setting.op) for point in done.points)
    for pattern, op in groups:
        mine = [p for p in done.points if (p.setting.pattern, p.setting.op) == (pattern, op)]
        depths = sorted({point.setting.depth for point in mine})
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
        table.add_column(f"{pattern} {op}", no_wrap=True)
        for depth in depths:
            table.add_column(f"IOPS, depth {depth}", justify="right", no_wrap=True)
        for depth in depths:
            table.add_column(f"MB/s, depth {depth}", justify="right", no_wrap=True)
        for block in sorted({point.setting.block_bytes for point in mine}):
            row = {point.setting.depth: point for point in mine if point.setting.block_bytes == block}
            iops = [q.count(p.iops) if p.state == STEADY else p.state for p in row.values()]
            mb = [q.three(p.mb_per_s) if p.mb_per_s is not None else q.NOTHING for p in row.values()]
            table.add_row(q.size(block), *iops, *mb)
        out.print(table)
    out.print(not_reached_words(done.points) + spare_words(done.points), markup=False)


class _Bar(Bar):
    """How many points are done, with an estimate."""

    columns = (
        "{task.completed:.0f} of {task.total:.0f} points",
        BAR,
        "left",
        LEFT,
        "{task.fields[last]}",
    )

    def __init__(self) -> None:
        super().__init__(last="")

    def update(self, done: int, total: int, last: str) -> None:
        """Show how many points are done."""
        self.show(completed=done, total=total, last=last)
