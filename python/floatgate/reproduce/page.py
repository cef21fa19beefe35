"""All exhibits on one self-contained HTML page."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from floatgate.report.html import render
from floatgate.report.plot import Figure
from floatgate.reproduce.expected import SHOWN
from floatgate.reproduce.paper import Exhibit, Paper
from floatgate.reproduce.show import cells, heads
from floatgate.reproduce.verdict import Row, tally

PAGE = "reproduce.html"


def write_page(
    path: Path, papers: list[Paper], rows: list[Row], figures: Mapping[tuple[str, str], Figure]
) -> None:
    """Write the page; `figures` are by paper and exhibit."""
    shown = []
    for paper in papers:
        exhibits = []
        for exhibit in paper.exhibits.values():
            mine = [row for row in rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
            if mine:
                drawn = [_place(paper.key, exhibit.key)] if (paper.key, exhibit.key) in figures else []
                exhibits.append(_exhibit(exhibit, mine, drawn))
        shown.append((paper, tally(row for row in rows if row.paper == paper.key), exhibits))
    page = render(
        "reproduce.html",
        styles=("style.css", "reproduce.css"),
        figures={_place(*key): replace(figure, title="") for key, figure in figures.items()},
        counts=tally(rows),
        papers=shown,
    )
    path.write_text(page, encoding="utf-8")


def _place(paper: str, exhibit: str) -> str:
    return f"{paper}-{exhibit}"


def _exhibit(exhibit: Exhibit, rows: list[Row], drawn: list[str]) -> dict[str, Any]:
    return {
        "title": exhibit.title,
        "claim": exhibit.claim,
        "where": exhibit.where,
        "figures": drawn,
        "heads": heads(rows[0]),
        "rows": [(_kind(row), cells(row)) for row in rows],
    }


def _kind(row: Row) -> str:
    if row.basis == SHOWN:
        return SHOWN
    return "miss" if row.unexplained else "explained" if row.missed else "pass"
