"""A self-contained page of sections, each with words, figures and a table: what grids and plans report on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from floatgate.report.html import render
from floatgate.report.plot import Figure


@dataclass(frozen=True)
class Section:
    """One part of a page."""

    title: str
    says: str  # plain text: what is to be seen
    figures: Mapping[str, Figure] = field(default_factory=dict)  # by the name of its place on the page
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


def sheet(
    kind: str, title: str, what: str, facts: Sequence[str], sections: Sequence[Section], notice: str = ""
) -> str:
    """Return the whole HTML text, with its style, script and data inside."""
    figures = {name: figure for section in sections for name, figure in section.figures.items()}
    return render(
        "sheet.html",
        figures=figures,
        kind=kind,
        title=title,
        what=what,
        facts=facts,
        sections=sections,
        notice=notice,
    )
