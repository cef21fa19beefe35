"""`floatgate bus explore|waveform`: the wires between controller and chips."""

from collections.abc import Sequence
from dataclasses import astuple, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from floatgate.cli.command import Command, without_effect

if TYPE_CHECKING:
    from floatgate.bus.explore import Point

app = typer.Typer(help="Compare NAND interfaces and draw their signals.", no_args_is_help=True)

_Chips = Annotated[list[str] | None, typer.Option("--chip", metavar="CHIP", help="A chip (repeatable).")]
_Modes = Annotated[
    list[str] | None,
    typer.Option("--interface", metavar="NAME:MODE", help="An interface, nv-ddr3:12 (repeatable)."),
]
_Force = Annotated[bool, typer.Option("--force", help="Replace files of the same names in DIR.")]

EXIT_INTERRUPTED = 130
_FILES = ("points.csv", "ways.svg", "front.svg")
DEFAULT_CHIPS = ("tlc-3d-256g", "qlc-3d-1t")


@app.command(cls=Command)
def explore(
    chip: _Chips = None,
    interface: _Modes = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Folder for the table and the figures.  [default: out/bus-explore]"
        ),
    ] = None,
    force: _Force = False,
) -> int:
    """Simulate every interface, channel and way count: when channels saturate, and the Pareto front."""
    from floatgate.bus.explore import MODES
    from floatgate.cli.console import err
    from floatgate.files import putting
    from floatgate.folder import own_folder, shared_folder

    with (
        own_folder(out, Path("out/bus-explore"), force=force) as folder,
        shared_folder(folder, *_FILES, force=force),
    ):
        points, interrupted = _run(
            DEFAULT_CHIPS if chip is None else chip, MODES if interface is None else interface
        )
        if points:
            with putting(folder) as partial:
                _write(points, partial)
    if points:
        _show(points)
        err.print(f"wrote {folder}", markup=False)
    if interrupted:
        err.print(f"interrupted after {len(points)} runs", markup=False)
    return EXIT_INTERRUPTED if interrupted else 0


@app.command(cls=Command)
def waveform(
    interface: Annotated[
        str, typer.Option("--interface", metavar="NAME[:MODE]", help="PROPOSED, CONV, nv-ddr3:12, ...")
    ],
    operation: Annotated[
        str, typer.Option("--operation", metavar="NAME", help="read, program (or write), erase or status.")
    ] = "read",
    data_bytes: Annotated[
        int | None,
        typer.Option("--bytes", metavar="N", min=1, max=4096, help="Data bytes to draw.", show_default="6"),
    ] = None,
    set_: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="bus.interface.t_diff=6ns, nand.t_r=60us"),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Output folder.  [default: out/bus-waveform]"),
    ] = None,
    force: _Force = False,
) -> None:
    """Draw the signals of an operation: a VCD for GTKWave; an SVG with set-up, hold and strobes marked."""
    from floatgate.bus import svg, vcd
    from floatgate.bus.waveform import waveform as work_out
    from floatgate.cli.console import err
    from floatgate.files import putting
    from floatgate.folder import own_folder, shared_folder

    if operation.lower() in ("erase", "status"):
        without_effect({"bytes": data_bytes}, f"{operation} moves no data", "read or program with this")
    found = work_out(interface, operation, 6 if data_bytes is None else data_bytes, set_ or ())
    name = f"{found.interface.replace(', mode ', '-')}-{found.operation}"
    dump, drawing = f"{name}.vcd", f"{name}.svg"
    with (
        own_folder(out, Path("out/bus-waveform"), force=force) as folder,
        shared_folder(folder, dump, drawing, force=force),
        putting(folder) as partial,
    ):
        with (partial / dump).open("w", encoding="ascii", newline="\n") as file:
            vcd.write(found, file)
        (partial / drawing).write_text(svg.draw(found), encoding="utf-8")
    err.print(f"wrote {folder / dump} and {folder / drawing}", markup=False)


def _run(chips: Sequence[str], modes: Sequence[str]) -> "tuple[list[Point], bool]":
    """Return what was run until the end or Ctrl-C, and whether it was that."""
    from rich.progress import Progress

    from floatgate.bus.explore import explore as every
    from floatgate.cli.console import err

    points: list[Point] = []
    with Progress(console=err, transient=True) as bar:
        task = bar.add_task("exploring", total=None)

        def show(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        try:
            points.extend(every(chips, modes, show))
        except KeyboardInterrupt:
            return points, True
    return points, False


def _write(points: "list[Point]", folder: Path) -> None:
    from floatgate.bus import figures
    from floatgate.files import write_rows

    rows = (astuple(point) for point in points)
    write_rows(folder / _FILES[0], [field.name for field in fields(points[0])], rows)
    figures.draw(points, folder)


def _show(points: "list[Point]") -> None:
    """Print where channels are full, then the combinations that no other beats."""
    from rich.table import Table

    from floatgate.bus.explore import OPS, WAYS, front, full_at, sixteen
    from floatgate.cli.console import out

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
