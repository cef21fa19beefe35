"""Options of the commands about the wires between controller and chips."""

from dataclasses import dataclass
from typing import Annotated

from floatgate.options.definition import CommandOptions, Option, usual
from floatgate.options.shared import Force, OutFolder, Settings


@dataclass(frozen=True)
class BusExploreOptions(CommandOptions):
    """`floatgate bus explore`: every interface, channel and way count."""

    chip: Annotated[
        tuple[str, ...],
        Option(
            "A chip (repeatable).",
            metavar="CHIP",
            shown="tlc-3d-256g, qlc-3d-1t",
            takes="a chip's name or file",
            completes="chips",
            differs="several, beside each other",
        ),
    ] = ()
    interface: Annotated[
        tuple[str, ...],
        Option(
            "An interface, nv-ddr3:12 (repeatable).",
            metavar="NAME:MODE",
            shown="six, from sdr:5 to nv-ddr3:15",
            takes="an interface of `floatgate policies bus.interface`, and its mode",
            differs="several, beside each other",
        ),
    ] = ()
    out: OutFolder = usual("out/bus-explore")
    force: Force = False


@dataclass(frozen=True)
class BusWaveformOptions(CommandOptions):
    """`floatgate bus waveform`: the signals of an operation."""

    interface: Annotated[
        str,
        Option(
            "PROPOSED, CONV, nv-ddr3:12, ...",
            metavar="NAME[:MODE]",
            takes="an interface of `floatgate policies bus.interface`, and its mode",
        ),
    ]
    operation: Annotated[
        str,
        Option("read, program (or write), erase or status.", metavar="NAME", takes="a name of an operation"),
    ] = "read"
    bytes: Annotated[int | None, Option("Data bytes to draw.", metavar="N", least=1, most=4096)] = usual("6")
    set: Settings = ()
    out: OutFolder = usual("out/bus-waveform")
    force: Force = False
