//! Answers of a drive that come from the core, and so are the same for all translation layers.

use super::Ftl;
use super::list::each;
use crate::agenda::Costs;
use crate::core::Core;
use crate::layer::{Base, Layer, Untimed};
use crate::media::Media;
use crate::parts::costs_of;
use crate::upkeep::Upkeep;
use crate::{Beginning, FtlStats, Layout, Listed, Mark, Seen, SuperblockState, Turnover, UpkeepCounts};
use controller::Controller;
use nand::FlashArray;
use std::ops::Range;
use std::time::Duration;
use units::{Lpn, Nanos, Ppa, SimTime};

impl Ftl {
    #[inline]
    pub(super) fn base(&self) -> Base<'_> {
        each!(&self.layer, layer => layer.base())
    }

    #[inline]
    fn media(&self) -> &Media {
        self.base().media
    }

    #[inline]
    pub(super) fn core(&self) -> &Core {
        &self.media().core
    }

    #[inline]
    fn reasons(&self) -> &Upkeep {
        self.base().upkeep
    }

    /// Returns the layout of units on the flash of the drive.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.core().store.layout
    }

    /// Returns the counts of the translation layer so far.
    #[inline]
    pub fn stats(&self) -> &FtlStats {
        &self.core().store.stats
    }

    /// Returns the counters after every so many victims, or merges, since measuring began.
    #[inline]
    pub fn turnover(&self) -> &Turnover {
        &self.reasons().turnover
    }

    /// Returns the counters of collection work now.
    #[inline]
    pub fn mark(&self) -> Mark {
        self.core().mark()
    }

    /// Returns the controller, for its busy times.
    #[inline]
    pub fn controller(&self) -> &Controller {
        &self.core().store.controller
    }

    /// Returns the flash array with its blocks, for their wear.
    #[inline]
    pub fn array(&self) -> &FlashArray {
        &self.core().store.array
    }

    /// True once too many blocks failed: writes are refused from then on.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.core().read_only
    }

    /// Returns the longest time that data wait for a full program unit before they are programmed.
    #[inline]
    pub fn flush_after(&self) -> Nanos {
        self.core().assembly.flush_after
    }

    /// Returns the number of superblocks not lost to bad blocks, over all dies.
    #[inline]
    pub fn usable_superblocks(&self) -> u32 {
        self.core().store.space.usable()
    }

    /// Returns the valid mapping units of each superblock of the drive.
    #[inline]
    pub fn valid_units(&self) -> &[u32] {
        &self.core().store.space.valid
    }

    /// Returns the state of each superblock of the drive.
    #[inline]
    pub fn superblock_states(&self) -> &[SuperblockState] {
        &self.core().store.space.state
    }

    /// Returns the time it took to make the map's arrays, which may be long after the drive was built.
    #[inline]
    pub fn map_made_in(&self) -> Duration {
        self.core().store.map.made_in()
    }

    /// True when [`Self::reserve`] would return a slot.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.media().has_slot()
    }

    /// True when the drive must find its map again at power-up.
    #[inline]
    pub fn recovers(&self) -> bool {
        self.media().features.recovers()
    }

    /// Returns the bytes that superblocks with one bit a cell hold; absent where there can be none.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        self.media().features.one_bit_bytes()
    }

    /// Returns the time a patrol's round is to take, and the dies whose round takes longer now; none without
    /// a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        self.reasons().patrol.as_ref().map(|patrol| (patrol.period(), patrol.overdue(now)))
    }

    /// True when a superblock holds one bit a cell.
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        self.core().store.space.holds_one_bit(superblock)
    }

    /// Returns what upkeep did, the most of a die's time it may take, and the superblocks that wait for it;
    /// none where nothing comes back by the clock alone.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        self.core().agenda.as_ref().map(|agenda| (agenda.counts, agenda.share(), agenda.waiting()))
    }

    /// Returns the place of `lpn` on flash, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.core().store.map.lookup(lpn)
    }

    /// Returns the places on flash of all units now.
    pub fn beginning(&self) -> Beginning {
        self.core().store.map.beginning()
    }

    /// Returns the units that may have another place than `beginning` gives; none where only asking for each
    /// unit would tell.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        self.core().store.map.changed_since(beginning)
    }

    /// Returns the first unit from `from` on, below `end`, that has no place on flash.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        self.core().store.map.first_unwritten(from, end)
    }

    /// Returns the ranges of units among these that are on flash, in ascending order.
    pub fn written(&self, units: Range<u32>) -> Vec<Range<u32>> {
        self.core().store.map.written(units)
    }

    /// Returns the unit that the spare area of `ppa` names.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.core().store.map.holder(ppa)
    }

    /// True when the unit at `ppa` counts as valid.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.core().store.map.is_valid(ppa)
    }

    /// Asks for the cache lines a request for `lpn` will need.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.core().store.map.prefetch_lookup(lpn);
    }

    /// Prefetches the cache line that overwriting `lpn` needs; the map entry of `lpn` should be in the cache by then.
    #[inline]
    pub fn prefetch_home(&self, lpn: Lpn) {
        let map = &self.core().store.map;
        map.prefetch_validity(map.lookup(lpn));
    }

    /// Returns the longest that anything of the host's has to wait for the flash: in that time each die could
    /// have moved all it holds, twice, one die of a channel after the other.
    pub fn longest_wait(&self) -> Nanos {
        let (layout, controller) = (self.layout(), self.controller());
        let turns = u64::from(layout.dies / controller.channels());
        let superblocks = 2 * turns * u64::from(layout.superblocks_per_die);
        let (senses, costs) = costs_of(&self.media().features);
        let ns = Costs::of_die(layout, controller, senses, costs).superblock.saturating_mul(superblocks);
        Nanos::new(ns.saturating_add(self.flush_after().ns()))
    }

    /// Returns where the version of a unit is that the snapshot `serial` sees; none where there is no such
    /// snapshot.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        let media = self.media();
        media.features.seen_in(&media.core, serial, lpn)
    }

    /// Returns a feature of the drive; none where the drive does not have it.
    pub fn feature<T: Listed>(&self) -> Option<&T> {
        T::of(&self.media().features)
    }

    /// Returns the superblocks that were erased without simulated time and without gaining room for the host;
    /// none while erases gain room.
    pub fn erased_in_vain(&self) -> Option<u64> {
        each!(&self.layer, layer => layer.erased_in_vain())
    }

    /// Returns the number of bytes of RAM that the modelled drive's map takes.
    pub fn map_bytes(&self) -> u64 {
        each!(&self.layer, layer => layer.map_bytes())
    }

    /// Returns why each die takes no more writes, for the message of a run that is stuck.
    pub fn explain_stall(&self) -> String {
        each!(&self.layer, layer => layer.explain_stall())
    }

    /// Returns the number of bytes of state: map, superblocks, buffer.
    pub fn state_bytes(&self) -> usize {
        self.media().bytes() + self.base().host.bytes() + each!(&self.layer, layer => layer.bytes_beside())
    }
}
