//! What is remembered of the zones of a drive, those of all its zoned namespaces in one list: their states, and which
//! commands on a zone wait for each other. The limits on open and active zones are the drive's, over all namespaces.
//!
//! The host counts bytes from the start of a zone to that of the next; the drive's own are the bytes that can be
//! written, side by side, behind those of the namespaces without zones. Here alone the ones become the others.

use super::fillings::ZonePlaces;
use super::{NamespaceEntry, Placed};
use ftl::{Ftl, ZoneTimes, ZonedLayer, Zoning};
use host::command::zns::{ZoneCounts, ZoneError, ZoneShape, ZoneState, ZoneStates, ZoneWork};
use host::{Effect, Extent, HostRequest, HostZones, Op};
use std::collections::{BTreeMap, VecDeque};
use units::{Nanos, SimTime};

/// Kind of work that waits for its turn in a zone of a zoned namespace, a write or a zone command: writes to a zone
/// transfer their data one after the other, so that data reach the flash in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ZoneTurn {
    /// Case of work in a zone: the write with this request number, which transfers its data when it has its turn.
    Write(u32),
    /// Case of work in a zone: the zone command with this request number, with the work that it needs on the flash.
    Work(u32, ZoneWork),
}

/// State of the zones of all zoned namespaces of a drive: zones, firmware, waiting work and counts.
#[derive(Clone, Debug)]
pub(crate) struct DriveZones {
    zones: ZoneStates,
    /// Size in bytes of a logical block of the zones, the unit in which write pointers advance.
    unit: u64,
    /// Byte of the drive's own addresses at which the first zone begins; the namespaces without zones are before it.
    base: u64,
    times: ZoneTimes,
    /// Time at which the firmware that checks write pointers is free for the next write.
    firmware_free: SimTime,
    /// List of the request numbers of writes whose write pointers the firmware is checking, in order.
    looked_at: VecDeque<u32>,
    /// Queues of work by zone number, for each zone with work; the work in progress is at the front of a queue.
    turns: BTreeMap<u32, VecDeque<ZoneTurn>>,
    /// List of the original host requests in flight that reach beyond the capacity of a zone, by request number, since
    /// the translated requests contain only the part inside.
    odd: BTreeMap<u32, HostRequest>,
    errors: BTreeMap<ZoneError, u64>,
    places: ZonePlaces,
    /// Counts of zone operations up to the beginning of the measured window, which are subtracted.
    before: ZoneCounts,
}

impl DriveZones {
    /// Makes the zones that `zoning` describes, all empty; a logical block has `unit` bytes, and the first zone begins
    /// at byte `base` of the drive's own addresses.
    pub fn new(zoning: Zoning, unit: u64, base: u64) -> Self {
        let shape = ZoneShape {
            count: zoning.count,
            size: zoning.size,
            capacity: u64::from(zoning.capacity),
            open_most: zoning.open_most,
            active_most: zoning.active_most,
            reads_unwritten: zoning.reads_unwritten,
        };
        Self {
            zones: ZoneStates::new(shape),
            unit,
            base,
            times: zoning.times,
            firmware_free: SimTime::ZERO,
            looked_at: VecDeque::new(),
            turns: BTreeMap::new(),
            odd: BTreeMap::new(),
            errors: BTreeMap::new(),
            places: ZonePlaces::default(),
            before: ZoneCounts::default(),
        }
    }

    /// Begins a run on the drive `ftl`: sets the state of each zone according to the data that
    /// the drive contains.
    pub fn begin(&mut self, ftl: &Ftl) {
        self.places = ZonePlaces::of(ftl.zones_held_back());
        for (zone, state) in (0..).zip(ftl.zones()) {
            self.zones.found(zone, (u64::from(state.written), state.is_finished));
            if self.zones.get(zone).state == ZoneState::Closed {
                self.places.begin(zone);
            }
        }
    }

    /// Lets the zones go on after a power cut: work in progress is forgotten, and each zone has the state that the
    /// drive `ftl` found (open zones are closed).
    pub fn go_on_after_cut(&mut self, ftl: &Ftl) {
        self.firmware_free = SimTime::ZERO;
        self.looked_at.clear();
        self.turns.clear();
        self.begin(ftl);
    }

    /// Begins the measured window of the run: from here on zone operations and errors are counted.
    pub fn begin_measuring(&mut self) {
        self.before = self.zones.counts;
        self.errors.clear();
    }

    /// Returns the byte of the drive's own addresses at which the first zone begins.
    pub fn base(&self) -> u64 {
        self.base
    }

    /// Returns the byte, counted from the start of the drive's first zone, at which zone number `zone` begins.
    pub fn start(&self, zone: u32) -> u64 {
        u64::from(zone) * self.zones.shape().size * self.unit
    }

