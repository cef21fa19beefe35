//! The timeline of a run as a Perfetto trace: a track for each channel and each die, an interval for each time at which
//! it is busy.
//!
//! Each track is a sequence of packets of its own, whose times are said since the packet before and whose names are said
//! once: an interval takes some 30 bytes, and a third of that compressed.

mod messages;

use controller::{ChannelUse, Kind, Origin, Transaction};
use flate2::{Compression, write::ZlibEncoder};
use messages::{
    BOOTTIME, ClockSnapshot, Defaults, EXPLICIT, EventName, InternedData, NEEDS_STATE, OWN_CLOCK,
    SLICE_BEGIN, SLICE_END, STATE_CLEARED, SnapshotClock, Trace, TracePacket, TrackDescriptor, TrackEvent,
};
use prost::Message;
use serde::Deserialize;
use std::io::Write;
use units::{ChannelId, DieId, SimTime};

/// Kind of selection of the activity that a run's timeline shows: of channels, of dies or of both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TimelineDetail {
    /// Case of the timeline's selection, the default: both the activity of channels and the activity of dies.
    #[default]
    All,
    /// Case of the timeline's selection: activity of dies only.
    Dies,
    /// Case of the timeline's selection: activity of channels only.
    Channels,
}

/// Constant: number of bytes of the trace from which on they are compressed as one piece (the last piece may have
/// fewer). The size is fixed because the trace must not depend on when the caller takes it, which varies with the
/// machine's speed.
const PIECE_BYTES: usize = 1 << 20;

/// Constant: identifier, in the timeline's trace, of the group of the channels' tracks.
const CHANNELS: u64 = 1;
/// Constant: identifier, in the timeline's trace, of the group of the dies' tracks.
const DIES: u64 = 2;
/// Constant: identifier, in the timeline's trace, of the first track.
const FIRST_TRACK: u64 = 16;

/// Constant: greatest number of different names of activity intervals in the timeline: one for each operation and, for
/// dies, each origin (host, garbage collection and so on); channels do not know the origin.
const NAMES: usize = (ChannelUse::COUNT + Kind::COUNT) * (Origin::COUNT + 1);
const _: () = assert!(NAMES <= 128, "a track keeps a bit for each");

/// State of one track of the timeline: whether the trace already has its description, the time of the track's last
/// packet, and the names defined so far.
#[derive(Clone, Copy, Default)]
struct TrackState {
    is_described: bool,
    last: SimTime,
    /// Bit mask of the names of activity intervals that the track's packets have already defined in the trace.
    named: u128,
}

/// State of a timeline of a run in Perfetto's format, while it is written: its tracks, and the bytes not taken yet.
pub(crate) struct Timeline {
    detail: TimelineDetail,
    /// List of the states of the timeline's tracks: channels first, then dies.
    tracks: Vec<TrackState>,
    channels: u32,
    /// Field of the timeline: bytes of the trace's packets that are not compressed yet.
    packets: Vec<u8>,
    /// Field of the timeline: compressed bytes of the trace that the caller has not taken yet.
    packed: Vec<u8>,
}

impl Timeline {
    /// Makes an empty timeline for a drive with `channels` channels and `dies` dies in all.
    pub fn new(detail: TimelineDetail, channels: u32, dies: u32) -> Self {
        let tracks = vec![TrackState::default(); (channels + dies) as usize];
        let mut timeline = Self { detail, tracks, channels, packets: Vec::new(), packed: Vec::new() };
        for (uuid, name) in [(CHANNELS, "channels"), (DIES, "dies")] {
            let rank = (uuid - CHANNELS) as usize;
            let packet = TracePacket {
                sequence: Some(1),
                sequence_flags: (uuid == CHANNELS).then_some(STATE_CLEARED),
                track_descriptor: Some(descriptor(uuid, name.to_owned(), None, rank)),
                ..TracePacket::default()
            };
            timeline.push(packet);
        }
        timeline
    }

    pub fn on_channel(&mut self, channel: ChannelId, usage: ChannelUse, from: SimTime, to: SimTime) {
        if self.detail != TimelineDetail::Dies {
            self.interval(channel.index(), usage as usize, Origin::COUNT, from, to);
        }
    }

    pub fn on_array(&mut self, transaction: &Transaction, from: SimTime, to: SimTime) {
        if self.detail != TimelineDetail::Channels {
            let (track, what) =
                (self.track_of(transaction.die), ChannelUse::COUNT + transaction.kind as usize);
            self.interval(track, what, transaction.origin as usize, from, to);
        }
    }

    fn track_of(&self, die: DieId) -> usize {
        self.channels as usize + die.index()
    }

