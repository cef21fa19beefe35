//! The block-mapped translation layer: each group of logical units has a data block, in which every unit has its
//! place; writes go to log blocks, and merges bring both together again.
//!
//! Which log block, and which merge, a kind of mapping says ([`BlockRules`]). The layer keeps the true place of
//! every unit, as the tables of the spare areas would give it; what the controller would need in RAM is
//! [`BlockMapped::map_bytes`].

mod cache;
mod flash;
mod found;
mod host;
mod merge;
mod power;
mod untimed;
mod upkeep;
mod work;

use crate::Layout;
use crate::Probe;
use crate::host_side::Host;
use crate::layer::{Base, Layer};
use crate::mapping::bank::{Bank, BlockRules};
use crate::media::Media;
use crate::parts::{Parts, Whole};
use crate::store::NONE;
use crate::store::labels::Labels;
use crate::upkeep::Upkeep;
use controller::Context;
use controller::Transaction;
use engine::Event;
use std::collections::VecDeque;
use units::{Lpn, Ppa, SimTime};

/// Constant: number of superblocks reserved on each die of a block-mapped drive whose blocks can fail: a merge that
/// fails needs another block before it frees one.
const SPARE_IF_FAILING: u32 = 3;
/// Constant: number of superblocks reserved on each die of a block-mapped drive whose power may be cut, in addition to
/// those reserved for failing blocks: data that an interrupted merge has programmed must be merged again.
const SPARE_IF_CUT: u32 = 1;

/// Record for one slot of the write buffer on a block-mapped drive: the time at which the slot began to wait to be
/// programmed, and the part of the wait during which its bank (set of dies) was busy with merges.
#[derive(Clone, Copy)]
struct Wait {
    /// Serial number of the write buffer slot's wait to be programmed. The number changes whenever the slot begins to
    /// wait or is programmed, so that outdated entries of the bank's queue are recognised.
    serial: u32,
    since: SimTime,
    /// While the write buffer slot waits to be programmed: the total time that merges in its bank (set of dies) had
    /// taken when the wait began. Afterwards: the part of the wait during which merges ran in the bank. In nanoseconds.
    merged_ns: u64,
    /// Physical place that the map gave for the logical unit of the write buffer slot when the slot's program was
    /// submitted.
    home: Ppa,
}

impl Wait {
    const NEVER: Self = Self { serial: 0, since: SimTime::ZERO, merged_ns: 0, home: Ppa::NONE };
}

/// Set of facts about a block-mapped drive that never change: the rules of its block mapping, and the sizes of groups
/// of logical units and of blocks.
struct GroupRules {
    kind: Box<dyn BlockRules>,
    /// Number of dies over which a block of the drive extends, with one superblock on each.
    span: u32,
    /// Number of mapping units of a group of logical units: as many as a block (one superblock on each die of its bank)
    /// holds.
    group_units: u32,
    /// Number of program units (pages of one program operation) of a group of logical units.
    group_programs: u32,
}

/// State of a block-mapped flash translation layer, with everything below it: write buffer, map, flash.
pub struct BlockMapped {
    pub(crate) media: Media,
    pub(crate) upkeep: Upkeep,
    rules: GroupRules,
    pub(crate) host: Host,
    waits: Vec<Wait>,
    /// List of pairs of write buffer slots with data of the same logical unit: an older slot, whose data were replaced
    /// by a newer write and for whose program a request or flush still waits, and the slot with the newer data.
    overtaken: Vec<(u32, u32)>,
    /// For each superblock: number, within its bank (set of dies), of the block to which it belongs (a block is one
    /// superblock on each die of the bank), or `NONE`.
    block_of: Vec<u32>,
    banks: Vec<Bank>,
    /// List of the banks (sets of dies over which blocks extend) that have work to do before simulated time advances.
    touched: Vec<u32>,
    /// List of the banks (sets of dies) in which a request waits for the program of a partly filled program unit that
    /// data now crossing the host link may still fill.
    expecting: Vec<usize>,
    /// Queue of the transactions (flash operations) submitted without simulated time (preconditioning), each of which
    /// completes without delay when it is taken from the queue; `None` in simulated time.
    instant: Option<VecDeque<Transaction>>,
    /// Context of the last work without simulated time, which left no event in it, to be used again.
    untimed_context: Option<Box<Context<()>>>,
}

