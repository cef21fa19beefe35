//! Dies that failed in the middle of a run. What they hold stays where it is: a read of it fails, and is made good from the
//! rest of its stripe where there is one.

/// Type of the set of the dies of the drive that have failed as a whole (dead dies).
#[derive(Clone)]
pub(crate) struct DeadDies {
    any: bool,
    of: Vec<bool>,
    /// Number of the die that had already failed when simulated time began, or `NONE`: with such a die, the drive is
    /// read-only and moves no data.
    pub from_start: u32,
}

impl DeadDies {
    /// Makes the set of failed dies in which no die has failed since simulated time began; `from_start` is the die that
    /// had failed before, or `NONE`.
    pub fn new(from_start: u32) -> Self {
        Self { any: false, of: Vec::new(), from_start }
    }

    /// Returns true when a die of the drive has failed since simulated time began.
    #[inline]
    pub fn are_any(&self) -> bool {
        self.any
    }

    /// Returns true when die `die` has failed since simulated time began.
    #[inline]
    pub fn has(&self, die: usize) -> bool {
        self.any && self.of.get(die) == Some(&true)
    }

    /// Returns the numbers of the dies that failed since simulated time began, ascending.
    pub fn dies(&self) -> impl Iterator<Item = usize> {
        self.of.iter().enumerate().filter(|(_, is_dead)| **is_dead).map(|(die, _)| die)
    }

    /// Restores, after a power cut, the set of dead dies as `before` records it: dies that had failed stay failed.
    pub fn go_on_with(&mut self, before: Self) {
        (self.any, self.of) = (before.any, before.of);
    }

    /// Records that die `die` has failed; returns false when the die had failed before.
    pub fn add(&mut self, die: usize) -> bool {
        self.of.resize(self.of.len().max(die + 1), false);
        self.any = true;
        !std::mem::replace(&mut self.of[die], true)
    }
}
