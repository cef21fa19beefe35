"""Options that several commands have: the same name is the same definition.

Where a name means something else in another command, its definition there says how (`differs`).
"""

from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import LIMITS, OUTPUT, STATE, Argument, Assignments, Option

Detail = Literal["all", "dies", "channels"]  # of a timeline
State = Literal["none", "fill", "instant", "steady", "workload"]  # of the drive, when a run begins

NOT_WRITTEN = "nothing is written without it"
RETURNED = "a function returns what was found"
SEED_MOST = (1 << 64) - 1

Drive = Annotated[
    str,
    Argument(
        "A drive, by name (`floatgate drives`) or file.",
        takes="a drive's name or file",
        completes="drives",
    ),
]
CHIP = Argument(
    "A chip, by name (`floatgate chips`) or file.", takes="a chip's name or file", completes="chips"
)
NAME = Argument("Explain this one.", takes="a name that the command lists", completes="listed")
Settings = Annotated[
    tuple[str, ...],
    Assignments(
        "Override a configuration key (repeatable).",
        metavar="KEY=VALUE",
        takes="a key of `floatgate keys` and its value",
        completes="assignments",
    ),
]
SEED = Option("Seed of every random stream.", metavar="N", least=0, most=SEED_MOST)
Seed = Annotated[int, SEED]
SAMPLE = Option(
    "Which sample of the chip.",
    metavar="N",
    least=0,
    most=SEED_MOST,
    differs="of a chip's silicon: the same seed is the same piece in every experiment",
)
AGES = Option(
    "Ages of the page: a chip's at its reference temperature, a drive's at nand.errors.celsius.",
    metavar="TIME,...",
    takes="times with commas between: 30d,365d",
    listed=True,
)
READS = Option("Reads of the block since the page was written.", metavar="N", least=0, most=10**12)
PRECONDITION = Option(
    "Fill the drive, or bring it into the steady state of random writes or of this workload.", panel=STATE
)
SAVE_STATE = Option(
    "Save the drive: run at the start of the workload, age at the end of the life.",
    metavar="FILE",
    panel=STATE,
    takes="a new file, or with --force an earlier state",
)
LOAD_STATE = Option("Start from a saved state.", metavar="FILE", panel=STATE, takes="a file of --save-state")
TIME = Option("Simulated time of each run at most.", metavar="TIME", panel=LIMITS, takes="a time above 0")
OutFolder = Annotated[
    Path | None,
    Option(
        "Folder to write to.",
        metavar="DIR",
        panel=OUTPUT,
        takes="a new folder, or with --force an earlier one",
        python=NOT_WRITTEN,
    ),
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
Force = Annotated[bool, Option("Replace an earlier result.", panel=OUTPUT)]
Format = Annotated[Literal["table", "json"], Option("What to print.", panel=OUTPUT, shell=RETURNED)]
Json = Annotated[bool, Option("Print JSON.", panel=OUTPUT, shell=RETURNED)]
List = Annotated[bool, Option("List what can be chosen, and exit.", shell="a function of its own lists it")]
Workers = Annotated[int | None, Option("Processes.", metavar="N", panel=LIMITS, least=1)]
Scheduler = Annotated[
    str | None,
    Option(
        "A Dask cluster that does the work instead (docs/how-to/cluster.md).",
        metavar="ADDRESS",
        panel=LIMITS,
        takes="tcp://HOST:PORT",
    ),
]
ELSEWHERE = "FLOATGATE_SCHEDULER, or this machine"  # where work is done if nothing else is said