impl BlockMapped {
    /// Makes a fresh block-mapped drive: nothing written, every good superblock free.
    ///
    /// # Errors
    /// When the drive could not sustain writes; the text says why and what would help.
    pub(crate) fn new(parts: Parts<'_>, rules: Box<dyn BlockRules>) -> Result<Self, String> {
        let span = rules.dies_per_block();
        let spare = if parts.array.may_fail() { SPARE_IF_FAILING } else { 0 }
            + if parts.config.has_power_cuts() { SPARE_IF_CUT } else { 0 };
        let layout = parts.config.layout.clone();
        let group_units = layout.superblock_units * span;
        let banks = layout.dies / span;
        let groups = layout.logical_units.div_ceil(group_units);
        let bank =
            |index: u32| Bank::new(index * span, span, groups / banks + u32::from(index < groups % banks));
        let group_programs = group_units / layout.program_units;
        let Whole { mut media, upkeep, host } = parts.put_together(None, spare, group_units)?;
        if let Some(numbers) = &mut media.core.store.spare {
            numbers.labels = Some(Labels::new(layout.program_units, layout.physical_units()));
        }
        let mut ftl = Self {
            waits: vec![Wait::NEVER; media.core.buffer.slots() as usize],
            overtaken: Vec::new(),
            block_of: vec![NONE; layout.superblocks()],
            media,
            upkeep,
            host,
            rules: GroupRules { kind: rules, span, group_units, group_programs },
            banks: (0..banks).map(bank).collect(),
            touched: Vec::new(),
            expecting: Vec::new(),
            instant: None,
            untimed_context: None,
        };
        for superblock in 0..layout.superblocks() as u32 {
            let (die, within) = ftl.place_of(superblock);
            if ftl.media.core.store.array.is_whole(die, within) {
                ftl.media.core.store.space.dies[die as usize].usable += 1;
                ftl.push_free(superblock);
            }
        }
        ftl.check_sustainable()?;
        Ok(ftl)
    }

    /// Returns the number of blocks (each one superblock on every die of the bank) that a bank needs beside its data
    /// blocks: log blocks, a block to merge into, and spare blocks for failures and power cuts.
    fn blocks_beside(&self) -> u32 {
        self.rules.kind.logs_least() + 1 + self.media.core.rules.spare
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let beside = self.blocks_beside();
        let dies = &self.media.core.store.space.dies;
        let short = |bank: &&Bank| (bank.data.len() as u32 + beside) > bank.usable_blocks(dies);
        let Some(bank) = self.banks.iter().find(short) else { return Ok(()) };
        let (groups, usable) = (bank.data.len(), bank.usable_blocks(dies));
        let least = self.banks.iter().map(|bank| bank.usable_blocks(dies)).min().unwrap_or(0);
        let possible = u64::from(least.saturating_sub(beside))
            * u64::from(self.rules.group_units)
            * self.banks.len() as u64;
        let advice = if possible > 0 {
            let op =
                ((self.layout().physical_units() as f64 / possible as f64 - 1.0) * 1000.0).ceil() / 1000.0;
            format!("set ftl.op_ratio to {op:.3} or more")
        } else {
            "give each die more blocks, or let a block span fewer dies".to_owned()
        };
        Err(format!(
            "this drive cannot sustain writes: a bank of {} dies has {usable} good blocks for {groups} data blocks, \
             {} log blocks, one to merge into and {} spare; {advice}",
            self.rules.span,
            self.rules.kind.logs_least(),
            self.media.core.rules.spare,
        ))
    }

    // ---- addresses ----------------------------------------------------------------------------------

    #[inline]
    fn layout(&self) -> &Layout {
        &self.media.core.store.layout
    }

    /// Returns the bank (set of dies) of logical unit `lpn`, the number of its group within the bank, and the unit
    /// within the group.
    #[inline]
    fn split(&self, lpn: Lpn) -> (usize, u32, u32) {
        let (group, unit) = (lpn.0 / self.rules.group_units, lpn.0 % self.rules.group_units);
        let banks = self.banks.len() as u32;
        ((group % banks) as usize, group / banks, unit)
    }

    /// Returns the logical unit that belongs at unit `unit` of program unit `position` of a group of logical units, by
    /// the fixed positions of a data block; `None` beyond the end of the logical drive.
    #[inline]
    fn lpn_at(&self, bank: usize, group: u32, position: u32, unit: u32) -> Option<Lpn> {
        let first = (group * self.banks.len() as u32 + bank as u32) * self.rules.group_units;
        let lpn = first + position * self.layout().program_units + unit;
        (lpn < self.layout().logical_units).then_some(Lpn(lpn))
    }

