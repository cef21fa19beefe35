"""`floatgate.plan`: what to buy for a workload."""

from os import PathLike
from typing import Unpack

from floatgate._generated.keywords import PlanKeywords
from floatgate.options.drives import PlanOptions
from floatgate.options.taking import offered, take
from floatgate.plan.read import read_prices, read_workload
from floatgate.plan.work import Planned, plan as work_out
from floatgate.plan.write import write


@offered(PlanOptions)
def plan(
    workload: str | PathLike[str], prices: str | PathLike[str], **options: Unpack[PlanKeywords]
) -> Planned:
    """Work out how many of each drive of a price list a workload needs, and what they cost over the years.

    `workload` and `prices` are TOML files. The plan has a choice for each drive of the list, in its order:
    how many drives each limit asks for, which of them binds, power in watts, and the cost of each year in the
    list's currency; `planned.best` is the cheapest, None where no drive meets the workload. With `out`,
    plan.json, plan.csv and report.html are written to that folder.

    Raises InputError for a faulty file, naming file, key and what is expected.
    """
    asked = take(PlanOptions, options, workload=workload, prices=prices)
    planned = planned_of(asked)
    if asked.out is not None:
        write(planned, asked.out, force=asked.force)
    return planned


def planned_of(asked: PlanOptions) -> Planned:
    """Work out the plan that was asked for."""
    needed = read_workload(asked.workload)
    return work_out(needed, read_prices(asked.prices, needed))
