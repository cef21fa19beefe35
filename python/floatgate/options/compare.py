"""Options of `floatgate compare`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import RETURNED, Force, OutFolder

_TAKES = "a folder of run --repeat, or of a study"


@dataclass(frozen=True)
class CompareOptions(CommandOptions):
    """`floatgate compare`: two sets of runs that differ in one key, pair by pair of the same seed."""

    a: Annotated[Path, Argument("The runs that B is compared with.", metavar="A", takes=_TAKES)]
    b: Annotated[Path, Argument("The runs that are compared with A.", metavar="B", takes=_TAKES)]
    metric: Annotated[
        str | None,
        Option("Numbers of run.json.", metavar="LIST", takes="paths of numbers: waf", listed=True),
    ] = usual("the headline, or a study's objectives and bounds")
    key: Annotated[
        str | None,
        Option(
            "What may differ, where it is more than one key.",
            metavar="LIST",
            takes="keys, options, or drive for its whole configuration",
            listed=True,
        ),
    ] = usual("the one key that differs")
    out: OutFolder = usual("out/compare-A-B")
    force: Force = False
    format: Annotated[
        Literal["table", "json", "csv"],
        Option("What to print.", panel=OUTPUT, shell=RETURNED, differs="of rows, so CSV, too"),
    ] = "table"
