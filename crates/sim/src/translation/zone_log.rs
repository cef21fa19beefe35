//! A log of blocks over zones: where each block lies, what each zone still holds of use, and which zone is collected next.
//! It knows neither time nor requests: its user says when data are in flight, and when they have landed.

use super::log_rules::LogRules;
use engine::RandomStream;
use ftl::Blocks;
use ftl::gc::victim::{VictimPolicy, VictimView};
use std::collections::{BTreeMap, VecDeque};
use units::SuperblockId;

/// Constant: value in the map of a host's log that stands for no place in the zones, or for no logical block.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// Kind of use of a zone by a host's log at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ZoneUse {
    /// Case of use of a zone by a host's log: the zone is empty.
    Empty,
    /// Case of use of a zone by a host's log: the zone is being filled, or appends of its last data are in flight.
    Filling,
    /// Case of use of a zone by a host's log: the zone is full, and may be chosen for collection.
    Candidate,
    /// Case of use of a zone by a host's log: the host's collection empties the zone, or resets it.
    Collected,
}

/// Record of a logical block with writes in flight: their number, and the newest write or trim that took effect.
#[derive(Clone, Copy, Debug, Default)]
struct Landing {
    /// Number of writes of the logical block in flight.
    in_flight: u32,
    /// Number, in the order of all writes and trims, of the newest write or trim of the block that has taken effect.
    newest: u64,
}

/// Record of blocks of a zone that a host's log reserved for an append, after all earlier ones in the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reserved {
    /// Number of the zone in which blocks were reserved.
    pub zone: u32,
    /// Number of blocks that were reserved in the zone.
    pub blocks: u32,
}

/// Record of facts about the zones of a host's log by which a victim policy chooses the zone to collect.
struct ZoneFacts {
    /// List, by zone, of the number of its blocks that are still needed.
    valid: Vec<u32>,
    /// List, by zone, of the number of its resets so far.
    resets: Vec<u32>,
    /// List, by zone, of the number of blocks that had been written to the whole log when the zone became full.
    closed_at: Vec<u64>,
    /// List, by zone, of the number of the host's stream that fills the zone, or filled it last.
    streams: Vec<u8>,
}

/// State of a zone in a host's log.
#[derive(Clone, Copy, Debug)]
struct LoggedZone {
    /// Field of a zone's state: its use at present (empty, being filled, full and a candidate, or collected).
    used: ZoneUse,
    /// Number of blocks of the zone that were reserved for writes, from its start on.
    taken: u32,
    /// Number of blocks of the zone whose writes have ended.
    landed: u32,
    /// Index of the zone in the list of zones that may be collected (candidates); without meaning for other zones.
    index: u32,
}

impl LoggedZone {
    /// Constant: record of an empty zone of the host's log: no blocks reserved or written, no candidate for collection.
    const EMPTY: Self = Self { used: ZoneUse::Empty, taken: 0, landed: 0, index: NOWHERE };
}

/// State of the log of a host's blocks over the zones of a drive: where each block lies, and the states of the zones.
pub(crate) struct ZoneLog {
    /// Field: number of blocks that each zone of the drive can hold.
    capacity: u32,
    /// For each logical block of the host: its place, counted in blocks over the capacities of all zones, or `NOWHERE`.
    map: Vec<u32>,
    /// For each place in the zones: the logical block whose needed data lie there, or `NOWHERE`.
    owners: Vec<u32>,
    /// Field of a host's log: facts about the zones (needed blocks, resets, ages, streams) for the victim policy.
    facts: ZoneFacts,
    /// List of the states of the zones, in the order of their numbers.
    zones: Vec<LoggedZone>,
    /// List, by stream of new data, and last for the stream of collection, of the zone that the stream fills; `None`
    /// without one.
    open: Vec<Option<u32>>,
    /// Queue of the numbers of the empty zones, in the order in which they became empty.
    empty: VecDeque<u32>,
    /// List of the zones that may be collected, in no order.
    candidates: Vec<SuperblockId>,
    /// Map from each logical block with writes in flight to the record of these writes.
    landings: BTreeMap<u32, Landing>,
    /// Field of the host's log: number of blocks written to the log so far, copies included; the victim policy's clock.
    clock: u64,
    /// Counter of the writes and trims of the log so far; its value is the number of a write or trim in their order.
    order: u64,
    /// Field of a host's log: policy that chooses the zone which the host collects next.
    victim: Box<dyn VictimPolicy>,
    /// Field of a host's log: stream of random numbers for its victim policy.
    random: RandomStream,
}

