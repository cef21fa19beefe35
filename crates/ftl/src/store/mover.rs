//! A superblock on its way from full to erased, on behalf of any feature: taken, read page row by page row, waiting for the
//! programs of what was in it; and what the host earns by that.

use super::NONE;
use controller::Origin;
use std::collections::VecDeque;
use units::Ppa;

/// Superblocks that are read completely but still wait for the programs of their last units.
pub(crate) const PENDING_MAX: usize = 4;

/// The state of emptying superblocks of a die, one after the other.
pub(crate) struct Mover {
    /// The superblock that is being read, or `NONE`.
    pub victim: u32,
    /// The reason for emptying the superblock.
    pub origin: Origin,
    /// The next page row of the superblock to be read.
    pub next_row: u32,
    /// Page rows that are being read, or moved inside the die.
    pub reading_rows: u32,
    /// Units of the rows being read that are on their way over the bus.
    pub reading_units: u32,
    /// Units that were read, or are to be moved again, and have no place yet.
    pub waiting: VecDeque<(Ppa, Origin)>,
    /// Superblocks that are read completely, and wait for the programs of their units.
    pub pending: Vec<(u32, Origin)>,
    /// Superblocks that are being erased.
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

    /// True if the mover is reading a superblock.
    #[inline]
    pub fn has_victim(&self) -> bool {
        self.victim != NONE
    }

    /// Begins with a superblock.
    #[inline]
    pub fn take(&mut self, superblock: u32, origin: Origin) {
        (self.victim, self.origin, self.next_row) = (superblock, origin, 0);
    }

    /// Notes that `units` units of a page row are being read.
    #[inline]
    pub fn begin_read(&mut self, units: u32) {
        self.reading_rows += 1;
        self.reading_units += units;
    }

    /// Notes that the units of a page row have been read.
    #[inline]
    pub fn end_read(&mut self, units: u32) {
        self.reading_rows -= 1;
        self.reading_units -= units;
    }

    /// Ends the reading of a superblock: it waits until its units are programmed elsewhere. Returns its
    /// number.
    #[inline]
    pub fn end_victim(&mut self) -> u32 {
        self.pending.push((self.victim, self.origin));
        std::mem::replace(&mut self.victim, NONE)
    }

    /// True for a superblock that was read completely and waits until its units are programmed elsewhere.
    pub fn is_pending(&self, superblock: u32) -> bool {
        self.pending.iter().any(|(pending, _)| *pending == superblock)
    }

    /// Begins the erase of a superblock that was read completely. Returns the origin of its collection, if
    /// this mover had it.
    pub fn begin_erase(&mut self, superblock: u32) -> Option<Origin> {
        let at = self.pending.iter().position(|(pending, _)| *pending == superblock)?;
        self.erasing += 1;
        Some(self.pending.swap_remove(at).1)
    }

    /// Returns the number of superblocks that come back without anything more being read.
    #[inline]
    pub fn returning(&self) -> u32 {
        self.pending.len() as u32 + self.erasing
    }

    /// Returns the number of units that are being read, or have no place yet.
    #[inline]
    pub fn units_in_hand(&self) -> u32 {
        self.reading_units + self.waiting.len() as u32
    }

    /// True if superblocks wait for programs, and nothing is being read that could fill these.
    pub fn waits_for_programs(&self) -> bool {
        !self.has_victim() && self.reading_rows == 0 && !self.pending.is_empty()
    }

    /// Forgets the units that were read from a superblock of `units` units.
    pub fn forget(&mut self, superblock: u32, units: u32) {
        if !self.waiting.is_empty() {
            self.waiting.retain(|(ppa, _)| ppa.0 / u64::from(units) != u64::from(superblock));
        }
    }

    /// Returns the state of the mover in words, for messages.
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

/// Program units that the host may save up while it waits for a superblock to be emptied.
const CREDIT_PROGRAMS: u32 = 4;

/// How much the host may write while superblocks are being emptied.
pub(crate) struct Pace {
    /// Host units earned and not written yet.
    pub credit: f64,
    /// Host units earned by each unit moved.
    pub rate: f64,
}

impl Pace {
    /// Earns the host, for moving `units`, the right to write as many units as the victim gives back for
    /// them. Without this, the host runs ahead until nothing is free and then waits for a whole superblock to
    /// be collected: seconds of silence on a drive with large superblocks.
    #[inline]
    pub fn earn(&mut self, units: f64, program_units: u32) {
        // What the host did not use is soon forfeit, or it would run ahead after each wait.
        let most = f64::from(CREDIT_PROGRAMS * program_units);
        self.credit = (self.credit + units * self.rate).min(most);
    }
}
