//! Fewest valid units; among equals the one that fell to that count first.

use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

const NONE: u32 = u32::MAX;

/// Buckets of candidates by valid units, each a doubly linked list: every notification costs O(1).
#[derive(Clone, Debug, Default)]
pub struct Greedy {
    head: Vec<u32>,
    tail: Vec<u32>,
    next: Vec<u32>,
    previous: Vec<u32>,
    bucket: Vec<u32>,
    /// No candidate lies in a bucket below this one.
    least: usize,
}

impl Policy for Greedy {
    const CARD: Card = Card {
        name: "greedy",
        rule: "fewest valid units; among equals the one that fell to that count first",
        paper: "Bux and Iliadis, Performance Evaluation 67, 2010",
        not_modelled: "age and wear of the blocks",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl Greedy {
    #[inline]
    fn unlink(&mut self, superblock: u32) {
        let (before, after) = (self.previous[superblock as usize], self.next[superblock as usize]);
        let bucket = self.bucket[superblock as usize] as usize;
        match before {
            NONE => self.head[bucket] = after,
            before => self.next[before as usize] = after,
        }
        match after {
            NONE => self.tail[bucket] = before,
            after => self.previous[after as usize] = before,
        }
    }

    #[inline]
    fn append(&mut self, superblock: u32, valid_units: u32) {
        let bucket = valid_units as usize;
        let last = self.tail[bucket];
        match last {
            NONE => self.head[bucket] = superblock,
            last => self.next[last as usize] = superblock,
        }
        self.previous[superblock as usize] = last;
        self.next[superblock as usize] = NONE;
        self.tail[bucket] = superblock;
        self.bucket[superblock as usize] = valid_units;
        self.least = self.least.min(bucket);
    }
}

impl VictimPolicy for Greedy {
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32) {
        let buckets = units_per_superblock as usize + 1;
        self.head = vec![NONE; buckets];
        self.tail = vec![NONE; buckets];
        self.next = vec![NONE; superblocks as usize];
        self.previous = vec![NONE; superblocks as usize];
        self.bucket = vec![0; superblocks as usize];
        self.least = buckets;
    }

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        while self.least < self.head.len() {
            match self.head[self.least] {
                NONE => self.least += 1,
                superblock => return Some(SuperblockId(superblock)),
            }
        }
        None
    }

    fn on_close(&mut self, superblock: SuperblockId, valid_units: u32) {
        self.append(superblock.0, valid_units);
    }

    #[inline]
    fn on_invalidate(&mut self, superblock: SuperblockId, valid_units: u32) {
        self.unlink(superblock.0);
        self.append(superblock.0, valid_units);
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        self.unlink(superblock.0);
    }
}