    /// Returns the byte range of a namespace in the drive's own addresses.
    pub(super) fn on_flash_of(&self, namespace: &Placed) -> Extent {
        if !namespace.is_zoned() {
            return namespace.flash;
        }
        let capacity = self.zones.shape().capacity * self.unit;
        let offset = self.base + u64::from(namespace.zones.start) * capacity;
        Extent { offset, bytes: namespace.zones.len() as u64 * capacity }
    }

    /// Returns the number, sizes and limits of all zones of the drive, where they lie in its own addresses.
    pub fn seen(&self) -> HostZones {
        let shape = self.zones.shape();
        HostZones {
            offset: self.base,
            first: 0,
            count: shape.count,
            size: shape.size * self.unit,
            capacity: shape.capacity * self.unit,
            open_most: shape.open_most,
            active_most: shape.active_most,
            block: self.unit,
        }
    }

    /// Returns for each zone the number of bytes written, and whether the zone is full.
    pub fn report(&self) -> Vec<(u64, bool)> {
        let zone = |number: u32| self.zones.get(number);
        let all = (0..self.zones.shape().count).map(zone);
        all.map(|zone| (zone.written * self.unit, zone.state == ZoneState::Full)).collect()
    }

    /// Returns the state machine of the zones, which has the states of all of them.
    pub fn zones(&self) -> &ZoneStates {
        &self.zones
    }

    /// Returns the counts of zone operations (opened, closed, finished, reset and so on) in the measured window.
    pub fn counts(&self) -> ZoneCounts {
        self.zones.counts.since(&self.before)
    }

    /// Returns the number of zone errors with which requests were answered, by name of the error.
    pub fn errors(&self) -> BTreeMap<String, u64> {
        self.errors.iter().map(|(error, count)| (error.name().to_owned(), *count)).collect()
    }

    /// Counts an error, by its kind, with which a zone answers a request.
    pub fn note_error(&mut self, error: ZoneError) {
        *self.errors.entry(error).or_default() += 1;
    }

    /// Returns the index of the logical block, counted from the first zone, at which a request begins that names bytes
    /// from the first zone on.
    fn block(&self, request: &HostRequest) -> u64 {
        request.offset / self.unit
    }

    /// Returns why zones cannot accept the request at all: the fault found, and what was expected; `None` if the
    /// request is acceptable. The request's offset is that within its namespace.
    pub fn refusal(&self, request: &HostRequest) -> Option<(String, String)> {
        let (unit, size) = (self.unit, self.zones.shape().size * self.unit);
        let found = || format!("a {} of {} bytes at {}", request.op.name(), request.bytes, request.offset);
        if !(request.offset | u64::from(request.bytes)).is_multiple_of(unit) {
            return Some((found(), format!("whole blocks of {unit} bytes, as this zoned drive has them")));
        }
        if request.op.effect() == Effect::Manage && !request.offset.is_multiple_of(size) {
            return Some((found(), format!("the first byte of a zone, a multiple of {size}")));
        }
        (u64::from(request.bytes) > size).then(|| (found(), format!("no more than a zone's {size} bytes")))
    }

    /// Translates a request of the host, whose offset counts from the drive's first zone, to the drive's own byte
    /// addresses; of a request that reaches beyond a zone's capacity, the part inside.
    pub fn enter(&self, request: &HostRequest) -> NamespaceEntry {
        let shape = self.zones.shape();
        let (zone, at) = (self.block(request) / shape.size, self.block(request) % shape.size);
        let blocks = u64::from(request.bytes) / self.unit;
        // What is beyond the capacity is nowhere: only the part before is read, and a write there will be refused. Where
        // no part is, the request stays in its zone all the same.
        let start = at.min(shape.capacity - 1);
        let inside = if at < shape.capacity { blocks.min(shape.capacity - at) } else { 0 };
        let is_odd = at > start || inside < blocks;
        let offset = self.base + (zone * shape.capacity + start) * self.unit;
        let bytes = (inside * self.unit) as u32;
        NamespaceEntry { inner: HostRequest { offset, bytes, ..*request }, odd: is_odd.then_some(*request) }
    }

    /// Stores the host's original request under the request number `id`, for a request that cannot be derived from its
    /// translated form.
    pub fn keep(&mut self, id: u32, request: HostRequest) {
        self.odd.insert(id, request);
    }

    /// Translates the request `id` back to the form in which the host made it, with an offset that counts from the
    /// drive's first zone, and returns with it the byte at which its data begin, counted in the same way (for an
    /// append, where the drive put them).
    pub fn in_hosts_words(&mut self, id: u32, inner: &HostRequest) -> (HostRequest, u64) {
        let address = self.hosts_byte(inner.offset);
        if let Some(odd) = self.odd.remove(&id) {
            return (odd, address);
        }
        // An append named its zone alone.
        let size = self.zones.shape().size * self.unit;
        let offset = if inner.op == Op::APPEND { address - address % size } else { address };
        (HostRequest { offset, ..*inner }, address)
    }

