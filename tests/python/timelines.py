"""Timelines read back by the format's own classes, as its viewer does."""

import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TracePacket, TrackEvent

BOOTTIME = 6


@dataclass(frozen=True)
class Interval:
    """What a channel or a die did, and when."""

    name: str
    from_ns: int
    to_ns: int


class _Sequence:
    """What the packets of one sequence have said so far."""

    def __init__(self) -> None:
        self.track = self.clock = self.now = 0
        self.names: dict[int, str] = {}

    def take(self, packet: Any) -> None:
        if packet.HasField("trace_packet_defaults"):
            self.track = packet.trace_packet_defaults.track_event_defaults.track_uuid
            self.clock = packet.trace_packet_defaults.timestamp_clock_id
        clocks = {clock.clock_id: clock for clock in packet.clock_snapshot.clocks}
        if clocks:
            assert clocks[BOOTTIME].timestamp == 0
            assert clocks[self.clock].is_incremental
            self.now = clocks[self.clock].timestamp
        self.names |= {name.iid: name.name for name in packet.interned_data.event_names}


def read(folder: Path) -> dict[str, list[Interval]]:
    """Return the intervals of each track of a run's timeline, by the track's name."""
    sequences: dict[int, _Sequence] = {}
    tracks: dict[int, str] = {}
    begun: dict[int, tuple[str, int]] = {}
    found: dict[str, list[Interval]] = {}
    for packet in _packets((folder / "timeline.perfetto-trace").read_bytes()):
        sequence = sequences.setdefault(packet.trusted_packet_sequence_id, _Sequence())
        if packet.HasField("track_descriptor"):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor.name
        sequence.take(packet)
        if not packet.HasField("track_event"):
            continue
        assert packet.sequence_flags == TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        sequence.now += packet.timestamp
        if packet.track_event.type == TrackEvent.TYPE_SLICE_BEGIN:
            assert sequence.track not in begun, "intervals of one track do not overlap"
            begun[sequence.track] = (sequence.names[packet.track_event.name_iid], sequence.now)
        else:
            name, since = begun.pop(sequence.track)
            found.setdefault(tracks[sequence.track], []).append(Interval(name, since, sequence.now))
    assert not begun
    return found


def _packets(data: bytes) -> list[Any]:
    packed = (packet.compressed_packets for packet in Trace.FromString(data).packet)
    return [packet for piece in packed for packet in Trace.FromString(zlib.decompress(piece)).packet]


def busy(track: list[Interval], end: int) -> int:
    """Return for how many ns a track is busy until `end`."""
    return sum(min(one.to_ns, end) - min(one.from_ns, end) for one in track)
