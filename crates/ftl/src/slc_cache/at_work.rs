//! The account of superblocks with one bit a cell, and where the host's next program unit goes.
//!
//! A die with a cache is, to garbage collection, a die with fewer superblocks: those of the cache are none of its
//! own, and of the free ones it sees only those that the cache has no claim to. Folding is to it what the host's
//! writes are on a drive without a cache. So what holds there (no collection waits for itself, some victim always
//! gives back more than it takes) holds here.
//!
//! A superblock with one bit a cell has a page row for each wordline; they are numbered from 0 without gaps.

use super::{CacheShape, CacheView, SlcCachePolicy, WhenFull};
use crate::pages::{HOST, PageMapped, SLC};
use crate::space::NONE;
use crate::{FtlConfig, Layout};
use nand::SlcMode;
use std::collections::VecDeque;
use units::{Bytes, Nanos, Ppa, SimTime};

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
    pub idle_timer: bool,
    pub idle_since: SimTime,
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
            idle_timer: false,
            idle_since: SimTime::ZERO,
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
    policy: Box<dyn SlcCachePolicy>,
    shape: CacheShape,
    pub when_full: WhenFull,
    pub idle_after: Option<Nanos>,
    /// The chip folds without the bus.
    pub in_die: bool,
    /// Superblocks of each die that are the cache's at all times.
    pub reserved: u32,
    /// By superblock of the drive: it holds one bit a cell.
    pub holds_one_bit: Vec<bool>,
    pub dies: Vec<CacheDie>,
    /// Superblocks with one bit a cell, over all dies.
    in_use: u32,
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
            in_die: mode.is_some_and(|mode| mode.folds_in_die),
            reserved,
            holds_one_bit: vec![false; layout.superblocks()],
            dies: (0..layout.dies).map(|_| CacheDie::new()).collect(),
            in_use: 0,
        }))
    }

    /// Free superblocks of a die that the cache has a claim to.
    #[inline]
    pub fn claimed(&self, die: usize) -> u32 {
        self.reserved.saturating_sub(self.dies[die].superblocks)
    }

    /// True while the host writes only as much as folding gives back.
    #[inline]
    fn is_pacing(&self, die: usize) -> bool {
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

impl PageMapped {
    /// Free superblocks of a die that are not the cache's.
    #[inline]
    pub(crate) fn free_superblocks(&self, die: usize) -> u32 {
        let free = self.space.dies[die].free.len() as u32;
        match &self.slc_cache {
            None => free,
            Some(cache) => free.saturating_sub(cache.claimed(die)),
        }
    }

    /// Opens a superblock with all its bits, if one is free that is not the cache's.
    #[inline]
    pub(crate) fn open_own(&mut self, die: usize, stream: usize) -> bool {
        self.free_superblocks(die) > 0 && self.space.open(die, stream)
    }

    /// True when a superblock (over the drive) holds one bit a cell.
    #[inline]
    pub(crate) fn holds_one_bit(&self, superblock: usize) -> bool {
        self.slc_cache.as_ref().is_some_and(|cache| cache.holds_one_bit[superblock])
    }

    /// Superblocks of each die that the cache keeps at all times.
    pub fn cache_reserved(&self) -> u32 {
        self.slc_cache.as_ref().map_or(0, |cache| cache.reserved)
    }

    /// Superblocks of a die that are kept from garbage collection's reckoning now.
    pub(crate) fn cache_superblocks(&self, die: usize) -> u32 {
        self.slc_cache.as_ref().map_or(0, |cache| cache.dies[die].superblocks.max(cache.reserved))
    }

    /// Bytes that the superblocks with one bit a cell hold; absent where there can be none.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        let cache = self.slc_cache.as_ref()?;
        Some(u64::from(cache.in_use) * cache.shape.superblock.get())
    }

    /// True when another superblock of the die may be opened with one bit a cell.
    pub(crate) fn may_open_slc(&self, die: usize) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        let (count, space) = (cache.dies[die].superblocks, &self.space.dies[die]);
        if space.free.is_empty() || count < cache.reserved {
            return !space.free.is_empty();
        }
        let useful = self.useful_units();
        let room = self.quota_beside(die, cache.reserved).saturating_sub(space.live);
        let view = CacheView { shape: cache.shape, spare: room / useful };
        // What the host may write into it must find room once it is folded, with one superblock fewer.
        let holds = self.layout.slc_units() + self.layout.program_units;
        count < cache.policy.most(&view)
            && self.free_superblocks(die) > self.trigger.foreground_limit() + 2 + self.spare
            && space.live + holds <= self.quota_beside(die, count + 1)
    }

    /// The stream that takes the host's next program unit on a die that can take one.
    #[inline]
    pub(crate) fn stream_for_host(&self, die: usize) -> usize {
        if self.slc_cache.is_some() && self.has_slc_room(die) { SLC } else { HOST }
    }

    pub(super) fn has_slc_room(&self, die: usize) -> bool {
        let Some(cache) = &self.slc_cache else { return false };
        if self.space.dies[die].frontiers[SLC].superblock == NONE {
            return self.may_open_slc(die);
        }
        !cache.is_pacing(die) || cache.dies[die].credit >= 0 || self.may_open_slc(die)
    }

    /// Whether the host can write to a die with a cache, `own`: it could do so past the cache.
    pub(crate) fn has_cache_room(&self, die: usize, own: bool) -> bool {
        // Waiting for folding helps only where something is left to be folded.
        let passes =
            |cache: &SlcCache| cache.when_full == WhenFull::Bypass || cache.dies[die].superblocks == 0;
        self.has_slc_room(die) || (own && self.slc_cache.as_ref().is_some_and(|cache| passes(cache)))
    }

    /// Opens a superblock for the host's data.
    pub(crate) fn open_for_host(&mut self, die: usize, stream: usize) -> bool {
        if stream != SLC {
            return self.open_own(die, stream);
        }
        let opened = self.space.open(die, SLC);
        let superblock = self.space.dies[die].frontiers[SLC].superblock;
        let global = self.space.global(die, superblock);
        if let (true, Some(cache)) = (opened, &mut self.slc_cache) {
            cache.holds_one_bit[global] = true;
            cache.dies[die].superblocks += 1;
            cache.in_use += 1;
            self.update_quota(die);
        }
        opened
    }

    /// The host's unit went to a stream: counted, and paid for.
    pub(crate) fn note_host_unit(&mut self, die: usize, stream: usize) {
        if stream != SLC {
            self.collections[die].spend();
        }
        let Some(cache) = &mut self.slc_cache else { return };
        if stream == SLC {
            cache.spend(die);
            self.stats.slc_units_written += 1;
        } else {
            self.stats.slc_units_bypassed += 1;
        }
    }

    /// A full superblock with one bit a cell has no programs under way: it waits to be folded.
    pub(crate) fn close_slc(&mut self, die: usize, superblock: u32) {
        let global = self.space.global(die, superblock);
        self.space.closed_at[global] = self.space.dies[die].clock;
        let failing = self.space.failing[global];
        let Some(cache) = &mut self.slc_cache else { return };
        let of = &mut cache.dies[die];
        if failing {
            of.failed += 1;
            of.waiting.push_front(superblock);
        } else {
            of.waiting.push_back(superblock);
        }
    }

    /// A superblock with one bit a cell was erased: it is one of all again.
    pub(crate) fn free_slc(&mut self, die: usize, global: usize) {
        let Some(cache) = &mut self.slc_cache else { return };
        cache.holds_one_bit[global] = false;
        cache.dies[die].superblocks -= 1;
        cache.dies[die].erasing -= 1;
        cache.in_use -= 1;
        self.stats.slc_blocks_erased += u64::from(self.layout.planes);
        self.update_quota(die);
    }
}
