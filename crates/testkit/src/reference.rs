//! What a drive must answer: a plain map from logical unit to version, and random host histories.

use engine::RandomStream;
use std::collections::BTreeMap;
use units::Lpn;

/// Kind of step (one request) of a random host history in tests: a write, trim or read of consecutive mapping units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostStep {
    /// Case of a host step: the host writes `count` mapping units from `first` on.
    Write {
        /// First mapping unit that the host writes in this step of a random host history for tests.
        first: Lpn,
        /// Number of mapping units that the host writes in this step of a random host history for tests.
        count: u32,
    },
    /// Case of a host step: the host trims `count` mapping units from `first` on.
    Trim {
        /// First mapping unit that the host trims in this step of a random host history for tests.
        first: Lpn,
        /// Number of mapping units that the host trims in this step of a random host history for tests.
        count: u32,
    },
    /// Case of a host step: the host reads `count` mapping units from `first` on.
    Read {
        /// First mapping unit that the host reads in this step of a random host history for tests.
        first: Lpn,
        /// Number of mapping units that the host reads in this step of a random host history for tests.
        count: u32,
    },
}

/// Reference model of a flash translation layer for tests, without flash: it stores only the newest version number of
/// each logical unit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReferenceFtl {
    units: u32,
    versions: BTreeMap<u32, u64>,
    writes: u64,
}

impl ReferenceFtl {
    /// Makes a reference model of a drive with `units` logical units, none of them written.
    pub fn new(units: u32) -> Self {
        Self { units, versions: BTreeMap::new(), writes: 0 }
    }

    /// Writes unit `lpn` in the reference model and returns its version number, which is the number of units written so
    /// far.
    ///
    /// # Panics
    /// When the unit lies outside the drive.
    pub fn write(&mut self, lpn: Lpn) -> u64 {
        self.check(lpn);
        self.writes += 1;
        self.versions.insert(lpn.0, self.writes);
        self.writes
    }

    /// Trims unit `lpn` in the reference model: the unit holds no data afterwards.
    pub fn trim(&mut self, lpn: Lpn) {
        self.check(lpn);
        self.versions.remove(&lpn.0);
    }

    /// Sets the data of this reference model back to those of `earlier`, a copy that was made before; the counter that
    /// gives new version numbers is not set back.
    pub fn put_back(&mut self, earlier: &Self) {
        self.versions.clone_from(&earlier.versions);
    }

    /// Returns the version number that a read of unit `lpn` must return, or `None` if the unit holds no data.
    pub fn read(&self, lpn: Lpn) -> Option<u64> {
        self.check(lpn);
        self.versions.get(&lpn.0).copied()
    }

    /// Applies a step of the host to the reference model, unit by unit. For a read, returns the expected version of
    /// each unit in order; otherwise an empty list.
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

    /// Returns the logical units of the reference model that hold data, each with its version, in ascending order.
    pub fn contents(&self) -> impl Iterator<Item = (Lpn, u64)> + '_ {
        self.versions.iter().map(|(unit, version)| (Lpn(*unit), *version))
    }

    /// Returns the number of logical units of the reference model that hold data.
    pub fn live(&self) -> u32 {
        self.versions.len() as u32
    }

    fn check(&self, lpn: Lpn) {
        assert!(lpn.0 < self.units, "{lpn} lies outside the drive of {} units", self.units);
    }
}

/// Set of the parameters of a random host in tests: fractions of reads, trims and accesses to the hot part of the
/// drive, and the greatest size of a request.
#[derive(Clone, Copy, Debug)]
pub struct Habits {
    /// Parameter of the random host in tests: fraction of its steps (requests) that are reads.
    pub reads: f64,
    /// Parameter of the random host in tests: fraction of its steps (requests) that are trims; steps that are neither
    /// reads nor trims are writes.
    pub trims: f64,
    /// Parameter of the random host in tests: fraction of the steps (requests) that begin in the first fifth of the
    /// drive; other steps begin anywhere on the drive.
    pub hot: f64,
    /// Parameter of the random host in tests: greatest number of mapping units of one step (request).
    pub units_max: u32,
}

/// Makes an endless random sequence of host steps on a drive of `units` logical units; the same seed gives the same
/// steps.
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
