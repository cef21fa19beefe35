//! Superblocks with one bit a cell, and where the host's next program unit goes.
//!
//! A die with a cache is, to garbage collection, a die with fewer superblocks: those of the cache are none of its
//! own, and of the free ones it sees only those that the cache has no claim to. Folding is to it what the host's
//! writes are on a drive without a cache. So what holds there (no collection waits for itself, some victim always
//! gives back more than it takes) holds here.

use crate::guards::slc_cache::SlcCache;
use crate::media::Media;
use crate::slc_cache::{CacheView, WhenFull};
use crate::store::{HOST, NONE, SLC, SuperblockState};

impl Media {
    /// Free superblocks of a die that are not the cache's.
    #[inline]
    pub fn free_superblocks(&self, die: usize) -> u32 {
        let free = self.store.space.dies[die].free.len() as u32;
        match &self.guards.slc_cache {
            None => free,
            Some(cache) => free.saturating_sub(cache.claimed(die)),
        }
    }

    /// Opens a superblock with all its bits, if one is free that is not the cache's.
    #[inline]
    pub fn open_own(&mut self, die: usize, stream: usize) -> bool {
        self.free_superblocks(die) > 0 && self.store.space.open(die, stream)
    }

    /// True when a superblock (over the drive) holds one bit a cell.
    #[inline]
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        self.guards.slc_cache.as_ref().is_some_and(|cache| cache.holds_one_bit[superblock])
    }

    /// Superblocks of each die that the cache keeps at all times.
    pub fn cache_reserved(&self) -> u32 {
        self.guards.slc_cache.as_ref().map_or(0, |cache| cache.shared())
    }

    /// Superblocks of a die that are kept from garbage collection's reckoning now.
    pub fn cache_superblocks(&self, die: usize) -> u32 {
        let cache = self.guards.slc_cache.as_ref().filter(|cache| cache.own.is_none());
        cache.map_or(0, |cache| cache.dies[die].superblocks.max(cache.reserved))
    }

    /// Bytes that the superblocks with one bit a cell hold; absent where there can be none.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        let cache = self.guards.slc_cache.as_ref()?;
        Some(u64::from(cache.in_use) * cache.shape.superblock.get())
    }

    /// True when another superblock of the die may be opened with one bit a cell.
    pub fn may_open_slc(&self, die: usize) -> bool {
        let Some(cache) = &self.guards.slc_cache else { return false };
        if let Some(own) = &cache.own {
            return !own[die].is_empty();
        }
        let (count, space) = (cache.dies[die].superblocks, &self.store.space.dies[die]);
        if space.free.is_empty() || count < cache.reserved {
            return !space.free.is_empty();
        }
        let useful = self.useful_units();
        let room = self.quota_beside(die, cache.reserved).saturating_sub(space.live);
        let view = CacheView { shape: cache.shape, spare: room / useful };
        // What the host may write into it must find room once it is folded, with one superblock fewer.
        let holds = self.store.layout.slc_units() + self.store.layout.program_units;
        count < cache.policy.most(&view)
            && self.free_superblocks(die) > self.rules.foreground_limit + 2 + self.rules.spare
            && space.live + holds <= self.quota_beside(die, count + 1)
    }

    /// The stream that takes the host's next program unit on a die that can take one.
    #[inline]
    pub fn stream_for_host(&self, die: usize) -> usize {
        if self.guards.slc_cache.is_some() && self.has_slc_room(die) { SLC } else { HOST }
    }

    pub fn has_slc_room(&self, die: usize) -> bool {
        let Some(cache) = &self.guards.slc_cache else { return false };
        if self.store.space.dies[die].frontiers[SLC].superblock == NONE {
            return self.may_open_slc(die);
        }
        !cache.is_pacing(die) || cache.dies[die].pace.credit >= 0.0 || self.may_open_slc(die)
    }

    /// Whether the host may write past the cache of a die that has no room in it.
    pub fn may_pass_cache(&self, die: usize) -> bool {
        // Waiting for folding helps only where something is left to be folded.
        let passes =
            |cache: &SlcCache| cache.when_full == WhenFull::Bypass || cache.dies[die].superblocks == 0;
        self.guards.slc_cache.as_ref().is_none_or(|cache| passes(cache))
    }

    /// Opens a superblock for the host's data.
    pub fn open_for_host(&mut self, die: usize, stream: usize) -> bool {
        if stream != SLC {
            return self.open_own(die, stream);
        }
        let cache = self.guards.slc_cache.as_mut();
        let opened = match cache.and_then(|cache| cache.own.as_mut()).map(|own| own[die].pop()) {
            None => self.store.space.open(die, SLC),
            Some(own) => own.is_some_and(|superblock| self.store.space.begin(die, SLC, superblock)),
        };
        let superblock = self.store.space.dies[die].frontiers[SLC].superblock;
        let global = self.store.space.global(die, superblock);
        if let (true, Some(cache)) = (opened, &mut self.guards.slc_cache) {
            cache.holds_one_bit[global] = true;
            cache.dies[die].superblocks += 1;
            cache.in_use += 1;
            self.update_quota(die);
        }
        opened
    }

    /// The host's unit went to a stream: counted, and paid for.
    pub fn note_host_unit(&mut self, die: usize, stream: usize) {
        if stream != SLC {
            self.collections[die].spend();
        }
        let Some(cache) = &mut self.guards.slc_cache else { return };
        if stream == SLC {
            cache.spend(die);
            self.store.stats.slc_units_written += 1;
        } else {
            self.store.stats.slc_units_bypassed += 1;
        }
    }

    /// A full superblock with one bit a cell has no programs under way: it waits to be folded.
    pub fn close_slc(&mut self, die: usize, superblock: u32) {
        let global = self.store.space.global(die, superblock);
        self.store.space.closed_at[global] = self.store.space.dies[die].clock;
        let failing = self.store.space.failing[global];
        let Some(cache) = &mut self.guards.slc_cache else { return };
        let of = &mut cache.dies[die];
        if failing {
            of.failed += 1;
            of.waiting.push_front(superblock);
        } else {
            of.waiting.push_back(superblock);
        }
    }

    /// The cache of a drive that has one.
    #[inline]
    pub fn cache(&mut self) -> &mut SlcCache {
        self.guards.slc_cache.as_mut().expect("only a drive with a cache folds")
    }

    /// True when a superblock of a die is one of the cache's own, apart from all groups.
    pub fn is_cache_own(&self, within: u32) -> bool {
        self.guards.slc_cache.as_ref().is_some_and(|cache| cache.is_own(within))
    }

    /// A superblock with one bit a cell was erased, and can be written again: true when it is one of the cache's own.
    pub fn keep_own(&mut self, die: usize, superblock: u32) -> bool {
        let global = self.store.space.global(die, superblock);
        let cache = self.guards.slc_cache.as_mut();
        let Some(own) = cache.and_then(|cache| cache.own.as_mut()) else { return false };
        own[die].push(superblock);
        self.store.space.state[global] = SuperblockState::Free;
        true
    }

    /// A superblock with one bit a cell was erased: it is one of all again.
    pub fn free_slc(&mut self, die: usize, global: usize) {
        let Some(cache) = &mut self.guards.slc_cache else { return };
        cache.holds_one_bit[global] = false;
        cache.dies[die].superblocks -= 1;
        cache.in_use -= 1;
        self.store.stats.slc_blocks_erased += u64::from(self.store.layout.planes);
        self.update_quota(die);
    }

    /// The host uses the die: folding in idle time is over.
    #[inline]
    pub fn end_idle_folding(&mut self, die: usize) {
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].background = false;
        }
    }
}
