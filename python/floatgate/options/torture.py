"""The options of `floatgate torture`."""

from dataclasses import dataclass
from typing import Annotated

from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.shared import ELSEWHERE, Force, Format, OutFolder, Scheduler, Seed, Settings, Workers

CUTS_MOST = 1_000_000


@dataclass(frozen=True)
class TortureOptions(CommandOptions):
    """`floatgate torture`: which drives, how many power cuts, and where they are told."""

    drive: Annotated[
        tuple[str, ...],
        Argument(
            "Drives, by name (`floatgate drives`) or file.",
            takes="names or files of drives",
            completes="drives",
            differs="several of them",
        ),
    ]
    cuts: Annotated[
        int, Option("Power cuts of each drive, at least.", metavar="N", least=1, most=CUTS_MOST)
    ] = 100
    whole: Annotated[bool, Option("Leave the drives as large as they are.")] = False
    set: Settings = ()
    seed: Seed = 1
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/torture, then with -2, -3, ...")
    force: Force = False
    format: Format = "table"