impl ZoneLog {
    /// Makes an empty log of a host by `rules` over `zones` zones of `capacity` blocks; `seed` is the seed of the run.
    pub fn new(rules: &LogRules, zones: u32, capacity: u32, seed: u64) -> Self {
        let count = zones as usize;
        let mut victim = (rules.victim)();
        victim.attach(zones, capacity);
        Self {
            capacity,
            map: vec![NOWHERE; rules.blocks as usize],
            owners: vec![NOWHERE; count * capacity as usize],
            facts: ZoneFacts {
                valid: vec![0; count],
                resets: vec![0; count],
                closed_at: vec![0; count],
                streams: vec![0; count],
            },
            zones: vec![LoggedZone::EMPTY; count],
            open: vec![None; usize::from(rules.streams) + 1],
            empty: (0..zones).collect(),
            candidates: Vec::new(),
            landings: BTreeMap::new(),
            clock: 0,
            order: 0,
            victim,
            random: RandomStream::new(seed, "host translation"),
        }
    }

    /// Returns the number of logical blocks of the host, with or without data.
    pub fn blocks(&self) -> u32 {
        self.map.len() as u32
    }

    /// Returns the number of blocks that a zone can hold.
    pub fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Returns the number of zones that are empty in the host's log.
    pub fn empty_zones(&self) -> u32 {
        self.empty.len() as u32
    }

    /// Returns the number of the stream (after those of new data) into which the host's collection writes its copies.
    pub fn stream_of_collection(&self) -> u16 {
        (self.open.len() - 1) as u16
    }

    /// Returns the place of a logical block, counted in blocks over the capacities of all zones; `None` if the block
    /// holds no data.
    pub fn place(&self, block: u32) -> Option<u32> {
        Some(self.map[block as usize]).filter(|&place| place != NOWHERE)
    }

    /// Returns the logical block whose data lie at a place in the zones; `None` if the log needs no data there.
    pub fn owner(&self, place: u32) -> Option<u32> {
        Some(self.owners[place as usize]).filter(|&block| block != NOWHERE)
    }

    /// Returns the number of blocks of a zone that are still needed.
    pub fn valid(&self, zone: u32) -> u32 {
        self.facts.valid[zone as usize]
    }

    /// Returns the number of zones of the drive.
    pub fn zone_count(&self) -> u32 {
        self.zones.len() as u32
    }

    /// Returns the number of blocks of a zone that were written, or reserved for writes in flight.
    pub fn written(&self, zone: u32) -> u32 {
        self.zones[zone as usize].taken
    }

    /// Reserves up to `blocks` blocks in the zone that a stream fills, or in an empty one if it fills none; `None` if
    /// no zone is left for the stream: the last empty zone is for the stream of collection.
    pub fn reserve(&mut self, stream: u16, blocks: u32) -> Option<Reserved> {
        let zone = match self.open[usize::from(stream)] {
            Some(zone) => zone,
            None => self.open_zone(stream)?,
        };
        let taken = &mut self.zones[zone as usize].taken;
        let blocks = blocks.min(self.capacity - *taken);
        *taken += blocks;
        if *taken == self.capacity {
            self.open[usize::from(stream)] = None;
        }
        Some(Reserved { zone, blocks })
    }

