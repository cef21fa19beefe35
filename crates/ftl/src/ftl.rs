//! The page-mapped translation layer at work: writes through buffer and frontiers, reads, trims, and what
//! follows when the flash reports that something is done.
//!
//! Longer than most files because one state machine is read better in one place; garbage collection has
//! its own (`gc/collection.rs`).

use crate::buffer::{Buffer, Risk, SlotState};
use crate::demand::{Demand, SUMMARY};
use crate::gc::collection::Collection;
use crate::gc::trigger::GcTrigger;
use crate::map::Map;
use crate::mapping::Parts;
use crate::placement::{PlacementPolicy, PlacementView};
use crate::programs::{Programs, Source};
use crate::regulation::{Regulation, Unit};
use crate::space::{Frontier, NONE, Space, SuperblockState};
use crate::{FtlStats, Layout, RegulationCounts};
use controller::{Class, Controller, Kind, Origin, Probe, Reading, Transaction, TransactionId, Waits};
use engine::{Calendar, Event};
use nand::FlashArray;
use std::collections::VecDeque;
use units::{DieId, Lpn, Nanos, Ppa, SimTime};

/// The kinds of event this crate schedules.
pub mod events {
    use controller::events::FIRST_FREE as FIRST;
    /// A die may have been idle long enough for background work.
    pub const IDLE: u8 = FIRST;
    /// A partial program unit has waited long enough.
    pub const FLUSH: u8 = FIRST + 1;
    /// A die may have been idle long enough to write units anew.
    pub const REWRITE: u8 = FIRST + 2;
    /// A superblock may hold data that must be written anew.
    pub const REFRESH: u8 = FIRST + 3;
    /// The first number not used here or below.
    pub const FIRST_FREE: u8 = FIRST + 4;
}

/// Where the time of a flash operation went, in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stages {
    /// In the die's queue behind operations of: host, GC, wear levelling, other.
    pub waits: Waits,
    /// In the die's queue while the die was switching or waiting for its channel.
    pub queue: u64,
    /// Waiting for the channel.
    pub channel: u64,
    /// Array busy.
    pub array: u64,
    /// Command and data cycles.
    pub transfer: u64,
}

impl Stages {
    /// All of it, in ns.
    pub fn total(&self) -> u64 {
        self.waits.iter().sum::<u64>() + self.queue + self.channel + self.array + self.transfer
    }

    /// The same, but no longer than `most` ns altogether: of a wait that overlaps another that was counted
    /// already, only the rest counts.
    pub fn within(mut self, most: u64) -> Self {
        let mut excess = self.total().saturating_sub(most);
        for wait in self.waits.iter_mut().skip(1).chain([&mut self.queue]) {
            let cut = excess.min(*wait);
            *wait -= cut;
            excess -= cut;
        }
        self
    }

    pub(crate) fn of(transaction: &Transaction) -> Self {
        let queued = transaction.started.since(transaction.queued).ns();
        Self {
            waits: transaction.waits,
            queue: queued.saturating_sub(transaction.waits.iter().sum()),
            channel: transaction.channel_ns,
            array: transaction.array_ns,
            transfer: transaction.transfer_ns,
        }
    }
}

/// What the host side must hear about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Output {
    /// One flash read of this request gave its data (before ECC); `units` mapping units.
    Read {
        /// The request's number.
        request: u32,
        /// Mapping units delivered.
        units: u32,
        /// How errors were gone about.
        reading: Reading,
        /// Where its time went.
        stages: Stages,
    },
    /// One unit of this write request is on the flash (only for requests that wait for it).
    Durable {
        /// The request's number.
        request: u32,
        /// Where its time went.
        stages: Stages,
    },
    /// The map entries that a part of this read waited for are there: it is read in so many parts more.
    Mapped {
        /// The request's number.
        request: u32,
        /// Parts beside the one that was announced.
        more: u32,
        /// How long it waited, in ns.
        waited_ns: u64,
    },
    /// All that was acknowledged before this flush is on the flash.
    Flushed {
        /// The request's number.
        request: u32,
    },
}

