//! What collection took and gave back, and the counters as they were after every so many victims: write amplification in
//! the long run, and how sure it is, are estimated from that.
//!
//! Counted where a victim is taken, which is rare: nothing here is done for each unit.

use crate::FtlStats;

/// Constant: greatest number of intervals between copies of the counters. When there are as many, every second copy is
/// dropped, so that memory is constant for runs of any length.
const INTERVALS_MAX: usize = 128;

/// Record of a copy of the translation layer's counters at one moment of a run, from which long-run write amplification
/// is estimated.
#[derive(Clone, Copy, Debug, Default)]
pub struct Mark {
    /// Field of a copy of the counters: the translation layer's counters at the moment of this copy, from which
    /// long-run write amplification is estimated.
    pub stats: FtlStats,
    /// Number of host units that were in the write buffer at the moment of this copy of the counters and whose programs
    /// had not ended.
    pub units_waiting: u64,
    /// Number of valid units in superblocks that, at the moment of this copy of the counters, were chosen as garbage
    /// collection victims and whose relocation had not ended.
    pub units_to_move: u64,
}

/// Type of the list of copies of the counters at equal intervals of garbage collection work (in victims) since
/// measuring began, with the counts for each die, for estimates of long-run write amplification.
#[derive(Clone, Debug, Default)]
pub struct Turnover {
    /// List of the copies of the counters in order of time; the first is from the beginning of measuring.
    marks: Vec<Mark>,
    /// Number of garbage collection victims (of merges, on a block-mapped drive) from one copy of the counters to the
    /// next.
    every: u64,
    /// Number of garbage collection victims (of merges, on a block-mapped drive) since the last copy of the counters.
    since: u64,
    /// For each die: number of valid units, and of invalid or empty units, in its garbage collection victims since
    /// measuring began; empty on a block-mapped drive, which counts merges.
    by_die: Vec<[u64; 2]>,
    /// For each copy of the counters: the value of `by_die` (valid and other units in the victims of each die) at that
    /// moment.
    by_die_at: Vec<Vec<[u64; 2]>>,
}

impl Turnover {
    /// Begins measuring, with `mark` as the first copy of the counters.
    pub(crate) fn begin(&mut self, mark: Mark) {
        self.by_die.clear();
        (self.marks, self.by_die_at) = (vec![mark], vec![Vec::new()]);
        (self.every, self.since) = (1, 0);
    }

    /// Counts one more victim, or merge; returns true if a copy of the counters is due after it.
    pub(crate) fn is_due(&mut self) -> bool {
        self.since += 1;
        self.since >= self.every && !self.marks.is_empty()
    }

    /// Adds a copy of the counters, for estimates of long-run write amplification, after a garbage collection victim,
    /// or a merge, for which a copy was due.
    pub(crate) fn push(&mut self, mark: Mark) {
        self.since = 0;
        self.marks.push(mark);
        self.by_die_at.push(self.by_die.clone());
        if self.marks.len() > INTERVALS_MAX {
            halve(&mut self.marks);
            halve(&mut self.by_die_at);
            self.every *= 2;
        }
    }

    /// Returns, for each copy of the counters and for now, the numbers of valid and of other units in the victims of
    /// each die since measuring began; a die without victims may be missing at the end.
    pub fn by_die(&self) -> impl Iterator<Item = &[[u64; 2]]> {
        self.by_die_at.iter().chain([&self.by_die]).map(Vec::as_slice)
    }

    /// Counts a garbage collection victim of a die: `valid` valid units, and `room` invalid or empty units.
    pub(crate) fn note(&mut self, die: usize, valid: u64, room: u64) {
        if die >= self.by_die.len() {
            self.by_die.resize(die + 1, [0; 2]);
        }
        let [moved, gained] = &mut self.by_die[die];
        (*moved, *gained) = (*moved + valid, *gained + room);
    }

    /// Returns the copies of the counters, in order of time; the first is from the beginning of measuring.
    pub fn marks(&self) -> &[Mark] {
        &self.marks
    }
}

/// Removes every second element of a list; the first one stays.
fn halve<T>(list: &mut Vec<T>) {
    let mut index = 0;
    list.retain(|_| {
        index += 1;
        index % 2 == 1
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_stay_equal_and_few() {
        for victims in [0u64, 1, 127, 128, 129, 1000, 100_000] {
            let mut turnover = Turnover::default();
            turnover.begin(Mark::default());
            for count in 1..=victims {
                if turnover.is_due() {
                    let stats = FtlStats { victims: count, ..FtlStats::default() };
                    turnover.by_die = vec![[count, 2 * count]];
                    turnover.push(Mark { stats, ..Mark::default() });
                }
            }
            let seen: Vec<u64> = turnover.marks().iter().map(|mark| mark.stats.victims).collect();
            assert!(seen.len() <= INTERVALS_MAX + 1, "{victims}: {} marks", seen.len());
            let by_die: Vec<u64> =
                turnover.by_die().map(|dies| dies.first().map_or(0, |die| die[0])).collect();
            assert_eq!(by_die[..seen.len()], seen, "{victims}: dies are counted at the same moments");
            let step = seen.get(1).copied().unwrap_or(1);
            assert!(
                seen.iter().enumerate().all(|(index, at)| *at == index as u64 * step),
                "{victims}: {seen:?}"
            );
            assert!(victims - seen.last().unwrap() < step, "{victims}: the end is left out");
            assert!(victims < 64 || seen.len() > INTERVALS_MAX / 2, "{victims}: only {} marks", seen.len());
        }
    }

    #[test]
    fn nothing_is_kept_before_measuring_begins() {
        let mut turnover = Turnover::default();
        assert!(!turnover.is_due() && turnover.marks().is_empty());
    }
}
