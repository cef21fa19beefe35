//! A superblock on its way from full to erased, on behalf of any feature: taken, read page row by page row, waiting for the
//! programs of what was in it; and what the host earns by that.

use super::NONE;
use controller::Origin;
use std::collections::VecDeque;
use units::Ppa;

/// Constant: greatest number of superblocks of a die that are completely read but still wait for the programs of their
/// last units, when superblocks are reclaimed.
pub(crate) const PENDING_MAX: usize = 4;

/// State of a process that reclaims superblocks of a die one after the other: reads the valid units, waits for their
/// programs elsewhere, erases.
pub(crate) struct Mover {
    /// Number, within the die, of the victim: the superblock that is being reclaimed and whose valid units are still
    /// being read; `NONE` if there is none.
    pub victim: u32,
    /// Field of the state of reclaiming: origin (reason) for which the superblock `victim` is being reclaimed, such as
    /// garbage collection or wear levelling.
    pub origin: Origin,
    /// Index of the next page row (pages of one number on all planes) of the superblock `victim` to be read.
    pub next_row: u32,
    /// Number of page rows of the victim whose units are now being read over the bus, or copied inside the die, in
    /// order to be moved.
    pub reading_rows: u32,
    /// Number of mapping units that are being read over the bus into the controller, or copied inside the die for
    /// garbage collection; units that folding copies inside the die do not count.
    pub reading_units: u32,
    /// Queue of the mapping units that were read, or must be programmed again, and wait for a place on flash; each with
    /// its old address and the reason of its move.
    pub waiting: VecDeque<(Ppa, Origin)>,
    /// List of the superblocks for all valid units of which reads were submitted, and which wait until these units are
    /// programmed elsewhere before they are erased; each with the reason for reclaiming it.
    pub pending: Vec<(u32, Origin)>,
    /// Number of reclaimed superblocks of the die that are being erased.
    pub erasing: u32,
}

impl Mover {
    pub fn new() -> Self {
        Self {
            victim: NONE,
            origin: Origin::Gc,
            next_row: 0,
            reading_rows: 0,
            reading_units: 0,
            waiting: VecDeque::new(),
            pending: Vec::with_capacity(PENDING_MAX),
            erasing: 0,
        }
    }

    /// Returns true if a superblock is being read to be reclaimed.
    #[inline]
    pub fn has_victim(&self) -> bool {
        self.victim != NONE
    }

    /// Starts to reclaim superblock `superblock` for the reason `origin`: its valid units will be read from its first
    /// page row on.
    #[inline]
    pub fn take(&mut self, superblock: u32, origin: Origin) {
        (self.victim, self.origin, self.next_row) = (superblock, origin, 0);
    }

    /// Counts a read of `units` units of one page row (pages of one number on all planes) as begun.
    #[inline]
    pub fn begin_read(&mut self, units: u32) {
        self.reading_rows += 1;
        self.reading_units += units;
    }

    /// Counts a read of `units` units of one page row (pages of one number on all planes) as complete.
    #[inline]
    pub fn end_read(&mut self, units: u32) {
        self.reading_rows -= 1;
        self.reading_units -= units;
    }

    /// Ends the submission of reads of the superblock being reclaimed, which now waits until its units are programmed
    /// elsewhere. Returns its number within the die.
    #[inline]
    pub fn end_victim(&mut self) -> u32 {
        self.pending.push((self.victim, self.origin));
        std::mem::replace(&mut self.victim, NONE)
    }

    /// Returns true if superblock `superblock` was read completely and waits until its units are programmed elsewhere.
    pub fn is_pending(&self, superblock: u32) -> bool {
        self.pending.iter().any(|(pending, _)| *pending == superblock)
    }

    /// Marks a superblock that was read completely as being erased. Returns the reason for reclaiming it; `None` if it
    /// is not among `pending`.
    pub fn begin_erase(&mut self, superblock: u32) -> Option<Origin> {
        let at = self.pending.iter().position(|(pending, _)| *pending == superblock)?;
        self.erasing += 1;
        Some(self.pending.swap_remove(at).1)
    }

    /// Returns the number of superblocks of the die that become free without any further read: superblocks whose read
    /// units wait to be programmed elsewhere, and superblocks being erased.
    #[inline]
    pub fn returning(&self) -> u32 {
        self.pending.len() as u32 + self.erasing
    }

    /// Returns the number of mapping units of superblocks being reclaimed that are being read, or were read and have no
    /// new place on flash yet.
    #[inline]
    pub fn units_in_hand(&self) -> u32 {
        self.reading_units + self.waiting.len() as u32
    }

    /// Returns true if superblocks wait until their units are programmed elsewhere, while nothing is being read that
    /// could fill up the last program.
    pub fn waits_for_programs(&self) -> bool {
        !self.has_victim() && self.reading_rows == 0 && !self.pending.is_empty()
    }

    /// Drops, from the queue of units that were read and wait for a new place, the units that came from superblock
    /// `superblock`; `units` is the number of units of a superblock.
    pub fn forget(&mut self, superblock: u32, units: u32) {
        if !self.waiting.is_empty() {
            self.waiting.retain(|(ppa, _)| ppa.0 / u64::from(units) != u64::from(superblock));
        }
    }

    /// Returns a text that describes the superblocks being reclaimed, for messages.
    pub fn describe(&self) -> String {
        let victim = if self.has_victim() { self.victim.to_string() } else { "none".to_owned() };
        let Self { next_row, reading_rows, pending, erasing, waiting, .. } = self;
        let waiting = waiting.len();
        format!(
            "victim {victim}, row {next_row}, reading {reading_rows} rows, {waiting} units wait, pending {pending:?}, \
             erasing {erasing}"
        )
    }
}

/// Constant: greatest number of program units for which the host can save up write credit while a superblock is being
/// reclaimed; with bursts of garbage collection, it can be more.
pub(crate) const CREDIT_PROGRAMS: u32 = 4;

/// State of the throttling of host writes to a die while its superblocks are being reclaimed: the number of mapping
/// units that the host may still write, and the number that each unit moved by reclaiming adds.
pub(crate) struct Pace {
    /// Number of mapping units that the host may write now: earned by moved units and not used yet.
    pub credit: f64,
    /// Number of mapping units of host writes that each unit moved by reclaiming earns.
    pub rate: f64,
}

impl Pace {
    /// Adds to the host's write credit the number of units that the host may write in return for `units` units moved by
    /// reclaiming. Without the credit, the host would run ahead until nothing is free and then wait for a whole
    /// superblock to be collected: seconds without progress on a drive with large superblocks. The credit grows to
    /// `most` units.
    #[inline]
    pub fn earn(&mut self, units: f64, most: f64) {
        // What the host did not use is soon forfeit, or it would run ahead after each wait.
        self.credit = (self.credit + units * self.rate).min(most);
    }
}
