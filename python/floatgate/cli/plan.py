"""`floatgate plan`: what to buy for a workload."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from floatgate.plan import Planned

EXIT_NOT_REACHED = 1


class Format(StrEnum):
    """What goes to standard output."""

    TABLE = "table"
    JSON = "json"


def plan(
    workload: Annotated[Path, typer.Argument(help="The workload and its requirements (TOML).")],
    prices: Annotated[Path, typer.Argument(help="A price list with its currency (TOML).")],
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Plan folder.", show_default="out/plan-WORKLOAD")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing plan.")] = False,
    format: Annotated[Format, typer.Option(help="What to print.")] = Format.TABLE,  # noqa: A002
) -> int:
    """Compute how many of each drive a workload needs, which limit binds, and the cost over the years.

    Exits with 1 if no drive in the list meets the workload.
    """
    from floatgate.cli import console
    from floatgate.folder import own_folder
    from floatgate.plan import plan as work_out, read_prices, read_workload
    from floatgate.plan.write import write

    asked = read_workload(workload)
    planned = work_out(asked, read_prices(prices, asked))
    with own_folder(out, Path("out") / f"plan-{workload.stem}", force=force) as folder:
        write(planned, folder, force=force)
    if format is Format.JSON:
        console.print_json(planned.document())
    else:
        _print(planned)
    console.err.print(f"wrote {folder / 'report.html'}", markup=False)
    return 0 if planned.best else EXIT_NOT_REACHED


def _print(planned: "Planned") -> None:
    from rich.table import Table

    from floatgate.cli.console import out
    from floatgate.plan.show import HEAD, row, sentences

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