    /// Returns the physical address of the first unit of program unit `position` of a block (one superblock on each die
    /// of its bank).
    #[inline]
    fn ppa_at(&self, bank: usize, block: u32, position: u32) -> Ppa {
        let member = self.banks[bank].members_of(block)[(position % self.rules.span) as usize];
        let within = position / self.rules.span * self.layout().program_units;
        Ppa(self.layout().first_ppa(member) + u64::from(within))
    }

    /// Returns true when the block has a superblock on the die of program unit `position`; false when recovery found
    /// none there, because that superblock was being erased at a power cut.
    #[inline]
    fn is_there(&self, bank: usize, block: u32, position: u32) -> bool {
        self.banks[bank].members_of(block)[(position % self.rules.span) as usize] != NONE
    }

    /// Returns the die of a superblock that is numbered over the drive, and the superblock's number within the die.
    #[inline]
    fn place_of(&self, superblock: u32) -> (u32, u32) {
        (superblock / self.layout().superblocks_per_die, superblock % self.layout().superblocks_per_die)
    }

    /// Returns true for a superblock (numbered over the drive) that belongs to no block (a block is one superblock on
    /// each die of a bank).
    #[inline]
    fn is_left_over(&self, superblock: u32) -> bool {
        self.block_of[superblock as usize] == NONE
    }

    #[inline]
    fn bank_of(&self, superblock: u32) -> usize {
        (superblock / self.layout().superblocks_per_die / self.rules.span) as usize
    }

    fn push_free(&mut self, superblock: u32) {
        let (die, within) = self.place_of(superblock);
        let space = &mut self.media.core.store.space;
        space.pe_cycles[superblock as usize] = self.media.core.store.array.pe_cycles(die, within);
        space.push_free(die as usize, within);
    }

    // ---- what a drive may ask -----------------------------------------------------------------------
}

impl Layer for BlockMapped {
    #[inline]
    fn base(&self) -> Base<'_> {
        Base { media: &self.media, host: &self.host, upkeep: &self.upkeep }
    }

    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.media.begin();
        self.upkeep.begin(&mut self.media, &mut ctx.calendar);
        if self.is_labelled() {
            self.begin_labelled(ctx);
        }
    }

    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        self.on_event(event, ctx);
    }

    /// Handles a drive that can no longer proceed: makes it read-only if blocks failed or were lost, or if its power
    /// may be cut (interrupted merges may have used up its spare blocks), and lets no request wait any longer.
    fn declare_stalled(&mut self) {
        let failures = self.media.core.store.stats.program_failures
            + self.media.core.store.stats.erase_failures
            + self.media.core.store.stats.superblocks_lost;
        self.media.core.read_only |= failures > 0 || self.media.core.store.spare.is_some();
        self.media.core.buffer.forget_requests();
        self.host.flushes.clear();
    }

    fn explain_stall(&self) -> String {
        let dies = &self.media.core.store.space.dies;
        let bank = |(index, bank): (usize, &Bank)| {
            format!(
                "bank {index}: {} groups, {} blocks usable, {} others, free {}, coming {}, logs {:?}, waiting {}, in flight {}, reclaim {:?}, job {:?}, sealed {:?}",
                bank.data.len(),
                bank.usable_blocks(dies),
                bank.other_blocks(),
                bank.free_blocks(dies),
                bank.coming_blocks(dies),
                bank.logs,
                bank.waiting.units,
                bank.in_flight,
                bank.merging.reclaim,
                bank.merging.job,
                bank.blocks.iter().filter(|block| block.role == crate::Role::Sealed).collect::<Vec<_>>(),
            )
        };
        let banks: Vec<String> = self.banks.iter().enumerate().map(bank).collect();
        format!(
            "buffer {} used, {} reserved, {} in flight; {}",
            self.media.core.buffer.used_slots(),
            self.media.core.reserved_slots,
            self.media.core.store.controller.in_flight(),
            banks.join("; ")
        )
    }

    /// Returns the bytes of controller RAM that the modelled drive's map takes: a block number of four bytes for each
    /// group, and for each log block its header and the four-byte places of its units.
    fn map_bytes(&self) -> u64 {
        let groups: u64 = self.banks.iter().map(|bank| bank.data.len() as u64).sum();
        let logs = u64::from(self.rules.kind.logs_usual()) * self.banks.len() as u64;
        4 * groups + logs * (8 + 4 * u64::from(self.rules.group_units))
    }

    fn bytes_beside(&self) -> usize {
        let banks = self.banks.iter().map(Bank::bytes).sum::<usize>();
        banks + 4 * self.block_of.len() + self.waits.len() * size_of::<Wait>()
    }
}
