"""A plan's folder: `plan.json`, `plan.csv` (a line for each drive and year) and `report.html`."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from floatgate.files import ten_digits, write_rows
from floatgate.plan import figures
from floatgate.plan.show import HEAD, NOT_REACHED, money, row, sentences
from floatgate.plan.work import Planned
from floatgate.results.folder import atomically, write_json
from floatgate.values import quantities as q

PLAN = "plan.json"


def write(planned: Planned, out: Path, *, force: bool = False) -> None:
    """Write the folder of a plan. Raises InputError when `out` cannot be written."""
    with atomically(out, force=force) as folder:
        write_json(folder / PLAN, planned.document())
        _write_table(planned, folder / "plan.csv")
        (folder / "report.html").write_text(_page(planned), encoding="utf-8")


def _write_table(planned: Planned, path: Path) -> None:
    parts = ("year", "drives", "bought", "price", "energy", "cooling", "replacement", "upkeep")
    rows: list[list[Any]] = []
    for choice in planned.choices:
        if not choice.years:
            rows.append([choice.drive, NOT_REACHED, choice.binds])
        for year in choice.years:
            values = [ten_digits(asdict(year)[name]) for name in parts]
            total = ten_digits(year.total)
            rows.append([choice.drive, "reached", choice.binds, *values, total, planned.prices.currency])
    write_rows(path, ["drive", "state", "binds", *parts, "total", "currency"], rows)


def _page(planned: Planned) -> str:
    from floatgate.report.sheet import Section, sheet

    workload = planned.workload
    kinds = {name: value for name, value in workload.iops.model_dump().items() if value}
    facts = [
        ", ".join(f"{q.count(value)} {name.replace('_', ' ')}s/s" for name, value in kinds.items()),
        f"{q.size(workload.block)} requests",
        f"{q.size(workload.capacity)} to keep",
        f"{workload.life} years from {workload.year}",
    ]
    sections = [
        Section(
            "How many, and why",
            "Drives that each limit asks for; the mark farthest to the right decides. "
            + " ".join(sentences(planned)),
            {"limits": figures.limits(planned)},
            HEAD[:-1],
            [row(choice, planned)[:-1] for choice in planned.choices],
        ),
        Section(
            "Cost over the years",
            "Price of the drives, their energy and its cooling, worn and failed drives, upkeep. Replacements"
            " are expectations, not whole drives.",
            {"costs": figures.costs(planned)},
            ("", "drives", "bought", "price", "energy", "cooling", "replaced", "upkeep", "total"),
            _year_rows(planned),
        ),
        Section(
            "Buying later",
            "Drives that each year's needs take with what the list sells in that year. The mark says"
            " which limit binds, as above.",
            {"later": figures.later(planned)},
        ),
    ]
    return sheet("Floatgate purchase plan", workload.title, planned.prices.title, facts, sections)


def _year_rows(planned: Planned) -> list[list[str]]:
    return [
        [
            f"{choice.drive}, {year.year}",
            str(year.drives),
            str(year.bought),
            *(
                f"{value:,.0f}"
                for value in (year.price, year.energy, year.cooling, year.replacement, year.upkeep)
            ),
            money(year.total, planned.prices.currency),
        ]
        for choice in planned.choices
        for year in choice.years
    ]
