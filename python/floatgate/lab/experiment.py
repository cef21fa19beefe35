"""What an experiment is: a question to a chip, and what it answers with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from floatgate.lab.bench import Bench
from floatgate.report.plot import Figure


@dataclass(frozen=True)
class Table:
    """Numbers as people read them; the first column says what a row is about."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Result:
    """What an experiment found."""

    says: str  # the finding, in a sentence or two with its numbers
    numbers: dict[str, Any]  # the same for programs; times in ns, cycles as counts
    tables: tuple[Table, ...] = ()
    figures: dict[str, Figure] = field(default_factory=dict)


def _always(_bench: Bench) -> str | None:
    return None


@dataclass(frozen=True)
class Experiment:
    """A question to a chip. One file in `experiments/` holds one; a line there registers it."""

    name: str
    title: str
    question: str
    source: str  # which figure or section of which paper asked it first
    run: Callable[[Bench], Result]
    lacks: Callable[[Bench], str | None] = _always  # why this chip cannot be asked; None: it can


def lacks_states(bench: Bench) -> str | None:
    """Say why a chip that stores one bit in a cell cannot be asked about states and page types."""
    if bench.identity.bits == 1:
        return (
            f"{bench.identity.name} stores one bit in a cell: it has one page type and one programmed state"
        )
    return None


def lacks_plans(bench: Bench) -> str | None:
    """Say why voltages cannot be compared."""
    from floatgate.lab.chip import Regulated

    chip = bench.source.open()
    if isinstance(chip, Regulated) and len(chip.voltage_plans()) > 1:
        return None
    return f"{bench.identity.name} works with one set of voltages only"


def lacks_probe(bench: Bench) -> str | None:
    """Say why threshold voltages cannot be seen."""
    from floatgate.lab.chip import CellProbe

    if isinstance(bench.source.open(), CellProbe):
        return None
    return f"{bench.identity.name} shows no threshold voltages: they need a probe into its cell array"


MOST_LISTED = 4


def listed(values: Mapping[str, str]) -> str:
    """Return `10 1.15, 00 1.23, 01 1.31`; of many, the first and the last: `0111 6.46 ... 1110 24.1`."""
    shown = [f"{name} {value}" for name, value in values.items()]
    return ", ".join(shown) if len(shown) <= MOST_LISTED else f"{shown[0]} ... {shown[-1]}"
