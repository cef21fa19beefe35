"""`floatgate.bus.explore` and `floatgate.bus.waveform`: the wires between controller and chips."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import astuple, fields
from pathlib import Path
from typing import Unpack

from floatgate._generated.keywords import BusExploreKeywords, BusWaveformKeywords
from floatgate.bus import explore as exploring, figures, svg, vcd, waveform as drawing
from floatgate.bus.explore import MODES, BusPoint
from floatgate.bus.waveform import Waveform
from floatgate.files import putting, write_rows
from floatgate.options.bus import BusExploreOptions, BusWaveformOptions
from floatgate.options.effect import without_effect
from floatgate.options.taking import offered, take
from floatgate.results.folder import shared_folder

FILES = ("points.csv", "ways.svg", "front.svg")
DEFAULT_CHIPS = ("tlc-3d-256g", "qlc-3d-1t")
BYTES = 6  # drawn where nothing else is asked for


@offered(BusExploreOptions)
def explore(**options: Unpack[BusExploreKeywords]) -> list[BusPoint]:
    """Simulate every interface, channel and way count for some chips: when channels saturate, at what cost.

    A point has the bandwidth in 10^6 bytes per second, the energy in nJ per byte, pins, and the share of
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
) -> Iterator[BusPoint]:
    """Yield a point for each combination that was asked for."""
    return exploring.explore(asked.chip or DEFAULT_CHIPS, asked.interface or MODES, progress)


def written(points: Sequence[BusPoint], folder: Path) -> None:
    """Write table and figures into a folder that is there."""
    with putting(folder) as partial:
        rows = (astuple(point) for point in points)
        write_rows(partial / FILES[0], [field.name for field in fields(points[0])], rows)
        figures.draw(points, partial)


@offered(BusWaveformOptions)
def waveform(interface: str, **options: Unpack[BusWaveformKeywords]) -> Waveform:
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


def waveform_of(asked: BusWaveformOptions) -> Waveform:
    """Work out what was asked for."""
    if asked.operation.lower() in ("erase", "status"):
        without_effect(
            {"bytes": asked.bytes}, f"{asked.operation} moves no data", "read or program with this"
        )
    count = BYTES if asked.bytes is None else asked.bytes
    return drawing.waveform(asked.interface, asked.operation, count, asked.set)


def drawn(found: Waveform, folder: Path, *, force: bool) -> tuple[Path, Path]:
    """Write the VCD and the SVG into a folder; return where."""
    name = f"{found.interface.replace(', mode ', '-')}-{found.operation}"
    dump, picture = f"{name}.vcd", f"{name}.svg"
    with shared_folder(folder, dump, picture, force=force), putting(folder) as partial:
        with (partial / dump).open("w", encoding="ascii", newline="\n") as file:
            vcd.write(found, file)
        (partial / picture).write_text(svg.draw(found), encoding="utf-8")
    return folder / dump, folder / picture
