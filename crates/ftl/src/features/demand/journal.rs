//! A log of what changes in the map, in units of its own on flash: after a power cut only page rows that no unit of it
//! tells of need to be read.
//!
//! The units of the log take turns in a ring of logical units behind those of the map. One counts only when all before it are
//! on flash.

use std::collections::VecDeque;
use units::Lpn;

/// Record of the progress of the log (journal) of map changes for one superblock: once the log is on flash up to its
/// change number `change`, the log covers the first `rows` page rows of the superblock.
#[derive(Clone, Copy)]
struct Told {
    superblock: u32,
    rows: u32,
    change: u64,
}

/// Record of one unit of the log (journal) of map changes that was sent to flash: its logical unit, whether it is on
/// flash, and the page rows that it covers.
struct Sent {
    lpn: Lpn,
    on_flash: bool,
    tells: Vec<Told>,
}

/// State of the log (journal) of the changes of a drive's map, which is stored on flash in a ring of logical units:
/// after the last of them the log continues in the first.
pub(super) struct Journal {
    /// Number of the first logical unit of the ring of units that hold the log of map changes on flash and are used in
    /// turn, again and again.
    first: u32,
    units: u32,
    /// Number of changes of the map that one unit of the log holds.
    per_unit: u64,
    /// For each superblock, the number of page rows, from its first one on, whose map changes are on flash: in log
    /// units, or in the map when the log began.
    told: Vec<u32>,
    /// Number of map changes since the log of map changes began.
    changes: u64,
    /// Queue of the page rows whose map changes are in no unit of the log of map changes that was sent to flash yet.
    pending: VecDeque<Told>,
    sent: VecDeque<Sent>,
    /// Number of units of the log of map changes that were sent to flash so far.
    count: u64,
    /// Number of the first unit of the log of map changes that recovery still needs, because the last complete
    /// checkpoint of the map covers all earlier ones.
    needed: u64,
    /// Number of units of the log of map changes that had been sent to flash (value of `count`) when the latest
    /// checkpoint of the map began.
    began: u64,
    /// True once simulated time has begun; earlier changes of the map are in the map on flash and not in the log.
    pub has_begun: bool,
}

impl Journal {
    /// Makes an empty log of map changes in the ring of `units` logical units from `first` on (used in turn, again and
    /// again), of which each holds `per_unit` changes.
    pub fn new(first: u32, units: u32, per_unit: u32, superblocks: usize) -> Self {
        Self {
            first,
            units,
            per_unit: per_unit.into(),
            told: vec![0; superblocks],
            changes: 0,
            pending: VecDeque::new(),
            sent: VecDeque::new(),
            count: 0,
            needed: 0,
            began: 0,
            has_begun: false,
        }
    }

    /// Returns the number of page rows of a superblock, from its first one on, that recovery need not read after a
    /// power cut because the log of map changes, or the map on flash when the log began, has their content.
    pub fn rows_told(&self, superblock: usize) -> u32 {
        self.told[superblock]
    }

    /// Records that the map on flash already gives the content of the first `rows` page rows of a superblock.
    pub fn begin_with(&mut self, superblock: usize, rows: u32) {
        self.told[superblock] = rows;
    }

    /// Adds `changes` changes of the map to the log, and queues the note that with them the log has the page rows of a
    /// superblock up to `rows`; the note counts once the log unit with the last of these changes is on flash.
    pub fn note(&mut self, superblock: usize, rows: u32, changes: u32) {
        self.changes += u64::from(changes);
        self.pending.push_back(Told { superblock: superblock as u32, rows, change: self.changes });
    }

    /// Removes all entries about a superblock from the log of map changes, because the superblock is erased.
    pub fn note_erased(&mut self, superblock: usize) {
        self.told[superblock] = 0;
        let is_other = |told: &Told| told.superblock != superblock as u32;
        self.pending.retain(is_other);
        self.sent.iter_mut().for_each(|unit| unit.tells.retain(is_other));
    }

    /// Takes the next unit of the log of map changes to be sent to flash, if it is full, and returns its logical unit;
    /// `None` if it is not full, or while its place in the ring of log units holds a unit that recovery needs or that
    /// is not on flash yet.
    pub fn take_full(&mut self) -> Option<Lpn> {
        let most = u64::from(self.units);
        let end = (self.count + 1) * self.per_unit;
        if self.changes < end || self.count - self.needed >= most || self.sent.len() as u64 >= most {
            return None;
        }
        let lpn = self.unit(self.count);
        self.count += 1;
        let tells = self.pending.partition_point(|told| told.change <= end);
        self.sent.push_back(Sent { lpn, on_flash: false, tells: self.pending.drain(..tells).collect() });
        Some(lpn)
    }

