"""`floatgate bus explore|waveform`: the wires between controller and chips."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from floatgate.options.bus import BusExploreOptions, BusWaveformOptions
from floatgate.shell.command import Command
from floatgate.shell.options import takes

if TYPE_CHECKING:
    from floatgate.bus.explore import BusPoint

app = typer.Typer(help="Compare NAND interfaces and draw their signals.", no_args_is_help=True)

EXIT_INTERRUPTED = 130


@app.command(cls=Command)
@takes(BusExploreOptions)
def explore(asked: BusExploreOptions) -> int:
    """Simulate every interface, channel and way count: when channels saturate, and the Pareto front."""
    from floatgate.api.bus import FILES, written
    from floatgate.results.folder import own_folder, shared_folder
    from floatgate.shell.console import err

    with (
        own_folder(asked.out, Path("out/bus-explore"), force=asked.force) as folder,
        shared_folder(folder, *FILES, force=asked.force),
    ):
        points, interrupted = _run(asked)
        if points:
            written(points, folder)
    if points:
        _show(points)
        err.print(f"wrote {folder}", markup=False)
    if interrupted:
        err.print(f"interrupted after {len(points)} runs", markup=False)
    return EXIT_INTERRUPTED if interrupted else 0


@app.command(cls=Command)
@takes(BusWaveformOptions)
def waveform(asked: BusWaveformOptions) -> None:
    """Draw the signals of an operation: a VCD for GTKWave; an SVG with set-up, hold and strobes marked."""
    from floatgate.api.bus import drawn, waveform_of
    from floatgate.results.folder import own_folder
    from floatgate.shell.console import err

    found = waveform_of(asked)
    with own_folder(asked.out, Path("out/bus-waveform"), force=asked.force) as folder:
        dump, drawing = drawn(found, folder, force=asked.force)
    err.print(f"wrote {dump} and {drawing}", markup=False)


def _run(asked: BusExploreOptions) -> "tuple[list[BusPoint], bool]":
    """Return what was run until the end or Ctrl-C, and whether it was that."""
    from rich.progress import Progress

    from floatgate.api.bus import points_of
    from floatgate.shell.console import err

    points: list[BusPoint] = []
    with Progress(console=err.rich, transient=True) as bar:
        task = bar.add_task("exploring", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        try:
            points.extend(points_of(asked, show))
        except KeyboardInterrupt:
            return points, True
    return points, False


def _show(points: "list[BusPoint]") -> None:
    """Print where channels are full, then the combinations that no other beats."""
    from rich.table import Table

    from floatgate.bus.explore import OPS, WAYS, front, full_at, sixteen
    from floatgate.shell.console import out

    for chip in dict.fromkeys(point.chip for point in points):
        table = Table(
            box=None, pad_edge=False, header_style="dim", title=f"{chip}: ways to saturate a channel"
        )
        for head in ("interface", "MT/s", *(f"{op}, ways" for op in OPS), *(f"{op}, MB/s" for op in OPS)):
            table.add_column(head, justify="left" if head == "interface" else "right")
        for interface in dict.fromkeys(point.interface for point in points):
            mine = [p for p in points if (p.chip, p.interface, p.channels) == (chip, interface, 1)]
            if not mine:
                continue
            full = [full_at(points, chip, interface, op) for op in OPS]
            most = [max((p.mb_per_s for p in mine if p.op == op), default=0.0) for op in OPS]
            table.add_row(
                interface,
                f"{mine[0].mt_per_s:.0f}",
                *(str(ways) if ways else f"more than {WAYS[-1] // 2}" for ways in full),
                *(f"{rate:.0f}" for rate in most),
            )
        out.print(table)
        for op in OPS:
            table = Table(box=None, pad_edge=False, header_style="dim", title=f"{chip}, {op}: Pareto front")
            for head in (
                "interface",
                "channels x ways",
                "MB/s",
                "pins",
                "ECC blocks",
                "nJ/B",
                "channel busy",
            ):
                table.add_column(head, justify="left" if head == "interface" else "right")
            for point in front(sixteen(points, chip, op)):
                table.add_row(
                    point.interface,
                    f"{point.channels} x {point.ways}",
                    f"{point.mb_per_s:.0f}",
                    str(point.pins),
                    str(point.ecc_blocks),
                    f"{point.nj_per_byte:.3f}",
                    f"{point.channel_busy:.0%}",
                )
            out.print(table)
