"""What the sections of a study's page consist of."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from floatgate.report.plot import Figure
from floatgate.results.flags import words
from floatgate.study.aggregate import Configuration
from floatgate.study.report.quantity import quantity


@dataclass(frozen=True)
class Grid:
    """A table of a section."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    of_words: bool = False  # words stand to the left, numbers to the right


@dataclass(frozen=True)
class Runs:
    """The runs behind a configuration: a table whose last column holds commands."""

    title: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Part:
    """A section of the page."""

    title: str
    says: Sequence[str]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    grids: Sequence[Grid] = ()
    runs: Sequence[Runs] = ()
    how: str = ""  # class of its figures: some keep their width on a narrow page


def value(one: Configuration, key: str) -> str:
    """Return a number of a configuration with its interval over the seeds and its flags, if there are any."""
    spread = one.spread.get(key)
    said = quantity(key).show(one.numbers[key], spread.half_width if spread else None)
    flagged = words(one.flags(key))
    return f"{said} ({flagged})" if flagged else said
