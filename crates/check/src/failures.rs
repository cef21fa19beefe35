//! What a die that failed takes along: a unit is lost only if it was there and no whole stripe gives it back, and what
//! nothing gives back is said to be lost.

use crate::examined::{Answered, Facts};
use crate::stripes::StripeAccount;
use controller::{Origin, Transaction};
use host::Effect;
use std::collections::BTreeSet;
use units::{DieId, Lpn};

/// Type of the checker's model of dies that failed as a whole in the run (failures that the user planned), and of the
/// host reads that may or must fail because of these dies.
#[derive(Default)]
pub(crate) struct FailedDies {
    /// True if, by the facts that the checker has, a host read may fail although no die fails in the run: the drive has
    /// an error-correcting code, or a die that was dead before the run.
    may_fail_anyway: bool,
    dead: BTreeSet<u32>,
    /// Set of the request numbers of the host reads in flight that may fail, because they read from a dead die or a
    /// torn page row (its program was interrupted by a power cut) and parity may not restore the data.
    may_fail: BTreeSet<u32>,
    /// Set of the request numbers of the host reads in flight that must fail, because parity cannot restore the data.
    must_fail: BTreeSet<u32>,
    /// Set of the logical units for which a read-modify-write got its old data from a read that failed, so that the
    /// unit's merged data are incomplete.
    merged: BTreeSet<u32>,
}

impl FailedDies {
    pub fn of(facts: &Facts) -> Self {
        Self { may_fail_anyway: facts.reads_may_fail, ..Self::default() }
    }

    pub fn on_dies_failed(&mut self, dies: &[u32]) {
        self.dead.extend(dies);
    }

    /// Drops all entries of host reads in flight that may or must fail, because the power failed and the reads are
    /// lost.
    pub fn on_cut(&mut self) {
        self.may_fail.clear();
        self.must_fail.clear();
    }

    /// Returns the indices, over the drive, of all dies that failed in the run by the checker's record.
    pub fn dead(&self) -> impl Iterator<Item = usize> {
        self.dead.iter().map(|&die| die as usize)
    }

    pub fn is_dead(&self, die: DieId) -> bool {
        self.dead.contains(&die.0)
    }

    /// Notes, once a die has failed, that a flash read ended; checks that a read of a dead die fails, and another only
    /// if its page row is torn (program interrupted by a power cut) or reads may fail for other reasons. `stored` is
    /// the first unit read; `rows` is the number of page rows programmed of each superblock.
    pub fn on_read(
        &mut self,
        read: &Transaction,
        superblock: usize,
        stored: Lpn,
        rows: &[u32],
        stripes: Option<&StripeAccount>,
    ) {
        if self.dead.is_empty() {
            return;
        }
        let (dead, failed) = (self.is_dead(read.die), read.reading.uncorrectable);
        assert!(failed || !dead, "a read of {} brings data, and the die is dead", read.die);
        let torn = stripes.is_some_and(|stripes| stripes.is_torn(superblock, read.row));
        assert!(
            !failed || dead || torn || self.may_fail_anyway,
            "a read of {} fails, and the die is not dead",
            read.die
        );
        if !dead && !torn {
            return;
        }
        let given_back = match stripes {
            None => Some(false),
            Some(stripes) => stripes.gives_back(superblock, read.row, rows, |die| self.dead.contains(&die)),
        };
        if given_back == Some(true) {
            return;
        }
        match read.origin {
            Origin::Host => {
                self.may_fail.insert(read.owner);
                if given_back == Some(false) {
                    self.must_fail.insert(read.owner);
                }
            }
            Origin::ReadModifyWrite => drop(self.merged.insert(stored.0)),
            _ => {}
        }
    }

    /// Checks, at the answer to a host read, that the read failed if it had to, and that data are lost only if a dead
    /// die or a torn page row (unreadable after a power cut) explains the loss.
    pub fn on_complete(&mut self, request: &Answered<'_>) {
        let (may, must) = (self.may_fail.remove(&request.id), self.must_fail.remove(&request.id));
        if self.dead.is_empty() || request.host.op.effect() != Effect::Read {
            return;
        }
        let mut units = (request.first.0..request.first.0 + request.units).map(Lpn);
        assert!(
            request.failed || !must,
            "a read of {} is answered with what was on a dead die, and nothing gives it back",
            request.first
        );
        let lost = request.failed && request.uncorrectable && !may && !self.may_fail_anyway;
        assert!(
            !lost || units.any(|lpn| self.merged.contains(&lpn.0)),
            "{} is lost, which was on no dead die, or is given back by the rest of its stripe",
            request.first
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use controller::{Class, Kind};
    use host::{HostRequest, Op};

    #[test]
    fn a_read_that_a_cut_ended_says_nothing_of_the_next_with_its_number() {
        let mut failures = FailedDies::default();
        failures.on_dies_failed(&[0]);
        let mut read = Transaction::new(Kind::Read, Origin::Host, Class::HostRead, DieId(0), 0, 0);
        (read.owner, read.reading.uncorrectable) = (7, true);
        failures.on_read(&read, 0, Lpn(0), &[1], None);
        failures.on_cut();
        let host = &HostRequest::plain(units::SimTime::ZERO, Op::READ, 4096, 4096);
        let (failed, uncorrectable) = (false, false);
        failures.on_complete(&Answered { id: 7, host, first: Lpn(1), units: 1, failed, uncorrectable });
    }
}
