"""`floatgate plan`: what to buy for a workload."""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

from floatgate._generated.keywords import PlanKeywords
from floatgate.options.definition import Argument, CommandOptions, usual
from floatgate.options.shared import Force, Format, OutFolder
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder
from floatgate.shell import console
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.plan.work import Planned

EXIT_NOT_REACHED = 1


@dataclass(frozen=True)
class PlanOptions(CommandOptions):
    """`floatgate plan`: what to buy for a workload."""

    workload: Annotated[
        Path,
        Argument(
            "The workload and its requirements (TOML).",
            takes="a file of a workload",
            differs="what is needed, not requests: a plan runs nothing",
        ),
    ]
    prices: Annotated[Path, Argument("A price list with its currency (TOML).", takes="a file of prices")]
    out: OutFolder = usual("out/plan-WORKLOAD")
    force: Force = False
    format: Format = "table"


@offered(PlanOptions)
def plan(
    workload: str | PathLike[str], prices: str | PathLike[str], **options: Unpack[PlanKeywords]
) -> "Planned":
    """Work out how many of each drive of a price list a workload needs, and what they cost over the years.

    `workload` and `prices` are TOML files. The plan has a choice for each drive of the list, in its order:
    how many drives each limit asks for, which of them binds, power in watts, and the cost of each year in the
    list's currency; `planned.best` is the cheapest, None where no drive meets the workload. With `out`,
    plan.json, plan.csv and report.html are written to that folder.

    Raises InputError for a faulty file, naming file, key and what is expected.
    """
    from floatgate.plan.write import write

    asked = take(PlanOptions, options, workload=workload, prices=prices)
    planned = planned_of(asked)
    if asked.out is not None:
        write(planned, asked.out, force=asked.force)
    return planned


def planned_of(asked: PlanOptions) -> "Planned":
    """Work out the plan that was asked for."""
    from floatgate.plan.read import read_prices, read_workload
    from floatgate.plan.work import plan as work_out

    needed = read_workload(asked.workload)
    return work_out(needed, read_prices(asked.prices, needed))


@takes(
    PlanOptions,
    examples=(
        "floatgate plan examples/plan/tpc-c-2007.toml examples/plan/gray2007-prices.toml",
        "floatgate plan workload.toml prices.toml --format json",
    ),
)
def plan_in_shell(asked: PlanOptions) -> int:
    """Compute how many of each drive a workload needs, which limit binds, and the cost over the years.

    Exits with 1 if no drive in the list meets the workload.
    """
    from floatgate.plan.write import write

    planned = planned_of(asked)
    with own_folder(asked.out, Path("out") / f"plan-{asked.workload.stem}", force=asked.force) as folder:
        write(planned, folder, force=asked.force)
    if asked.format == "json":
        console.print_json(planned.document())
    else:
        _print(planned)
    console.err.print(f"wrote {folder / 'report.html'}")
    return 0 if planned.best else EXIT_NOT_REACHED


def _print(planned: "Planned") -> None:
    from floatgate.plan.show import HEAD, row, sentences

    console.out.print(f"{planned.workload.title} / {planned.prices.title}", style="bold")
    rows = [row(choice, planned) for choice in planned.choices]
    styles = ["yellow" if choice.drives is None else "" for choice in planned.choices]
    console.print_columns(HEAD, rows, left=(0, len(HEAD) - 1), styles=styles, overflow="fold")
    for sentence in sentences(planned):
        console.out.print(sentence)
