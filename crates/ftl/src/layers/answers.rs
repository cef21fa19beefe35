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

    /// Returns the layout of mapping units, superblocks and dies on the drive's flash.
    #[inline]
    pub fn layout(&self) -> &Layout {
        &self.core().store.layout
    }

    /// Returns the FTL's statistics counters so far.
    #[inline]
    pub fn stats(&self) -> &FtlStats {
        &self.core().store.stats
    }

    /// Returns the series of copies of the counters of garbage collection work (victims, moved units), recorded after
    /// every so many victims or merges since measuring began.
    #[inline]
    pub fn turnover(&self) -> &Turnover {
        &self.reasons().turnover
    }

    /// Returns a copy of the present counters of garbage collection work (victims, units moved and so on).
    #[inline]
    pub fn mark(&self) -> Mark {
        self.core().mark()
    }

    /// Returns the flash controller, for the busy times of its channels and dies.
    #[inline]
    pub fn controller(&self) -> &Controller {
        &self.core().store.controller
    }

    /// Returns the model of the drive's flash array with all blocks, from which erase counts are read.
    #[inline]
    pub fn array(&self) -> &FlashArray {
        &self.core().store.array
    }

    /// Returns true once the drive is read-only, for instance because too many blocks failed: writes are refused from
    /// then on.
    #[inline]
    pub fn is_read_only(&self) -> bool {
        self.core().read_only
    }

    /// Returns the setting of how long data may wait for a full program unit before the program unit is padded and
    /// programmed.
    #[inline]
    pub fn flush_after(&self) -> Nanos {
        self.core().assembly.flush_after
    }

    /// Returns the number of superblocks of the drive that are not lost to bad blocks.
    #[inline]
    pub fn usable_superblocks(&self) -> u32 {
        self.core().store.space.usable()
    }

    /// Returns the number of valid mapping units of each superblock of the drive.
    #[inline]
    pub fn valid_units(&self) -> &[u32] {
        &self.core().store.space.valid
    }

    /// Returns the state (free, open, closed, being erased and so on) of each superblock of the drive.
    #[inline]
    pub fn superblock_states(&self) -> &[SuperblockState] {
        &self.core().store.space.state
    }

    /// Returns the wall-clock time that making the map's arrays took, which may happen long after the simulated drive
    /// was built.
    #[inline]
    pub fn map_made_in(&self) -> Duration {
        self.core().store.map.made_in()
    }

    /// Returns true when at least one write buffer slot can be reserved now, so that [`Self::reserve`] would return
    /// more than 0.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.media().has_slot()
    }

    /// Returns true when the drive must rebuild its logical-to-physical map from flash at each power-up, even after a
    /// shutdown at rest: on a drive that writes checkpoints of the map.
    #[inline]
    pub fn recovers(&self) -> bool {
        self.media().features.recovers()
    }

    /// Returns the capacity in bytes of all superblocks in SLC mode that are in use now; `None` on a drive without an
    /// SLC cache.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        self.media().features.one_bit_bytes()
    }

    /// Returns the planned time of a round of the background scrub (patrol), in which the patrol reads all stored data
    /// once, and the number of dies whose present round already takes longer; `None` without a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        self.reasons().patrol.as_ref().map(|patrol| (patrol.period(), patrol.overdue(now)))
    }

    /// Returns true when superblock `superblock` (numbered over the drive) is in SLC mode (one bit per cell).
    pub fn holds_one_bit(&self, superblock: usize) -> bool {
        self.core().store.space.holds_one_bit(superblock)
    }

    /// Returns the counters of upkeep (refresh, background scrub and other timed work), the greatest fraction (0 to 1)
    /// of a die's time that upkeep may take, and the number of superblocks that wait for upkeep; `None` on a drive
    /// without it.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        self.core().agenda.as_ref().map(|agenda| (agenda.counts, agenda.share(), agenda.waiting()))
    }

    /// Returns the physical place (PPA) on flash to which the map refers for logical unit `lpn`; [`Ppa::NONE`] if it
    /// has none.
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.core().store.map.lookup(lpn)
    }

    /// Returns a copy of the map at this moment: the physical places of all logical units.
    pub fn beginning(&self) -> Beginning {
        self.core().store.map.beginning()
    }

    /// Returns the logical units whose physical place may differ from `beginning`, an earlier copy of the map; `None`
    /// (not an empty list) where the map has recorded no changes, and the caller must compare every unit.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        self.core().store.map.changed_since(beginning)
    }

    /// Returns the first logical unit from `from` on, below `end`, that has no place on flash; `None` if all have one.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        self.core().store.map.first_unwritten(from, end)
    }

    /// Returns the ranges of consecutive logical units within `units` that have a place on flash, ascending.
    pub fn written(&self, units: Range<u32>) -> Vec<Range<u32>> {
        self.core().store.map.written(units)
    }

    /// Returns the logical unit that the spare area of physical unit `ppa` names (reverse map), whether the data there
    /// are still valid or not.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.core().store.map.holder(ppa)
    }

    /// Returns true when physical unit `ppa` is valid: the map or a snapshot refers to it.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.core().store.map.is_valid(ppa)
    }

    /// Prefetches into the processor's cache the map entry that a request for `lpn` will read.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.core().store.map.prefetch_lookup(lpn);
    }

    /// Prefetches into the processor's cache the validity bits of the present physical place of `lpn`, which
    /// overwriting `lpn` will clear; the map entry of `lpn` should be in the processor's cache by then.
    #[inline]
    pub fn prefetch_home(&self, lpn: Lpn) {
        self.core().store.map.prefetch_home(lpn);
    }

    /// Returns the longest time that host data can have to wait for the flash: enough for each die to move all its data
    /// twice, one die of a channel after the other, and the longest wait for a full program unit.
    pub fn longest_wait(&self) -> Nanos {
        let (layout, controller) = (self.layout(), self.controller());
        let turns = u64::from(layout.dies / controller.channels());
        let superblocks = 2 * turns * u64::from(layout.superblocks_per_die);
        let (senses, costs) = costs_of(&self.media().features);
        let ns = Costs::of_die(layout, controller, senses, costs).superblock.saturating_mul(superblocks);
        Nanos::new(ns.saturating_add(self.flush_after().ns()))
    }

    /// Returns where the version of logical unit `lpn` that snapshot number `serial` contains is: at a physical address
    /// on flash, in the write buffer, or nowhere; `None` if there is no such snapshot.
    pub fn lookup_in(&self, serial: u32, lpn: Lpn) -> Option<Seen> {
        let media = self.media();
        media.features.seen_in(&media.core, serial, lpn)
    }

    /// Returns the optional feature of type `T` (such as snapshots or parity across dies) of the drive; `None` if the
    /// drive does not have it.
    pub fn feature<T: Listed>(&self) -> Option<&T> {
        T::of(&self.media().features)
    }

    /// Returns the number of superblocks that garbage collection without simulated time (preconditioning) has erased
    /// since the host last wrote a mapping unit, once the number exceeds what any useful collection needs (the victims
    /// free no space); `None` below that limit.
    pub fn erased_in_vain(&self) -> Option<u64> {
        each!(&self.layer, layer => layer.erased_in_vain())
    }

    /// Returns the number of bytes of controller RAM that the modelled drive's map takes.
    pub fn map_bytes(&self) -> u64 {
        each!(&self.layer, layer => layer.map_bytes())
    }

    /// Returns a text that says why each die takes no more writes, for the error message of a run that cannot proceed.
    pub fn explain_stall(&self) -> String {
        each!(&self.layer, layer => layer.explain_stall())
    }

    /// Returns the size of the drive's state (map, superblocks, buffer) in the simulator's memory, in bytes.
    pub fn state_bytes(&self) -> usize {
        self.media().bytes() + self.base().host.bytes() + each!(&self.layer, layer => layer.bytes_beside())
    }
}
