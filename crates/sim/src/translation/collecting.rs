//! The collection of a host's translation: which zone is emptied, by how many copies at a time, and when it is reset.

use super::log_rules::LogRules;
use super::{HostTranslation, ZonePiece};
use host::{HostRequest, Op};
use std::collections::VecDeque;
use units::SimTime;

/// State of a zone that the host's collection empties.
#[derive(Clone, Copy, Debug)]
struct CollectedZone {
    zone: u32,
    /// Number of blocks of the zone that the collection has looked at.
    looked: u32,
}

/// State of a host's collection: the zones that it empties, and its copies in flight.
#[derive(Debug)]
pub(super) struct Collecting {
    zones_least: u32,
    copies_most: u32,
    copy_blocks: u32,
    /// Zone from which blocks are copied now; `None` between zones.
    zone: Option<CollectedZone>,
    /// Zone of which all copies are on their way, and which is reset when they have ended; `None` without one.
    emptied: Option<u32>,
    /// Number of copies in flight: each is a read, then an append.
    pub copies: u32,
    /// Queue of the copies that were read and wait for a zone: each has the places and logical blocks of its data.
    unplaced: VecDeque<Vec<(u32, u32)>>,
    /// For each zone: number of reads of the zone in flight, of the workload and of copies, for which a reset waits.
    pins: Vec<u32>,
    /// Number of resets in flight.
    resets: u32,
}

impl Collecting {
    /// Makes the collection by `rules` over `zones` zones, with nothing to do.
    pub fn new(rules: &LogRules, zones: u32) -> Self {
        Self {
            zones_least: rules.zones_least,
            copies_most: rules.copies_most,
            copy_blocks: rules.copy_blocks,
            zone: None,
            emptied: None,
            copies: 0,
            unplaced: VecDeque::new(),
            pins: vec![0; zones as usize],
            resets: 0,
        }
    }

    /// Records that a read of the zone is in flight: the zone is not reset before it has ended.
    pub fn pin(&mut self, zone: u32) {
        self.pins[zone as usize] += 1;
    }

    /// Records that a read of the zone has ended.
    pub fn unpin(&mut self, zone: u32) {
        self.pins[zone as usize] -= 1;
    }

    /// Returns true while a zone is collected, or waits for its last copies.
    pub fn is_at_work(&self) -> bool {
        self.zone.is_some() || self.emptied.is_some()
    }

    /// Returns the number of empty zones below which the host collects.
    pub fn zones_least(&self) -> u32 {
        self.zones_least
    }

    /// Returns a text about the state of the collection.
    pub fn explain(&self) -> String {
        format!(
            "collects {:?}, emptied {:?}, {} copies, {} resets",
            self.zone, self.emptied, self.copies, self.resets
        )
    }
}

impl HostTranslation {
    /// Does what the collection can do now: chooses a zone where empty zones are few, begins copies, resets the zone that
    /// is empty.
    pub(super) fn collect(&mut self) {
        self.reset_emptied();
        loop {
            if self.collecting.zone.is_none() && !self.choose_zone() {
                return;
            }
            while self.collecting.copies < self.collecting.copies_most {
                if !self.begin_copy() {
                    break;
                }
            }
            match self.collecting.zone {
                Some(one) if one.looked == self.log.capacity() && self.collecting.emptied.is_none() => {
                    (self.collecting.zone, self.collecting.emptied) = (None, Some(one.zone));
                    self.reset_emptied();
                }
                _ => return,
            }
        }
    }

    /// Chooses the next zone to be collected, if empty zones are few; returns false if none is collected now.
    fn choose_zone(&mut self) -> bool {
        let coming =
            self.log.empty_zones() + self.collecting.resets + u32::from(self.collecting.emptied.is_some());
        // Copies of a whole zone must find room: an empty zone is theirs, after the copies of the zone before.
        let is_copied = self.collecting.emptied.is_none_or(|zone| self.log.valid(zone) == 0);
        if !is_copied || coming >= self.collecting.zones_least || self.log.empty_zones() == 0 {
            return false;
        }
        let Some(zone) = self.log.choose() else { return false };
        let needed = self.log.valid(zone);
        self.victims.push([needed, self.log.capacity() - needed]);
        self.collecting.zone = Some(CollectedZone { zone, looked: 0 });
        true
    }

    /// Begins the next copy of blocks from the zone that is collected: as many as lie one after the other and are needed.
    /// Returns false if the zone has no further blocks to copy.
    fn begin_copy(&mut self) -> bool {
        let Some(mut one) = self.collecting.zone else { return false };
        let (capacity, most) = (self.log.capacity(), self.collecting.copy_blocks);
        let begin = one.zone * capacity;
        while one.looked < capacity && self.log.owner(begin + one.looked).is_none() {
            one.looked += 1;
        }
        let place = begin + one.looked;
        let left = (capacity - one.looked).min(most);
        let blocks = (0..left).take_while(|&ahead| self.log.owner(place + ahead).is_some()).count() as u32;
        one.looked += blocks;
        self.collecting.zone = Some(one);
        if blocks == 0 {
            return false;
        }
        self.collecting.copies += 1;
        self.collecting.pin(one.zone);
        let request =
            self.request_at(HostRequest::plain(SimTime::ZERO, Op::READ, 0, 0), Op::READ, place, blocks);
        self.ready.push_back((request, ZonePiece::CopyRead { place, blocks }));
        true
    }

    /// Continues a copy whose data were read: writes the blocks that are still needed.
    pub(super) fn on_copy_read(&mut self, place: u32, blocks: u32) {
        let needed = |place: u32| self.log.owner(place).map(|block| (place, block));
        let from: Vec<(u32, u32)> = (place..place + blocks).filter_map(needed).collect();
        if from.is_empty() {
            self.collecting.copies -= 1;
            return;
        }
        self.collecting.unplaced.push_back(from);
        self.copy_waiting();
    }

    /// Makes appends of the copies that were read, as far as there is room for them.
    pub(super) fn copy_waiting(&mut self) {
        let stream = self.log.stream_of_collection();
        while let Some(mut from) = self.collecting.unplaced.pop_front() {
            let Some(reserved) = self.log.reserve(stream, from.len() as u32) else {
                self.collecting.unplaced.push_front(from);
                return;
            };
            let rest = from.split_off(reserved.blocks as usize);
            if !rest.is_empty() {
                self.collecting.copies += 1;
                self.collecting.unplaced.push_front(rest);
            }
            let zone = reserved.zone * self.log.capacity();
            let plain = HostRequest::plain(SimTime::ZERO, Op::APPEND, 0, 0);
            let request = self.request_at(plain, Op::APPEND, zone, reserved.blocks);
            self.ready.push_back((request, ZonePiece::CopyAppend { from }));
        }
    }

    /// Resets the zone of which nothing is needed any more, when the reads of it in flight have ended.
    fn reset_emptied(&mut self) {
        let Some(zone) = self.collecting.emptied else { return };
        if self.log.valid(zone) > 0 || self.collecting.pins[zone as usize] > 0 {
            return;
        }
        self.collecting.emptied = None;
        self.collecting.resets += 1;
        let plain = HostRequest::plain(SimTime::ZERO, Op::ZONE_RESET, 0, 0);
        let request = self.request_at(plain, Op::ZONE_RESET, zone * self.log.capacity(), 0);
        self.ready.push_back((request, ZonePiece::Reset { zone }));
    }

    /// Records that a reset has ended.
    pub(super) fn end_reset(&mut self) {
        self.collecting.resets -= 1;
    }
}
