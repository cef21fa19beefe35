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
    /// Gives the cache the superblocks that stand apart for it: the last ones of each die.
    pub fn free_own(&mut self) {
        let Some(cache) = &mut self.guards.slc_cache else { return };
        let (reserved, Some(own)) = (cache.reserved, &mut cache.own) else { return };
        let (per_die, array) = (self.core.store.layout.superblocks_per_die, &self.core.store.array);
        for (die, own) in own.iter_mut().enumerate() {
            let first = per_die.saturating_sub(reserved);
            own.extend((first..per_die).rev().filter(|&superblock| array.is_whole(die as u32, superblock)));
            for &superblock in own.iter() {
                let global = self.core.store.space.global(die, superblock);
                self.core.store.space.state[global] = SuperblockState::Free;
            }
        }
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
        let (count, space) = (cache.dies[die].superblocks, &self.core.store.space.dies[die]);
        if space.free.is_empty() || count < cache.reserved {
            return !space.free.is_empty();
        }
        let useful = self.core.useful_units();
        let room = self.core.quota_beside(die, cache.reserved).saturating_sub(space.live);
        let view = CacheView { shape: cache.shape, spare: room / useful };
        // What the host may write into it must find room once it is folded, with one superblock fewer.
        let holds = self.core.store.layout.slc_units() + self.core.store.layout.program_units;
        count < cache.policy.most(&view)
            && self.core.free_superblocks(die) > self.core.rules.foreground_limit + 2 + self.core.rules.spare
            && space.live + holds <= self.core.quota_beside(die, count + 1)
    }

    /// The stream that takes the host's next program unit on a die that can take one.
    #[inline]
    pub fn stream_for_host(&self, die: usize) -> usize {
        if self.guards.slc_cache.is_some() && self.has_slc_room(die) { SLC } else { HOST }
    }

    pub fn has_slc_room(&self, die: usize) -> bool {
        let Some(cache) = &self.guards.slc_cache else { return false };
        if self.core.store.space.dies[die].frontiers[SLC].superblock == NONE {
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
            return self.core.open_own(die, stream);
        }
        let cache = self.guards.slc_cache.as_mut();
        let opened = match cache.and_then(|cache| cache.own.as_mut()).map(|own| own[die].pop()) {
            None => self.core.store.space.open(die, SLC),
            Some(own) => own.is_some_and(|superblock| self.core.store.space.begin(die, SLC, superblock)),
        };
        let superblock = self.core.store.space.dies[die].frontiers[SLC].superblock;
        let global = self.core.store.space.global(die, superblock);
        if let (true, Some(cache)) = (opened, &mut self.guards.slc_cache) {
            cache.add(die, global, &mut self.core.store.space);
            self.core.update_quota(die);
        }
        opened
    }

    /// The host's unit went to a stream: counted, and paid for.
    pub fn note_host_unit(&mut self, die: usize, stream: usize) {
        if stream != SLC {
            self.core.collections[die].spend();
        }
        let Some(cache) = &mut self.guards.slc_cache else { return };
        if stream == SLC {
            cache.spend(die);
            self.core.store.stats.slc_units_written += 1;
        } else {
            self.core.store.stats.slc_units_bypassed += 1;
        }
    }

    /// A full superblock with one bit a cell has no programs under way: it waits to be folded.
    pub fn close_slc(&mut self, die: usize, superblock: u32) {
        let global = self.core.store.space.global(die, superblock);
        self.core.store.space.closed_at[global] = self.core.store.space.dies[die].clock;
        let failing = self.core.store.space.failing[global];
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

    /// A superblock with one bit a cell was erased, and can be written again: true when it is one of the cache's own.
    pub fn keep_own(&mut self, die: usize, superblock: u32) -> bool {
        let global = self.core.store.space.global(die, superblock);
        let cache = self.guards.slc_cache.as_mut();
        let Some(own) = cache.and_then(|cache| cache.own.as_mut()) else { return false };
        own[die].push(superblock);
        self.core.store.space.state[global] = SuperblockState::Free;
        true
    }

    /// A superblock with one bit a cell was erased: it is one of all again.
    pub fn free_slc(&mut self, die: usize, global: usize) {
        let Some(cache) = &mut self.guards.slc_cache else { return };
        self.core.store.space.one_bit[global] = false;
        cache.dies[die].superblocks -= 1;
        cache.in_use -= 1;
        cache.tell(die, &mut self.core.store.space);
        self.core.store.stats.slc_blocks_erased += u64::from(self.core.store.layout.planes);
        self.core.update_quota(die);
    }

    /// The host uses the die: folding in idle time is over.
    #[inline]
    pub fn end_idle_folding(&mut self, die: usize) {
        if let Some(cache) = &mut self.guards.slc_cache {
            cache.dies[die].background = false;
        }
    }
}
