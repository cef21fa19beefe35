"""Options of `floatgate study`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import ELSEWHERE, Format, Scheduler, Workers


@dataclass(frozen=True)
class StudyOptions(CommandOptions):
    """`floatgate study`: every run that a file asks for, in a folder that a later call goes on with."""

    study: Annotated[
        Path,
        Argument(
            "What is varied, on what it is run, what is wanted (TOML).",
            takes="a file of a study",
            python="a mapping of the same shape will do",
        ),
    ]
    retry: Annotated[bool, Option("Run again what was refused or failed.")] = False
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: Annotated[
        Path | None,
        Option(
            "Folder of the study; what it holds is not run again.",
            metavar="DIR",
            panel=OUTPUT,
            takes="a new folder, or one of a study",
            python="it lives as long as what is returned",
            differs="a folder that grows: a study goes on in it",
        ),
    ] = usual("out/study-STUDY")
    format: Format = "table"
