//! The messages of Perfetto's trace format that a timeline needs, with the field numbers of its public definition
//! (protos/perfetto/trace of google/perfetto).

/// A trace: packets, one after the other. Traces that are put together are a trace, too.
#[derive(Clone, PartialEq, prost::Message)]
pub struct Trace {
    #[prost(message, repeated, tag = "1")]
    pub packet: Vec<TracePacket>,
}

#[derive(Clone, PartialEq, prost::Message)]
pub struct TracePacket {
    #[prost(message, optional, tag = "6")]
    pub clock_snapshot: Option<ClockSnapshot>,
    /// On the sequence's clock: since the packet before of the same sequence.
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
    /// Packets as a stream of zlib.
    #[prost(bytes = "vec", optional, tag = "50")]
    pub compressed_packets: Option<Vec<u8>>,
    #[prost(message, optional, tag = "59")]
    pub defaults: Option<Defaults>,
    #[prost(message, optional, tag = "60")]
    pub track_descriptor: Option<TrackDescriptor>,
}

/// `sequence_flags`: nothing before this packet is needed.
pub const STATE_CLEARED: u32 = 1;
/// `sequence_flags`: names and defaults that came before are needed.
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

/// `TrackEvent::kind`: an interval begins.
pub const SLICE_BEGIN: u32 = 1;
/// `TrackEvent::kind`: the interval ends that began last on its track.
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

/// `TrackDescriptor::child_ordering`: by rank.
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
    /// Each time is said since the one before.
    #[prost(bool, optional, tag = "3")]
    pub is_incremental: Option<bool>,
}

/// The clock of a trace, where it says nothing else.
pub const BOOTTIME: u32 = 6;
/// The first number of clocks that each sequence has for itself.
pub const OWN_CLOCK: u32 = 64;