/// The page-mapped translation layer and everything below it.
pub struct PageMapped {
    pub(crate) layout: Layout,
    pub(crate) mixed: bool,
    pub(crate) read_ahead: u32,
    pub(crate) copyback: bool,
    write_back: bool,
    power_loss_protection: bool,
    flush_after: Nanos,
    program_queue: u32,
    /// Free superblocks kept back from the host beside the one for the next victim: where blocks can fail, a
    /// collection may take a superblock and give none back.
    pub(crate) spare: u32,
    pub(crate) map: Map,
    pub(crate) space: Space,
    pub(crate) buffer: Buffer,
    reserved_slots: u32,
    pub(crate) array: FlashArray,
    pub(crate) controller: Controller,
    placement: Box<dyn PlacementPolicy>,
    pub(crate) trigger: Box<dyn GcTrigger>,
    pub(crate) collections: Vec<Collection>,
    pub(crate) programs: Programs,
    bound: Vec<u32>,
    eligible: Vec<u64>,
    quota_blocked: Vec<u64>,
    current: u32,
    flush_serial: u32,
    flush_armed: bool,
    flushes: VecDeque<(u32, u32)>,
    /// Superblocks that may have become empty while being reclaimed.
    pub(crate) emptied: Vec<u32>,
    pub(crate) stats: FtlStats,
    /// Costs of writes and reads, where the drive has a code.
    pub(crate) regulation: Option<Box<Regulation>>,
    pub(crate) rewrite_after: Nanos,
    pub(crate) risk: Risk,
    read_only: bool,
    pub(crate) outputs: Vec<Output>,
    /// Which entries of the map are in RAM, where not all are.
    pub(crate) demand: Option<Box<Demand>>,
}

const HOST: usize = 0;

/// How long a partial program unit waits for company when a request waits for it behind a write cache.
const AWAITED_PATIENCE: Nanos = Nanos::new(10_000);

