//! The account of superblocks with one bit a cell.
//!
//! A superblock with one bit a cell has a page row for each wordline; they are numbered from 0 without gaps.

use crate::Layout;
use crate::settings::FtlConfig;
use crate::slc_cache::{CacheShape, SlcCachePolicy, WhenFull};
use crate::store::NONE;
use nand::SlcMode;
use std::collections::VecDeque;
use units::{Bytes, Nanos, Ppa};

/// Program units that the host may save up while the cache is folded.
const CREDIT_PROGRAMS: i64 = 4;

/// One die's part of the cache.
pub(crate) struct CacheDie {
    /// Superblocks with one bit a cell, from their opening to the end of their erase.
    pub superblocks: u32,
    /// Those that are full, oldest first; one whose program failed comes before all others.
    pub waiting: VecDeque<u32>,
    /// How many of those failed.
    pub failed: u32,
    /// The one that is being read, or `NONE`.
    pub victim: u32,
    pub next_row: u32,
    pub reading_rows: u32,
    /// Units that are on their way over the bus.
    pub reading_units: u32,
    /// Units that were read and have no place yet.
    pub read: VecDeque<Ppa>,
    /// Superblocks that are read, and wait for the programs of their units.
    pub pending: Vec<u32>,
    /// Superblocks that are being erased.
    pub erasing: u32,
    /// Units that the host may write while it waits for folding.
    pub credit: i64,
    /// Idle for long enough.
    pub background: bool,
}

impl CacheDie {
    fn new() -> Self {
        Self {
            superblocks: 0,
            waiting: VecDeque::new(),
            failed: 0,
            victim: NONE,
            next_row: 0,
            reading_rows: 0,
            reading_units: 0,
            read: VecDeque::new(),
            pending: Vec::new(),
            erasing: 0,
            credit: 0,
            background: false,
        }
    }

    /// Superblocks that come back without anything more being read.
    pub fn returning(&self) -> u32 {
        self.pending.len() as u32 + self.erasing
    }

    /// Something is there to be folded.
    pub fn has_work(&self) -> bool {
        self.victim != NONE || !self.waiting.is_empty() || !self.read.is_empty()
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
    /// By superblock of the drive: it holds one bit a cell.
    pub holds_one_bit: Vec<bool>,
    pub dies: Vec<CacheDie>,
    /// Superblocks with one bit a cell, over all dies.
    pub in_use: u32,
}

impl SlcCache {
    /// What the configuration asks for; none when it asks for none.
    pub fn new(config: &FtlConfig, mode: Option<&SlcMode>) -> Option<Box<Self>> {
        let policy = (config.slc_cache)();
        let folding = policy.folding()?;
        let layout = &config.layout;
        let units = u64::from(layout.slc_rows) * u64::from(layout.row_units);
        let shape = CacheShape {
            dies: layout.dies,
            superblocks: layout.superblocks_per_die,
            superblock: Bytes::new(units * layout.unit.get()),
        };
        let reserved = policy.reserved(&shape);
        Some(Box::new(Self {
            policy,
            shape,
            when_full: folding.when_full,
            idle_after: folding.idle_after,
            // Parity is made of data that pass the controller.
            in_die: mode.is_some_and(|mode| mode.folds_in_die) && config.stripe.is_none(),
            own: config.stripe.map(|_| vec![Vec::new(); layout.dies as usize]),
            reserved,
            holds_one_bit: vec![false; layout.superblocks()],
            dies: (0..layout.dies).map(|_| CacheDie::new()).collect(),
            in_use: 0,
        }))
    }

    /// Free superblocks of a die that the cache has a claim to.
    #[inline]
    pub fn claimed(&self, die: usize) -> u32 {
        self.shared().saturating_sub(self.dies[die].superblocks)
    }

    /// True when a superblock of a die is one of the cache's own, which stand last.
    pub fn is_own(&self, superblock: u32) -> bool {
        self.own.is_some() && superblock + self.reserved >= self.shape.superblocks
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
        self.when_full == WhenFull::FoldFirst && of.victim != NONE && !of.background
    }

    /// The host wrote a unit into the cache.
    #[inline]
    pub fn spend(&mut self, die: usize) {
        if self.is_pacing(die) {
            self.dies[die].credit -= 1;
        }
    }

    /// Page rows of a superblock were dealt with: the host may write as much.
    #[inline]
    pub fn earn(&mut self, die: usize, rows: u32, layout: &Layout) {
        let most = CREDIT_PROGRAMS * i64::from(layout.program_units);
        let credit = &mut self.dies[die].credit;
        *credit = (*credit + i64::from(rows * layout.row_units)).min(most);
    }

    /// What a die's part is doing, for messages.
    pub fn describe(&self, die: usize) -> String {
        let of = &self.dies[die];
        format!(
            "; one bit a cell: {} superblocks of {} reserved, {} wait, victim {}, row {}, reading {} rows, {} units \
             read, pending {:?}, erasing {}, credit {}",
            of.superblocks,
            self.reserved,
            of.waiting.len(),
            if of.victim == NONE { "none".to_owned() } else { of.victim.to_string() },
            of.next_row,
            of.reading_rows,
            of.read.len(),
            of.pending,
            of.erasing,
            of.credit,
        )
    }
}