    fn hosts_byte(&self, offset: u64) -> u64 {
        let (shape, capacity) = (self.zones.shape(), self.zones.shape().capacity * self.unit);
        let offset = offset - self.base;
        offset / capacity * (shape.size * self.unit) + offset % capacity
    }

    /// Calls the callback `name` with each address range in the drive's own bytes (without the gaps between zones) that
    /// corresponds to a part of the range `extent`, which counts from the drive's first zone, zone by zone.
    pub fn on_flash(&self, extent: Extent, name: &mut dyn FnMut(Extent)) {
        let (size, capacity) = (self.zones.shape().size * self.unit, self.zones.shape().capacity * self.unit);
        let end = extent.offset.saturating_add(extent.bytes);
        for zone in extent.offset / size..end.div_ceil(size).min(u64::from(self.zones.shape().count)) {
            let from = extent.offset.saturating_sub(zone * size).min(capacity);
            let to = (end - zone * size).min(capacity);
            if from < to {
                name(Extent { offset: self.base + zone * capacity + from, bytes: to - from });
            }
        }
    }

    /// Puts a write in the queue of the firmware, which checks write pointers one write after the other, and returns
    /// the time at which the check ends; `None` on the second call, when the check has ended, and where it takes no
    /// time.
    pub fn look_at_pointer(&mut self, id: u32, op: Op, now: SimTime) -> Option<SimTime> {
        let took = if op == Op::APPEND { self.times.append } else { self.times.write };
        if took == Nanos::ZERO {
            return None;
        }
        if self.looked_at.front() == Some(&id) {
            self.looked_at.pop_front();
            return None;
        }
        self.looked_at.push_back(id);
        self.firmware_free = self.firmware_free.max(now) + took;
        Some(self.firmware_free)
    }

    /// Checks a read, write or append, in the drive's own bytes, against the state of its zone, and advances the write
    /// pointer for a write or an append. Returns the byte at which the request begins; for an append, where its data
    /// go.
    ///
    /// # Errors
    /// With the zone error for the completion.
    pub fn let_in(&mut self, id: u32, inner: &HostRequest) -> Result<u64, ZoneError> {
        let asked = self.odd.get(&id).copied();
        let shape = self.zones.shape();
        let (zone, at, blocks) = match asked {
            Some(asked) => {
                let block = self.block(&asked);
                (block / shape.size, block % shape.size, u64::from(asked.bytes) / self.unit)
            }
            None => {
                let block = (inner.offset - self.base) / self.unit;
                (block / shape.capacity, block % shape.capacity, u64::from(inner.bytes) / self.unit)
            }
        };
        let zone_number = zone as u32;
        if at + blocks > shape.size {
            return Err(ZoneError::Boundary);
        }
        match inner.op {
            Op::APPEND => {
                let to = self.zones.append(zone_number, at, blocks)?;
                Ok(self.base + (zone * shape.capacity + to) * self.unit)
            }
            op if op.effect() == Effect::Write => {
                self.zones.write(zone_number, at, blocks).map(|()| inner.offset)
            }
            _ => self.zones.read(zone_number, at, blocks).map(|()| inner.offset),
        }
    }

    /// Returns the number of the zone that contains byte `offset` of the drive's own address space, in which the zones
    /// lie without the gaps between them.
    pub fn zone_of(&self, offset: u64) -> u32 {
        ((offset - self.base) / self.unit / self.zones.shape().capacity) as u32
    }

    /// Changes the state of a zone as a zone management command of the host asks, and returns the work that the flash
    /// must do for it.
    ///
    /// # Errors
    /// With the zone error for the completion.
    pub fn manage(&mut self, inner: &HostRequest) -> Result<ZoneWork, ZoneError> {
        let zone = self.zone_of(inner.offset);
        self.zones.manage(zone, inner.op)
    }

    /// Returns the time that the firmware takes for a zone management command: a fixed time, or for a reset a time that
    /// grows with the number of logical blocks written in the zone.
    pub fn time_of(&self, work: ZoneWork) -> Nanos {
        match work {
            ZoneWork::None | ZoneWork::Finish => self.times.manage,
            ZoneWork::Reset(blocks) => {
                Nanos::new(self.times.reset.ns() + blocks * self.times.reset_unit.ns())
            }
        }
    }

    /// Adds work to the queue of a zone; returns true if the work can begin immediately, because no other work waits or
    /// is in progress in the zone.
    pub fn queue(&mut self, zone: u32, turn: ZoneTurn) -> bool {
        match turn {
            ZoneTurn::Write(_) => self.places.begin(zone),
            ZoneTurn::Work(_, ZoneWork::Finish | ZoneWork::Reset(_)) => self.places.close(zone),
            ZoneTurn::Work(_, ZoneWork::None) => {}
        }
        if self.zones.get(zone).state == ZoneState::Full {
            self.places.fill(zone);
        }
        let turns = self.turns.entry(zone).or_default();
        turns.push_back(turn);
        turns.len() == 1
    }

