"""`floatgate plan`: what to buy for a workload."""

from pathlib import Path
from typing import TYPE_CHECKING

from floatgate.options.drives import PlanOptions
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.plan import Planned

EXIT_NOT_REACHED = 1


@takes(PlanOptions)
def plan(asked: PlanOptions) -> int:
    """Compute how many of each drive a workload needs, which limit binds, and the cost over the years.

    Exits with 1 if no drive in the list meets the workload.
    """
    from floatgate.api.plan import planned_of
    from floatgate.plan.write import write
    from floatgate.results.folder import own_folder
    from floatgate.shell import console

    planned = planned_of(asked)
    with own_folder(asked.out, Path("out") / f"plan-{asked.workload.stem}", force=asked.force) as folder:
        write(planned, folder, force=asked.force)
    if asked.format == "json":
        console.print_json(planned.document())
    else:
        _print(planned)
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)
    return 0 if planned.best else EXIT_NOT_REACHED


def _print(planned: "Planned") -> None:
    from rich.table import Table

    from floatgate.plan.show import HEAD, row, sentences
    from floatgate.shell.console import out

    out.print(f"{planned.workload.title} / {planned.prices.title}", markup=False, style="bold")
    table = Table(box=None, pad_edge=False, header_style="dim")
    last = len(HEAD) - 1
    for index, head in enumerate(HEAD):
        table.add_column(head, justify="left" if index in (0, last) else "right", overflow="fold")
    for choice in planned.choices:
        table.add_row(*row(choice, planned), style="yellow" if choice.drives is None else "")
    out.print(table)
    for sentence in sentences(planned):
        out.print(sentence, markup=False)