impl PageMapped {
    /// A fresh drive: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub fn new(parts: Parts<'_>) -> Result<Self, String> {
        Self::build(parts, None)
    }

    /// A fresh drive whose map lies on flash.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub(crate) fn with_map_on_flash(parts: Parts<'_>, demand: Demand) -> Result<Self, String> {
        Self::build(parts, Some(demand))
    }

    fn build(parts: Parts<'_>, demand: Option<Demand>) -> Result<Self, String> {
        let Parts { config, array, mut controller, program_queue, copyback, regulation, seed } = parts;
        let layout = config.layout.clone();
        let regulation = Regulation::new(config, regulation, &mut controller, seed)?;
        let dies = layout.dies as usize;
        let mut ftl = Self {
            mixed: config.mixed_streams,
            read_ahead: config.read_ahead,
            copyback,
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
            flush_after: config.buffer.flush_after,
            program_queue,
            spare: u32::from(array.may_fail()),
            map: Map::new(&layout),
            space: Space::new(&layout, &config.victim, &config.wear, seed),
            buffer: Buffer::of(
                &config.buffer,
                demand.as_ref().map_or(0, |demand| demand.slots),
                layout.logical_units,
            ),
            reserved_slots: 0,
            array,
            controller,
            placement: (config.placement)(),
            trigger: (config.trigger)(),
            collections: (0..dies).map(|_| Collection::new()).collect(),
            programs: Programs::new(layout.program_units),
            bound: vec![0; dies],
            eligible: vec![0; dies.div_ceil(64)],
            quota_blocked: vec![0; dies.div_ceil(64)],
            current: NONE,
            flush_serial: 0,
            flush_armed: false,
            flushes: VecDeque::new(),
            emptied: Vec::new(),
            stats: FtlStats::default(),
            regulation,
            rewrite_after: config.rewrite_after,
            risk: Risk::default(),
            read_only: false,
            outputs: Vec::with_capacity(64),
            demand: demand.map(Box::new),
            layout,
        };
        for die in 0..dies {
            for superblock in 0..ftl.layout.superblocks_per_die {
                if ftl.array.is_whole(die as u32, superblock) {
                    ftl.space.push_free(die, superblock);
                    ftl.space.dies[die].usable += 1;
                }
            }
            ftl.update_quota(die);
            ftl.update_eligible(die);
        }
        ftl.check_sustainable()?;
        Ok(ftl)
    }

    /// Superblocks of a die that the host's data can never fill: those garbage collection needs free, one
    /// open superblock for each stream, and one to gain from.
    fn reserved_superblocks(&self) -> u32 {
        self.trigger.foreground_limit() + 3 + self.spare
    }

    pub(crate) fn update_quota(&mut self, die: usize) {
        let usable = self.space.dies[die].usable.saturating_sub(self.reserved_superblocks());
        // A victim may need padding up to a whole program unit; what that costs is kept out, too, so that
        // by the pigeonhole principle some victim always gives back more than it takes.
        let useful = self.layout.data_units() - self.layout.program_units + 1;
        self.space.dies[die].quota = usable * useful;
    }

    /// Logical units that the dies can hold for ever.
    fn sustainable_units(&self) -> u64 {
        let quotas: u64 = self.space.dies.iter().map(|die| u64::from(die.quota)).sum();
        quotas.saturating_sub(u64::from(self.layout.dies) * u64::from(self.layout.program_units))
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let (logical, possible) = (self.layout.written_units(), self.sustainable_units());
        if logical <= possible {
            return Ok(());
        }
        let least = self.space.dies.iter().map(|die| die.usable).min().unwrap_or(0);
        let physical = self.layout.physical_units() as f64;
        let advice = if possible > 0 {
            // Rounded up, so that the advice is enough.
            let op = (physical / possible as f64 - 1.0).mul_add(1000.0, 0.0).ceil() / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks".to_owned()
        };
        Err(format!(
            "this drive cannot sustain writes: the host sees {logical} mapping units, but of the {least} good \
             superblocks of a die garbage collection keeps {} free, open or in hand, which leaves room for \
             {possible}; {advice}",
            self.reserved_superblocks()
        ))
    }

    /// The shape of the drive.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What was counted so far.
    pub fn stats(&self) -> &FtlStats {
        &self.stats
    }

    /// What regulation counted so far; nothing where there is none.
    pub fn regulation_counts(&self) -> RegulationCounts {
        self.regulation.as_ref().map_or_else(RegulationCounts::default, |regulation| regulation.counts)
    }

    /// Costs of writes and reads; none where the drive has no code.
    pub fn regulation(&self) -> Option<&Regulation> {
        self.regulation.as_deref()
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

    /// True once too many blocks failed: writes are refused from then on.
    pub fn is_read_only(&self) -> bool {
        self.read_only
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
        self.map.bytes() + self.space.bytes() + self.buffer.bytes() + regulation
    }

    /// Bytes of RAM that the drive's map takes: four for each mapping unit it holds in RAM.
    pub fn map_bytes(&self) -> u64 {
        let all = 4 * u64::from(self.layout.logical_units);
        self.demand.as_ref().map_or(all, |demand| demand.map_bytes())
    }

    /// Why each die takes no more writes, for the message of a run that is stuck.
    pub fn explain_stall(&self) -> String {
        let die = |(die, space): (usize, &crate::space::DieSpace)| {
            format!(
                "die {die}: live {} of {}, free {}, candidates {} with {} garbage units, left {}/{}, bound {}, {}",
                space.live,
                space.quota,
                space.free.len(),
                space.candidates.len(),
                self.space.garbage(die),
                space.frontiers[0].left(&self.layout),
                space.frontiers[1].left(&self.layout),
                self.bound[die],
                self.collections[die].describe(),
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
        self.trigger.foreground_limit() + if self.mixed { 1 } else { 2 }
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
        let granted = wanted.min(self.buffer.free_slots() - self.reserved_slots - self.slots_kept());
        self.reserved_slots += granted;
        granted
    }

    /// True when [`Self::reserve`] would give something.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.buffer.free_slots() > self.reserved_slots + self.slots_kept()
    }

    /// True while the buffer holds data that is not on flash.
    pub fn is_draining(&self) -> bool {
        self.buffer.dirty_slots() > 0 || self.demand.as_ref().is_some_and(|demand| demand.is_busy())
    }

    /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
    pub fn begin<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if let Some(regulation) = &mut self.regulation {
            let per_die = self.space.per_die as usize;
            let wear = |at: usize| self.array.pe_cycles((at / per_die) as u32, (at % per_die) as u32);
            regulation.begin(wear);
        }
        for die in 0..self.layout.dies as usize {
            self.collect(die, calendar, probe);
        }
    }

    // ---- host requests ------------------------------------------------------------------------------

    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if self.demand.is_some() {
            return self.read_by_demand(request, first, count, calendar, probe);
        }
        self.read_found(request, first, count, calendar, probe)
    }

    /// Reads units whose map entries are at hand.
    #[inline]
    pub(crate) fn read_found<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let mut reads = 0;
        let (mut row, mut mask) = (NONE, 0u64);
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = if self.buffer.used_slots() > 0 { self.buffer.find(lpn) } else { None };
            if let Some(slot) = buffered {
                self.stats.units_read_buffer += 1;
                self.buffer.note_read(slot);
                continue;
            }
            let ppa = self.map.lookup(lpn);
            if ppa == Ppa::NONE {
                self.stats.units_read_unmapped += 1;
                continue;
            }
            self.stats.units_read_flash += 1;
            probe.on_host_read(lpn, ppa);
            let (this_row, unit) = (ppa.0 / self.layout.row_units, ppa.0 % self.layout.row_units);
            if let Some(regulation) = &mut self.regulation {
                let die = this_row / self.layout.rows / self.layout.superblocks_per_die;
                regulation.on_host_read(lpn, this_row, die as usize);
            }
            if this_row != row || mask >> unit & 1 == 1 {
                reads += self.submit_host_read(request, row, mask, calendar, probe);
                (row, mask) = (this_row, 0);
            }
            mask |= 1 << unit;
        }
        reads + self.submit_host_read(request, row, mask, calendar, probe)
    }

    #[inline]
    fn submit_host_read<P: Probe>(
        &mut self,
        request: u32,
        row: u32,
        mask: u64,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        if mask == 0 {
            return 0;
        }
        let die = self.submit_read(row, mask, Origin::Host, Class::HostRead, request, calendar, probe);
        self.collections[die].background = false;
        1
    }

    /// Submits the read of some units of one page row (numbered over the drive); gives its die.
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub(crate) fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> usize {
        let global = row / self.layout.rows;
        let die = global / self.layout.superblocks_per_die;
        let superblock = global % self.layout.superblocks_per_die;
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), superblock, row % self.layout.rows);
        transaction.mask = mask;
        transaction.pages = self.layout.pages_touched(mask);
        transaction.owner = owner;
        if let Some(regulation) = &mut self.regulation {
            if origin == Origin::Host {
                regulation.note_host_operation(die as usize, calendar.now());
            }
            transaction.reading = regulation.plan_read(row, origin, calendar.now());
            while let Some(superblock) = regulation.take_worn_by_reads() {
                self.collections[die as usize].force(superblock % self.space.per_die, Origin::Refresh);
            }
        }
        self.controller.submit(transaction, calendar, probe);
        die as usize
    }

    /// The data of one unit of a write arrived; its slot was reserved. `request` waits for the program
    /// unless it is `u32::MAX`; `whole`: the write covers the whole unit.
    pub fn write<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        whole: bool,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        self.reserved_slots -= 1;
        self.stats.units_written += 1;
        probe.on_host_write(lpn);
        let older = if self.buffer.used_slots() > 0 { self.buffer.find(lpn) } else { None };
        self.account_risk(calendar.now());
        if older.is_some_and(|slot| self.overwrite_buffered(slot, request)) {
            return;
        }
        if self.demand.is_some()
            && self.write_by_demand(request, lpn, whole || older.is_some(), calendar, probe)
        {
            return;
        }
        let home = if whole || older.is_some() { Ppa::NONE } else { self.map.lookup(lpn) };
        if home == Ppa::NONE {
            let slot = self.buffer.insert(lpn, request, SlotState::Queued);
            self.buffer.enqueue(slot);
            self.relieve_buffer();
            return;
        }
        let slot = self.buffer.insert(lpn, request, SlotState::Merging);
        let (row, unit) = (home.0 / self.layout.row_units, home.0 % self.layout.row_units);
        let origin = Origin::ReadModifyWrite;
        self.submit_read(row, 1 << unit, origin, Class::InternalRead, slot, calendar, probe);
    }

    /// The host no longer needs `count` units from `first`.
    pub fn trim<P: Probe>(&mut self, first: Lpn, count: u32, calendar: &mut Calendar, probe: &mut P) {
        self.account_risk(calendar.now());
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let buffered = self.buffer.used_slots() > 0 && self.buffer.cancel(lpn);
            let home = self.map.lookup(lpn);
            self.stats.units_trimmed += u64::from(buffered || home != Ppa::NONE);
            probe.on_trim(lpn, home);
            if home != Ppa::NONE {
                self.note_change(lpn);
                self.map.clear(lpn);
                self.invalidate_host(home);
            }
        }
        self.erase_emptied(calendar, probe);
        self.pump(calendar, probe);
    }

    /// The host wants all that was acknowledged on flash; [`Output::Flushed`] tells when.
    pub fn flush<P: Probe>(&mut self, request: u32, calendar: &mut Calendar, probe: &mut P) {
        if self.power_loss_protection {
            self.outputs.push(Output::Flushed { request });
            return;
        }
        self.send_out(calendar, probe);
        self.pad_current(calendar, probe);
        let epoch = self.buffer.end_epoch();
        self.flushes.push_back((epoch, request));
        self.answer_flushes();
    }

    fn answer_flushes(&mut self) {
        while let Some(&(epoch, request)) = self.flushes.front() {
            if self.buffer.oldest_epoch() <= epoch {
                return;
            }
            self.flushes.pop_front();
            self.outputs.push(Output::Flushed { request });
        }
    }

    // ---- binding buffered units to dies -------------------------------------------------------------

    /// Binds waiting units to dies as long as some die can take them.
    pub fn pump<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        let mut awaited = false;
        while let Some(slot) = self.buffer.first_queued() {
            if self.buffer.slot(slot).state == SlotState::Cancelled {
                self.buffer.bind_first();
                self.buffer.release(slot, false);
                continue;
            }
            let lpn = self.buffer.slot(slot).lpn;
            if !self.is_assembling() && !self.choose_die(lpn) {
                return;
            }
            let die = self.current as usize;
            let opened = self.space.dies[die].frontiers[HOST].superblock == NONE;
            if opened {
                assert!(self.space.open(die, HOST), "die {die} was eligible without room");
            }
            self.buffer.bind_first();
            awaited |= self.write_back && self.buffer.slot(slot).request != u32::MAX;
            self.space.dies[die].live += 1;
            self.collections[die].spend();
            self.map.prefetch_validity(self.map.lookup(lpn));
            let source = Source::new(self.buffered_origin(lpn), slot);
            self.append(die, HOST, lpn, source, calendar, probe);
            if opened {
                self.collect(die, calendar, probe);
            }
        }
        if !self.is_assembling() {
            return;
        }
        if !self.flushes.is_empty() {
            self.pad_current(calendar, probe);
        } else if awaited {
            // Behind a write cache patience is long; a write that must be on flash (FUA) has less.
            let at = calendar.now() + self.flush_after.min(AWAITED_PATIENCE);
            calendar.schedule(at, Event { kind: events::FLUSH, index: self.flush_serial });
        } else if !self.flush_armed {
            self.arm_flush(calendar, probe);
        }
    }

    /// True when some die has a part of a program unit of host data.
    #[inline]
    fn is_assembling(&mut self) -> bool {
        if self.current != NONE && self.space.dies[self.current as usize].frontiers[HOST].filled == 0 {
            self.current = NONE;
        }
        self.current != NONE
    }

    fn choose_die(&mut self, lpn: Lpn) -> bool {
        let view = PlacementView {
            eligible: &self.eligible,
            dies: self.layout.dies,
            programs: &self.bound,
            lpn,
            program_units: self.layout.program_units,
        };
        if self.eligible.iter().all(|word| *word == 0) {
            return false;
        }
        match self.placement.choose(&view) {
            Some(die) => {
                assert!(view.is_eligible(die), "the placement policy chose {die}, which is not eligible");
                self.current = die.0;
                self.collections[die.index()].background = false;
                true
            }
            None => false,
        }
    }

    fn arm_flush<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if self.flush_after == Nanos::ZERO {
            self.pad_current(calendar, probe);
            return;
        }
        self.flush_armed = true;
        let at = calendar.now() + self.flush_after;
        calendar.schedule(at, Event { kind: events::FLUSH, index: self.flush_serial });
    }

    fn pad_current<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if self.current != NONE {
            let die = self.current as usize;
            self.pad(die, HOST, calendar, probe);
            self.current = NONE;
        }
    }

    /// Completes the program unit of a frontier with empty units.
    pub(crate) fn pad<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        while self.space.dies[die].frontiers[stream].filled > 0 {
            self.append(die, stream, Lpn::NONE, Source::PADDING, calendar, probe);
        }
    }

    /// Puts a unit into the open superblock of a stream, and programs when a program unit is complete.
    #[inline]
    pub(crate) fn append<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        lpn: Lpn,
        source: Source,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let space = &mut self.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        if frontier.filled == 0 {
            frontier.slot = self.programs.take_slot();
        }
        let global = (die as u32) * self.space.per_die + frontier.superblock;
        let ppa = Ppa(self.layout.first_ppa(global) + frontier.next_unit);
        if self.regulation.is_some() && lpn != Lpn::NONE {
            self.choose_cost(die, stream, global, lpn, source.origin(), calendar.now());
        }
        let frontier = &mut self.space.dies[die].frontiers[stream];
        self.programs.set(frontier.slot, frontier.filled, source);
        frontier.next_unit += 1;
        frontier.filled += 1;
        let complete = frontier.filled == self.layout.program_units;
        self.map.assign(ppa, lpn);
        if complete {
            self.issue_program(die, stream, Kind::Program, calendar, probe);
        }
    }

    /// Asks the regulator with what cost a unit is written.
    pub(crate) fn choose_cost(
        &mut self,
        die: usize,
        stream: usize,
        superblock: u32,
        lpn: Lpn,
        origin: Origin,
        now: SimTime,
    ) {
        let Some(regulation) = &mut self.regulation else { return };
        let old = self.map.lookup(lpn);
        let old_row = (old != Ppa::NONE).then(|| old.0 / self.layout.row_units);
        let waiting = self.controller.host_operations(DieId(die as u32));
        regulation.choose(die, stream, superblock as usize, Unit { lpn, origin, old_row }, waiting, now);
    }

    /// Submits the program of the units a frontier has collected.
    pub(crate) fn issue_program<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        kind: Kind,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let layout = &self.layout;
        let frontier = &mut self.space.dies[die].frontiers[stream];
        let Frontier { superblock, next_unit, slot, .. } = *frontier;
        frontier.filled = 0;
        frontier.slot = NONE;
        let full = next_unit == layout.superblock_units;
        if full {
            frontier.superblock = NONE;
        }
        let row = (next_unit - layout.program_units) / layout.row_units;
        let class = if stream == HOST { Class::HostProgram } else { Class::InternalProgram };
        let origin = self.programs.get(slot, 0).origin();
        let mut transaction = Transaction::new(kind, origin, class, DieId(die as u32), superblock, row);
        transaction.wear = self.controller.wear_row(|| self.array.pe_cycles(die as u32, superblock));
        transaction.rows = layout.program_rows;
        transaction.pages = layout.planes * layout.program_rows;
        transaction.owner = slot;
        let global = self.space.global(die, superblock);
        if let Some(regulation) = &mut self.regulation {
            transaction.cost =
                regulation.issue(die, stream, global, row, layout.program_rows, calendar.now());
            if let Some(due) = regulation.take_due() {
                calendar.schedule(due, Event { kind: events::REFRESH, index: global as u32 });
            }
        }
        self.space.in_flight[global] += 1;
        if full {
            self.space.state[global] = SuperblockState::Closed;
        }
        if stream == HOST {
            self.bound[die] += 1;
            self.flush_serial = (self.flush_serial + 1) & 0xFF_FFFF;
            self.flush_armed = false;
        }
        self.controller.submit(transaction, calendar, probe);
        if full {
            self.note_closed(global);
        } else if next_unit == self.layout.data_units() {
            for _ in 0..self.layout.summary_units {
                self.append(die, stream, Lpn::NONE, SUMMARY, calendar, probe);
            }
        }
        self.update_eligible(die);
    }

    /// Whether the host may send this die another program unit.
    pub(crate) fn update_eligible(&mut self, die: usize) {
        let space = &self.space.dies[die];
        let (units, program) = (self.layout.data_units(), self.layout.program_units);
        let within_quota = space.live + program <= space.quota;
        let free = space.free.len() as u32;
        let reserved = self.collections[die].reserved_units(&self.space, die);
        let host_left = space.frontiers[HOST].left(&self.layout);
        let gc_left = if self.mixed { 0 } else { space.frontiers[1].left(&self.layout) };
        let expected = self.collections[die].expected_superblocks();
        let kept = (1 + self.spare) * units;
        // Whatever the host takes, garbage collection must still be able to move what it has in hand, and
        // must find a free superblock for its next victim when those being reclaimed have come back.
        // Padding may take the rest of a program unit that was begun: only whole ones count for what is in hand.
        let suffices = |left: u32, free: u32| {
            left - left % program + free * units >= reserved.next_multiple_of(program)
                && left + (free + expected) * units >= reserved + kept
        };
        let room = match (host_left >= program, self.mixed) {
            (true, false) => true,
            (true, true) => suffices(host_left - program, free),
            (false, true) => free >= 1 && suffices(units - program, free - 1),
            (false, false) => free >= 2 && suffices(gc_left, free - 1),
        };
        let (word, bit) = (die / 64, 1u64 << (die % 64));
        let paced = self.collections[die].holds_host_back();
        if within_quota && room && !paced && self.bound[die] < self.program_queue {
            self.eligible[word] |= bit;
        } else {
            self.eligible[word] &= !bit;
        }
        if within_quota {
            self.quota_blocked[word] &= !bit;
        } else {
            self.quota_blocked[word] |= bit;
        }
    }

    // ---- what the flash reports ---------------------------------------------------------------------

    /// Handles an event of this crate or the controller; outputs can then be taken.
    pub fn handle<P: Probe>(&mut self, event: Event, calendar: &mut Calendar, probe: &mut P) {
        match event.kind {
            events::IDLE => self.on_idle_timer(event.index as usize, calendar, probe),
            events::REFRESH => self.on_refresh_timer(event.index, calendar, probe),
            events::REWRITE => self.on_rewrite_timer(event.index as usize, calendar, probe),
            events::FLUSH => {
                if event.index == self.flush_serial && self.current != NONE {
                    self.pad_current(calendar, probe);
                }
            }
            _ => {
                self.controller.handle(event, calendar, probe);
                while let Some(id) = self.controller.take_finished() {
                    self.on_finished(id, calendar, probe);
                }
                self.start_tasks(calendar, probe);
                self.pump(calendar, probe);
            }
        }
    }

    fn on_finished<P: Probe>(&mut self, id: TransactionId, calendar: &mut Calendar, probe: &mut P) {
        let transaction = *self.controller.transaction(id);
        self.controller.release(id);
        let die = transaction.die.index();
        match (transaction.kind, transaction.origin) {
            (Kind::Read, origin) => {
                self.stats.pages_read[origin as usize] += u64::from(transaction.pages);
                match origin {
                    Origin::Host => {
                        self.keep_read(&transaction);
                        self.outputs.push(Output::Read {
                            request: transaction.owner,
                            units: transaction.mask.count_ones(),
                            reading: transaction.reading,
                            stages: Stages::of(&transaction),
                        });
                    }
                    Origin::ReadModifyWrite => self.on_merged(transaction.owner),
                    Origin::Rewrite => self.on_rewrite_read(&transaction, calendar, probe),
                    Origin::Map if transaction.owner == NONE => self.on_recovery_read(),
                    Origin::Map => self.end_task(transaction.owner, calendar, probe),
                    _ => self.on_moving_read(&transaction, calendar, probe),
                }
            }
            (Kind::Program | Kind::Copyback, _) => self.on_programmed(&transaction, calendar, probe),
            (Kind::Erase, _) => self.on_erased(&transaction, calendar, probe),
        }
        if self.regulation.is_some() && self.collections[die].is_asked() {
            self.collect(die, calendar, probe);
        }
        if self.controller.is_idle(transaction.die) {
            self.arm_idle_timer(die, calendar);
            self.arm_rewrite_timer(die, calendar);
        }
    }

    pub(crate) fn on_merged(&mut self, slot: u32) {
        match self.buffer.slot(slot).state {
            SlotState::Merging => {
                self.buffer.enqueue(slot);
                self.relieve_buffer();
            }
            _ => self.buffer.release(slot, false),
        }
    }

    fn on_programmed<P: Probe>(&mut self, transaction: &Transaction, calendar: &mut Calendar, probe: &mut P) {
        let die = transaction.die.index();
        let global = self.space.global(die, transaction.superblock);
        let done = self.array.program(global, transaction.row, transaction.rows);
        self.account_risk(calendar.now());
        self.stats.pages_programmed[transaction.origin as usize] += u64::from(transaction.pages);
        if transaction.kind == Kind::Copyback {
            self.stats.pages_read[transaction.origin as usize] += u64::from(transaction.pages);
            self.on_copied_back(die);
        }
        let first = self.layout.first_ppa(global as u32) + transaction.row * self.layout.row_units;
        for unit in 0..self.layout.program_units {
            let ppa = Ppa(first + unit);
            let source = self.programs.get(transaction.owner, unit);
            self.stats.units_programmed[source.origin() as usize] += 1;
            match source.origin() {
                Origin::Map if source == SUMMARY => {}
                Origin::Host | Origin::Map => {
                    self.on_host_unit(ppa, source.value(), done, transaction, probe);
                }
                Origin::Padding => {}
                origin => self.on_moved_unit(ppa, Ppa(source.value()), origin, done, probe),
            }
        }
        self.programs.release(transaction.owner);
        self.space.in_flight[global] -= 1;
        if transaction.class == Class::HostProgram {
            self.bound[die] -= 1;
        }
        if !done {
            self.stats.program_failures += 1;
            self.fail_superblock(die, transaction.superblock, calendar, probe);
        }
        if self.space.in_flight[global] == 0 && self.space.state[global] == SuperblockState::Closed {
            if self.space.failing[global] {
                self.collections[die].force(transaction.superblock, Origin::Rescue);
            } else {
                self.space.close(die, transaction.superblock);
            }
        }
        self.erase_emptied(calendar, probe);
        self.collect(die, calendar, probe);
    }

    #[inline]
    fn on_host_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        slot: u32,
        done: bool,
        transaction: &Transaction,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let (lpn, request) = (self.buffer.slot(slot).lpn, self.buffer.slot(slot).request);
        let newest = self.buffer.is_newest(slot);
        if !done && newest {
            self.space.dies[die].live -= 1;
            self.buffer.enqueue_first(slot);
            return;
        }
        if newest {
            let old = self.map.lookup(lpn);
            self.note_change(lpn);
            self.map.set(lpn, ppa);
            self.space.valid[self.layout.superblock_of(ppa) as usize] += 1;
            probe.on_commit(lpn, ppa, old, false);
            if old != Ppa::NONE {
                self.invalidate_host(old);
            }
        } else {
            // A newer version, or a trim, came in between: the page was garbage before it was written.
            self.stats.units_stale += 1;
            self.lower_live(die);
        }
        if let Some(demand) = &mut self.demand
            && demand.is_translation(lpn)
        {
            demand.used_slots -= 1;
            demand.note_written();
        }
        if newest && self.buffer.keeps_clean() {
            self.buffer.keep_clean(slot);
            self.relieve_buffer();
        } else {
            self.buffer.release(slot, newest);
        }
        if request != u32::MAX {
            self.outputs.push(Output::Durable { request, stages: Stages::of(transaction) });
        }
        if !self.flushes.is_empty() {
            self.answer_flushes();
        }
    }

    /// The host's newest version made `ppa` invalid.
    #[inline]
    fn invalidate_host(&mut self, ppa: Ppa) {
        let superblock = self.invalidate(ppa);
        self.lower_live((superblock / self.space.per_die) as usize);
    }

    #[inline]
    fn lower_live(&mut self, die: usize) {
        self.space.dies[die].live -= 1;
        if self.quota_blocked[die / 64] >> (die % 64) & 1 == 1 {
            self.update_eligible(die);
        }
    }

    /// Makes `ppa` invalid; gives its superblock.
    #[inline]
    pub(crate) fn invalidate(&mut self, ppa: Ppa) -> u32 {
        self.map.invalidate(ppa);
        let superblock = self.layout.superblock_of(ppa);
        self.space.lose_unit(superblock);
        if self.space.valid[superblock as usize] == 0
            && self.space.state[superblock as usize] == SuperblockState::Victim
        {
            self.emptied.push(superblock);
        }
        superblock
    }

    /// A program failed: nothing more goes into the superblock, and what it holds moves out.
    fn fail_superblock<P: Probe>(
        &mut self,
        die: usize,
        superblock: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let global = self.space.global(die, superblock);
        let first_failure = !std::mem::replace(&mut self.space.failing[global], true);
        self.end_superblock(die, superblock, calendar, probe);
        debug_assert!(first_failure || self.space.state[global] == SuperblockState::Closed);
    }

    /// Takes no more data into a superblock that may be open.
    pub(crate) fn end_superblock<P: Probe>(
        &mut self,
        die: usize,
        superblock: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        for stream in 0..2 {
            if self.space.dies[die].frontiers[stream].superblock == superblock {
                self.pad(die, stream, calendar, probe);
                self.space.dies[die].frontiers[stream] = Frontier::CLOSED;
                let global = self.space.global(die, superblock);
                self.space.state[global] = SuperblockState::Closed;
                if stream == HOST && self.current == die as u32 {
                    self.current = NONE;
                }
            }
        }
    }

    fn on_erased<P: Probe>(&mut self, transaction: &Transaction, calendar: &mut Calendar, probe: &mut P) {
        let (die, superblock) = (transaction.die.index(), transaction.superblock);
        let global = self.space.global(die, superblock);
        assert_eq!(self.space.valid[global], 0, "superblock {global} was erased with valid data");
        let done = self.array.erase(die as u32, superblock);
        self.stats.blocks_erased[transaction.origin as usize] += u64::from(self.layout.planes);
        self.stats.erase_failures += u64::from(!done);
        self.space.dies[die].erases += 1;
        self.collections[die].erasing -= 1;
        probe.on_erase(global);
        let failing = std::mem::replace(&mut self.space.failing[global], false);
        let lost =
            (failing || !done) && self.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost;
        if lost {
            self.lose_superblock(die, global);
        } else {
            self.space.pe_cycles[global] = self.array.pe_cycles(die as u32, superblock);
            if let Some(regulation) = &mut self.regulation {
                regulation.note_wear(global, self.space.pe_cycles[global]);
            }
            self.space.push_free(die, superblock);
            if let Some(cold) = self.space.pick_relocation(die, superblock) {
                self.collections[die].force(cold, Origin::Wear);
            }
        }
        self.collect(die, calendar, probe);
    }

    pub(crate) fn lose_superblock(&mut self, die: usize, global: usize) {
        self.space.state[global] = SuperblockState::Lost;
        self.space.dies[die].usable -= 1;
        self.stats.superblocks_lost += 1;
        self.update_quota(die);
        self.read_only |= self.sustainable_units() < self.layout.written_units();
    }

    // ---- background work ----------------------------------------------------------------------------

    fn arm_idle_timer(&mut self, die: usize, calendar: &mut Calendar) {
        let collection = &mut self.collections[die];
        collection.idle_since = calendar.now();
        if collection.idle_timer {
            return;
        }
        let Some(wait) = self.trigger.idle_after() else { return };
        let view = self.trigger_view(die);
        if self.trigger.background(&view) {
            self.collections[die].idle_timer = true;
            calendar.schedule(calendar.now() + wait, Event { kind: events::IDLE, index: die as u32 });
        }
    }

    fn on_idle_timer<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        self.collections[die].idle_timer = false;
        let Some(wait) = self.trigger.idle_after() else { return };
        if !self.controller.is_idle(DieId(die as u32)) {
            return;
        }
        let due = self.collections[die].idle_since + wait;
        if due > calendar.now() {
            self.collections[die].idle_timer = true;
            calendar.schedule(due, Event { kind: events::IDLE, index: die as u32 });
            return;
        }
        self.collections[die].background = true;
        self.collect(die, calendar, probe);
        self.pump(calendar, probe);
    }
}