    /// Gives a stream the zone that was empty for longest; `None` if none is left for the stream.
    fn open_zone(&mut self, stream: u16) -> Option<u32> {
        let kept = usize::from(stream != self.stream_of_collection());
        let zone = if self.empty.len() > kept { self.empty.pop_front()? } else { return None };
        self.zones[zone as usize].used = ZoneUse::Filling;
        self.facts.streams[zone as usize] = stream as u8;
        self.open[usize::from(stream)] = Some(zone);
        Some(zone)
    }

    /// Writes a logical block by a stream at once, while no write is in flight; returns false if no zone is left for
    /// it.
    pub fn put(&mut self, block: u32, stream: u16) -> bool {
        let Some(Reserved { zone, .. }) = self.reserve(stream, 1) else { return false };
        let place = zone * self.capacity + self.zones[zone as usize].taken - 1;
        self.set(block, place);
        self.land(place, 1);
        true
    }

    /// Records that a write of `blocks` logical blocks from `first` on is in flight; returns its number in the log's
    /// order of writes and trims.
    pub fn begin_write(&mut self, first: u32, blocks: u32) -> u64 {
        self.order += 1;
        for block in first..first + blocks {
            self.landings.entry(block).or_default().in_flight += 1;
        }
        self.order
    }

    /// Records that the data of `blocks` logical blocks from `first` on, of the write with the number `order`, lie in
    /// the zones from `place` on; those of a block of which a newer write or trim took effect already are not needed.
    pub fn end_write(&mut self, order: u64, first: u32, blocks: u32, place: u32) {
        for at in 0..blocks {
            let block = first + at;
            let landing = self.landings.get_mut(&block).expect("the write was begun");
            landing.in_flight -= 1;
            let is_newest = order > landing.newest;
            landing.newest = landing.newest.max(order);
            if landing.in_flight == 0 {
                self.landings.remove(&block);
            }
            if is_newest {
                self.set(block, place + at);
            }
        }
        self.land(place, blocks);
    }

    /// Records that copies of the blocks `from` (places with their logical blocks) lie in the zones from `place` on.
    /// Returns the number of needed ones: copies of data that were overwritten or trimmed meanwhile are not needed.
    pub fn end_copy(&mut self, from: &[(u32, u32)], place: u32) -> u32 {
        let mut moved = 0;
        for (at, &(old, block)) in (0..).zip(from) {
            if self.map[block as usize] == old {
                self.set(block, place + at);
                moved += 1;
            }
        }
        self.land(place, from.len() as u32);
        moved
    }

    /// Removes the data of `blocks` logical blocks from `first` on; writes of them that are in flight will not be
    /// needed.
    pub fn trim(&mut self, first: u32, blocks: u32) {
        self.order += 1;
        for block in first..first + blocks {
            self.forget(block);
            if let Some(landing) = self.landings.get_mut(&block) {
                landing.newest = self.order;
            }
        }
    }

    /// Maps a logical block to a new place; the data at its former place are not needed any more.
    fn set(&mut self, block: u32, place: u32) {
        self.forget(block);
        self.map[block as usize] = place;
        self.owners[place as usize] = block;
        self.facts.valid[(place / self.capacity) as usize] += 1;
    }

    /// Removes a logical block from the map; the data at its former place are not needed any more.
    fn forget(&mut self, block: u32) {
        let old = std::mem::replace(&mut self.map[block as usize], NOWHERE);
        if old == NOWHERE {
            return;
        }
        let zone = old / self.capacity;
        self.owners[old as usize] = NOWHERE;
        self.facts.valid[zone as usize] -= 1;
        if self.zones[zone as usize].used == ZoneUse::Candidate {
            self.victim.on_invalidate(SuperblockId(zone), self.facts.valid[zone as usize]);
        }
    }

    /// Counts `blocks` blocks of a zone, from `place` on, as written.
    fn land(&mut self, place: u32, blocks: u32) {
        self.clock += u64::from(blocks);
        let zone = place / self.capacity;
        self.zones[zone as usize].landed += blocks;
        self.close_if_full(zone);
    }

