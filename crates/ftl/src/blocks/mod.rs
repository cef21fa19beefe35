//! The block-mapped translation layer: each group of logical units has a data block, in which every unit has its
//! place; writes go to log blocks, and merges bring both together again.
//!
//! Which log block, and which merge, a kind of mapping says ([`BlockRules`]). The layer keeps the true place of
//! every unit, as the tables of the spare areas would give it; what the controller would need in RAM is
//! [`BlockMapped::map_bytes`].

mod cache;
mod flash;
mod host;
mod merge;
mod rest;
mod work;

use crate::buffer::{Buffer, Risk};
use crate::mapping::bank::{Bank, BlockRules};
use crate::parts::Parts;
use crate::read_path::ReadPath;
use crate::store::Map;
use crate::store::Programs;
use crate::store::{NONE, SuperblockState};
use crate::wear::WearPolicy;
use crate::{FtlStats, Layout, Mark, Output, Turnover};
use controller::{Controller, Transaction};
use engine::RandomStream;
use nand::FlashArray;
use std::cmp::Reverse;
use std::collections::VecDeque;
use units::{Lpn, Nanos, Ppa, SimTime, SuperblockId};

/// Superblocks kept for failures where blocks can fail: a merge that fails needs another block before it gives
/// one back.
const SPARE_IF_FAILING: u32 = 3;

/// What a buffer slot's wait was.
#[derive(Clone, Copy)]
struct Wait {
    /// Changes whenever the slot begins to wait anew.
    serial: u32,
    since: SimTime,
    /// The bank's merging time when the wait began; when it ended, the part of the wait spent behind merges.
    merged_ns: u64,
    /// Where its unit lived when its program was submitted.
    home: Ppa,
}

impl Wait {
    const NEVER: Self = Self { serial: 0, since: SimTime::ZERO, merged_ns: 0, home: Ppa::NONE };
}

/// The map, the superblocks and the flash of a drive.
struct Store {
    layout: Layout,
    map: Map,
    programs: Programs,
    array: FlashArray,
    controller: Controller,
    stats: FtlStats,
    /// By superblock: valid units, state, block, whether a program failed, its wear, when it was closed.
    valid: Vec<u32>,
    state: Vec<SuperblockState>,
    block_of: Vec<u32>,
    failing: Vec<bool>,
    pe_cycles: Vec<u32>,
    closed_at: Vec<u64>,
}

impl Store {
    /// Nothing written, no superblock in use.
    fn new(layout: Layout, array: FlashArray, controller: Controller) -> Self {
        let superblocks = layout.superblocks();
        Self {
            map: Map::new(&layout),
            programs: Programs::new(layout.program_units),
            array,
            controller,
            stats: FtlStats::default(),
            valid: vec![0; superblocks],
            state: vec![SuperblockState::Lost; superblocks],
            block_of: vec![NONE; superblocks],
            failing: vec![false; superblocks],
            pe_cycles: vec![0; superblocks],
            closed_at: vec![0; superblocks],
            layout,
        }
    }
}

/// What the drive's file says once for all.
struct Rules {
    kind: Box<dyn BlockRules>,
    /// Dies that a block spans.
    span: u32,
    /// Mapping units of a group, and program units.
    group_units: u32,
    group_programs: u32,
    write_back: bool,
    power_loss_protection: bool,
    flush_after: Nanos,
    read_ahead: u32,
    program_queue: u32,
    spare: u32,
}

/// What the host's side of the layer keeps.
struct Host {
    buffer: Buffer,
    reserved_slots: u32,
    waits: Vec<Wait>,
    flushes: VecDeque<(u32, u32)>,
    /// Slots that wait for the rest of an older one to come, each behind it.
    following: Vec<(u32, u32)>,
    /// Slots that someone waits for and a newer version overtook, each with the slot of that.
    overtaken: Vec<(u32, u32)>,
    outputs: Vec<Output>,
    risk: Risk,
    /// What the host's reads go through.
    reads: ReadPath,
}

