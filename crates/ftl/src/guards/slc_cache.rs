//! The account of superblocks with one bit a cell.
//!
//! A superblock with one bit a cell has a page row for each wordline; they are numbered from 0 without gaps.

use crate::SavedState;
use crate::saved::Untaken;
use crate::settings::FtlConfig;
use crate::slc_cache::{CacheShape, SlcCachePolicy, WhenFull};
use crate::store::{self, Frontier, Mover, NONE, Pace, SLC, Space, SuperblockState as S};
use nand::SlcMode;
use std::collections::VecDeque;
use units::{Bytes, Nanos};

/// One die's part of the cache.
pub(crate) struct CacheDie {
    /// Superblocks with one bit a cell, from their opening to the end of their erase.
    pub superblocks: u32,
    /// Those that are full, oldest first; one whose program failed comes before all others.
    pub waiting: VecDeque<u32>,
    /// How many of those failed.
    pub failed: u32,
    pub mover: Mover,
    /// Each unit folded gives one back.
    pub pace: Pace,
    /// Idle for long enough.
    pub background: bool,
}

impl CacheDie {
    fn new() -> Self {
        Self {
            superblocks: 0,
            waiting: VecDeque::new(),
            failed: 0,
            mover: Mover::new(),
            pace: Pace { credit: 0.0, rate: 1.0 },
            background: false,
        }
    }

    /// Something is there to be folded.
    pub fn has_work(&self) -> bool {
        self.mover.has_victim() || !self.waiting.is_empty() || !self.mover.waiting.is_empty()
    }
}

/// The cache of a drive.
pub(crate) struct SlcCache {
    pub policy: Box<dyn SlcCachePolicy>,
    pub shape: CacheShape,
    pub when_full: WhenFull,
    pub idle_after: Option<Nanos>,
    /// The chip folds without the bus.
    pub in_die: bool,
    /// Superblocks of each die that are the cache's at all times.
    pub reserved: u32,
    /// By die: superblocks of its own that are free. Where dies protect each other's superblocks, those of the cache stand
    /// apart from all others, and have no parity; elsewhere any free superblock will do, and there is none of these.
    pub own: Option<Vec<Vec<u32>>>,
    pub dies: Vec<CacheDie>,
    /// Superblocks with one bit a cell, over all dies.
    pub in_use: u32,
}

impl SlcCache {
    /// What the configuration asks for; none when it asks for none.
    pub fn new(config: &FtlConfig, mode: Option<&SlcMode>) -> Option<Box<Self>> {
        let policy = (config.destination.slc_cache)();
        let folding = policy.folding()?;
        let layout = &config.layout;
        let units = u64::from(layout.slc_rows) * u64::from(layout.row_units);
        let shape = CacheShape {
            dies: layout.dies,
            superblocks: layout.superblocks_per_die,
            superblock: Bytes::new(units * layout.unit.get()),
        };
        let (reserved, in_step) = (policy.reserved(&shape), config.beside.work_in_step());
        Some(Box::new(Self {
            policy,
            shape,
            when_full: folding.when_full,
            idle_after: folding.idle_after,
            // What is made of several superblocks passes the controller.
            in_die: mode.is_some_and(|mode| mode.folds_in_die) && !in_step,
            own: in_step.then(|| vec![Vec::new(); layout.dies as usize]),
            reserved,
            dies: (0..layout.dies).map(|_| CacheDie::new()).collect(),
            in_use: 0,
        }))
    }

    /// A fresh drive: none holds one bit a cell yet.
    pub fn begin(&self, space: &mut Space) {
        space.one_bit = vec![false; space.state.len()];
        (0..self.dies.len()).for_each(|die| self.tell(die, space));
    }

    /// Says how many superblocks of a die nothing else can count on.
    pub fn tell(&self, die: usize, space: &mut Space) {
        let count = self.dies[die].superblocks;
        let of = &mut space.dies[die];
        (of.claimed, of.lent) = match self.own {
            Some(_) => (0, 0),
            None => (self.reserved.saturating_sub(count), count.max(self.reserved)),
        };
    }

    /// One superblock more holds one bit a cell, numbered over the drive.
    pub fn add(&mut self, die: usize, global: usize, space: &mut Space) {
        space.one_bit[global] = true;
        self.dies[die].superblocks += 1;
        self.in_use += 1;
        self.tell(die, space);
    }

