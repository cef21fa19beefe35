"""Options of the commands that list what there is, or make a file again."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import NAME, Force, Format, Json, OutFile, Settings


@dataclass(frozen=True)
class DrivesOptions(CommandOptions):
    """`floatgate drives`: the drives, or one of them."""

    name: Annotated[str | None, NAME] = None
    set: Settings = ()
    json: Json = False


@dataclass(frozen=True)
class ChipsOptions(CommandOptions):
    """`floatgate chips`: the chips, or one of them."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@dataclass(frozen=True)
class PoliciesOptions(CommandOptions):
    """`floatgate policies`: the policies, or one of them."""

    name: Annotated[str | None, NAME] = None
    json: Json = False


@dataclass(frozen=True)
class PolicyCheckOptions(CommandOptions):
    """`floatgate policies check`: policies in Python, put through the rules."""

    file: Annotated[
        str,
        Argument(
            "A Python file with policies.",
            metavar="FILE",
            takes="a file with a class of fg.gc.victim.Policy, for instance",
            differs="programs, not requests",
        ),
    ]
    json: Json = False


@dataclass(frozen=True)
class PolicyNewOptions(CommandOptions):
    """`floatgate policies new`: a policy in Python to start from."""

    seam: Annotated[
        str,
        Argument(
            "The question that it answers: gc.victim.", takes="gc.trigger, gc.victim, slc_cache or wear"
        ),
    ]
    out: Annotated[
        Path,
        Argument(
            "The file to write: mine.py.",
            metavar="OUT",
            takes="a new Python file, or with --force any",
            differs="required: what is made is nothing but this file",
        ),
    ]
    force: Force = False


@dataclass(frozen=True)
class KeysOptions(CommandOptions):
    """`floatgate keys`: every key of a configuration."""

    pattern: Annotated[
        str | None,
        Argument(
            "A part of a key, or a glob over all of it: gc, 'ftl.*.idle_after'.",
            takes="what some key fits",
            completes="keys",
            differs="of the names of keys, not of addresses",
        ),
    ] = None
    drive: Annotated[
        str | None,
        Option(
            "Show values, places and sources on this drive, and what is off.",
            metavar="DRIVE",
            takes="a drive's name or file",
            completes="drives",
            differs="an option: keys are there without a drive",
        ),
    ] = None
    set: Settings = ()
    format: Format = "table"


@dataclass(frozen=True)
class ExamplesOptions(CommandOptions):
    """`floatgate examples`: the files that come with Floatgate to try it with."""

    copy: Annotated[
        Path | None,
        Option("Copy them into DIR/examples, to change them.", metavar="DIR", panel=OUTPUT, takes="a folder"),
    ] = None


@dataclass(frozen=True)
class ReportOptions(CommandOptions):
    """`floatgate report`: the report of a run folder again."""

    folder: Annotated[
        Path, Argument("A run folder, or its run.json.", metavar="DIR", takes="a folder of `floatgate run`")
    ]
    out: OutFile = usual("DIR/report.html")


@dataclass(frozen=True)
class SchemaOptions(CommandOptions):
    """`floatgate schema`: what a result holds, for programs."""

    out: OutFile = usual("standard output")
    force: Force = False
