//! What a job with `verify` reads back of what it wrote: fio's rules.
//!
//! A pass that is written is read again, once all of it is answered: in the order of the writes where no block comes
//! again, else in the order of places, each only as last written. With `verify_backlog` that happens after so
//! many writes. What was read is not compared: nothing here can come back wrong unseen (`--check`).

use super::distribution::Distribution;
use super::job::JobSpec;
use crate::{Effect, Op};
use std::collections::{BTreeMap, VecDeque};

/// Set of the settings of a fio job's verification: when and in which order it reads back the data that it wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VerifyRule {
    /// True if a fio job reads written data back for verification in the order of offsets; false if in the order of
    /// writes.
    pub by_place: bool,
    /// Number of writes of a fio job between two rounds of reading written data back for verification
    /// (`verify_backlog`); 0: one round after each pass over the files.
    pub every: u64,
    /// Number of requests that a fio job reads back for verification in each round (`verify_backlog_batch`).
    pub batch: u64,
    /// True if the fio job writes nothing, and reads back the data that it would have written (`verify_only`).
    pub only: bool,
}

impl VerifyRule {
    /// Makes the rule by which `job` reads back its written data; `None` where the job does not read back. As in fio, a
    /// `time_based` job reads back only with a `verify_backlog`.
    pub fn of(job: &JobSpec) -> Option<Self> {
        let is_asked = job.verify.is_some() && job.do_verify && job.writes();
        if !is_asked || (job.time_based && job.verify_backlog == 0) {
            return None;
        }
        Some(Self {
            by_place: !job.experimental_verify && may_repeat(job),
            every: job.verify_backlog,
            batch: if job.verify_batch > 0 { job.verify_batch } else { job.verify_backlog },
            only: job.verify_only,
        })
    }
}

/// Returns true if blocks of `job` may repeat within a pass over its files, as in fio 3.42 (fio 3.33 sorted all blocks
/// that no map recorded).
fn may_repeat(job: &JobSpec) -> bool {
    let uniform = |direction: &usize| job.distribution[*direction] == Distribution::Uniform;
    let asked = job.norandommap || job.soft_random_map || !job.directions().iter().all(uniform);
    asked || (job.random && !job.has_map()) || job.hole != 0 || job.sequence > 1
}

/// Record of the blocks that one clone of a fio job has written and not read back yet for verification.
#[derive(Clone, Debug)]
pub struct History {
    rule: VerifyRule,
    in_order: VecDeque<(u64, u64)>,
    by_place: BTreeMap<u64, u64>,
    /// List of the byte offsets on the drive of the fio job clone's writes in flight, at most as many as the queue
    /// depth; their blocks cannot be read back for verification yet.
    in_flight: Vec<u64>,
    batch_left: u64,
    last_was_read: bool,
    /// True after a pass of a fio job clone over its files has ended: all data written in the pass must be read back
    /// for verification.
    pub is_due: bool,
    /// True after all writes of the fio job clone's pass over its files are completed, while their data are being read
    /// back for verification.
    pub is_reading: bool,
}

impl History {
    /// Makes an empty record of the blocks that a fio job clone has written and not read back yet for verification.
    pub fn new(rule: VerifyRule) -> Self {
        Self {
            rule,
            in_order: VecDeque::new(),
            by_place: BTreeMap::new(),
            in_flight: Vec::new(),
            batch_left: 0,
            last_was_read: false,
            is_due: false,
            is_reading: false,
        }
    }

    /// Returns true if the fio job writes nothing and only reads back (`verify_only`).
    pub fn reads_only(&self) -> bool {
        self.rule.only
    }

    /// Returns true if the record has no written blocks that the fio job clone must still read back for verification.
    pub fn is_empty(&self) -> bool {
        self.in_order.is_empty() && self.by_place.is_empty()
    }

    /// Returns the number of written bytes that the fio job clone must still read back for verification.
    pub fn bytes(&self) -> u64 {
        self.in_order.iter().map(|written| written.1).sum::<u64>() + self.by_place.values().sum::<u64>()
    }

    /// Notes a request of the fio job's own workload that is issued: a write is recorded with its offset on the drive
    /// and its length. Where data are read back in the order of offsets, it replaces older writes that it overlaps.
    pub fn asked(&mut self, op: Op, offset: u64, bytes: u64) {
        if op.effect() != Effect::Write {
            return;
        }
        if !self.rule.only {
            self.in_flight.push(offset);
        }
        if !self.rule.by_place {
            self.in_order.push_back((offset, bytes));
            return;
        }
        // What overlaps is older, and no longer there.
        let end = offset + bytes;
        while let Some((&place, &length)) = self.by_place.range(..end).next_back() {
            if place + length <= offset {
                break;
            }
            self.by_place.remove(&place);
        }
        self.by_place.insert(offset, bytes);
    }

