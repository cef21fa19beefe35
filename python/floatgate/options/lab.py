"""Options of the commands of the laboratory, and of the papers."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import OUTPUT, Argument, CommandOptions, Option, usual
from floatgate.options.shared import (
    CHIP,
    ELSEWHERE,
    SAMPLE,
    Force,
    Format,
    List,
    OutFile,
    OutFolder,
    Scheduler,
    Workers,
)


@dataclass(frozen=True)
class CharacterizeOptions(CommandOptions):
    """`floatgate characterize`: a chip on the bench."""

    chip: Annotated[str | None, CHIP] = None
    experiment: Annotated[
        tuple[str, ...],
        Option("Only this one (repeatable).", metavar="NAME", shown="all", takes="a name of --list"),
    ] = ()
    blocks: Annotated[
        int | None, Option("Blocks worn to failure in each endurance test.", metavar="N", least=1)
    ] = usual("30")
    model: Annotated[
        Literal["cells", "tables"] | None, Option("The chip's cells, or the tables that drives use.")
    ] = usual("cells")
    seed: Annotated[int | None, SAMPLE] = usual("1")
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/chip-CHIP")
    force: Force = False
    format: Format = "table"
    list: List = False


@dataclass(frozen=True)
class DeriveOptions(CommandOptions):
    """`floatgate derive`: the page model of a chip from its cells."""

    chip: Annotated[str, CHIP]
    out: OutFile = usual("CHIP-derived.toml")
    report: Annotated[
        Path | None,
        Option(
            "Also draw the tables as an HTML page.",
            metavar="FILE",
            panel=OUTPUT,
            takes="a new file, or one that Floatgate wrote",
            differs="the page's file: the command itself writes another",
        ),
    ] = None
    seed: Annotated[int, SAMPLE] = 1


@dataclass(frozen=True)
class FitOptions(CommandOptions):
    """`floatgate fit`: the page model of a chip from what a rig measured."""

    logs: Annotated[
        tuple[str, ...],
        Argument(
            "Test rig logs (CSV) of one part.", metavar="LOG", takes="files of docs/how-to/laboratory.md"
        ),
    ] = ()
    chip: Annotated[
        str | None,
        Option(
            "The part, by name or file.",
            metavar="CHIP",
            takes="a chip's name or file",
            completes="chips",
            differs="an option: the logs name their part",
        ),
    ] = usual("as the logs name it")
    sampled: Annotated[
        str | None,
        Option(
            "Which cycles the logs hold: every, changes, changes 1-2-5, some, or N for every N-th.",
            metavar="RULE",
            takes="a rule",
        ),
    ] = usual("as the logs declare, or every")
    voltages: Annotated[
        Path | None,
        Option(
            "Instead of logs, measured threshold voltages (CSV: pe_cycles, age, state, mean, sigma).",
            metavar="FILE",
            takes="a table of voltages",
        ),
    ] = None
    out: OutFolder = usual("out/fit-NAME")
    force: Force = False
    format: Format = "table"


@dataclass(frozen=True)
class ReproduceOptions(CommandOptions):
    """`floatgate reproduce`: published numbers beside simulated ones."""

    paper: Annotated[
        tuple[str, ...],
        Argument("Papers to reproduce.", shown="all of them", takes="names of --list", completes="papers"),
    ] = ()
    full: Annotated[
        bool | None,
        Option(
            "All cases with narrow intervals, or the quick ones, in about two minutes.",
            flags=("--full/--quick",),
        ),
    ] = usual("quick")
    causes: Annotated[
        bool, Option("Run the experiments that show why claims are missed, instead of the papers' exhibits.")
    ] = False
    out: OutFolder = usual("out/reproduce")
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    record: Annotated[
        bool, Option("Also write ours.csv and the figures into the papers' folders.", panel=OUTPUT)
    ] = False
    force: Force = False
    list: List = False
