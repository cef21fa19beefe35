//! The messages of Perfetto's trace format that a timeline needs, with the field numbers of its public definition
//! (protos/perfetto/trace of google/perfetto).

/// Contents of a trace file in Perfetto's format: a sequence of packets. Traces joined end to end are a trace, too.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TracePacket {
    #[prost(message, optional, tag = "6")]
    pub clock_snapshot: Option<ClockSnapshot>,
    /// Time of the packet on the clock of its sequence, in nanoseconds since the preceding packet of the sequence.
    #[prost(uint64, optional, tag = "8")]
    pub timestamp: Option<u64>,
    #[prost(uint32, optional, tag = "10")]
    pub sequence: Option<u32>,
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(message, optional, tag = "12")]
    pub interned_data: Option<InternedData>,
    #[prost(uint32, optional, tag = "13")]
    pub sequence_flags: Option<u32>,
    /// Field of a packet: further packets of the trace as one block of bytes, compressed in zlib format.
    #[prost(bytes = "vec", optional, tag = "50")]
    pub compressed_packets: Option<Vec<u8>>,
    #[prost(message, optional, tag = "59")]
    pub defaults: Option<Defaults>,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

/// Constant: value of `sequence_flags` in Perfetto's format: the packet needs nothing that came before in its sequence.
pub const STATE_CLEARED: u32 = 1;
/// Constant: value of `sequence_flags` in Perfetto's format: the packet needs names and defaults that came before in
/// its sequence.
pub const NEEDS_STATE: u32 = 2;

#[derive(Clone, PartialEq, prost::Message)]
pub struct TrackEvent {
    #[prost(uint32, optional, tag = "9")]
    pub kind: Option<u32>,
    #[prost(uint64, optional, tag = "10")]
    pub name_iid: Option<u64>,
    #[prost(uint64, optional, tag = "11")]
    pub track_uuid: Option<u64>,
}

/// Constant: value of `TrackEvent::kind` in Perfetto's format: an interval of activity (slice) begins on the track.
pub const SLICE_BEGIN: u32 = 1;
/// Constant: value of `TrackEvent::kind` in Perfetto's format: the interval of activity (slice) that began last on the
/// track ends.
pub const SLICE_END: u32 = 2;

#[derive(Clone, PartialEq, prost::Message)]
pub struct InternedData {
    #[prost(message, repeated, tag = "2")]
    pub event_names: Vec<EventName>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct EventName {
    #[prost(uint64, optional, tag = "1")]
    pub iid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct Defaults {
    #[prost(message, optional, tag = "11")]
    pub track_event: Option<TrackEvent>,
    #[prost(uint32, optional, tag = "58")]
    pub timestamp_clock_id: Option<u32>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TrackDescriptor {
    #[prost(uint64, optional, tag = "1")]
    pub uuid: Option<u64>,
    #[prost(string, optional, tag = "2")]
    pub name: Option<String>,
    #[prost(uint64, optional, tag = "5")]
    pub parent_uuid: Option<u64>,
    #[prost(uint32, optional, tag = "11")]
    pub child_ordering: Option<u32>,
    #[prost(int32, optional, tag = "12")]
    pub sibling_order_rank: Option<i32>,
}

/// Constant: value of `TrackDescriptor::child_ordering` in Perfetto's format: the children of a track are sorted by
/// rank, an order number in the description of each child track.
pub const EXPLICIT: u32 = 3;

#[derive(Clone, PartialEq, prost::Message)]
pub struct ClockSnapshot {
    #[prost(message, repeated, tag = "1")]
    pub clocks: Vec<SnapshotClock>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct SnapshotClock {
    #[prost(uint32, optional, tag = "1")]
    pub id: Option<u32>,
    #[prost(uint64, optional, tag = "2")]
    pub timestamp: Option<u64>,
    /// True if, in a trace in Perfetto's format, each time on this clock is given as the difference to the preceding
    /// time.
    #[prost(bool, optional, tag = "3")]
    pub is_incremental: Option<bool>,
}

/// Constant: number that Perfetto gives to the clock which times in a trace use by default.
pub const BOOTTIME: u32 = 6;
/// Constant: lowest clock number in Perfetto's format that a sequence of packets may use for a clock of its own.
pub const OWN_CLOCK: u32 = 64;
