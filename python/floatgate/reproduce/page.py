"""All exhibits on one self-contained HTML page."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from markupsafe import Markup

from floatgate.report.html import render
from floatgate.reproduce.expected import SHOWN
from floatgate.reproduce.paper import Exhibit, Paper
from floatgate.reproduce.show import cells, heads
from floatgate.reproduce.verdict import Row, tally

PAGE = "reproduce.html"


def write_page(
    path: Path, papers: list[Paper], rows: list[Row], figures: Mapping[tuple[str, str], Path]
) -> None:
    """Write the page; `figures` are the SVG files by paper and exhibit, just drawn by matplotlib."""
    shown = []
    for paper in papers:
        exhibits = []
        for exhibit in paper.exhibits.values():
            mine = [row for row in rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
            if mine:
                exhibits.append(_exhibit(exhibit, mine, figures.get((paper.key, exhibit.key))))
        shown.append((paper, tally(row for row in rows if row.paper == paper.key), exhibits))
    page = render("reproduce.html", styles=("reproduce.css",), counts=tally(rows), papers=shown)
    path.write_text(page, encoding="utf-8")


def _exhibit(exhibit: Exhibit, rows: list[Row], figure: Path | None) -> dict[str, Any]:
    return {
        "title": exhibit.title,
        "claim": exhibit.claim,
        "where": exhibit.where,
        "svg": "" if figure is None else _svg(figure),
        "heads": heads(rows[0]),
        "rows": [(_kind(row), cells(row)) for row in rows],
    }


def _kind(row: Row) -> str:
    if row.basis == SHOWN:
        return SHOWN
    return "miss" if row.unexplained else "explained" if row.missed else "pass"


def _svg(path: Path) -> Markup:
    """Return the drawing itself, without the XML prologue that HTML does not take."""
    text = path.read_text(encoding="utf-8")
    return Markup(text[text.index("<svg") :])
