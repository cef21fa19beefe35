//! Whose turn it is: the host's or garbage collection's, where collection works in bursts.
//!
//! Paced collection, the default, moves for each program of the host what that program costs in the long run. Collection
//! in bursts lets the host write until the credit of a die is used up, then moves some programs on all dies at once,
//! while the host waits, and rests until the next die has used up its credit.

use super::Collection;
use crate::store::CREDIT_PROGRAMS;

/// State of the turns of garbage collection over the drive: dies on which it has new work, and bursts.
pub(crate) struct Turns {
    /// Numbers of the dies on which garbage collection must be checked because it may have new work, such as a victim
    /// to take.
    pub woken: Vec<usize>,
    /// Number of mapping units that the collection of each die moves in a burst; 0 where collection is paced evenly.
    burst_units: u32,
    /// Number of mapping units, for each die, that its collection has yet to read in the present burst.
    left: Vec<u32>,
    /// Number of dies whose collection has yet to read units in the present burst; the host waits while it is above 0.
    at_work: u32,
    /// True if the collection of a die has rested since the last burst began.
    rests: bool,
}

impl Turns {
    /// Makes the turns of a drive whose collections move `burst_programs` program units of `program_units` mapping
    /// units each in a burst; 0: collection is paced evenly.
    pub fn new(burst_programs: u32, program_units: u32, dies: u32) -> Self {
        Self {
            woken: Vec::new(),
            burst_units: burst_programs * program_units,
            left: vec![0; if burst_programs > 0 { dies as usize } else { 0 }],
            at_work: 0,
            rests: false,
        }
    }

    /// Returns true on a drive whose garbage collection works in bursts.
    #[inline]
    pub fn has_bursts(&self) -> bool {
        self.burst_units > 0
    }

    /// Returns true while a burst of garbage collection makes the host wait.
    #[inline]
    pub fn is_burst(&self) -> bool {
        self.at_work > 0
    }

    /// Returns the greatest write credit, in mapping units, that the host can save up while each unit that collection
    /// moves earns `rate` units: some programs of `program_units` units, or what a burst earns.
    #[inline]
    pub fn credit_most(&self, program_units: u32, rate: f64) -> f64 {
        match self.burst_units {
            0 => f64::from(CREDIT_PROGRAMS * program_units),
            burst => f64::from(burst.max(CREDIT_PROGRAMS * program_units)) * rate.max(1.0),
        }
    }

    /// Begins a burst of garbage collection on all dies that have a victim, if the host has used up the write credit of
    /// `die` and no burst is in progress. Returns true if a burst began: the collections must be checked.
    #[inline]
    pub fn begin_if_due(&mut self, collections: &[Collection], die: usize) -> bool {
        let is_due = self.has_bursts() && !self.is_burst() && collections[die].holds_host_back();
        if is_due {
            self.begin(collections);
        }
        is_due
    }

    #[cold]
    fn begin(&mut self, collections: &[Collection]) {
        self.rests = false;
        for (die, _) in collections.iter().enumerate().filter(|(_, collection)| collection.is_pacing()) {
            self.left[die] = self.burst_units;
            self.at_work += 1;
            self.woken.push(die);
        }
    }

    /// Notes that the collection of a die rests until the next burst.
    pub fn rest(&mut self) {
        self.rests = true;
    }

    /// Returns true if the collection of a die has rested since the last burst began.
    #[inline]
    pub fn rests(&self) -> bool {
        self.rests
    }

    /// Begins a burst on all dies that have a victim, unless a burst is in progress or the host has a program in flight
    /// on any die (`bound`: their numbers by die). Called when the host waits and collections rest: only they can let
    /// it go on.
    pub fn begin_for_waiting(&mut self, collections: &[Collection], bound: &[u32]) {
        if !self.is_burst() && bound.iter().all(|&programs| programs == 0) {
            self.begin(collections);
        }
    }

    /// Notes that the collection of a die submitted the read of `units` mapping units; returns true if that ended the
    /// burst of all dies.
    pub fn note_read(&mut self, die: usize, units: u32) -> bool {
        let before = self.left[die];
        self.left[die] = before.saturating_sub(units);
        before > 0 && self.left[die] == 0 && self.leave()
    }

    /// Ends the part of a die in the present burst, because its collection has nothing to move that the host waits for;
    /// returns true if that ended the burst of all dies.
    pub fn give_up(&mut self, die: usize) -> bool {
        std::mem::take(&mut self.left[die]) > 0 && self.leave()
    }

    fn leave(&mut self) -> bool {
        self.at_work -= 1;
        self.at_work == 0
    }
}
