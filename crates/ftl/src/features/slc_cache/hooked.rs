//! What the cache does at the hooks of the layer.

use super::SlcCache;
use crate::core::{Core, Folding};
use crate::features::Feature;
use crate::slc_cache::{CacheView, WhenFull};
use units::Nanos;

impl Feature for SlcCache {
    /// None holds one bit a cell yet.
    fn made(&mut self, core: &mut Core) {
        core.store.space.one_bit = vec![false; core.store.space.state.len()];
        core.folding = self.dies.iter().map(|_| Folding::new()).collect();
        (0..self.dies.len()).for_each(|die| self.tell(die, &mut core.store.space));
    }

    fn uses_one_bit(&self) -> bool {
        true
    }

    fn frees_own(&mut self, core: &mut Core) {
        self.free_own(core);
    }

    fn takes_hosts(&self, core: &Core, die: usize) -> bool {
        self.has_room(core, die)
    }

    /// Waiting for folding helps only where something is left to be folded.
    fn lets_pass(&self, die: usize) -> bool {
        self.when_full == WhenFull::Bypass || self.dies[die].superblocks == 0
    }

    fn opens_one_bit(&mut self, core: &mut Core, die: usize) -> bool {
        self.open(core, die)
    }

    fn wrote_host_unit(&mut self, core: &mut Core, die: usize, stream: usize) {
        self.count_unit(core, die, stream);
    }

    fn closes_one_bit(&mut self, core: &mut Core, die: usize, superblock: u32) {
        self.close(core, die, superblock);
    }

    fn keeps_own(&mut self, core: &mut Core, die: usize, superblock: u32) -> bool {
        self.keep(core, die, superblock)
    }

    fn erased_one_bit(&mut self, core: &mut Core, die: usize, superblock: usize) {
        self.give_back(core, die, superblock);
    }

    fn found_one_bit(&mut self, core: &mut Core, die: usize, superblock: usize) {
        self.add(die, superblock, &mut core.store.space);
    }

    fn folds_after(&self) -> Option<Nanos> {
        self.idle_after
    }

    fn has_to_fold(&self, core: &Core, die: usize) -> bool {
        self.has_work(core, die)
    }

    fn wants_folding(&self, core: &Core, die: usize) -> bool {
        self.must_fold(core, die)
    }

    fn is_hosts_turn(&self, core: &Core, die: usize) -> bool {
        self.is_for_host(core, die)
    }

    fn folds_in_die(&self) -> bool {
        self.in_die
    }

    fn takes_folded(&mut self, core: &mut Core, die: usize) -> bool {
        self.take(core, die)
    }

    fn is_written_past(&self) -> Option<bool> {
        Some(self.when_full == WhenFull::Bypass)
    }

    fn superblocks_before_folding(&self) -> Option<u32> {
        let grows = self.policy.most(&CacheView { shape: self.shape, spare: 1 }) > self.reserved;
        let waits = self.when_full == WhenFull::FoldFirst && !grows;
        waits.then(|| self.reserved.saturating_sub(1))
    }

    fn may_open_one_bit(&self, core: &Core, die: usize) -> bool {
        self.may_open(core, die)
    }

    fn may_open_two(&self, die: usize) -> bool {
        self.may_open_another(die)
    }

    fn oldest_one_bit(&self, die: usize) -> Option<u32> {
        self.dies[die].waiting.front().copied()
    }

    fn folds_untimed(&mut self, core: &mut Core, die: usize, rows: u32) {
        self.take_oldest(core, die, rows);
    }

    fn one_bit_bytes(&self) -> Option<u64> {
        Some(u64::from(self.in_use) * self.shape.superblock.get())
    }

    fn says_of(&self, core: &Core, die: usize) -> Option<String> {
        Some(self.describe(core, die))
    }
}
