"""All exhibits on one self-contained HTML page."""

from collections.abc import Mapping
from html import escape
from pathlib import Path

from floatgate.reproduce.paper import Paper
from floatgate.reproduce.show import cells, heads
from floatgate.reproduce.verdict import Row

PAGE = "reproduce.html"
_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 13px }
th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
th:first-child, td:first-child { text-align: left }
.miss { color: #b00020; font-weight: 600 } .explained { color: #8a5a00 }
p.claim { margin: .2rem 0 .6rem; color: #444 } svg { max-width: 100%; height: auto }
"""


def write_page(
    path: Path, papers: list[Paper], rows: list[Row], figures: Mapping[tuple[str, str], Path]
) -> None:
    """Write the page; `figures` are the SVG files by paper and exhibit."""
    parts = [
        "<!doctype html><html lang='en'><meta charset='utf-8'><title>Floatgate: reproduced</title>",
        f"<style>{_STYLE}</style>",
    ]
    for paper in papers:
        parts.append(f"<h1>{escape(paper.title)}</h1><p>{escape(paper.authors)}. {escape(paper.venue)}.</p>")
        for exhibit in paper.exhibits.values():
            mine = [row for row in rows if (row.paper, row.exhibit) == (paper.key, exhibit.key)]
            if not mine:
                continue
            parts.append(f"<h2>{escape(exhibit.title)}</h2>")
            parts.append(f"<p class='claim'>{escape(exhibit.claim)} ({escape(exhibit.where)})</p>")
            if (paper.key, exhibit.key) in figures:
                parts.append(_svg(figures[paper.key, exhibit.key]))
            parts.append(_table(mine))
    path.write_text("\n".join(parts) + "\n", encoding="utf-8")


def _table(rows: list[Row]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in heads(rows[0]))
    lines = []
    for row in rows:
        kind = "miss" if row.unexplained else "explained" if row.missed else "pass"
        lines.append(
            f"<tr class='{kind}'>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells(row)) + "</tr>"
        )
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _svg(path: Path) -> str:
    """Return the drawing itself, without the XML prologue that HTML does not take."""
    text = path.read_text(encoding="utf-8")
    return text[text.index("<svg") :]
