//! What can be asked of a page-mapped layer without changing it.

use crate::buffer::Dram;
use crate::guards::Stripes;
use crate::guards::regulation::Regulation;
use crate::pages::PageMapped;
use crate::store::SuperblockState;
use crate::{FtlStats, Layout, Mark, Output, RegulationCounts, Turnover, UpkeepCounts};
use controller::{Controller, Probe};
use engine::Calendar;
use nand::FlashArray;
use units::{Lpn, Nanos, Ppa, SimTime};

impl PageMapped {
    /// The parity of the drive, if it has one.
    pub fn parity(&self) -> Option<&Stripes> {
        self.media.guards.parity.as_deref()
    }

    /// The shape of the drive.
    pub fn layout(&self) -> &Layout {
        &self.media.store.layout
    }

    /// What was counted so far.
    pub fn stats(&self) -> &FtlStats {
        &self.media.store.stats
    }

    /// The counters after every so many victims, or merges, since measuring began.
    pub fn turnover(&self) -> &Turnover {
        &self.upkeep.turnover
    }

    /// Measuring begins: what collection does from now on counts.
    pub fn begin_turnover(&mut self) {
        self.upkeep.turnover.begin(self.media.mark());
    }

    /// What regulation counted so far; nothing where there is none.
    pub fn regulation_counts(&self) -> RegulationCounts {
        self.media
            .guards
            .regulation
            .as_ref()
            .map_or_else(RegulationCounts::default, |regulation| regulation.counts)
    }

    /// Costs of writes and reads; none where the drive has no code.
    pub fn regulation(&self) -> Option<&Regulation> {
        self.media.guards.regulation.as_deref()
    }

