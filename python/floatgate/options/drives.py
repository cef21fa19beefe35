"""Options of the commands that run whole drives, or reckon with them."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from floatgate.options.definition import Argument, CommandOptions, Option, usual
from floatgate.options.shared import Drive, Force, Format, OutFile, OutFolder, Seed, Settings


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
    seed: Seed = 1
    out: OutFile = usual("out/age-DRIVE.html")
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
