//! The next superblock in the order of closing that has enough garbage: a scan that goes on where it stopped.

use super::closing_order::ClosingOrder;
use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of a victim policy that scans the candidates in the order of closing for one with enough garbage, and
/// accepts less and less garbage until a superblock's worth of space is found. A choice costs O(candidates passed
/// over), which amounts to a few for each, a notification O(1).
#[derive(Clone, Debug)]
pub struct TwoRegionFifo {
    limits: ScanLimits,
    order: ClosingOrder,
    candidates: u32,
    valid: Vec<u32>,
    /// Field: garbage collection candidate at which the policy's scan continues; `None` to begin with the oldest
    /// candidate.
    next: Option<SuperblockId>,
    /// Number of garbage collection candidates that the policy's scan, in order of closing, has passed over since it
    /// began with the oldest candidate.
    passed: u32,
    /// Present limit of the valid units of a victim, in percent of a superblock (a victim has fewer).
    most_valid: u32,
    /// Number of units that victims freed since the limit of valid units was last reset.
    gained: u32,
    picked: Option<SuperblockId>,
    units: u32,
}

/// Set of settings of the victim policy's scan, in percent: `first_most_valid` and `most_valid` (limits for the valid
/// units of the first and of later victims), `step` (growth of the limit per scan), `scanned` (part of the candidates
/// that a scan passes).
#[derive(Clone, Copy, Debug)]
struct ScanLimits {
    most_valid: u32,
    first_most_valid: u32,
    step: u32,
    scanned: u32,
}

impl Policy for TwoRegionFifo {
    const CARD: Card = Card {
        name: "two-region-fifo",
        rule: "a scan over the candidates in the order they were closed, from where it stopped, takes the next of which less than \
               `most_valid` percent is valid (at first `first_most_valid`); past `scanned` percent of the candidates it begins \
               again with the oldest and takes those with `step` percent more, until its victims have given a \
               superblock's worth of units back",
        paper: "the two-region collection of SSD-iq (Haas, Lee, Leis and others, PVLDB 18, 2025), as its published simulator has it",
        not_modelled: "wear; what is left of the last superblock of moved data is not the host's to fill",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let mut percent = |key: &str, default: u32, help: &'static str| {
            let limits = at_least(1u32).at_most(100u32);
            section.unit("%").within(limits).or(key, default, help)
        };
        let limits = ScanLimits {
            most_valid: percent("most_valid", 70, "part of a victim below which its valid units must be")?,
            first_most_valid: percent("first_most_valid", 50, "the same for the first victims")?,
            step: percent("step", 5, "by how much that grows with each further scan")?,
            scanned: percent("scanned", 70, "part of the candidates that one scan goes over")?,
        };
        Ok(Self {
            limits,
            order: ClosingOrder::default(),
            candidates: 0,
            valid: Vec::new(),
            next: None,
            passed: 0,
            most_valid: limits.first_most_valid,
            gained: 0,
            picked: None,
            units: 0,
        })
    }
}

impl TwoRegionFifo {
    /// Examines the next candidate of the scan; returns it if it has enough garbage to be the victim, else `None`.
    fn look_on(&mut self) -> Option<SuperblockId> {
        let at = match self.next {
            Some(at) => at,
            None => {
                self.passed = 0;
                self.order.oldest()?
            }
        };
        self.next = self.order.after(at);
        self.passed += 1;
        let valid = u64::from(self.valid[at.index()]);
        let taken = 100 * valid < u64::from(self.most_valid) * u64::from(self.units);
        if 100 * u64::from(self.passed) >= u64::from(self.limits.scanned) * u64::from(self.candidates) {
            (self.next, self.passed) = (None, 0);
            self.most_valid += self.limits.step;
        }
        taken.then_some(at)
    }
}

impl VictimPolicy for TwoRegionFifo {
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32) {
        self.order.attach(superblocks);
        self.valid = vec![0; superblocks as usize];
        self.units = units_per_superblock;
    }

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        if self.candidates == 0 {
            return None;
        }
        // It ends: sooner or later any candidate has little enough that is valid.
        self.picked = std::iter::repeat_with(|| self.look_on()).find_map(|found| found);
        self.picked
    }

    fn told(&self) -> Option<Vec<SuperblockId>> {
        Some(self.order.iter().collect())
    }

    fn learnt(&self) -> Vec<u64> {
        let number = |superblock: Option<SuperblockId>| superblock.map_or(u64::MAX, |at| u64::from(at.0));
        let scan = [u64::from(self.passed), u64::from(self.most_valid), u64::from(self.gained)];
        [&[number(self.next), number(self.picked)], &scan[..]].concat()
    }

    fn go_on_with(&mut self, learnt: &[u64]) -> bool {
        let &[next, picked, passed, most_valid, gained] = learnt else { return false };
        let superblock = |number: u64| (number != u64::MAX).then_some(SuperblockId(number as u32));
        (self.next, self.picked) = (superblock(next), superblock(picked));
        (self.passed, self.most_valid, self.gained) = (passed as u32, most_valid as u32, gained as u32);
        [self.next, self.picked].iter().flatten().all(|at| at.index() < self.valid.len())
    }

    fn on_close(&mut self, superblock: SuperblockId, valid_units: u32) {
        self.order.push(superblock);
        self.candidates += 1;
        self.valid[superblock.index()] = valid_units;
    }

    #[inline]
    fn on_invalidate(&mut self, superblock: SuperblockId, valid_units: u32) {
        self.valid[superblock.index()] = valid_units;
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        if self.next == Some(superblock) {
            self.next = self.order.after(superblock);
        }
        self.order.remove(superblock);
        self.candidates -= 1;
        if self.picked == Some(superblock) {
            self.picked = None;
            self.gained += self.units - self.valid[superblock.index()];
            if self.gained >= self.units {
                (self.gained, self.most_valid) = (0, self.limits.most_valid);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::Document;

    #[test]
    fn a_saved_policy_counts_what_its_last_victim_gives() {
        let made = || {
            let document = Document::empty();
            let mut policy = TwoRegionFifo::read(&mut Section::root(&document)).expect("has defaults");
            policy.attach(8, 10);
            (0..8).for_each(|superblock| policy.on_close(SuperblockId(superblock), 4));
            policy
        };
        let (mut policy, mut loaded) = (made(), made());
        policy.picked = Some(SuperblockId(2));
        assert!(loaded.go_on_with(&policy.learnt()));
        policy.on_reclaim(SuperblockId(2));
        loaded.on_reclaim(SuperblockId(2));
        assert_eq!((loaded.gained, loaded.learnt()), (6, policy.learnt()));
        assert!(!made().go_on_with(&[u64::MAX, 8, 0, 50, 0]), "no superblock 8");
    }
}
