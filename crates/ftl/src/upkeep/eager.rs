//! How far collections run ahead of writes that take no time: as far as they were seen to in time.

use crate::core::CollectionInTime;

/// How far collections run ahead of the host, and the part of it that is not done yet.
pub(crate) struct Eager {
    /// Units moved for each unit that the host writes beside a collection, over many of them: what some must move at once, for
    /// the host to go on, others need not.
    pub moved: f64,
    /// Superblocks that a die takes in idle time before a program unit, when it wants to.
    pub idle: f64,
    /// Units of these that are moved before the program unit comes.
    pub at_once: f64,
    pub dies: Vec<EagerDie>,
}

/// One die's part of it.
#[derive(Clone, Copy, Default)]
pub(crate) struct EagerDie {
    /// Units still to be moved; less than none where more had to be.
    pub owed: f64,
    /// Parts of superblocks taken in idle time that have come together.
    pub idle: f64,
}

impl Eager {
    /// As it was seen, on so many dies.
    pub fn new(seen: CollectionInTime, dies: u32) -> Self {
        let share = |part: u64, of: u64| part as f64 / of.max(1) as f64;
        let of = |die: u32| EagerDie { owed: 0.0, idle: f64::from(die) / f64::from(dies) };
        Self {
            moved: share(seen.moved, seen.written),
            idle: share(seen.idle_victims, seen.turns),
            at_once: share(seen.idle_moved, seen.idle_victims),
            dies: (0..dies).map(of).collect(),
        }
    }

    /// A die moved units.
    #[inline]
    pub fn note_moved(&mut self, die: usize, units: u32) {
        self.dies[die].owed -= f64::from(units);
    }
}
