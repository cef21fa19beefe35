//! Fewest valid units; among equals the one that fell to that count first.

use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the victim policy greedy: picks the superblock with the fewest valid units. Candidates are in
/// buckets by valid units, each a ring through a node of its own: a notification costs O(1) and, as a ring has no end
/// to be told from its middle, takes no branch that could be mispredicted.
#[derive(Clone, Debug, Default)]
pub struct Greedy {
    /// List of the nodes of the linked rings: one for each superblock, then one for each bucket.
    nodes: Vec<Node>,
    /// Index, in `nodes`, of the node of bucket 0, which is for superblocks without valid units.
    first_bucket: u32,
    buckets: u32,
    /// Number of the lowest bucket (its number of valid units) in which there can be a candidate.
    least: u32,
}

/// Record of a node of a linked ring of superblocks: the two neighbours, side by side in memory so that one access
/// finds both.
#[derive(Clone, Copy, Debug)]
struct Node {
    next: u32,
    previous: u32,
}

impl Policy for Greedy {
    const CARD: Card = Card {
        name: "greedy",
        rule: "the candidate with the fewest valid units; among equals the one that reached that count first",
        paper: "Bux and Iliadis, Performance Evaluation 67, 2010",
        not_modelled: "age and wear of the blocks",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl Greedy {
    /// Returns the garbage collection candidates in the order in which they would be picked, each with its number of
    /// valid units.
    pub(super) fn in_order(&self) -> impl Iterator<Item = (SuperblockId, u32)> {
        let after = |at: u32| self.nodes[at as usize].next;
        let ring = move |valid: u32| {
            let ring = self.first_bucket + valid;
            std::iter::successors(Some(after(ring)), move |at| Some(after(*at)))
                .take_while(move |at| *at != ring)
                .map(move |at| (SuperblockId(at), valid))
        };
        (0..self.buckets).flat_map(ring)
    }

    /// Returns the superblock that is the next garbage collection victim, and the number of valid units in the
    /// superblock; `None` without a candidate.
    pub(super) fn first(&mut self) -> Option<(SuperblockId, u32)> {
        while self.least < self.buckets {
            let ring = self.first_bucket + self.least;
            let first = self.nodes[ring as usize].next;
            if first != ring {
                return Some((SuperblockId(first), self.least));
            }
            self.least += 1;
        }
        None
    }

    #[inline]
    fn unlink(&mut self, superblock: u32) {
        let Node { next, previous } = self.nodes[superblock as usize];
        self.nodes[previous as usize].next = next;
        self.nodes[next as usize].previous = previous;
    }

    #[inline]
    fn append(&mut self, superblock: u32, valid_units: u32) {
        let ring = self.first_bucket + valid_units;
        let last = std::mem::replace(&mut self.nodes[ring as usize].previous, superblock);
        self.nodes[last as usize].next = superblock;
        self.nodes[superblock as usize] = Node { next: ring, previous: last };
        self.least = self.least.min(valid_units);
    }
}

impl VictimPolicy for Greedy {
    fn attach(&mut self, superblocks: u32, units_per_superblock: u32) {
        self.first_bucket = superblocks;
        self.buckets = units_per_superblock + 1;
        // Every node alone in a ring of its own: an empty bucket, a superblock that is no candidate.
        self.nodes = (0..superblocks + self.buckets).map(|at| Node { next: at, previous: at }).collect();
        self.least = self.buckets;
    }

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        self.first().map(|(superblock, _)| superblock)
    }

    fn told(&self) -> Option<Vec<SuperblockId>> {
        Some(self.in_order().map(|(superblock, _)| superblock).collect())
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
