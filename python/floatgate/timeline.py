"""The timeline of a run as a Perfetto trace: a track per channel and per die, a slice per busy interval."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from floatgate.tables import columns_to_batch

if TYPE_CHECKING:
    from floatgate import _core

_SEQUENCE = 1  # one writer, so one sequence of packets


class TimelineSink:
    """Writes the intervals that the core hands out, while the run goes on.

    The core gives `track`, `start_ns`, `end_ns`, `kind` and `origin` per interval; the intervals of a track
    do not overlap and come in order.
    """

    def __init__(self, path: Path, session: "_core.Session") -> None:
        from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as messages

        self._messages: Any = messages
        self._schema = json.loads(session.timeline_schema())
        self._columns = [(name, dtype) for name, dtype in self._schema["columns"]]
        self._file = path.open("wb")
        self._interned: dict[tuple[int, int], int] = {}
        self._describe_tracks()

    def drain(self, session: "_core.Session") -> None:
        """Take the intervals recorded since the last call."""
        intervals = columns_to_batch(self._columns, session.timeline()).to_pydict()
        trace = self._messages.Trace()
        for row in zip(*(intervals[name] for name in _COLUMNS), strict=True):
            self._slice(trace, *row)
        self._file.write(trace.SerializeToString())

    def close(self) -> None:
        """End the file."""
        self._file.close()

    def _describe_tracks(self) -> None:
        trace = self._messages.Trace()
        packet = trace.packet.add(trusted_packet_sequence_id=_SEQUENCE)
        packet.sequence_flags = self._messages.TracePacket.SEQ_INCREMENTAL_STATE_CLEARED
        groups = dict.fromkeys(track["group"] for track in self._schema["tracks"])
        for number, group in enumerate(groups):
            self._describe(trace, 1 + number, group, None, number)
            groups[group] = 1 + number
        for number, track in enumerate(self._schema["tracks"]):
            self._describe(trace, _uuid(number), track["name"], groups[track["group"]], number)
        self._file.write(trace.SerializeToString())

    def _describe(self, trace: Any, uuid: int, name: str, parent: int | None, rank: int) -> None:
        packet = trace.packet.add(trusted_packet_sequence_id=_SEQUENCE)
        packet.track_descriptor.uuid = uuid
        packet.track_descriptor.name = name
        packet.track_descriptor.sibling_order_rank = rank
        packet.track_descriptor.child_ordering = self._messages.TrackDescriptor.EXPLICIT
        if parent is not None:
            packet.track_descriptor.parent_uuid = parent

    def _slice(self, trace: Any, track: int, start_ns: int, end_ns: int, kind: int, origin: int) -> None:
        begin = trace.packet.add(timestamp=start_ns, trusted_packet_sequence_id=_SEQUENCE)
        begin.sequence_flags = self._messages.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        begin.track_event.type = self._messages.TrackEvent.TYPE_SLICE_BEGIN
        begin.track_event.track_uuid = _uuid(track)
        begin.track_event.name_iid = self._name(begin, kind, origin)
        end = trace.packet.add(timestamp=end_ns, trusted_packet_sequence_id=_SEQUENCE)
        end.sequence_flags = self._messages.TracePacket.SEQ_NEEDS_INCREMENTAL_STATE
        end.track_event.type = self._messages.TrackEvent.TYPE_SLICE_END
        end.track_event.track_uuid = _uuid(track)

    def _name(self, packet: Any, kind: int, origin: int) -> int:
        """The number of a slice's name; the name itself goes into the first packet that uses it."""
        number = self._interned.get((kind, origin))
        if number is None:
            number = self._interned[kind, origin] = len(self._interned) + 1
            name = f"{self._schema['kinds'][kind]} ({self._schema['origins'][origin]})"
            packet.interned_data.event_names.add(iid=number, name=name)
        return number


_COLUMNS = ("track", "start_ns", "end_ns", "kind", "origin")


def _uuid(track: int) -> int:
    """Tracks are numbered behind the groups, which start at 1."""
    return 1000 + track
