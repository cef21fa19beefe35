"""A waveform as a value change dump (IEEE 1364), which GTKWave opens. Times in femtoseconds, whole."""

from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from floatgate.bus.waveform import Edge, Waveform

LEVELS: dict[str, int | str] = {"low": 0, "high": 1, "released": "z", "unknown": "x"}


def write(waveform: "Waveform", file: TextIO) -> None:
    """Write the waveform; the same waveform gives the same bytes."""
    from vcd import VCDWriter

    comment = f"{waveform.interface}, {waveform.operation}"
    with VCDWriter(file, timescale="1 fs", date="-", comment=comment, version="Floatgate") as writer:
        scope = "bus"
        variables = {
            signal.name: writer.register_var(
                scope, signal.name.replace("#", "_n"), "wire", size=8 if signal.wide else 1, init="x"
            )
            for signal in waveform.signals
        }
        changes = sorted(
            (
                (edge.at_fs, index, signal, edge)
                for index, signal in enumerate(waveform.signals)
                for edge in signal.edges
            ),
            key=lambda change: change[:2],
        )
        for at_fs, _, signal, edge in changes:
            writer.change(variables[signal.name], at_fs, _value(edge, signal.wide))
        writer.close(waveform.end_fs)


def _value(edge: "Edge", wide: bool) -> int | str:
    if edge.value is not None:
        return edge.value
    level = LEVELS[edge.level]
    return level * 8 if wide and isinstance(level, str) else level