    /// Makes a zone of the host's log a candidate for collection if all its blocks are written.
    fn close_if_full(&mut self, zone: u32) {
        let at = zone as usize;
        if self.zones[at].landed < self.capacity || self.zones[at].used != ZoneUse::Filling {
            return;
        }
        (self.zones[at].used, self.facts.closed_at[at]) = (ZoneUse::Candidate, self.clock);
        self.zones[at].index = self.candidates.len() as u32;
        self.candidates.push(SuperblockId(zone));
        self.victim.on_stream(SuperblockId(zone), usize::from(self.facts.streams[at]));
        self.victim.on_close(SuperblockId(zone), self.facts.valid[at]);
    }

    /// Chooses, by the victim policy, the zone that the host collects next; `None` without a candidate.
    ///
    /// # Panics
    /// When the policy chooses a zone that is no candidate.
    pub fn choose(&mut self) -> Option<u32> {
        let mut view = VictimView {
            candidates: &self.candidates,
            blocks: Blocks {
                valid_units: &self.facts.valid,
                pe_cycles: &self.facts.resets,
                closed_at: &self.facts.closed_at,
                streams: &self.facts.streams,
            },
            clock: self.clock,
            units_per_superblock: self.capacity,
            random: &mut self.random,
        };
        let SuperblockId(zone) = self.victim.pick(&mut view)?;
        assert!(
            self.zones[zone as usize].used == ZoneUse::Candidate,
            "host.translation.victim chooses zone {zone}, which cannot be collected"
        );
        self.zones[zone as usize].used = ZoneUse::Collected;
        let index = self.zones[zone as usize].index as usize;
        self.candidates.swap_remove(index);
        if let Some(&SuperblockId(moved)) = self.candidates.get(index) {
            self.zones[moved as usize].index = index as u32;
        }
        self.victim.on_reclaim(SuperblockId(zone));
        Some(zone)
    }

    /// Records that the drive has reset a zone, which is empty from now on.
    ///
    /// # Panics
    /// When data of the zone are still needed.
    pub fn reset(&mut self, zone: u32) {
        let at = zone as usize;
        assert!(
            self.facts.valid[at] == 0,
            "the host resets zone {zone}, in which {} blocks are needed",
            self.facts.valid[at]
        );
        (self.zones[at].taken, self.zones[at].landed, self.zones[at].used) = (0, 0, ZoneUse::Empty);
        self.facts.resets[at] += 1;
        self.empty.push_back(zone);
    }

