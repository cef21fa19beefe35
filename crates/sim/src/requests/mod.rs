//! Host requests on their way: in flight here, in submission queues, over the link.

mod filled;
pub(crate) mod link;
pub(crate) mod queues;

use controller::Waits;
use engine::{INDEX_MAX, next_index};
use ftl::{Coverage, Stages};
use host::{Effect, HostRequest};
use units::{Lpn, SimTime};

/// One host request and where it is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request {
    pub id: u32,
    pub host: HostRequest,
    /// First mapping unit of the request; `units` is the number of units that the request touches.
    pub first: Lpn,
    pub units: u32,
    /// Write: units whose data was taken so far, and units crossing the link now.
    pub units_in: u32,
    pub units_crossing: u32,
    /// Flash reads, or durable units, still to come.
    pub parts: u32,
    /// Bytes not yet sent to the host.
    pub bytes_left: u64,
    /// Bytes of a read that have come from the flash and wait to go on to the host.
    pub gathered: u64,
    /// When the last part of a read was decoded.
    pub gathered_at: SimTime,
    /// Time at which the drive fetched the request; `understood` is when the firmware had read the command.
    pub fetched: SimTime,
    pub understood: SimTime,
    /// Time at which a write began to wait for buffer room; `buffer_ns` is the length of the wait.
    pub waiting_since: SimTime,
    pub buffer_ns: u64,
    /// The arrays' busy time when that wait began, and the part of the wait put down to each origin.
    pub busy_then: Waits,
    pub buffer_waits: Waits,
    pub link_ns: u64,
    pub ecc_ns: u64,
    /// Stages in which the time of the request's last flash operation was spent.
    pub stages: Stages,
    /// Bytes of a read that the buffer's DRAM still has to give.
    pub from_memory: u64,
    pub measured: bool,
    pub failed: bool,
    /// True if part of the data that the request read is lost.
    pub uncorrectable: bool,
    /// Most attempts beyond the first that a flash read of the request took.
    pub retries: u8,
    /// True after the drive fetched the request, until the drive answers it.
    pub in_drive: bool,
    /// True while the request takes one of the places for commands that the drive works on.
    pub worked_on: bool,
    next_free: u32,
}

impl Request {
    /// Makes a request that nothing has happened to.
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

    /// Loses a unit of this write, which the drive refused: the write fails, and does not wait for that unit.
    pub fn lose_unit(&mut self) {
        self.failed = true;
        self.parts -= 1;
    }

    /// Ends a wait for buffer room. While the buffer is full, writes proceed at the pace of the arrays: the
    /// wait is divided as the arrays' busy time during it was; the host's own part stays buffer time.
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

    /// Leaves no more of the waits for buffer room than `most` ns: later data may have waited while earlier ones were
    /// programmed, whose time is counted. Gives what is left.
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

/// All requests in flight; places are used again.
pub(crate) struct Requests {
    items: Vec<Request>,
    free: u32,
    pub outstanding: u32,
    /// Units that the requests in the drive read.
    units_read: u64,
}

/// Units that requests may read at once: each is an operation that events must number, and the other half is for the drive's
/// own operations.
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

    /// No place is free.
    #[cold]
    #[inline(never)]
    fn insert_anew(&mut self, host: HostRequest, unit: u64) -> u32 {
        let id = next_index(self.items.len(), "requests");
        self.items.push(Request::new(id, host, unit));
        id
    }

    /// Lets the drive take a request up.
    #[inline]
    pub fn take_up(&mut self, id: u32) -> &mut Request {
        let request = &mut self.items[id as usize];
        (request.in_drive, request.worked_on) = (true, true);
        self.units_read += request.units_read();
        request
    }

    /// True when the requests in the drive read more units than it could number operations for.
    #[inline]
    pub fn read_too_much(&self) -> bool {
        self.units_read > READ_MOST
    }

    /// Returns every request the drive has fetched and not answered, in the order of their places.
    pub fn in_drive(&self) -> Vec<u32> {
        (0..self.items.len() as u32).filter(|&id| self.items[id as usize].in_drive).collect()
    }

    /// Returns every request that was made and not answered, in the order of their places.
    pub fn under_way(&self) -> Vec<u32> {
        let mut is_free = vec![false; self.items.len()];
        let mut free = self.free;
        while free != u32::MAX {
            is_free[free as usize] = true;
            free = self.items[free as usize].next_free;
        }
        (0..self.items.len() as u32).filter(|&id| !is_free[id as usize]).collect()
    }

    /// Returns what has waited longest, in words.
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

    /// Gives the place of a request free that is answered.
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

/// Returns the number of bytes of the host's that the next `granted` units of a write carry.
pub fn bytes_of(request: &Request, unit: u64, granted: u32) -> u64 {
    let from = (u64::from(request.first.0) + u64::from(request.units_in)) * unit;
    let to = from + u64::from(granted) * unit;
    let host_end = request.host.offset + u64::from(request.host.bytes);
    to.min(host_end) - from.max(request.host.offset)
}

/// Returns the first unit that a request touches, and the first behind it.
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

/// Returns what a request covers of a unit that it touches.
#[inline]
pub fn coverage(host: &HostRequest, lpn: Lpn, unit: u64) -> Coverage {
    let begin = u64::from(lpn.0) * unit;
    let (first, end) = (host.offset.max(begin), (host.offset + u64::from(host.bytes)).min(begin + unit));
    if end - first == unit {
        return Coverage::Whole;
    }
    Coverage::Part { from: (first - begin) as u32, bytes: (end - first) as u32 }
}

/// Returns the units that lie wholly inside a trim: a drive keeps what it was told to forget only in part.
pub fn whole_units(host: &HostRequest, unit: u64) -> (Lpn, u32) {
    let first = host.offset.div_ceil(unit);
    let end = (host.offset + u64::from(host.bytes)) / unit;
    (Lpn(first as u32), end.saturating_sub(first) as u32)
}
