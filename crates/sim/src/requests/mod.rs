//! Host requests on their way: in flight here, in submission queues, over the link.

mod filled;
pub(crate) mod link;
pub(crate) mod queues;

use controller::Waits;
use engine::{INDEX_MAX, next_index};
use ftl::{Coverage, Stages};
use host::{Effect, HostRequest};
use units::{Lpn, SimTime};

/// State of a host request in flight: its progress, its times and its errors.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub id: u32,
    pub host: HostRequest,
    /// Number of the first mapping unit (LPN) that the host request accesses.
    pub first: Lpn,
    /// Number of mapping units that the host request accesses.
    pub units: u32,
    /// Number of mapping units of a write in flight whose data the drive has accepted so far.
    pub units_in: u32,
    /// Number of mapping units of a write in flight whose data cross the host link now.
    pub units_crossing: u32,
    /// Number of parts that the request still waits for: flash reads and a fetch from the buffer's DRAM (of a read), or
    /// units not yet durable (of a write that waits until its data are on flash).
    pub parts: u32,
    /// Number of bytes of a read that have come neither from the flash nor from the write buffer yet.
    pub bytes_left: u64,
    /// Number of bytes of a read that have come from the flash and wait for their transfer to the host.
    pub gathered: u64,
    /// Time at which all parts of the read that have come from the flash so far are decoded.
    pub gathered_at: SimTime,
    /// Time at which the drive fetched the host request.
    pub fetched: SimTime,
    /// Time at which the drive's firmware had read the command of the host request.
    pub understood: SimTime,
    /// Time at which a write in flight began to wait for space in the write buffer.
    pub waiting_since: SimTime,
    /// Sum of all waits of a write in flight for space in the write buffer, in nanoseconds.
    pub buffer_ns: u64,
    /// Busy time in nanoseconds of the flash arrays, by origin, when the present wait of a write in flight for space in
    /// the write buffer began.
    pub busy_then: Waits,
    /// List, by origin, of the nanoseconds of a write's waits for space in the write buffer that are attributed to the
    /// origin; of a read, the last has its wait for map entries from flash.
    pub buffer_waits: Waits,
    pub link_ns: u64,
    pub ecc_ns: u64,
    /// Times in nanoseconds that the request's last flash operation spent in each stage (waits, channel, array,
    /// transfer).
    pub stages: Stages,
    /// Number of bytes of a read that the DRAM of the write buffer supplies.
    pub from_memory: u64,
    pub measured: bool,
    pub failed: bool,
    /// Field of a host request in flight: true if part of the data that the request read is lost.
    pub uncorrectable: bool,
    /// Greatest number of read retries that one flash read of the request took.
    pub retries: u8,
    /// True from the moment the drive fetches the request until the drive answers it.
    pub in_drive: bool,
    /// True while the request occupies one of the limited number of command slots: commands that the drive processes at
    /// the same time.
    pub worked_on: bool,
    next_free: u32,
}

impl Request {
    /// Makes the state of a host request before it is submitted, with the request's range of mapping units.
    #[inline(always)]
    fn new(id: u32, host: HostRequest, unit: u64) -> Self {
        let (first, end) = units_of(&host, unit);
        Self {
            id,
            host,
            first: Lpn(first as u32),
            units: if host.op.effect() == Effect::Flush { 0 } else { (end - first) as u32 },
            units_in: 0,
            units_crossing: 0,
            parts: 0,
            bytes_left: u64::from(host.bytes),
            gathered: 0,
            gathered_at: SimTime::ZERO,
            fetched: SimTime::ZERO,
            understood: SimTime::ZERO,
            waiting_since: SimTime::ZERO,
            buffer_ns: 0,
            busy_then: [0; 4],
            buffer_waits: [0; 4],
            link_ns: 0,
            ecc_ns: 0,
            stages: Stages { waits: [0; 4], queue: 0, channel: 0, array: 0, transfer: 0 },
            from_memory: 0,
            measured: true,
            failed: false,
            uncorrectable: false,
            retries: 0,
            in_drive: false,
            worked_on: false,
            next_free: u32::MAX,
        }
    }

