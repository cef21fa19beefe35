"""Options of the commands that run whole drives, or reckon with them, beside `floatgate run`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import REQUESTS, RULE, Argument, CommandOptions, Option, usual
from floatgate.options.shared import (
    ELSEWHERE,
    LOAD_STATE,
    PRECONDITION,
    SAVE_STATE,
    TIME,
    Drive,
    Force,
    Format,
    OutFile,
    OutFolder,
    Scheduler,
    Seed,
    Settings,
    State,
    Workers,
)


@dataclass(frozen=True)
class AgeOptions(CommandOptions):
    """`floatgate age`: a drive overwritten until it ends."""

    drive: Drive
    set: Settings = ()
    hot: Annotated[
        str | None,
        Option(
            "W of the writes go to S of the space: 0.8/0.2.",
            metavar="W/S",
            takes="two shares, above 0",
        ),
    ] = usual("uniform")
    jump: Annotated[
        float, Option("Lifetime skipped at once; 0: none.", metavar="SHARE", least=0, most=0.2)
    ] = 0.01
    window: Annotated[
        float,
        Option("Drive writes simulated between two jumps.", metavar="N", least=0.01, most=100),
    ] = 1.0
    measure: Annotated[
        float, Option("Lifetime between two speed measurements; 0: none.", metavar="SHARE", least=0, most=1)
    ] = 0.02
    compare: Annotated[
        str | None,
        Option(
            "One lifetime per value; +KEY=V adds a setting.",
            metavar="KEY=A,B,...",
            takes="a key and two different values or more",
        ),
    ] = None
    years: Annotated[
        float, Option("Years over which the writes are spread.", metavar="N", least=0.1, most=200)
    ] = 5.0
    jedec: Annotated[
        Literal["client", "enterprise"] | None,
        Option("Class of JESD218: how long data must last without power, and how surely."),
    ] = usual("enterprise with capacitors, else client")
    duty: Annotated[
        float | None,
        Option("Time for which the drive is powered.", metavar="SHARE", least=0, most=1),
    ] = usual("client 1/3, enterprise 1")
    temperature: Annotated[
        float | None,
        Option("Degrees Celsius with power.", metavar="C", least=-60, most=200),
    ] = usual("client 40, enterprise 55")
    off_temperature: Annotated[
        float | None,
        Option("Degrees Celsius without power.", metavar="C", least=-60, most=200),
    ] = usual("client 30, enterprise 40")
    save_state: Annotated[str | None, SAVE_STATE] = None
    seed: Seed = 1
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFile = usual("out/age-DRIVE.html")
    force: Force = False
    format: Format = "table"


@dataclass(frozen=True)
class PlanOptions(CommandOptions):
    """`floatgate plan`: what to buy for a workload."""

    workload: Annotated[
        Path,
        Argument(
            "The workload and its requirements (TOML).",
            takes="a file of a workload",
            differs="what is needed, not requests: a plan runs nothing",
        ),
    ]
    prices: Annotated[Path, Argument("A price list with its currency (TOML).", takes="a file of prices")]
    out: OutFolder = usual("out/plan-WORKLOAD")
    force: Force = False
    format: Format = "table"


@dataclass(frozen=True)
class GridOptions(CommandOptions):
    """`floatgate grid`: a drive asked for every block size, depth, pattern and operation."""

    drive: Drive
    block: Annotated[
        str | None,
        Option("Sizes.", metavar="LIST", panel=REQUESTS, takes="sizes of whole sectors", listed=True),
    ] = usual("512 to 1m")
    depth: Annotated[
        str,
        Option(
            "Requests outstanding.",
            metavar="LIST",
            panel=REQUESTS,
            takes="numbers of at least 1",
            listed=True,
            differs="several: a point of the grid for each",
        ),
    ] = "1,2,4"
    pattern: Annotated[
        str,
        Option("Patterns.", metavar="LIST", panel=REQUESTS, takes="of sequential, random", listed=True),
    ] = "sequential,random"
    op: Annotated[
        str, Option("Operations.", metavar="LIST", panel=REQUESTS, takes="of read, write", listed=True)
    ] = "read,write"
    file_size: Annotated[
        str,
        Option(
            "Size of the file at the start of the drive.",
            metavar="SIZE",
            panel=REQUESTS,
            takes="a size of at most the drive's",
        ),
    ] = "1GiB"
    steady: Annotated[
        Literal["batches", "snia"], Option("Batch means, or SNIA's five rounds.", panel=RULE)
    ] = "batches"
    time: Annotated[str | None, TIME] = usual("60s")
    round: Annotated[
        str | None,
        Option("SNIA: simulated time per round.", metavar="TIME", panel=RULE, takes="a time above 0"),
    ] = usual("60s")
    precision: Annotated[
        float, Option("Maximum half width / mean.", metavar="RATIO", panel=RULE, least=1e-4, most=0.5)
    ] = 0.02
    set: Settings = ()
    seed: Seed = 1
    precondition: Annotated[State | None, PRECONDITION] = usual("fill")
    load_state: Annotated[str | None, LOAD_STATE] = None
    workers: Workers = usual("one per core")
    scheduler: Scheduler = usual(ELSEWHERE)
    out: OutFolder = usual("out/grid-DRIVE")
    force: Force = False
    format: Format = "table"


@dataclass(frozen=True)
class SnapshotsOptions(CommandOptions):
    """`floatgate snapshots`: what snapshots of a logical drive cost, and what a copy would."""

    drive: Drive
    set: Settings = ()
    every: Annotated[
        str, Option("Intervals between snapshots.", metavar="TIME,...", takes="times above 0", listed=True)
    ] = "50ms,200ms,800ms"
    keep: Annotated[
        str,
        Option("Maximum number of snapshots.", metavar="N,...", takes="numbers of at least 1", listed=True),
    ] = "1,2,4,8"
    span: Annotated[
        float,
        Option("Share of the drive to overwrite and copy.", metavar="RATIO", takes="above 0, at most 0.5"),
    ] = 0.25
    time: Annotated[str, TIME] = "4s"
    seed: Seed = 1
    out: OutFile = usual("out/snapshots-DRIVE.html")
