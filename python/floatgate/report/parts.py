"""Pieces of a page that more than one report is made of."""

import json
from html import escape
from typing import Any


def plotly_script() -> str:
    """Return the script that draws the figures; it stands inside every report."""
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text


def embedded(value: Any) -> str:
    """Return JSON that may stand inside a script element, whatever text it holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def grid(head: list[str], rows: list[list[str]]) -> str:
    """Return a table of numbers: what a row is about on the left, its numbers to the right."""
    header = "".join(f"<th>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>"
        + f"<th>{escape(row[0])}</th>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    table = f"<thead><tr>{header}</tr></thead><tbody>{body}</tbody>"
    return f'<div class="wide"><table class="numbers">{table}</table></div>'