    fn units_read(&self) -> u64 {
        if self.host.op.effect() == Effect::Read { u64::from(self.units) } else { 0 }
    }

    /// Records that the drive refused a unit of this write: the request fails, and no longer waits for that unit.
    pub fn lose_unit(&mut self) {
        self.failed = true;
        self.parts -= 1;
    }

    /// Ends a write's wait for space in the write buffer and attributes the wait to origins. With a full buffer writes
    /// proceed at the pace of the flash arrays, so the wait is divided like the arrays' busy time during it; the host's
    /// part stays buffer time.
    pub fn end_buffer_wait(&mut self, now: SimTime, busy_now: Waits) {
        let wait = now.since(self.waiting_since).ns();
        self.buffer_ns += wait;
        let busy: Waits = std::array::from_fn(|column| busy_now[column] - self.busy_then[column]);
        let total: u64 = busy.iter().sum();
        if wait == 0 || total == 0 {
            return;
        }
        for (sum, busy) in self.buffer_waits.iter_mut().zip(busy).skip(1) {
            *sum += (u128::from(wait) * u128::from(busy) / u128::from(total)) as u64;
        }
    }

    /// Shortens the waits for buffer space attributed to origins to at most `most` ns in all, because later data may
    /// have waited while earlier data of the request were programmed. Returns the remaining sum.
    pub fn limit_buffer_waits(&mut self, most: u64) -> u64 {
        let mut excess = self.buffer_waits.iter().sum::<u64>().saturating_sub(most);
        for wait in &mut self.buffer_waits {
            let cut = excess.min(*wait);
            *wait -= cut;
            excess -= cut;
        }
        self.buffer_waits.iter().sum()
    }
}

/// Pool of all host requests in flight; list entries (slots) of answered requests are reused.
pub(crate) struct Requests {
    items: Vec<Request>,
    free: u32,
    pub outstanding: u32,
    /// Number of mapping units that all reads at present in the drive access together.
    units_read: u64,
}

/// Constant: greatest number of mapping units that all host reads in the drive together may access at the same time:
/// each unit's read is an operation with an index, and the other half of the indices is for the drive's own operations.
pub(crate) const READ_MOST: u64 = INDEX_MAX as u64 / 2;

impl Requests {
    pub fn new() -> Self {
        Self { items: Vec::with_capacity(1024), free: u32::MAX, outstanding: 0, units_read: 0 }
    }

    #[inline]
    pub fn insert(&mut self, host: HostRequest, unit: u64) -> u32 {
        self.outstanding += 1;
        let id = self.free;
        let Some(place) = self.items.get_mut(id as usize) else { return self.insert_anew(host, unit) };
        self.free = place.next_free;
        // Made where it stays: a copy would cost as much as all else that is done to take a request in.
        *place = Request::new(id, host, unit);
        id
    }

    /// Adds a list entry (slot) to the pool for the request, for the case that no slot is free; returns the request's
    /// id.
    #[cold]
    #[inline(never)]
    fn insert_anew(&mut self, host: HostRequest, unit: u64) -> u32 {
        let id = next_index(self.items.len(), "requests");
        self.items.push(Request::new(id, host, unit));
        id
    }

    /// Marks the request with number `id` as fetched by the drive, and returns a mutable reference to the state of that
    /// request.
    #[inline]
    pub fn take_up(&mut self, id: u32) -> &mut Request {
        let request = &mut self.items[id as usize];
        (request.in_drive, request.worked_on) = (true, true);
        self.units_read += request.units_read();
        request
    }

    /// Returns true if the reads in the drive together access more mapping units than [`READ_MOST`].
    #[inline]
    pub fn read_too_much(&self) -> bool {
        self.units_read > READ_MOST
    }

