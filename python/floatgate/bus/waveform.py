"""An operation on the wires, as the core works it out: signals, edges, and the relations between them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from floatgate import _core, callable_room

PAPER_NAMES = {"sync_only": "sync-only"}  # the others differ in case only
FS_PER_NS = 1e6


@dataclass(frozen=True)
class Edge:
    """A change of level."""

    at_fs: int
    level: str  # low, high, released, unknown or byte
    value: int | None = None  # of a byte
    word: str = ""  # what the byte is: 30h, C1, D0


@dataclass(frozen=True)
class Signal:
    """A wire, or the eight of the bus."""

    name: str
    what: str
    wide: bool
    edges: tuple[Edge, ...]


@dataclass(frozen=True)
class Mark:
    """A relation between two edges."""

    name: str  # the parameter: tDS
    kind: str  # set-up, hold, delay or wait
    from_signal: str
    from_fs: int
    to_signal: str
    to_fs: int
    slack_ns: float | None  # beyond what it must be at least; None: it is what it is

    @property
    def ns(self) -> float:
        """How long it is, ns."""
        return (self.to_fs - self.from_fs) / FS_PER_NS


@dataclass(frozen=True)
class Phase:
    """A part of the operation; those in which nothing happens but time have no byte time."""

    name: str
    from_fs: int
    to_fs: int
    byte_fs: int | None


@dataclass(frozen=True)
class Waveform:
    """The signals of a whole operation, edge by edge; times are in fs from its begin."""

    interface: str
    operation: str
    end_fs: int
    signals: tuple[Signal, ...]
    marks: tuple[Mark, ...]
    captures_fs: tuple[int, ...]
    phases: tuple[Phase, ...]
    notes: tuple[str, ...]

    def _repr_html_(self) -> str:
        from floatgate.bus.svg import draw

        return draw(self)


def waveform(interface: str, operation: str, data_bytes: int, settings: Sequence[str] = ()) -> Waveform:
    """Return the waveform of `operation` on `interface`: `PROPOSED`, `conv`, `nv-ddr3:12`.

    `settings` are KEY=VALUE as `--set` takes them. Raises InputError for what is unknown or does not close.
    """
    name, _, mode = interface.partition(":")
    name = PAPER_NAMES.get(name.lower(), name.lower())
    keys = [f"bus.interface.name={name}", *([f"bus.interface.mode={mode}"] if mode else []), *settings]
    return _read(json.loads(_core.bus_waveform(operation.lower(), data_bytes, keys)))


def _read(found: dict[str, Any]) -> Waveform:
    return Waveform(
        interface=found["interface"],
        operation=found["operation"],
        end_fs=found["end"],
        signals=tuple(
            Signal(each["name"], each["what"], each["wide"], tuple(Edge(*edge) for edge in each["edges"]))
            for each in found["signals"]
        ),
        marks=tuple(
            Mark(
                each["name"],
                each["kind"],
                each["from_signal"],
                each["from"],
                each["to_signal"],
                each["to"],
                each["slack_ns"],
            )
            for each in found["marks"]
        ),
        captures_fs=tuple(found["captures"]),
        phases=tuple(Phase(each["name"], each["from"], each["to"], each["byte"]) for each in found["phases"]),
        notes=tuple(found["notes"]),
    )


callable_room.answers(__name__, "floatgate.commands.bus")