    /// Returns true if the zone's next write may put its data into the write buffer now; false if the write has to wait
    /// until other zones whose writes began earlier are filled, finished or reset.
    pub fn has_place(&self, zone: u32) -> bool {
        self.places.has(zone)
    }

    /// Notes that a finish or reset of a zone begins, so that data of the zone's earlier writes no longer hold back
    /// other zones from the write buffer. Returns the zone that may put data into the buffer now, with its next work;
    /// `None` if none waited.
    pub fn end_place(&mut self, zone: u32) -> Option<(u32, ZoneTurn)> {
        let next = self.places.work(zone)?;
        self.turns.get(&next).and_then(|turns| turns.front()).map(|turn| (next, *turn))
    }

    /// Notes that no work waits in a zone: if the zone was filled, it no longer holds back other zones from the write
    /// buffer. Returns the zone that may put data into the buffer now, with its next work; `None` if none waited.
    pub fn rests(&mut self, zone: u32) -> Option<(u32, ZoneTurn)> {
        let next = self.places.rest(zone)?;
        self.turns.get(&next).and_then(|turns| turns.front()).map(|turn| (next, *turn))
    }

    /// Removes the finished write or zone command from the front of the queue of a zone, and
    /// returns the next one, whose turn it is; `None` if none waits.
    pub fn next_turn(&mut self, zone: u32) -> Option<ZoneTurn> {
        let turns = self.turns.get_mut(&zone)?;
        turns.pop_front();
        let next = turns.front().copied();
        if next.is_none() {
            self.turns.remove(&zone);
        }
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn namespace() -> DriveZones {
        let zoning = Zoning {
            beside: 0,
            count: 4,
            size: 16,
            capacity: 10,
            width: 1,
            open_most: 2,
            active_most: 2,
            reads_unwritten: true,
            times: ZoneTimes::default(),
        };
        DriveZones::new(zoning, 4096, 0)
    }

    fn request(op: Op, block: u64, blocks: u32) -> HostRequest {
        HostRequest::plain(SimTime::ZERO, op, block * 4096, blocks * 4096)
    }

    #[test]
    fn what_the_host_names_is_found_on_the_drive_and_back() {
        let mut namespace = namespace();
        let asked = request(Op::READ, 2 * 16 + 3, 4);
        let entry = namespace.enter(&asked);
        assert_eq!((entry.inner.offset, entry.odd), (23 * 4096, None));
        assert_eq!(namespace.in_hosts_words(0, &entry.inner), (asked, (2 * 16 + 3) * 4096));
        // Only what can be written of it is anywhere.
        let beyond = request(Op::READ, 16 + 8, 6);
        let entry = namespace.enter(&beyond);
        assert_eq!((entry.inner.offset, entry.inner.bytes, entry.odd), (18 * 4096, 2 * 4096, Some(beyond)));
        namespace.keep(7, beyond);
        assert_eq!(namespace.let_in(7, &entry.inner), Ok(18 * 4096));
        assert_eq!(namespace.in_hosts_words(7, &entry.inner).0, beyond);
        let mut parts = Vec::new();
        namespace.on_flash(Extent { offset: 8 * 4096, bytes: 16 * 4096 }, &mut |part| parts.push(part));
        let part = |offset: u64, bytes: u64| Extent { offset: offset * 4096, bytes: bytes * 4096 };
        assert_eq!(parts, [part(8, 2), part(10, 8)]);
    }

    #[test]
    fn an_append_is_told_where_it_went_and_what_crosses_a_zone_is_an_error() {
        let mut namespace = namespace();
        let first = namespace.enter(&request(Op::APPEND, 16, 3)).inner;
        assert_eq!(namespace.let_in(0, &first), Ok(10 * 4096));
        assert_eq!(namespace.let_in(1, &first), Ok(13 * 4096));
        let put = HostRequest { offset: 13 * 4096, ..first };
        assert_eq!(namespace.in_hosts_words(1, &put), (request(Op::APPEND, 16, 3), 19 * 4096));
        let over = request(Op::WRITE, 16 + 6, 5);
        let entry = namespace.enter(&over);
        namespace.keep(2, over);
        assert_eq!((entry.odd, namespace.let_in(2, &entry.inner)), (Some(over), Err(ZoneError::Boundary)));
        let across = request(Op::READ, 14, 4);
        let entry = namespace.enter(&across);
        namespace.keep(3, across);
        assert_eq!(namespace.let_in(3, &entry.inner), Err(ZoneError::Boundary));
    }
}