    /// Notes that unit `lpn` is on flash; false if it is not a unit of the log of map changes. A log unit counts once
    /// all log units before it are on flash.
    pub fn note_written(&mut self, lpn: Lpn) -> bool {
        if !(self.first..self.first + self.units).contains(&lpn.0) {
            return false;
        }
        if let Some(unit) = self.sent.iter_mut().find(|unit| unit.lpn == lpn && !unit.on_flash) {
            unit.on_flash = true;
        }
        while self.sent.front().is_some_and(|unit| unit.on_flash) {
            for told in self.sent.pop_front().into_iter().flat_map(|unit| unit.tells) {
                let rows = &mut self.told[told.superblock as usize];
                *rows = told.rows.max(*rows);
            }
        }
        true
    }

    /// Notes that a checkpoint of the map begins: once complete, it makes all log units sent up to now superfluous for
    /// recovery.
    pub fn note_checkpoint_begun(&mut self) {
        self.began = self.count;
    }

    /// Notes that the checkpoint of the map is complete, so that recovery no longer needs the log units it covers.
    pub fn note_checkpoint_done(&mut self) {
        self.needed = self.began;
    }

    /// Returns the logical units of the log of map changes that recovery must read after a power cut.
    pub fn needed(&self) -> impl Iterator<Item = Lpn> {
        (self.needed..self.count).map(|number| self.unit(number))
    }

    fn unit(&self, number: u64) -> Lpn {
        Lpn(self.first + (number % u64::from(self.units)) as u32)
    }

    /// Returns the state of the log of map changes after a power cut: only the consecutive log units that were on flash
    /// remain, and no change waits to be logged.
    pub fn after_cut(self) -> Self {
        // Units that a checkpoint made unnecessary may not have come to the flash.
        let count = (self.count - self.sent.len() as u64).max(self.needed);
        let began = self.needed;
        let changes = count * self.per_unit;
        let (pending, sent) = (VecDeque::new(), VecDeque::new());
        Self { changes, pending, sent, count, began, has_begun: true, ..self }
    }

    /// Returns the number of bytes of memory that the simulator's state of the log of map changes takes.
    pub fn bytes(&self) -> usize {
        4 * self.told.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes the log of map changes for the tests: a ring of logical units 100 to 102, four changes in a unit, two
    /// superblocks.
    fn log() -> Journal {
        Journal::new(100, 3, 4, 2)
    }

    #[test]
    fn a_row_is_told_once_the_unit_with_its_last_change_is_on_flash() {
        let mut log = log();
        log.note(0, 1, 3);
        assert_eq!(log.take_full(), None);
        log.note(0, 2, 3);
        assert_eq!(log.take_full(), Some(Lpn(100)));
        assert_eq!(log.rows_told(0), 0);
        assert!(log.note_written(Lpn(100)) && !log.note_written(Lpn(99)));
        assert_eq!(log.rows_told(0), 1, "the second row has changes in the next unit");
    }

    #[test]
    fn a_unit_counts_when_all_before_it_are_there() {
        let mut log = log();
        log.note(0, 1, 4);
        log.note(1, 1, 4);
        assert_eq!((log.take_full(), log.take_full()), (Some(Lpn(100)), Some(Lpn(101))));
        log.note_written(Lpn(101));
        assert_eq!((log.rows_told(0), log.rows_told(1)), (0, 0));
        let cut = log.after_cut();
        assert_eq!((cut.needed().count(), cut.rows_told(1)), (0, 0));
    }

    #[test]
    fn a_log_goes_on_behind_units_that_were_on_their_way_when_a_checkpoint_made_them_unnecessary() {
        let mut log = log();
        log.note(0, 1, 4);
        assert_eq!(log.take_full(), Some(Lpn(100)));
        log.note_checkpoint_begun();
        log.note_checkpoint_done();
        let mut log = log.after_cut();
        assert_eq!((log.needed().count(), log.take_full()), (0, None));
        log.note(0, 2, 4);
        assert_eq!((log.take_full(), log.needed().count()), (Some(Lpn(101)), 1));
    }

    #[test]
    fn a_checkpoint_makes_room_in_the_ring() {
        let mut log = log();
        for at in 0..3 {
            log.note(0, at + 1, 4);
            let unit = log.take_full().expect("room");
            log.note_written(unit);
        }
        log.note(0, 4, 4);
        assert_eq!(log.take_full(), None);
        log.note_checkpoint_begun();
        assert_eq!((log.take_full(), log.needed().count()), (None, 3));
        log.note_checkpoint_done();
        assert_eq!((log.needed().count(), log.take_full()), (0, Some(Lpn(100))));
    }

    #[test]
    fn an_erased_superblock_is_told_of_anew() {
        let mut log = log();
        log.note(0, 1, 4);
        log.note(0, 2, 1);
        let unit = log.take_full().expect("full");
        log.note_erased(0);
        log.note_written(unit);
        assert_eq!(log.rows_told(0), 0);
        log.note(0, 1, 3);
        assert_eq!(log.take_full(), Some(Lpn(101)));
        log.note_written(Lpn(101));
        assert_eq!(log.rows_told(0), 1);
        log.note_erased(0);
        assert_eq!(log.rows_told(0), 0, "what the flash tells of its rows is of no use any more");
    }
}
