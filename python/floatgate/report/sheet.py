"""A self-contained page of sections, each with words, figures and a table: what grids and plans report on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from string import Template

from floatgate.report.parts import embedded, grid, plotly_script
from floatgate.report.plot import Figure

_HERE = Path(__file__).parent


@dataclass(frozen=True)
class Section:
    """One part of a page."""

    title: str
    says: str  # plain text: what is to be seen
    figures: Mapping[str, Figure] = field(default_factory=dict)  # by the name of its place on the page
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()

    def html(self) -> str:
        """Return the section as HTML."""
        drawn = "".join(f'<div class="figure" id="{escape(name)}"></div>' for name in self.figures)
        table = grid(list(self.head), [list(row) for row in self.rows]) if self.rows else ""
        return (
            f'<section><h2>{escape(self.title)}</h2><p class="says">{escape(self.says)}</p>'
            f'<div class="figures">{drawn}</div>{table}</section>'
        )


def sheet(
    kind: str, title: str, what: str, facts: Sequence[str], sections: Sequence[Section], notice: str = ""
) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    from floatgate._core import version

    figures = {name: figure for section in sections for name, figure in section.figures.items()}
    return Template((_HERE / "sheet.html").read_text(encoding="utf-8")).substitute(
        kind=escape(kind),
        title=escape(title),
        what=escape(what),
        facts=" &middot; ".join(escape(fact) for fact in facts),
        notice=f'<p class="notice">{escape(notice)}</p>' if notice else "",
        sections="\n".join(section.html() for section in sections),
        version=escape(version()),
        style=(_HERE / "style.css").read_text(encoding="utf-8"),
        plotly=plotly_script(),
        figures=embedded(figures),
        script=(_HERE / "draw.js").read_text(encoding="utf-8"),
    )
