//! The collection of a host's translation: which zone is emptied, by how many copies at a time, and when it is reset.

use super::log_rules::LogRules;
use super::{HostTranslation, ZonePiece};
use host::{HostRequest, Op};
use std::collections::VecDeque;
use units::SimTime;

/// Record of the zone that the host's collection empties, and of how far the copies of its needed blocks have been
/// begun.
#[derive(Clone, Copy, Debug)]
struct CollectedZone {
    /// Number of the zone that is collected.
    zone: u32,
    /// Number of blocks, from the start of the zone, that collection has passed: not needed, or their copies begun.
    looked: u32,
}

/// State of the collection of zones by a host that keeps blocks on them: the zones that it empties, and its copies in
/// flight.
#[derive(Debug)]
pub(super) struct Collecting {
    /// Setting: number of empty zones below which the host collects zones.
    zones_least: u32,
    /// Setting: greatest number of the collection's copies in flight at the same time.
    copies_most: u32,
    /// Setting: greatest number of blocks in one copy.
    copy_blocks: u32,
    /// Zone from which the host's collection begins copies now; `None` between zones.
    zone: Option<CollectedZone>,
    /// Number of the zone from which all copies are begun, and which is reset when none of its blocks is needed and no
    /// read of it is in flight; `None` without one.
    emptied: Option<u32>,
    /// Number of the collection's copies that are not complete: each is a read of the drive, then an append.
    pub copies: u32,
    /// Queue of the copies whose data are read and that wait for room in a zone: each is a list with, for each block,
    /// the place it is copied from and its logical block.
    unplaced: VecDeque<Vec<(u32, u32)>>,
    /// For each zone of the drive: number of reads of it for the workload, and of copies from it, that have not ended;
    /// the host does not reset the zone meanwhile.
    pins: Vec<u32>,
    /// Number of resets of zones that the host has requested and the drive has not answered.
    resets: u32,
}

impl Collecting {
    /// Makes the state of a host's collection by `rules` over `zones` zones, with nothing to do.
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

    /// Counts a read of a zone that begins: the host does not reset the zone before the read has ended.
    pub fn pin(&mut self, zone: u32) {
        self.pins[zone as usize] += 1;
    }

    /// Counts the end of a read of a zone, after which the host may reset the zone.
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

    /// Returns a string about the state of the host's collection, for an error message.
    pub fn explain(&self) -> String {
        format!(
            "collects {:?}, emptied {:?}, {} copies, {} resets",
            self.zone, self.emptied, self.copies, self.resets
        )
    }
}

impl HostTranslation {
    /// Does all that the host's collection can do now: queues the reset of the emptied zone, chooses further zones
    /// while few are empty, and queues reads for copies up to their greatest number.
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

    /// Chooses the next zone for the host's collection. Returns false if none is chosen: enough zones are empty or
    /// about to be, copies of the zone before are not complete, no zone is empty for copies, or no zone can be
    /// collected.
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

    /// Queues the read of the next copy from the zone that the host collects: of needed blocks that lie one after the
    /// other, as many as a copy may have. Returns false if no needed block is left there.
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

    /// Continues a copy of the host's collection when its data are read: queues the append of the blocks that are still
    /// needed, or ends the copy if none is.
    pub(super) fn on_copy_read(&mut self, place: u32, blocks: u32) {
        let needed = |place: u32| self.log.owner(place).map(|block| (place, block));
        let from: Vec<(u32, u32)> = (place..place + blocks).filter_map(needed).collect();
        if from.is_empty() {
            self.collecting.unpin(place / self.log.capacity());
            self.collecting.copies -= 1;
            return;
        }
        self.collecting.unplaced.push_back(from);
        self.copy_waiting();
    }

    /// Queues the appends of the collection's copies whose data are read, in their order, as far as there is room in
    /// zones.
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
                self.collecting.pin(rest[0].0 / self.log.capacity());
                self.collecting.unplaced.push_front(rest);
            }
            let zone = reserved.zone * self.log.capacity();
            let plain = HostRequest::plain(SimTime::ZERO, Op::APPEND, 0, 0);
            let request = self.request_at(plain, Op::APPEND, zone, reserved.blocks);
            self.ready.push_back((request, ZonePiece::CopyAppend { from }));
        }
    }

    /// Queues the reset of the zone that the host's collection has emptied, if none of its blocks is needed and no read
    /// of it, nor copy from it, is in flight.
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

    /// Counts the drive's answer to a reset of a zone by the host's collection.
    pub(super) fn end_reset(&mut self) {
        self.collecting.resets -= 1;
    }
}