    /// Sets the number of written blocks of a zone to `written`, that of the drive, which is no less than that of the
    /// log; blocks beyond the latter are not needed.
    pub fn adopt(&mut self, zone: u32, written: u32) {
        let at = zone as usize;
        let more = written - self.zones[at].taken;
        (self.zones[at].taken, self.zones[at].landed) = (written, self.zones[at].landed + more);
        if written == self.capacity {
            for open in &mut self.open {
                *open = open.filter(|&open| open != zone);
            }
            self.close_if_full(zone);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::{Document, Section};
    use ftl::gc::victim;

    const ZONES: u32 = 12;
    const CAPACITY: u32 = 10;

    fn log(victim: &str, blocks: u32, streams: u16, seed: u64) -> ZoneLog {
        let mut document = Document::empty();
        document.set(&format!("name={victim}")).unwrap();
        let victim = victim::read(&mut Section::root(&document)).unwrap();
        let rules = LogRules { blocks, zones_least: 2, streams, copies_most: 1, copy_blocks: 1, victim };
        ZoneLog::new(&rules, ZONES, CAPACITY, seed)
    }

    /// Write in flight of the test: its number, first logical block, number of blocks, and first place.
    type Flight = (u64, u32, u32, u32);

    /// Host's log under test beside a model that knows, for each logical block, the number of the newest write that has
    /// landed, and for each place the write that put data there.
    struct Beside {
        log: ZoneLog,
        newest: Vec<u64>,
        contents: Vec<u64>,
        flights: Vec<Flight>,
    }

    impl Beside {
        fn write(&mut self, stream: u16, first: u32, blocks: u32) -> bool {
            let Some(reserved) = self.log.reserve(stream, blocks) else { return false };
            let place = reserved.zone * CAPACITY + self.log.written(reserved.zone) - reserved.blocks;
            let order = self.log.begin_write(first, reserved.blocks);
            self.flights.push((order, first, reserved.blocks, place));
            true
        }

        fn land(&mut self, index: usize) {
            let (order, first, blocks, place) = self.flights.swap_remove(index);
            for at in 0..blocks {
                self.contents[(place + at) as usize] = order;
                let newest = &mut self.newest[(first + at) as usize];
                *newest = order.max(*newest);
            }
            self.log.end_write(order, first, blocks, place);
        }

        fn collect(&mut self) {
            let Some(zone) = self.log.choose() else { return };
            for old in zone * CAPACITY..(zone + 1) * CAPACITY {
                let Some(block) = self.log.owner(old) else { continue };
                let stream = self.log.stream_of_collection();
                let reserved = self.log.reserve(stream, 1).expect("a zone is kept for collection");
                let place = reserved.zone * CAPACITY + self.log.written(reserved.zone) - 1;
                self.contents[place as usize] = self.contents[old as usize];
                assert_eq!(self.log.end_copy(&[(old, block)], place), 1);
            }
            self.log.reset(zone);
        }

        fn check(&self) {
            let mut valid = vec![0; ZONES as usize];
            for block in 0..self.log.blocks() {
                let place = self.log.place(block);
                let found = place.map_or(0, |place| self.contents[place as usize]);
                assert_eq!(found, self.newest[block as usize], "block {block}");
                if let Some(place) = place {
                    assert_eq!(self.log.owner(place), Some(block));
                    valid[(place / CAPACITY) as usize] += 1;
                }
            }
            let found: Vec<u32> = (0..ZONES).map(|zone| self.log.valid(zone)).collect();
            assert_eq!(found, valid);
        }
    }

    #[test]
    fn each_block_has_the_newest_write_that_landed_in_whatever_order_writes_land() {
        for (victim, seed) in [("greedy", 1), ("fifo", 2), ("cost-benefit", 3), ("random", 4)] {
            let (blocks, streams) = (70, 2);
            let mut random = RandomStream::new(seed, "log test");
            let mut beside = Beside {
                log: log(victim, blocks, streams, seed),
                newest: vec![0; blocks as usize],
                contents: vec![0; (ZONES * CAPACITY) as usize],
                flights: Vec::new(),
            };
            for _ in 0..20_000 {
                let first = random.below(u64::from(blocks)) as u32;
                let count = 1 + random.below(u64::from((blocks - first).min(5))) as u32;
                match random.below(10) {
                    0 if beside.flights.is_empty() => {
                        beside.log.trim(first, count);
                        let trimmed = first as usize..(first + count) as usize;
                        // The next write of a block is newer than its trim.
                        beside.newest[trimmed].fill(0);
                    }
                    0..=4 => {
                        let has_room = beside.write(random.below(2) as u16, first, count);
                        if !has_room {
                            beside.collect();
                        }
                    }
                    _ if !beside.flights.is_empty() => {
                        beside.land(random.below(beside.flights.len() as u64) as usize);
                    }
                    _ => {}
                }
                beside.check();
            }
        }
    }

    #[test]
    fn a_write_that_lands_after_a_trim_of_its_block_is_not_needed() {
        let mut log = log("greedy", 70, 1, 1);
        let reserved = log.reserve(0, 2).unwrap();
        let order = log.begin_write(5, 2);
        log.trim(5, 1);
        log.end_write(order, 5, 2, reserved.zone * CAPACITY);
        assert_eq!((log.place(5), log.place(6)), (None, Some(reserved.zone * CAPACITY + 1)));
    }
}
