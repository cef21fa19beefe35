"""Options that several commands have: the same name is the same definition."""

from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import LIMITS, OUTPUT, Argument, Assignments, Option

NOT_WRITTEN = "nothing is written without it"
SEED_MOST = (1 << 64) - 1

Drive = Annotated[
    str,
    Argument(
        "A drive, by name (`floatgate drives`) or file.",
        takes="a drive's name, or a file that holds one",
        completes="drives",
    ),
]
Settings = Annotated[
    tuple[str, ...],
    Assignments(
        "Override a configuration key (repeatable).",
        metavar="KEY=VALUE",
        takes="a key of `floatgate keys` and its value",
        completes="assignments",
    ),
]
Seed = Annotated[int, Option("Seed of every random stream.", metavar="N", least=0, most=SEED_MOST)]
OutFolder = Annotated[
    Path | None,
    Option("Folder to write to.", metavar="DIR", panel=OUTPUT, takes="a new folder", python=NOT_WRITTEN),
]
OutFile = Annotated[
    Path | None,
    Option(
        "File to write.",
        metavar="FILE",
        panel=OUTPUT,
        takes="a new file, or one that Floatgate wrote",
        python=NOT_WRITTEN,
        differs="a file, where the command writes no folder",
    ),
]
Force = Annotated[bool, Option("Replace what an earlier command wrote there.", panel=OUTPUT)]
Format = Annotated[
    Literal["table", "json"],
    Option("What to print.", panel=OUTPUT, shell="a function returns what was found"),
]
Workers = Annotated[int | None, Option("Processes.", metavar="N", panel=LIMITS, least=1)]