    /// Notes that a fio job clone's request at `offset` completed, so that a written block may be read back for
    /// verification.
    pub fn answered(&mut self, op: Op, offset: u64) {
        self.last_was_read = op.effect() == Effect::Read;
        if self.last_was_read {
            return;
        }
        if let Some(index) = self.in_flight.iter().position(|place| *place == offset) {
            self.in_flight.swap_remove(index);
        }
    }

    /// Returns true if the next request of the fio job clone must read back older data for verification before the pass
    /// over its files has ended (`verify_backlog`).
    pub fn backlog_is_due(&self) -> bool {
        let left = (self.in_order.len() + self.by_place.len()) as u64;
        let begins = || left.is_multiple_of(self.rule.every) && !self.last_was_read;
        self.rule.every > 0
            && left > 0
            && (self.batch_left > 0 || begins())
            && self.first().is_some_and(|(offset, _)| !self.in_flight.contains(&offset))
    }

    /// Takes out the next written block (offset, bytes) that the fio job clone must read back for verification before
    /// the pass over its files has ended (`verify_backlog`); `None` if no such read is due.
    pub fn next_of_backlog(&mut self) -> Option<(u64, u64)> {
        if !self.backlog_is_due() {
            return None;
        }
        if self.batch_left == 0 {
            self.batch_left = self.rule.batch;
        }
        self.batch_left -= 1;
        self.next()
    }

    /// Takes out the next written block that the fio job clone must read back for verification: offset on the drive and
    /// length, in bytes.
    pub fn next(&mut self) -> Option<(u64, u64)> {
        self.by_place.pop_first().or_else(|| self.in_order.pop_front())
    }

    fn first(&self) -> Option<(u64, u64)> {
        let by_place = self.by_place.first_key_value().map(|(offset, bytes)| (*offset, *bytes));
        by_place.or_else(|| self.in_order.front().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_of_what_overlaps_is_left() {
        let rule = VerifyRule { by_place: true, every: 0, batch: 0, only: false };
        let mut history = History::new(rule);
        for (offset, bytes) in [(40, 10), (0, 10), (5, 10), (60, 4), (30, 40), (20, 5)] {
            history.asked(Op::WRITE, offset, bytes);
        }
        let read: Vec<_> = std::iter::from_fn(|| history.next()).collect();
        assert_eq!(read, [(5, 10), (20, 5), (30, 40)]);
    }

    #[test]
    fn a_backlog_waits_for_its_writes_to_be_answered() {
        let rule = VerifyRule { by_place: false, every: 2, batch: 2, only: false };
        let mut history = History::new(rule);
        history.asked(Op::WRITE, 0, 4);
        assert_eq!(history.next_of_backlog(), None);
        history.asked(Op::WRITE, 4, 4);
        assert_eq!(history.next_of_backlog(), None, "in flight");
        history.answered(Op::WRITE, 0);
        assert_eq!(history.next_of_backlog(), Some((0, 4)));
        assert_eq!(history.next_of_backlog(), None, "in flight");
        history.answered(Op::WRITE, 4);
        assert_eq!(history.next_of_backlog(), Some((4, 4)));
        assert!(history.is_empty());
    }

    #[test]
    fn a_round_does_not_follow_another_without_a_write() {
        let mut history = History::new(VerifyRule { by_place: false, every: 2, batch: 2, only: false });
        let written = |history: &mut History, offsets: &[u64]| {
            offsets.iter().for_each(|offset| history.asked(Op::WRITE, *offset, 4));
            offsets.iter().for_each(|offset| history.answered(Op::WRITE, *offset));
        };
        // Two rounds are due, since the first four went out together.
        written(&mut history, &[0, 4, 8, 12]);
        assert_eq!([history.next_of_backlog(), history.next_of_backlog()], [Some((0, 4)), Some((4, 4))]);
        history.answered(Op::READ, 4);
        assert_eq!(history.next_of_backlog(), None, "the last was a read");
        written(&mut history, &[16, 20]);
        assert_eq!(history.next_of_backlog(), Some((8, 4)));
    }
}