    /// The first of the cache's own superblocks of a die, which stand last.
    pub fn own_from(&self) -> u32 {
        if self.own.is_some() { self.shape.superblocks.saturating_sub(self.reserved) } else { NONE }
    }

    /// Superblocks of each die, out of those that data share, which the cache keeps at all times.
    #[inline]
    pub fn shared(&self) -> u32 {
        if self.own.is_some() { 0 } else { self.reserved }
    }

    /// True while the host writes only as much as folding gives back.
    #[inline]
    pub fn is_pacing(&self, die: usize) -> bool {
        let of = &self.dies[die];
        self.when_full == WhenFull::FoldFirst && of.mover.has_victim() && !of.background
    }

    /// The host wrote a unit into the cache.
    #[inline]
    pub fn spend(&mut self, die: usize) {
        if self.is_pacing(die) {
            self.dies[die].pace.credit -= 1.0;
        }
    }

    /// Adds the superblocks with one bit a cell to a saved state. One that is being folded is folded from its beginning:
    /// what was not written elsewhere is still there.
    pub fn save(&self, space: &Space, saved: &mut SavedState) {
        for (at, die) in self.dies.iter().enumerate() {
            let open = space.dies[at].frontiers[SLC];
            let Mover { victim, pending, .. } = &die.mover;
            let pending = pending.iter().map(|(superblock, _)| superblock);
            let victim = Some(victim).filter(|_| die.mover.has_victim());
            if let Some(&victim) = victim {
                // It is folded from its beginning.
                saved.words[store::STATES][space.global(at, victim)] = S::Closed as u32;
            }
            let closed = pending.chain(victim).chain(&die.waiting).copied();
            let own = self.own.as_ref().map_or_else(Vec::new, |own| own[at].clone());
            saved.words.extend([vec![open.superblock, open.next_unit], closed.collect(), own]);
        }
    }

    /// Takes the superblocks with one bit a cell from a saved state whose blocks `space` has already.
    ///
    /// # Errors
    /// When there are others, or they are not as the blocks are.
    pub fn load(&mut self, space: &mut Space, saved: &mut Untaken<'_>, units: u32) -> Result<(), String> {
        let wrong = || "the saved state's superblocks with one bit a cell contradict themselves".to_owned();
        self.in_use = 0;
        for at in 0..self.dies.len() {
            let open = saved.words_for(2)?;
            let (closed, own) = (saved.words()?, saved.words()?);
            let is_open = open[0] != NONE;
            let all = closed.iter().chain(own).chain(open.first().filter(|_| is_open));
            if !all.clone().all(|&superblock| superblock < space.per_die) || open[1] > units {
                return Err(wrong());
            }
            for &superblock in closed.iter().chain(open.first().filter(|_| is_open)) {
                let global = space.global(at, superblock);
                let apart = self.own.is_none() || superblock >= self.own_from();
                if std::mem::replace(&mut space.one_bit[global], true) || !apart {
                    return Err(wrong());
                }
                let wanted = if is_open && superblock == open[0] { S::Open } else { S::Closed };
                if space.state[global] != wanted {
                    return Err(wrong());
                }
            }
            match &mut self.own {
                Some(mine) if own.iter().all(|&free| space.state[space.global(at, free)] == S::Free) => {
                    mine[at] = own.to_vec();
                }
                None if own.is_empty() => {}
                _ => return Err(wrong()),
            }
            let (superblock, next_unit) = (open[0], open[1]);
            space.dies[at].frontiers[SLC] = Frontier { superblock, next_unit, ..Frontier::CLOSED };
            let (mut failed, waiting): (Vec<u32>, Vec<u32>) =
                closed.iter().partition(|&&superblock| space.failing[space.global(at, superblock)]);
            let die = &mut self.dies[at];
            die.failed = failed.len() as u32;
            failed.extend(waiting);
            die.waiting = failed.into();
            die.superblocks = closed.len() as u32 + u32::from(is_open);
            self.in_use += die.superblocks;
            self.tell(at, space);
        }
        Ok(())
    }

    /// What a die's part is doing, for messages.
    pub fn describe(&self, die: usize) -> String {
        let of = &self.dies[die];
        format!(
            "; one bit a cell: {} superblocks of {} reserved, {} wait, {}, credit {}",
            of.superblocks,
            self.reserved,
            of.waiting.len(),
            of.mover.describe(),
            of.pace.credit,
        )
    }
}
