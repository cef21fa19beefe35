//! What a drive must answer: a plain map from logical unit to version, and random host histories.

use engine::RandomStream;
use std::collections::BTreeMap;
use units::Lpn;

/// One step of a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostStep {
    /// Writes `count` units from `first` on.
    Write {
        /// First unit that is written.
        first: Lpn,
        /// Number of units that are written.
        count: u32,
    },
    /// Declares `count` units from `first` on unused.
    Trim {
        /// First unit that is declared unused.
        first: Lpn,
        /// Number of units that are declared unused.
        count: u32,
    },
    /// Reads `count` units from `first` on.
    Read {
        /// First unit that is read.
        first: Lpn,
        /// Number of units that are read.
        count: u32,
    },
}

/// A flash translation layer without flash: it remembers which version of each unit is the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceFtl {
    units: u32,
    versions: BTreeMap<u32, u64>,
    writes: u64,
}

impl ReferenceFtl {
    /// Makes a drive of `units` logical units, none written.
    pub fn new(units: u32) -> Self {
        Self { units, versions: BTreeMap::new(), writes: 0 }
    }

    /// Writes a unit and returns its version: 1 for the first unit written since the start, then 2, and so on.
    ///
    /// # Panics
    /// When the unit lies outside the drive, as in all methods.
    pub fn write(&mut self, lpn: Lpn) -> u64 {
        self.check(lpn);
        self.writes += 1;
        self.versions.insert(lpn.0, self.writes);
        self.writes
    }

    /// Declares a unit unused.
    pub fn trim(&mut self, lpn: Lpn) {
        self.check(lpn);
        self.versions.remove(&lpn.0);
    }

    /// Restores the data of `earlier`, a copy of this drive; version numbers are not set back.
    pub fn put_back(&mut self, earlier: &Self) {
        self.versions.clone_from(&earlier.versions);
    }

    /// Returns the version a read must return, or `None` where the unit holds nothing.
    pub fn read(&self, lpn: Lpn) -> Option<u64> {
        self.check(lpn);
        self.versions.get(&lpn.0).copied()
    }

    /// Applies a step, unit by unit; for a read, returns the versions expected, in order.
    pub fn apply(&mut self, step: HostStep) -> Vec<Option<u64>> {
        let lpns = |first: Lpn, count: u32| (first.0..first.0 + count).map(Lpn);
        match step {
            HostStep::Write { first, count } => lpns(first, count).for_each(|lpn| {
                self.write(lpn);
            }),
            HostStep::Trim { first, count } => lpns(first, count).for_each(|lpn| self.trim(lpn)),
            HostStep::Read { first, count } => return lpns(first, count).map(|lpn| self.read(lpn)).collect(),
        }
        Vec::new()
    }

    /// Returns the logical units of the reference drive that hold data, each with its version, in ascending
    /// order.
    pub fn contents(&self) -> impl Iterator<Item = (Lpn, u64)> + '_ {
        self.versions.iter().map(|(unit, version)| (Lpn(*unit), *version))
    }

    /// Returns the number of units that hold data.
    pub fn live(&self) -> u32 {
        self.versions.len() as u32
    }

    fn check(&self, lpn: Lpn) {
        assert!(lpn.0 < self.units, "{lpn} lies outside the drive of {} units", self.units);
    }
}

/// What a random host does.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// The ratio of steps that are reads.
    pub reads: f64,
    /// The ratio of steps that are trims; the rest writes.
    pub trims: f64,
    /// Share of steps that are drawn from the first fifth of the drive; the others are drawn from the whole drive.
    pub hot: f64,
    /// The most units of a step.
    pub units_max: u32,
}

/// Returns an endless random host history over a drive of `units` logical units: same seed, same steps.
///
/// # Panics
/// When the drive or the largest step has no units.
pub fn history(units: u32, habits: Habits, seed: u64) -> impl Iterator<Item = HostStep> {
    assert!(units > 0 && habits.units_max > 0, "a history needs units");
    let mut random = RandomStream::new(seed, "reference.history");
    std::iter::repeat_with(move || {
        let count = 1 + random.below(u64::from(habits.units_max.min(units))) as u32;
        let space = if random.chance(habits.hot) { (units / 5).max(1) } else { units };
        let first = Lpn((random.below(u64::from(space)) as u32).min(units - count));
        let kind = random.unit();
        if kind < habits.reads {
            HostStep::Read { first, count }
        } else if kind < habits.reads + habits.trims {
            HostStep::Trim { first, count }
        } else {
            HostStep::Write { first, count }
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const HABITS: Habits = Habits { reads: 0.3, trims: 0.1, hot: 0.5, units_max: 9 };

    #[test]
    fn the_last_write_wins_and_a_trim_empties() {
        let mut drive = ReferenceFtl::new(4);
        assert_eq!(drive.read(Lpn(3)), None);
        drive.apply(HostStep::Write { first: Lpn(1), count: 3 });
        assert_eq!(drive.write(Lpn(2)), 4);
        drive.trim(Lpn(3));
        assert_eq!(drive.apply(HostStep::Read { first: Lpn(0), count: 4 }), [None, Some(1), Some(4), None]);
        assert_eq!(drive.live(), 2);
        assert_eq!(drive.contents().collect::<Vec<_>>(), [(Lpn(1), 1), (Lpn(2), 4)]);
    }

    #[test]
    fn histories_repeat_and_agree_with_a_plain_list() {
        let steps = |seed| history(50, HABITS, seed).take(20_000).collect::<Vec<_>>();
        assert_eq!(steps(1), steps(1));
        assert_ne!(steps(1), steps(2));
        let mut drive = ReferenceFtl::new(50);
        let (mut list, mut writes) = ([None; 50], 0);
        for step in steps(1) {
            let seen = drive.apply(step);
            match step {
                HostStep::Write { first, count } => (first.0..first.0 + count).for_each(|unit| {
                    writes += 1;
                    list[unit as usize] = Some(writes);
                }),
                HostStep::Trim { first, count } => list[first.index()..][..count as usize].fill(None),
                HostStep::Read { first, count } => assert_eq!(seen, list[first.index()..][..count as usize]),
            }
        }
    }

    #[test]
    #[should_panic(expected = "outside the drive")]
    fn outside_the_drive_there_is_nothing() {
        ReferenceFtl::new(4).write(Lpn(4));
    }
}
