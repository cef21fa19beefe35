//! What can be asked of a page-mapped layer without changing it.

use super::PageMapped;
use crate::regulation::Regulation;
use crate::space::SuperblockState;
use crate::{FtlStats, Layout, Output, RegulationCounts, Turnover, UpkeepCounts};
use controller::{Controller, Probe};
use engine::Calendar;
use nand::FlashArray;
use units::{Lpn, Nanos, Ppa, SimTime};

impl PageMapped {
    /// The shape of the drive.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What was counted so far.
    pub fn stats(&self) -> &FtlStats {
        &self.stats
    }

    /// The counters after every so many victims, or merges, since measuring began.
    pub fn turnover(&self) -> &Turnover {
        &self.turnover
    }

    /// Measuring begins: what collection does from now on counts.
    pub fn begin_turnover(&mut self) {
        self.turnover.begin(self.mark());
    }

    /// What regulation counted so far; nothing where there is none.
    pub fn regulation_counts(&self) -> RegulationCounts {
        self.regulation.as_ref().map_or_else(RegulationCounts::default, |regulation| regulation.counts)
    }

    /// Costs of writes and reads; none where the drive has no code.
    pub fn regulation(&self) -> Option<&Regulation> {
        self.regulation.as_deref()
    }

    /// The time a patrol's round is to take, and the dies whose round takes longer now; none without a patrol.
    pub fn patrol(&self, now: SimTime) -> Option<(Nanos, usize)> {
        self.patrol.as_ref().map(|patrol| (patrol.period(), patrol.overdue(now)))
    }

    /// What upkeep did, the most of a die's time it may take, and the superblocks that wait for it; none where nothing
    /// comes back by the clock alone.
    pub fn upkeep(&self) -> Option<(UpkeepCounts, f64, u64)> {
        self.upkeep.as_ref().map(|upkeep| (upkeep.counts, upkeep.share(), upkeep.waiting()))
    }

    /// The controller, for its busy times.
    pub fn controller(&self) -> &Controller {
        &self.controller
    }

    /// The blocks, for their wear.
    pub fn array(&self) -> &FlashArray {
        &self.array
    }

    /// Nothing can be moved any more. A drive that lost blocks is then at its end: it turns read-only, and
    /// no request waits for it any longer.
    pub fn declare_stalled(&mut self) {
        self.read_only |= self.stats.superblocks_lost > 0;
        self.buffer.forget_requests();
        self.flushes.clear();
    }

    /// True when data wait and nothing moves any more, as on a drive that wore out: what comes back by the clock alone
    /// must then stop, or a run would never end.
    pub fn is_stuck(&self) -> bool {
        self.buffer.first_queued().is_some() && (self.controller.in_flight() == 0 || self.is_full_for_good())
    }

    /// The drive wore out and each die holds as much as it may: moving data, which upkeep may do without end, makes no
    /// room, and no program of the host's is under way that might.
    fn is_full_for_good(&self) -> bool {
        let is_full = |die: usize| self.bound[die] == 0 && !self.is_within_quota(die);
        self.read_only && (0..self.bound.len()).all(is_full)
    }

    /// True once too many blocks failed: writes are refused from then on.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Units that the write buffer has room for now.
    pub fn buffer_slots_free(&self) -> u32 {
        self.buffer.free_slots()
    }

    /// Writes are acknowledged when the buffer holds them.
    pub fn is_write_back(&self) -> bool {
        self.write_back
    }

    /// The buffer survives a power cut: what it holds is durable.
    pub fn is_protected(&self) -> bool {
        self.power_loss_protection
    }

    /// Bytes of state: map, superblocks, buffer.
    pub fn state_bytes(&self) -> usize {
        let regulation = self.regulation.as_ref().map_or(0, |regulation| regulation.bytes());
        let parity = self.parity.as_ref().map_or(0, |stripes| stripes.bytes());
        let snapshots = self.snapshots.as_ref().map_or(0, |snapshots| snapshots.bytes());
        let reads = self.reads.bytes();
        let demand = self.demand.as_ref().map_or(0, |demand| demand.bytes());
        let sectors = self.sectors.as_ref().map_or(0, |sectors| sectors.bytes());
        let upkeep = self.upkeep.as_ref().map_or(0, |upkeep| upkeep.bytes());
        let recent = self.recent.as_ref().map_or(0, |recent| recent.bytes());
        let more = demand + sectors + upkeep + recent + self.array.bytes();
        self.map.bytes()
            + self.space.bytes()
            + self.buffer.bytes()
            + reads
            + regulation
            + parity
            + snapshots
            + more
    }

