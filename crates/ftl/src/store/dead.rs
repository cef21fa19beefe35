//! Dies that failed in the middle of a run. What they hold stays where it is: a read of it fails, and is made good from the
//! rest of its stripe where there is one.

/// Which dies are dead.
#[derive(Clone)]
pub(crate) struct DeadDies {
    any: bool,
    of: Vec<bool>,
    /// A die that was dead when time began, or `NONE`: with one, the drive is read-only and moves no data.
    pub from_start: u32,
}

impl DeadDies {
    /// Makes a state in which no die has failed since time began.
    pub fn new(from_start: u32) -> Self {
        Self { any: false, of: Vec::new(), from_start }
    }

    /// True when some die of the drive has failed.
    #[inline]
    pub fn are_any(&self) -> bool {
        self.any
    }

    /// True when this die has failed.
    #[inline]
    pub fn has(&self, die: usize) -> bool {
        self.any && self.of.get(die) == Some(&true)
    }

    /// Returns all that failed since time began.
    pub fn dies(&self) -> impl Iterator<Item = usize> {
        self.of.iter().enumerate().filter(|(_, is_dead)| **is_dead).map(|(die, _)| die)
    }

    /// Goes on when the power is back: dies that had failed before are still dead.
    pub fn go_on_with(&mut self, before: Self) {
        (self.any, self.of) = (before.any, before.of);
    }

    /// Adds a die that failed; false when it had failed before.
    pub fn add(&mut self, die: usize) -> bool {
        self.of.resize(self.of.len().max(die + 1), false);
        self.any = true;
        !std::mem::replace(&mut self.of[die], true)
    }
}