    /// Returns the ids, in ascending order, of the requests that the drive has fetched and not answered.
    pub fn in_drive(&self) -> Vec<u32> {
        (0..self.items.len() as u32).filter(|&id| self.items[id as usize].in_drive).collect()
    }

    /// Returns the ids, in ascending order, of all host requests in the pool that the drive has not answered yet,
    /// fetched or not.
    pub fn under_way(&self) -> Vec<u32> {
        let mut is_free = vec![false; self.items.len()];
        let mut free = self.free;
        while free != u32::MAX {
            is_free[free as usize] = true;
            free = self.items[free as usize].next_free;
        }
        (0..self.items.len() as u32).filter(|&id| !is_free[id as usize]).collect()
    }

    /// Returns a text, for error messages, about the number of waiting requests and the oldest request in the drive.
    pub fn describe_oldest(&self) -> String {
        let waiting = self.items.iter().filter(|request| request.in_drive);
        let Some(oldest) = waiting.min_by_key(|request| request.host.arrive) else {
            return format!("{} requests wait to be taken up", self.outstanding);
        };
        let HostRequest { op, offset, bytes, arrive, .. } = oldest.host;
        format!(
            "{} requests wait, the oldest a {} of {bytes} bytes at {offset} since {arrive}, {} of its {} units taken, {} \
             parts to come",
            self.outstanding,
            op.name(),
            oldest.units_in,
            oldest.units,
            oldest.parts
        )
    }

    #[inline]
    pub fn get(&mut self, id: u32) -> &mut Request {
        &mut self.items[id as usize]
    }

    /// Frees the list entry (slot) in the pool of an answered request, for another request.
    #[inline]
    pub fn release(&mut self, id: u32) {
        let request = &mut self.items[id as usize];
        self.units_read -= if request.in_drive { request.units_read() } else { 0 };
        request.in_drive = false;
        request.next_free = self.free;
        self.free = id;
        self.outstanding -= 1;
    }
}

/// Returns the number of host bytes in the next `granted` units of a write; a unit at the ends of the write may be
/// partial.
pub fn bytes_of(request: &Request, unit: u64, granted: u32) -> u64 {
    let from = (u64::from(request.first.0) + u64::from(request.units_in)) * unit;
    let to = from + u64::from(granted) * unit;
    let host_end = request.host.offset + u64::from(request.host.bytes);
    to.min(host_end) - from.max(request.host.offset)
}

/// Returns the number of the first mapping unit that a request accesses, and of the first unit after the request.
#[inline(always)]
fn units_of(host: &HostRequest, unit: u64) -> (u64, u64) {
    let end = host.offset + u64::from(host.bytes);
    let shift = unit.trailing_zeros();
    if unit >> shift == 1 {
        // Nearly always so, and a division takes as long as all else that is done here.
        return (host.offset >> shift, (end + unit - 1) >> shift);
    }
    (host.offset / unit, end.div_ceil(unit))
}

/// Returns which part of the mapping unit `lpn` a request covers: the whole unit, or a range of bytes.
#[inline]
pub fn coverage(host: &HostRequest, lpn: Lpn, unit: u64) -> Coverage {
    let begin = u64::from(lpn.0) * unit;
    let (first, end) = (host.offset.max(begin), (host.offset + u64::from(host.bytes)).min(begin + unit));
    if end - first == unit {
        return Coverage::Whole;
    }
    Coverage::Part { from: (first - begin) as u32, bytes: (end - first) as u32 }
}

/// Returns the first mapping unit that a trim covers wholly, and the number of wholly covered units; units covered in
/// part are not trimmed.
pub fn whole_units(host: &HostRequest, unit: u64) -> (Lpn, u32) {
    let first = host.offset.div_ceil(unit);
    let end = (host.offset + u64::from(host.bytes)) / unit;
    (Lpn(first as u32), end.saturating_sub(first) as u32)
}
