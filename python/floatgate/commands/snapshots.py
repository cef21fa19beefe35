"""`floatgate snapshots`: what snapshots of a logical drive cost, and what a copy would."""

from pathlib import Path

from floatgate.options.drives import SnapshotsOptions
from floatgate.shell.options import takes


@takes(SnapshotsOptions)
def snapshots(asked: SnapshotsOptions) -> None:
    """Overwrite a used drive at random with and without snapshots, and copy what they hold."""
    from rich.progress import Progress
    from rich.table import Table

    from floatgate.api.snapshots import asked_of
    from floatgate.files import write_whole
    from floatgate.results.folder import own_file
    from floatgate.runs.snapshot_costs import HEAD, measure, page, sentence, shown
    from floatgate.shell import console

    wanted = asked_of(asked)
    with own_file(asked.out, Path("out") / f"snapshots-{Path(asked.drive).stem}.html") as file:
        with Progress(console=console.err.rich, transient=True) as bar:
            task = bar.add_task("snapshots", total=1.0)
            found = measure(wanted, lambda part: bar.update(task, completed=part))
        write_whole(file, page(found))
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in HEAD:
        table.add_column(name, justify="right")
    for cells in shown(found):
        table.add_row(*cells)
    console.out.print(table)
    console.out.print(sentence(found), markup=False)
    console.err.print(f"wrote {file}", markup=False)
