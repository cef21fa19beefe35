//! Free space gained times age, over the cost of gaining it: old blocks are cleaned while fuller than new ones.

use super::closing_order::ClosingOrder;
use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section};
use std::cmp::Ordering;
use std::collections::BTreeSet;
use units::SuperblockId;

/// Kind of formula of the cost-benefit policy, by how the cost is counted; `u` is the valid fraction of a superblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Formula {
    /// Case of the cost-benefit formula: score `age * (1 - u) / 2u`, as the valid fraction `u` of the superblock is
    /// read once and programmed once.
    Kawaguchi,
    /// Case of the cost-benefit formula: score `age * (1 - u) / (1 + u)`, as the whole superblock is read, and its
    /// valid fraction `u` is programmed (as in a log-structured file system).
    Lfs,
}

/// Type of the score of a superblock: ratio of the benefit of collecting the superblock to the cost, stored as two
/// numbers so that scores are compared without rounding.
#[derive(Clone, Copy)]
struct Score {
    benefit: u128,
    cost: u128,
}

impl Score {
    fn compare(self, other: Self) -> Ordering {
        match (self.cost, other.cost) {
            // What costs nothing is better than all else.
            (0, 0) => Ordering::Equal,
            (0, _) => Ordering::Greater,
            (_, 0) => Ordering::Less,
            _ => (self.benefit * other.cost).cmp(&(other.benefit * self.cost)),
        }
    }
}

impl Formula {
    fn score(self, age: u64, valid: u32, units: u32) -> Score {
        let (age, valid, units) = (u128::from(age), u128::from(valid), u128::from(units));
        let cost = match self {
            Self::Kawaguchi => 2 * valid,
            Self::Lfs => units + valid,
        };
        Score { benefit: age * (units - valid), cost }
    }
}

/// Implementation of the victim policy cost-benefit: picks the superblock with the greatest ratio of space gained times
/// age to the cost of moving data.
///
/// Among candidates with the same number of valid units the oldest is best, so only one of each number competes.
/// `filed` orders the candidates by number, then age; invalidations only mark a candidate, and the next choice files
/// the marked ones anew. With n candidates of k different numbers an invalidation costs O(1) at once and at most O(log
/// n) later, and a choice O(k log n) at most: it ends at the number where even the oldest of all candidates could not
/// win any more.
#[derive(Clone, Debug)]
pub struct CostBenefit {
    formula: Formula,
    order: ClosingOrder,
    /// Ordered set of the garbage collection candidates, each as three numbers and in this order: its number of valid
    /// units, the die's write clock (count of units written) when it was closed, and its superblock number.
    filed: BTreeSet<(u32, u64, u32)>,
    slots: Vec<FiledSuperblock>,
    marked: Vec<u32>,
}

/// Record of the cost-benefit policy about one superblock: whether it is a candidate, its position in the ordered set
/// `filed`, and whether an invalidation has made that position outdated.
#[derive(Clone, Copy, Debug, Default)]
struct FiledSuperblock {
    /// Number of valid units, and write clock at closing, under which the superblock is in the ordered set of
    /// candidates; `None` if it is not in the set.
    filed: Option<(u32, u64)>,
    candidate: bool,
    marked: bool,
}

impl Policy for CostBenefit {
    const CARD: Card = Card {
        name: "cost-benefit",
        rule: "the greatest age * (1 - u) / 2u, or / (1 + u) with formula = \"lfs\"; u: valid fraction, age: \
               units written to the die since it was closed; among equals fewest valid, then oldest",
        paper: "Kawaguchi, Nishioka and Motoda, USENIX 1995; Rosenblum and Ousterhout, ACM TOCS 10(1), 1992",
        not_modelled: "the age of single units: a block is as old as its closing; wear",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let name = section.choice(
            "formula",
            &["kawaguchi", "lfs"],
            "kawaguchi",
            "cost of cleaning: 2u (kawaguchi) or 1 + u (lfs), u being the valid fraction",
        )?;
        let formula = if name == "lfs" { Formula::Lfs } else { Formula::Kawaguchi };
        let (order, filed) = (ClosingOrder::default(), BTreeSet::new());
        Ok(Self { formula, order, filed, slots: Vec::new(), marked: Vec::new() })
    }
}

impl CostBenefit {
    #[inline]
    fn mark(&mut self, superblock: SuperblockId) {
        let slot = &mut self.slots[superblock.index()];
        if !slot.marked {
            slot.marked = true;
            self.marked.push(superblock.0);
        }
    }

    fn unfile(&mut self, superblock: u32) {
        if let Some((valid, closed_at)) = self.slots[superblock as usize].filed.take() {
            self.filed.remove(&(valid, closed_at, superblock));
        }
    }

    /// Moves each candidate that has lost valid units since the last choice to its present number of valid units in the
    /// ordered set `filed`.
    fn refile(&mut self, view: &VictimView<'_>) {
        while let Some(superblock) = self.marked.pop() {
            self.unfile(superblock);
            let slot = &mut self.slots[superblock as usize];
            slot.marked = false;
            if slot.candidate {
                let (valid, closed_at) = (
                    view.blocks.valid_units[superblock as usize],
                    view.blocks.closed_at[superblock as usize],
                );
                slot.filed = Some((valid, closed_at));
                self.filed.insert((valid, closed_at, superblock));
            }
        }
    }
}

impl VictimPolicy for CostBenefit {
    fn attach(&mut self, superblocks: u32, _units_per_superblock: u32) {
        self.order.attach(superblocks);
        self.slots = vec![FiledSuperblock::default(); superblocks as usize];
        self.marked = Vec::with_capacity(superblocks as usize);
    }

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        self.refile(view);
        let age = |closed_at: u64| view.clock - closed_at;
        let score = |age: u64, valid: u32| self.formula.score(age, valid, view.units_per_superblock);
        let greatest_age = age(view.blocks.closed_at[self.order.iter().next()?.index()]);
        let mut best: Option<(Score, u32)> = None;
        let mut next = self.filed.first();
        while let Some(&(valid, closed_at, superblock)) = next {
            // The score falls as valid units grow, so a bound that does not win ends the search.
            let bound = score(greatest_age, valid);
            if best.is_some_and(|(best, _)| bound.compare(best) != Ordering::Greater) {
                break;
            }
            let this = score(age(closed_at), valid);
            if best.is_none_or(|(best, _)| this.compare(best) == Ordering::Greater) {
                best = Some((this, superblock));
            }
            next = self.filed.range((valid + 1, 0, 0)..).next();
        }
        best.map(|(_, superblock)| SuperblockId(superblock))
    }

    fn told(&self) -> Option<Vec<SuperblockId>> {
        Some(self.order.iter().collect())
    }

    fn on_close(&mut self, superblock: SuperblockId, _valid_units: u32) {
        self.order.push(superblock);
        self.slots[superblock.index()].candidate = true;
        self.mark(superblock);
    }

    #[inline]
    fn on_invalidate(&mut self, superblock: SuperblockId, _valid_units: u32) {
        self.mark(superblock);
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        self.order.remove(superblock);
        self.slots[superblock.index()].candidate = false;
        self.unfile(superblock.0);
    }
}