/// Wear levelling, by die.
struct Wear {
    policies: Vec<Box<dyn WearPolicy>>,
    erases: Vec<u64>,
    random: RandomStream,
}

/// The block-mapped translation layer and everything below it.
pub struct BlockMapped {
    store: Store,
    rules: Rules,
    host: Host,
    wear: Wear,
    banks: Vec<Bank>,
    /// Banks with something new to do.
    touched: Vec<u32>,
    /// Without time: what was submitted and is done as soon as it is looked at.
    instant: Option<VecDeque<Transaction>>,
    turnover: Turnover,
    read_only: bool,
}

impl BlockMapped {
    /// A fresh drive: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub(crate) fn new(parts: Parts<'_>, rules: Box<dyn BlockRules>, span: u32) -> Result<Self, String> {
        let Parts { config, array, mut controller, program_queue, seed, .. } = parts;
        let layout = &config.layout;
        let group_units = layout.superblock_units * span;
        let banks = layout.dies / span;
        let groups = layout.logical_units.div_ceil(group_units);
        let bank =
            |index: u32| Bank::new(index * span, span, groups / banks + u32::from(index < groups % banks));
        let rules = Rules {
            kind: rules,
            span,
            group_units,
            group_programs: group_units / layout.program_units,
            write_back: config.buffer.write_back,
            power_loss_protection: config.buffer.power_loss_protection,
            flush_after: config.buffer.flush_after,
            read_ahead: config.read_ahead,
            program_queue,
            spare: if array.may_fail() { SPARE_IF_FAILING } else { 0 },
        };
        let host = Host {
            buffer: Buffer::of(&config.buffer, 0, layout.logical_units, group_units),
            reserved_slots: 0,
            waits: vec![Wait::NEVER; config.buffer.slots as usize],
            flushes: VecDeque::new(),
            following: Vec::new(),
            overtaken: Vec::new(),
            outputs: Vec::with_capacity(64),
            risk: Risk::default(),
            reads: ReadPath::new(config, &mut controller),
        };
        let wear = Wear {
            policies: (0..layout.dies).map(|_| (config.wear)()).collect(),
            erases: vec![0; layout.dies as usize],
            random: RandomStream::new(seed, "ftl.wear"),
        };
        let mut ftl = Self {
            store: Store::new(layout.clone(), array, controller),
            rules,
            host,
            wear,
            banks: (0..banks).map(bank).collect(),
            touched: Vec::new(),
            instant: None,
            turnover: Turnover::default(),
            read_only: false,
        };
        for superblock in 0..layout.superblocks() as u32 {
            let (die, within) = ftl.place_of(superblock);
            if ftl.store.array.is_whole(die, within) {
                ftl.banks[(die / span) as usize].usable[(die % span) as usize] += 1;
                ftl.push_free(superblock);
            }
        }
        ftl.check_sustainable()?;
        Ok(ftl)
    }

    /// Blocks a bank must have beside its data blocks.
    fn blocks_beside(&self) -> u32 {
        self.rules.kind.logs_least() + 1 + self.rules.spare
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let beside = self.blocks_beside();
        let short = |bank: &&Bank| (bank.data.len() as u32 + beside) > bank.usable_blocks();
        let Some(bank) = self.banks.iter().find(short) else { return Ok(()) };
        let (groups, usable) = (bank.data.len(), bank.usable_blocks());
        let least = self.banks.iter().map(Bank::usable_blocks).min().unwrap_or(0);
        let possible = u64::from(least.saturating_sub(beside))
            * u64::from(self.rules.group_units)
            * self.banks.len() as u64;
        let advice = if possible > 0 {
            let op = (self.store.layout.physical_units() as f64 / possible as f64 - 1.0)
                .mul_add(1000.0, 0.0)
                .ceil()
                / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks, or let a block span fewer dies".to_owned()
        };
        Err(format!(
            "this drive cannot sustain writes: a bank of {} dies has {usable} good blocks for {groups} data blocks, \
             {} log blocks, one to merge into and {} spare; {advice}",
            self.rules.span,
            self.rules.kind.logs_least(),
            self.rules.spare,
        ))
    }

    // ---- addresses ----------------------------------------------------------------------------------

    /// Bank, group within it, and unit within the group.
    #[inline]
    fn split(&self, lpn: Lpn) -> (usize, u32, u32) {
        let (group, unit) = (lpn.0 / self.rules.group_units, lpn.0 % self.rules.group_units);
        let banks = self.banks.len() as u32;
        ((group % banks) as usize, group / banks, unit)
    }

    /// The unit `unit` of program unit `position` of a group; none beyond the drive's end.
    #[inline]
    fn lpn_at(&self, bank: usize, group: u32, position: u32, unit: u32) -> Option<Lpn> {
        let first = (group * self.banks.len() as u32 + bank as u32) * self.rules.group_units;
        let lpn = first + position * self.store.layout.program_units + unit;
        (lpn < self.store.layout.logical_units).then_some(Lpn(lpn))
    }

    /// The first address of program unit `position` of a block.
    #[inline]
    fn ppa_at(&self, bank: usize, block: u32, position: u32) -> Ppa {
        let member =
            self.banks[bank].members[(block * self.rules.span + position % self.rules.span) as usize];
        Ppa(self.store.layout.first_ppa(member)
            + position / self.rules.span * self.store.layout.program_units)
    }

    /// Die, and number within the die, of a superblock numbered over the drive.
    #[inline]
    fn place_of(&self, superblock: u32) -> (u32, u32) {
        (
            superblock / self.store.layout.superblocks_per_die,
            superblock % self.store.layout.superblocks_per_die,
        )
    }

    #[inline]
    fn bank_of(&self, superblock: u32) -> usize {
        (superblock / self.store.layout.superblocks_per_die / self.rules.span) as usize
    }

    fn push_free(&mut self, superblock: u32) {
        let (die, within) = self.place_of(superblock);
        self.store.state[superblock as usize] = SuperblockState::Free;
        let pe_cycles = self.store.array.pe_cycles(die, within);
        self.store.pe_cycles[superblock as usize] = pe_cycles;
        let rank = self.wear.policies[die as usize].free_rank(
            SuperblockId(within),
            pe_cycles,
            self.wear.erases[die as usize],
        );
        let bank = &mut self.banks[(die / self.rules.span) as usize];
        bank.free[(die % self.rules.span) as usize].push(Reverse((rank, within)));
    }

    // ---- what a drive may ask -----------------------------------------------------------------------

    /// The shape of the drive.
    pub fn layout(&self) -> &Layout {
        &self.store.layout
    }

    /// What was counted so far.
    pub fn stats(&self) -> &FtlStats {
        &self.store.stats
    }

    /// The counters after every so many victims, or merges, since measuring began.
    pub fn turnover(&self) -> &Turnover {
        &self.turnover
    }

    /// The counters now.
    pub fn mark(&self) -> Mark {
        let units_waiting = u64::from(self.host.buffer.dirty_slots());
        Mark { stats: self.store.stats, units_waiting, units_to_move: 0 }
    }

    /// Measuring begins: what collection does from now on counts.
    pub fn begin_turnover(&mut self) {
        self.turnover.begin(self.mark());
    }

    /// The controller, for its busy times.
    pub fn controller(&self) -> &Controller {
        &self.store.controller
    }

    /// The blocks, for their wear.
    pub fn array(&self) -> &FlashArray {
        &self.store.array
    }

    /// Nothing can be moved any more: a drive in which blocks failed is then at its end.
    pub fn declare_stalled(&mut self) {
        let failures = self.store.stats.program_failures
            + self.store.stats.erase_failures
            + self.store.stats.superblocks_lost;
        self.read_only |= failures > 0;
        self.host.buffer.forget_requests();
        self.host.flushes.clear();
    }

    /// True once too many blocks failed: writes are refused from then on.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Writes are acknowledged when the buffer holds them.
    pub fn is_write_back(&self) -> bool {
        self.rules.write_back
    }

    /// The buffer survives a power cut: what it holds is durable.
    pub fn is_protected(&self) -> bool {
        self.rules.power_loss_protection
    }

    /// Bytes of state of the simulated drive.
    pub fn state_bytes(&self) -> usize {
        let banks = self.banks.iter().map(Bank::bytes).sum::<usize>();
        let superblocks = self.store.valid.len() * (4 + 1 + 4 + 1 + 8);
        let waits = self.host.waits.len() * size_of::<Wait>();
        let beside = self.host.reads.bytes() + self.store.array.bytes() + banks + superblocks + waits;
        self.store.map.bytes() + self.host.buffer.bytes() + beside
    }

    /// Bytes of RAM that the drive's map would take: a block number of four bytes for each group, and for each
    /// log block the four-byte places of its units.
    pub fn map_bytes(&self) -> u64 {
        let groups: u64 = self.banks.iter().map(|bank| bank.data.len() as u64).sum();
        let logs = u64::from(self.rules.kind.logs_usual()) * self.banks.len() as u64;
        4 * groups + logs * (8 + 4 * u64::from(self.rules.group_units))
    }

    /// How long data may wait for company before they are programmed.
    pub fn patience(&self) -> Nanos {
        self.rules.flush_after
    }

    /// Why each bank takes no more writes, for the message of a run that is stuck.
    pub fn explain_stall(&self) -> String {
        let bank = |(index, bank): (usize, &Bank)| {
            format!(
                "bank {index}: {} groups, {} blocks usable, {} others, free {}, coming {}, logs {:?}, waiting {}, in flight {}, reclaim {:?}, job {:?}, sealed {:?}",
                bank.data.len(),
                bank.usable_blocks(),
                bank.other_blocks(),
                bank.free_blocks(),
                bank.coming_blocks(),
                bank.logs,
                bank.waiting_units,
                bank.in_flight,
                bank.reclaim,
                bank.job,
                bank.blocks.iter().filter(|block| block.role == crate::Role::Sealed).collect::<Vec<_>>(),
            )
        };
        let banks: Vec<String> = self.banks.iter().enumerate().map(bank).collect();
        format!(
            "buffer {} used, {} reserved, {} in flight; {}",
            self.host.buffer.used_slots(),
            self.host.reserved_slots,
            self.store.controller.in_flight(),
            banks.join("; ")
        )
    }

    /// Superblocks not lost to bad blocks, over all dies.
    pub fn usable_superblocks(&self) -> u32 {
        self.banks.iter().flat_map(|bank| &bank.usable).sum()
    }

    /// Valid mapping units of each superblock of the drive.
    pub fn valid_units(&self) -> &[u32] {
        &self.store.valid
    }

    /// State of each superblock of the drive.
    pub fn superblock_states(&self) -> &[SuperblockState] {
        &self.store.state
    }

    /// Where `lpn` lives on flash, or [`Ppa::NONE`].
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        self.store.map.lookup(lpn)
    }

    /// What the spare area of `ppa` says it holds.
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        self.store.map.holder(ppa)
    }

    /// True when `ppa` counts as valid.
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.store.map.is_valid(ppa)
    }

    /// Takes one output.
    pub fn take_output(&mut self) -> Option<Output> {
        self.host.outputs.pop()
    }

    /// Asks for the cache lines a request for `lpn` will need.
    pub fn prefetch(&self, lpn: Lpn) {
        self.store.map.prefetch_lookup(lpn);
    }

    /// Reserves up to `wanted` buffer slots; gives how many.
    pub fn reserve(&mut self, wanted: u32) -> u32 {
        let granted = wanted.min(self.host.buffer.free_slots() - self.host.reserved_slots);
        self.host.reserved_slots += granted;
        granted
    }

    /// True when [`Self::reserve`] would give something.
    pub fn has_room(&self) -> bool {
        self.host.buffer.free_slots() > self.host.reserved_slots
    }

    /// True while the buffer holds data that is not on flash.
    pub fn is_draining(&self) -> bool {
        self.host.buffer.dirty_slots() > 0
    }
}