    /// Adds an interval of activity, from `from` to `to`, to the timeline's track with index `track`; a track's
    /// intervals must come in order of time and must not overlap.
    fn interval(&mut self, track: usize, what: usize, origin: usize, from: SimTime, to: SimTime) {
        if !self.tracks[track].is_described {
            self.describe(track);
        }
        let of = &mut self.tracks[track];
        let name = what * (Origin::COUNT + 1) + origin;
        let is_new = of.named >> name & 1 == 0;
        of.named |= 1 << name;
        let (since, lasts) = (from.since(of.last).ns(), to.since(from).ns());
        of.last = to;
        let iid = name as u64 + 1;
        let event_name = || EventName { iid: Some(iid), name: Some(name_of(what, origin)) };
        let packet = |timestamp, kind| TracePacket {
            timestamp: Some(timestamp),
            sequence: Some(sequence_of(track)),
            sequence_flags: Some(NEEDS_STATE),
            track_event: Some(TrackEvent { kind: Some(kind), ..TrackEvent::default() }),
            ..TracePacket::default()
        };
        let mut begin = packet(since, SLICE_BEGIN);
        begin.interned_data = is_new.then(|| InternedData { event_names: vec![event_name()] });
        begin.track_event.iter_mut().for_each(|event| event.name_iid = Some(iid));
        self.push(begin);
        self.push(packet(lasts, SLICE_END));
    }

    /// Writes the description of a track (name and group) and its clock to the trace.
    fn describe(&mut self, track: usize) {
        self.tracks[track].is_described = true;
        let channels = self.channels as usize;
        let uuid = FIRST_TRACK + track as u64;
        let told = match track.checked_sub(channels) {
            None => descriptor(uuid, format!("channel {track}"), Some(CHANNELS), track),
            Some(die) => {
                let name = format!("die {die} (channel {})", die % channels);
                descriptor(uuid, name, Some(DIES), die)
            }
        };
        let of_track = TrackEvent { track_uuid: Some(uuid), ..TrackEvent::default() };
        self.push(TracePacket {
            sequence: Some(sequence_of(track)),
            sequence_flags: Some(STATE_CLEARED),
            defaults: Some(Defaults { track_event: Some(of_track), timestamp_clock_id: Some(OWN_CLOCK) }),
            track_descriptor: Some(told),
            ..TracePacket::default()
        });
        let clock = |id, is_incremental: Option<bool>| SnapshotClock {
            id: Some(id),
            timestamp: Some(0),
            is_incremental,
        };
        self.push(TracePacket {
            sequence: Some(sequence_of(track)),
            clock_snapshot: Some(ClockSnapshot {
                clocks: vec![clock(BOOTTIME, None), clock(OWN_CLOCK, Some(true))],
            }),
            ..TracePacket::default()
        });
    }

    fn push(&mut self, packet: TracePacket) {
        prost::encoding::message::encode(1, &packet, &mut self.packets);
        if self.packets.len() >= PIECE_BYTES {
            self.pack();
        }
    }

    /// Returns the compressed bytes of the trace since the last call, and removes them; bytes that do not fill a piece
    /// for compression yet stay.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.packed)
    }

    /// Returns all of the trace since the last call, after compressing the remaining bytes.
    pub fn take_rest(&mut self) -> Vec<u8> {
        if !self.packets.is_empty() {
            self.pack();
        }
        self.take()
    }

    fn pack(&mut self) {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&self.packets).expect("a vector takes everything");
        self.packets.clear();
        let packed = zlib.finish().expect("a vector takes everything");
        let packet = TracePacket { compressed_packets: Some(packed), ..TracePacket::default() };
        self.packed.extend(Trace { packet: vec![packet] }.encode_to_vec());
    }
}

/// Returns the number of the packet sequence of a timeline track in Perfetto's trace; sequence 1 belongs to the groups
/// of tracks.
fn sequence_of(track: usize) -> u32 {
    track as u32 + 2
}

fn descriptor(uuid: u64, name: String, parent_uuid: Option<u64>, rank: usize) -> TrackDescriptor {
    TrackDescriptor {
        uuid: Some(uuid),
        name: Some(name),
        parent_uuid,
        child_ordering: Some(EXPLICIT),
        sibling_order_rank: Some(rank as i32),
    }
}

/// Returns the name of an interval of activity in the timeline, such as `read (gc)` for a die or `data in` for a
/// channel.
fn name_of(what: usize, origin: usize) -> String {
    match what.checked_sub(ChannelUse::COUNT) {
        None => ChannelUse::ALL[what].name().to_owned(),
        Some(kind) => format!("{} ({})", Kind::ALL[kind].name(), Origin::ALL[origin].name()),
    }
}