    /// The time a patrol's round is to take, and the dies whose round takes longer now; none without a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        self.upkeep.patrol.as_ref().map(|patrol| (patrol.period(), patrol.overdue(now)))
    }

    /// What upkeep did, the most of a die's time it may take, and the superblocks that wait for it; none where nothing
    /// comes back by the clock alone.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        self.media.agenda.as_ref().map(|upkeep| (upkeep.counts, upkeep.share(), upkeep.waiting()))
    }

    /// The controller, for its busy times.
    pub fn controller(&self) -> &Controller {
        &self.media.store.controller
    }

    /// The blocks, for their wear.
    pub fn array(&self) -> &FlashArray {
        &self.media.store.array
    }

    /// Nothing can be moved any more. A drive that lost blocks is then at its end: it turns read-only, and
    /// no request waits for it any longer.
    pub fn declare_stalled(&mut self) {
        self.media.read_only |= self.media.store.stats.superblocks_lost > 0;
        self.media.buffer.forget_requests();
        self.host.flushes.clear();
    }

    /// True when data wait and nothing moves any more, as on a drive that wore out: what comes back by the clock alone
    /// must then stop, or a run would never end.
    pub fn is_stuck(&self) -> bool {
        self.media.buffer.first_queued().is_some()
            && (self.media.store.controller.in_flight() == 0 || self.is_full_for_good())
    }

    /// The drive wore out and each die holds as much as it may: moving data, which upkeep may do without end, makes no
    /// room, and no program of the host's is under way that might.
    fn is_full_for_good(&self) -> bool {
        let is_full = |die: usize| self.media.assembly.bound[die] == 0 && !self.media.is_within_quota(die);
        self.media.read_only && (0..self.media.assembly.bound.len()).all(is_full)
    }

    /// True once too many blocks failed: writes are refused from then on.
    pub fn is_read_only(&self) -> bool {
        self.media.read_only
    }

    /// Units that the write buffer has room for now.
    pub fn buffer_slots_free(&self) -> u32 {
        self.media.buffer.free_slots()
    }

    /// Writes are acknowledged when the buffer holds them.
    pub fn is_write_back(&self) -> bool {
        self.media.rules.write_back
    }

    /// The buffer survives a power cut: what it holds is durable.
    pub fn is_protected(&self) -> bool {
        self.media.rules.power_loss_protection
    }

    /// Bytes of state: map, superblocks, buffer.
    pub fn state_bytes(&self) -> usize {
        let agenda = self.media.agenda.as_ref().map_or(0, |agenda| agenda.bytes());
        let recent = self.host.recent.as_ref().map_or(0, |recent| recent.bytes());
        let media = self.media.store.bytes() + self.media.guards.bytes() + self.media.buffer.bytes() + agenda;
        media + self.host.reads.bytes() + recent
    }

    /// Bytes of RAM that the drive's map takes: four for each mapping unit it holds in RAM.
    pub fn map_bytes(&self) -> u64 {
        let all = 4 * u64::from(self.media.store.layout.logical_units);
        self.media.guards.demand.as_ref().map_or(all, |demand| demand.map_bytes())
    }

    /// How long data may wait for company before they are programmed.
    pub fn patience(&self) -> Nanos {
        self.media.assembly.flush_after
    }

    /// Why each die takes no more writes, for the message of a run that is stuck.
    pub fn explain_stall(&self) -> String {
        let die = |(die, space): (usize, &crate::store::DieSpace)| {
            format!(
                "die {die}: live {} of {}, free {}, candidates {} with {} garbage units, left {}/{}, bound {}, {}{}",
                space.live,
                space.quota,
                space.free.len(),
                space.candidates.len(),
                self.media.store.space.garbage(die),
                space.frontiers[0].left(&self.media.store.layout),
                space.frontiers[1].left(&self.media.store.layout),
                self.media.assembly.bound[die],
                self.media.movers[die].describe(),
                self.media.guards.slc_cache.as_ref().map_or_else(String::new, |cache| cache.describe(die)),
            )
        };
        let dies: Vec<String> = self.media.store.space.dies.iter().enumerate().map(die).collect();
        format!(
            "buffer {} used, {} reserved, {} in flight; current die {:?}; superblock {} units, program {}; {}",
            self.media.buffer.used_slots(),
            self.media.reserved_slots,
            self.media.store.controller.in_flight(),
            self.media.assembly.current,
            self.media.store.layout.superblock_units,
            self.media.store.layout.program_units,
            dies.join("; ")
        )
    }

    /// Superblocks not lost to bad blocks, over all dies.
    pub fn usable_superblocks(&self) -> u32 {
        self.media.store.space.dies.iter().map(|die| die.usable).sum()
    }

    /// Superblocks of a die that are free or open, not closed, while it writes in steady state.
    pub fn superblocks_kept(&self) -> u32 {
        let held = self.media.store.space.dies.iter().map(|die| die.held).max().unwrap_or(0);
        self.media.rules.foreground_limit + held + if self.media.rules.mixed { 1 } else { 2 }
    }

    /// Valid mapping units of each superblock of the drive.
    pub fn valid_units(&self) -> &[u32] {
        &self.media.store.space.valid
    }

    /// State of each superblock of the drive.
    pub fn superblock_states(&self) -> &[SuperblockState] {
        &self.media.store.space.state
    }

    /// Where `lpn` lives on flash, or [`Ppa::NONE`].
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.media.store.map.lookup(lpn)
    }

    /// What the spare area of `ppa` says it holds.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.media.store.map.holder(ppa)
    }

    /// True when `ppa` counts as valid.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.media.store.map.is_valid(ppa)
    }

    /// Takes one output.
    #[inline]
    pub fn take_output(&mut self) -> Option<Output> {
        self.host.outputs.pop()
    }

    /// Asks for the cache lines a request for `lpn` will need.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.media.store.map.prefetch_lookup(lpn);
    }

    /// Reserves up to `wanted` buffer slots; gives how many.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        if !self.has_room() {
            return 0;
        }
        let granted =
            wanted.min(self.media.buffer.free_slots() - self.media.reserved_slots - self.slots_kept());
        self.media.reserved_slots += granted;
        granted
    }

    /// True when [`Self::reserve`] would give something.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.media.buffer.free_slots() > self.media.reserved_slots + self.slots_kept()
            && !self.is_rolling_back()
            && self.media.guards.sectors.as_ref().is_none_or(|sectors| sectors.has_room())
    }

    /// True while the buffer holds data that is not on flash.
    pub fn is_draining(&self) -> bool {
        self.media.buffer.dirty_slots() > 0
            || self.media.guards.demand.as_ref().is_some_and(|demand| demand.is_busy())
            || self.media.guards.snapshots.as_ref().is_some_and(|snapshots| snapshots.is_busy())
    }

    /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
    pub fn begin<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if let Some(regulation) = &mut self.media.guards.regulation {
            let per_die = self.media.store.space.per_die as usize;
            let wear =
                |at: usize| self.media.store.array.pe_cycles((at / per_die) as u32, (at % per_die) as u32);
            regulation.begin(wear);
        }
        self.media.read_only |= self.media.guards.failed_die != crate::store::NONE;
        self.upkeep.begin(&mut self.media, calendar);
        for die in 0..self.media.store.layout.dies as usize {
            self.upkeep.collect(&mut self.media, die, calendar, probe);
        }
    }

    /// The counters now.
    pub fn mark(&self) -> Mark {
        self.media.mark()
    }

    /// Bytes that the superblocks with one bit a cell hold; absent where there can be none.
    #[inline]
    pub fn cache_bytes(&self) -> Option<u64> {
        self.media.cache_bytes()
    }

    /// Superblocks of each die that the SLC cache keeps at all times.
    pub fn cache_reserved(&self) -> u32 {
        self.media.cache_reserved()
    }

    /// What an access to the buffer's DRAM takes; none where it takes nothing.
    pub fn dram(&self) -> Option<Dram> {
        self.host.dram
    }
}
