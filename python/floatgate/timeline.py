"""The timeline of a run as a Perfetto trace: a track per channel and per die, a slice per busy interval."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floatgate import _core

_SEQUENCE = 1  # one writer, so one sequence of packets
_CHANNELS, _DIES = 1, 2  # the groups' numbers; the tracks' follow
_FIRST_TRACK = 16


class TimelineSink:
    """Writes the intervals that the core hands out, while the run goes on.

    An interval has `from_ns`, `to_ns`, `track`, `what`, `origin`; those of a track do not overlap and come
    in order. Tracks from `first_die` on are dies, those below are channels.
    """

    def __init__(self, path: Path, session: "_core.Session") -> None:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages

        self._messages: Any = messages
        self._schema = json.loads(session.timeline_schema())
        self._names: dict[tuple[int, int], int] = {}
        self._tracks: set[int] = set()
        self._file = path.open("wb")
        self._describe_groups()

    def drain(self, session: "_core.Session") -> None:
        """Take the intervals recorded since the last call."""
        intervals = session.timeline()
        trace = self._messages.Trace()
        for row in zip(*(intervals.column(name) for name in _COLUMNS), strict=True):
            self._slice(trace, *row)
        self._file.write(trace.SerializeToString())

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def _describe_groups(self) -> None:
        trace = self._messages.Trace()
        packet = trace.packet.add(trusted_packet_sequence_id=_SEQUENCE)
        packet.sequence_flags = self._messages.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        self._describe(trace, _CHANNELS, "channels", None, 0)
        self._describe(trace, _DIES, "dies", None, 1)
        self._file.write(trace.SerializeToString())

    def _describe_track(self, trace: Any, track: int) -> None:
        die = track - self._schema["first_die"]
        if die < 0:
            self._describe(trace, _FIRST_TRACK + track, f"channel {track}", _CHANNELS, track)
        else:
            name = f"die {die} (channel {die % self._schema['channels']})"
            self._describe(trace, _FIRST_TRACK + track, name, _DIES, die)
        self._tracks.add(track)

    def _describe(self, trace: Any, uuid: int, name: str, parent: int | None, rank: int) -> None:
        packet = trace.packet.add(trusted_packet_sequence_id=_SEQUENCE)
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.name = name
        packet.track_descriptor.sibling_order_rank = rank
        packet.track_descriptor.child_ordering = self._messages.TrackDescriptor.EXPLICIT
        if parent is not None:
            packet.track_descriptor.parent_uuid = parent

    def _slice(self, trace: Any, from_ns: int, to_ns: int, track: int, what: int, origin: int) -> None:
        if track not in self._tracks:
            self._describe_track(trace, track)
        begin = trace.packet.add(timestamp=from_ns, trusted_packet_sequence_id=_SEQUENCE)
        begin.sequence_flags = self._messages.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        begin.track_event.type = self._messages.TrackEvent.TYPE_SLICE_BEGIN
        begin.track_event.track_uuid = _FIRST_TRACK + track
        begin.track_event.name_iid = self._name(begin, what, origin)
        end = trace.packet.add(timestamp=to_ns, trusted_packet_sequence_id=_SEQUENCE)
        end.sequence_flags = self._messages.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        end.track_event.type = self._messages.TrackEvent.TYPE_SLICE_END
        end.track_event.track_uuid = _FIRST_TRACK + track

    def _name(self, packet: Any, what: int, origin: int) -> int:
        """The number of a slice's name; the name itself goes into the first packet that uses it."""
        number = self._names.get((what, origin))
        if number is None:
            number = self._names[what, origin] = len(self._names) + 1
            origins = self._schema["origins"]
            whose = f" ({origins[origin]})" if origin < len(origins) else ""
            packet.interned_data.event_names.add(iid=number, name=self._schema["what"][what] + whose)
        return number


_COLUMNS = ("from_ns", "to_ns", "track", "what", "origin")