    /// Bytes of RAM that the drive's map takes: four for each mapping unit it holds in RAM.
    pub fn map_bytes(&self) -> u64 {
        let all = 4 * u64::from(self.layout.logical_units);
        self.demand.as_ref().map_or(all, |demand| demand.map_bytes())
    }

    /// How long data may wait for company before they are programmed.
    pub fn patience(&self) -> Nanos {
        self.flush_after
    }

    /// Why each die takes no more writes, for the message of a run that is stuck.
    pub fn explain_stall(&self) -> String {
        let die = |(die, space): (usize, &crate::space::DieSpace)| {
            format!(
                "die {die}: live {} of {}, free {}, candidates {} with {} garbage units, left {}/{}, bound {}, {}{}",
                space.live,
                space.quota,
                space.free.len(),
                space.candidates.len(),
                self.space.garbage(die),
                space.frontiers[0].left(&self.layout),
                space.frontiers[1].left(&self.layout),
                self.bound[die],
                self.collections[die].describe(),
                self.slc_cache.as_ref().map_or_else(String::new, |cache| cache.describe(die)),
            )
        };
        let dies: Vec<String> = self.space.dies.iter().enumerate().map(die).collect();
        format!(
            "buffer {} used, {} reserved, {} in flight; current die {:?}; superblock {} units, program {}; {}",
            self.buffer.used_slots(),
            self.reserved_slots,
            self.controller.in_flight(),
            self.current,
            self.layout.superblock_units,
            self.layout.program_units,
            dies.join("; ")
        )
    }

    /// Superblocks not lost to bad blocks, over all dies.
    pub fn usable_superblocks(&self) -> u32 {
        self.space.dies.iter().map(|die| die.usable).sum()
    }

    /// Superblocks of a die that are free or open, not closed, while it writes in steady state.
    pub fn superblocks_kept(&self) -> u32 {
        let held = self.space.dies.iter().map(|die| die.held).max().unwrap_or(0);
        self.trigger.foreground_limit() + held + if self.mixed { 1 } else { 2 }
    }

    /// Valid mapping units of each superblock of the drive.
    pub fn valid_units(&self) -> &[u32] {
        &self.space.valid
    }

    /// State of each superblock of the drive.
    pub fn superblock_states(&self) -> &[SuperblockState] {
        &self.space.state
    }

    /// Where `lpn` lives on flash, or [`Ppa::NONE`].
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.map.lookup(lpn)
    }

    /// What the spare area of `ppa` says it holds.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.map.holder(ppa)
    }

    /// True when `ppa` counts as valid.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.map.is_valid(ppa)
    }

    /// Takes one output.
    #[inline]
    pub fn take_output(&mut self) -> Option<Output> {
        self.outputs.pop()
    }

    /// Asks for the cache lines a request for `lpn` will need.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        self.map.prefetch_lookup(lpn);
    }

    /// Reserves up to `wanted` buffer slots; gives how many.
    #[inline]
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        if !self.has_room() {
            return 0;
        }
        let granted = wanted.min(self.buffer.free_slots() - self.reserved_slots - self.slots_kept());
        self.reserved_slots += granted;
        granted
    }

    /// True when [`Self::reserve`] would give something.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.buffer.free_slots() > self.reserved_slots + self.slots_kept()
            && !self.is_rolling_back()
            && self.sectors.as_ref().is_none_or(|sectors| sectors.has_room())
    }

    /// True while the buffer holds data that is not on flash.
    pub fn is_draining(&self) -> bool {
        self.buffer.dirty_slots() > 0
            || self.demand.as_ref().is_some_and(|demand| demand.is_busy())
            || self.snapshots.as_ref().is_some_and(|snapshots| snapshots.is_busy())
    }

    /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
    pub fn begin<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if let Some(regulation) = &mut self.regulation {
            let per_die = self.space.per_die as usize;
            let wear = |at: usize| self.array.pe_cycles((at / per_die) as u32, (at % per_die) as u32);
            regulation.begin(wear);
        }
        self.read_only |= self.failed_die != crate::space::NONE;
        self.begin_upkeep(calendar);
        for die in 0..self.layout.dies as usize {
            self.collect(die, calendar, probe);
        }
    }
}
