//! Dies that failed in the middle of a run. What they hold stays where it is: a read of it fails, and is made good from the
//! rest of its stripe where there is one.

/// Which dies are dead.
#[derive(Clone, Default)]
pub(crate) struct DeadDies {
    any: bool,
    of: Vec<bool>,
}

impl DeadDies {
    /// True when some die is.
    #[inline]
    pub fn are_any(&self) -> bool {
        self.any
    }

    /// True when this one is.
    #[inline]
    pub fn has(&self, die: usize) -> bool {
        self.any && self.of.get(die) == Some(&true)
    }

    /// All that are.
    pub fn dies(&self) -> impl Iterator<Item = usize> {
        self.of.iter().enumerate().filter(|(_, is_dead)| **is_dead).map(|(die, _)| die)
    }

    /// One more; false when it was dead before.
    pub fn add(&mut self, die: usize) -> bool {
        self.of.resize(self.of.len().max(die + 1), false);
        self.any = true;
        !std::mem::replace(&mut self.of[die], true)
    }
}
