"""`floatgate bus explore|waveform`: the wires between controller and chips."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Unpack

import typer

from floatgate import exits
from floatgate._generated.keywords import BusExploreKeywords, BusWaveformKeywords
from floatgate.files import putting, write_rows
from floatgate.options.definition import CommandOptions, Option, usual
from floatgate.options.effect import without_effect
from floatgate.options.run import whole_numbers
from floatgate.options.shared import Force, OutFolder, Settings
from floatgate.options.taking import offered, take
from floatgate.results.folder import own_folder, shared_folder
from floatgate.shell import console
from floatgate.shell.bar import BAR, LEFT, PERCENT, Bar
from floatgate.shell.command import Command
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.bus.explore import BusPoint
    from floatgate.bus.waveform import Waveform

FILES = ("points.csv", "ways.svg", "front.svg")
DEFAULT_CHIPS = ("tlc-3d-256g", "qlc-3d-1t")
_FRONT = ("interface", "channels x ways", "MB/s", "pins", "ECC blocks", "nJ/B", "channel busy")
BYTES = 6  # drawn where nothing else is asked for
app = typer.Typer(help="Compare NAND interfaces and draw their signals.", no_args_is_help=True)


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
    dies: Annotated[int, Option("Dies that the channels share.", metavar="N", least=1, most=256)] = 16
    channels: Annotated[
        str | None,
        Option(
            "Numbers of channels that share the dies.",
            metavar="N,...",
            takes="numbers that divide that of the dies",
            listed=True,
        ),
    ] = usual("those of 1,2,4,8,16 that divide it")
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


@offered(BusExploreOptions)
def explore(**options: Unpack[BusExploreKeywords]) -> "list[BusPoint]":
    """Simulate every interface, channel and way count for some chips: when channels saturate, at what cost.

    One channel has more and more dies; then all the dies, `dies`, are shared by each number of `channels`. A
    point has the bandwidth in 10^6 bytes per second, the energy in nJ per byte, pins, and the share of
    time in which channels are busy. With `out`, points.csv, ways.svg and front.svg are written there.

    Raises InputError for an unknown chip or interface.
    """
    asked = take(BusExploreOptions, options)
    with ExitStack() as opened:
        if asked.out is not None:
            opened.enter_context(shared_folder(asked.out, *FILES, force=asked.force))
        points = list(points_of(asked))
        if asked.out is not None:
            written(points, asked.out)
    return points


def points_of(
    asked: BusExploreOptions, progress: Callable[[int, int], None] = lambda _done, _total: None
) -> "Iterator[BusPoint]":
    """Yield a point for each combination that was asked for."""
    from floatgate.bus import explore as exploring
    from floatgate.bus.explore import MODES

    channels = None if asked.channels is None else whole_numbers("--channels", asked.channels, 1, 256)
    return exploring.explore(
        asked.chip or DEFAULT_CHIPS,
        asked.interface or MODES,
        progress,
        dies=asked.dies,
        channels=channels,
    )


def written(points: "Sequence[BusPoint]", folder: Path) -> None:
    """Write table and figures into a folder that is there."""
    from floatgate.bus import figures

    with putting(folder) as partial:
        rows = (astuple(point) for point in points)
        write_rows(partial / FILES[0], [field.name for field in fields(points[0])], rows)
        figures.draw(points, partial)


@offered(BusWaveformOptions)
def waveform(interface: str, **options: Unpack[BusWaveformKeywords]) -> "Waveform":
    """Work out the signals of an operation on `interface`: `"PROPOSED"`, `"conv"`, `"nv-ddr3:12"`.

    The waveform has the edges of each signal in fs, and the set-up, hold and wait times between them in ns,
    with the slack of each. With `out`, a VCD and an SVG are written to that folder.

    Raises InputError for what is unknown, and for timing that does not close.
    """
    asked = take(BusWaveformOptions, options, interface=interface)
    found = waveform_of(asked)
    if asked.out is not None:
        drawn(found, asked.out, force=asked.force)
    return found


def waveform_of(asked: BusWaveformOptions) -> "Waveform":
    """Work out what was asked for."""
    from floatgate.bus import waveform as drawing

    if asked.operation.lower() in ("erase", "status"):
        without_effect(
            {"bytes": asked.bytes}, f"{asked.operation} moves no data", "read or program with this"
        )
    count = BYTES if asked.bytes is None else asked.bytes
    return drawing.waveform(asked.interface, asked.operation, count, asked.set)


def drawn(found: "Waveform", folder: Path, *, force: bool) -> tuple[Path, Path]:
    """Write the VCD and the SVG into a folder; return where."""
    from floatgate.bus import svg, vcd

    name = f"{found.interface.replace(', mode ', '-')}-{found.operation}"
    dump, picture = f"{name}.vcd", f"{name}.svg"
    with shared_folder(folder, dump, picture, force=force), putting(folder) as partial:
        with (partial / dump).open("w", encoding="ascii", newline="\n") as file:
            vcd.write(found, file)
        (partial / picture).write_text(svg.draw(found), encoding="utf-8")
    return folder / dump, folder / picture


@app.command(cls=Command)
@takes(
    BusExploreOptions,
    examples=(
        "floatgate bus explore",
        "floatgate bus explore --chip tlc-3d-256g --interface nv-ddr3:12 --dies 64 --channels 8,16",
    ),
)
def explore_in_shell(asked: BusExploreOptions) -> int:
    """Simulate every interface, channel and way count: when channels saturate, and the Pareto front.

    One channel has more and more dies; then all the dies are shared by each number of channels.
    """
    with (
        own_folder(asked.out, Path("out/bus-explore"), force=asked.force) as folder,
        shared_folder(folder, *FILES, force=asked.force),
    ):
        points, interrupted = _run(asked)
        if points:
            written(points, folder)
    if points:
        _show(points)
        console.err.print(f"wrote {folder}")
    if interrupted:
        console.err.print(f"interrupted after {len(points)} runs")
    return exits.INTERRUPTED if interrupted else 0


@app.command(cls=Command)
@takes(
    BusWaveformOptions,
    examples=(
        "floatgate bus waveform --interface PROPOSED --operation read",
        "floatgate bus waveform --interface nv-ddr3:12 --operation program --bytes 16",
    ),
)
def waveform_in_shell(asked: BusWaveformOptions) -> None:
    """Draw the signals of an operation: a VCD for GTKWave; an SVG with set-up, hold and strobes marked."""
    found = waveform_of(asked)
    with own_folder(asked.out, Path("out/bus-waveform"), force=asked.force) as folder:
        dump, drawing = drawn(found, folder, force=asked.force)
    console.err.print(f"wrote {dump} and {drawing}")


def _run(asked: BusExploreOptions) -> "tuple[list[BusPoint], bool]":
    """Return what was run until the end or Ctrl-C, and whether it was that."""
    points: list[BusPoint] = []
    with Bar("exploring", BAR, PERCENT, LEFT, total=None) as bar:
        try:
            points.extend(points_of(asked, lambda done, total: bar.show(completed=done, total=total)))
        except KeyboardInterrupt:
            return points, True
    return points, False


def _show(points: "list[BusPoint]") -> None:
    """Print where channels are full, then the combinations that no other beats."""
    from floatgate.bus.explore import OPS, front, full_at, with_all_dies

    for chip in dict.fromkeys(point.chip for point in points):
        head = ("interface", "MT/s", *(f"{op}, ways" for op in OPS), *(f"{op}, MB/s" for op in OPS))
        rows = []
        for interface in dict.fromkeys(point.interface for point in points):
            mine = [p for p in points if (p.chip, p.interface, p.channels) == (chip, interface, 1)]
            if not mine:
                continue
            full = [full_at(points, chip, interface, op) for op in OPS]
            most_ways = max(point.ways for point in mine)
            most = [max((p.mb_per_s for p in mine if p.op == op), default=0.0) for op in OPS]
            ways = (str(ways) if ways else f"more than {most_ways // 2}" for ways in full)
            rows.append((interface, f"{mine[0].mt_per_s:.0f}", *ways, *(f"{rate:.0f}" for rate in most)))
        console.print_columns(head, rows, left=(0,), title=f"{chip}: ways to saturate a channel")
        for op in OPS:
            best = (
                (
                    point.interface,
                    f"{point.channels} x {point.ways}",
                    f"{point.mb_per_s:.0f}",
                    str(point.pins),
                    str(point.ecc_blocks),
                    f"{point.nj_per_byte:.3f}",
                    f"{point.channel_busy:.0%}",
                )
                for point in front(with_all_dies(points, chip, op))
            )
            console.print_columns(_FRONT, best, left=(0,), title=f"{chip}, {op}: Pareto front")
