//! The dies that one block spans, and what lies on them: data blocks, log blocks, what waits.

use crate::store::{DieSpace, NONE};
use controller::Origin;
use std::collections::VecDeque;
use units::SimTime;

/// Kind of role of a block on a block-mapped drive: unused, data block, log block, target of a merge, or sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// Case: role of a block number of the block-mapped drive that is not in use: it has no superblocks.
    Unused,
    /// Case: role of the data block of a group of logical units: each unit has a fixed position in the block.
    Data,
    /// Case: role of a log block, which takes the host's writes in order of arrival.
    Log,
    /// Case: role of a block that a merge (copy of a group's valid units) is filling, and that becomes a data block.
    Target,
    /// Case: role of a sealed block: the block takes no more data, its valid units may be moved out by merges, and it
    /// is erased once it holds no valid unit.
    Sealed,
}

impl Role {
    pub(crate) const ALL: [Self; 5] = [Self::Unused, Self::Data, Self::Log, Self::Target, Self::Sealed];
}

/// Record of a block of a block-mapped drive, which consists of one superblock on each die of its bank (set of dies).
/// Program unit `p` of the block is on die `p` modulo the number of dies, so that neighbouring program units are
/// programmed at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Field of a block's record: its role: data block, log block, merge target, sealed or not in use.
    pub role: Role,
    /// Number of the group of logical units whose data the block takes, or `u32::MAX` for a log block that takes units
    /// of any group.
    pub owner: u32,
    /// Number of program units of the block that are programmed or assigned: index of the next one.
    pub next: u32,
    /// True while each unit of the block is at its fixed position in the group, as in a data block.
    pub in_place: bool,
    /// True after a program on the block failed: its valid units are moved out, then the block is retired.
    pub failing: bool,
    /// Number of valid mapping units in the block.
    pub valid: u32,
    /// Number of programs in flight to the block.
    pub in_flight: u32,
    /// Time of the host's last write to the block, as a value of the bank's write clock (number of programs of host
    /// writes, and of log blocks opened, so far); merges do not count.
    pub used: u64,
    /// Number that identifies the block in spare areas, on a drive whose power may be cut; else 0.
    pub serial: u64,
}

impl Block {
    pub(crate) const UNUSED: Self = Self {
        role: Role::Unused,
        owner: NONE,
        next: 0,
        in_place: true,
        failing: false,
        valid: 0,
        in_flight: 0,
        used: 0,
        serial: 0,
    };
}

/// Record of a program unit that the merge in progress has planned but not submitted for programming: it waits until
/// its mapping units have been read from flash.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub program: u32,
    pub position: u32,
    pub reads: u32,
}

/// Kind of purpose of a merge (the copy of units into a block) on a block-mapped drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Case: purpose of a merge that fills an open block up to the position of the host's next write, by copying the
    /// group's units of lower positions from their places on flash; it is neither a partial nor a full merge.
    Fill,
    /// Case: purpose of a merge that completes a log block in which each unit is at its fixed position (filled in
    /// place), by copying the rest of the group, so that it becomes the data block (switch or partial merge).
    Complete,
    /// Case: purpose of a merge that copies all valid units of a group of logical units to a new block (full merge).
    Full,
    /// Case: purpose of a merge that programs a group of logical units that the write buffer evicted to a new block,
    /// together with the group's units on flash (page padding).
    Pad,
}

/// State of a merge on a block-mapped drive: it fills a block in order, and takes each unit from its place on flash or
/// from the write buffer.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub purpose: Purpose,
    pub origin: Origin,
    pub group: u32,
    pub target: u32,
    /// Position (index of the program unit) in the target block at which the merge ends: the first one that the merge
    /// does not fill.
    pub end: u32,
    pub copied: bool,
    pub planned: VecDeque<Planned>,
}

/// State of the merges of a bank (set of dies): the merge in progress, and the queue of blocks to be reclaimed by
/// further merges.
#[derive(Default)]
pub(crate) struct Merging {
    pub job: Option<Merge>,
    /// Field of a bank's merges: queue of the sealed blocks (which take no more data) whose valid units must be moved by
    /// merges, each with the reason (origin), such as garbage collection.
    pub reclaim: VecDeque<(u32, Origin)>,
    /// Time in nanoseconds that the bank (set of dies) spent in completed merges.
    spent_ns: u64,
    /// Time at which the merge in progress began.
    since: SimTime,
}

impl Merging {
    pub fn begin(&mut self, merge: Merge, now: SimTime) {
        debug_assert!(self.job.is_none());
        self.since = now;
        self.job = Some(merge);
    }

    pub fn end(&mut self, now: SimTime) -> Merge {
        self.spent_ns = self.ns_until(now);
        self.job.take().expect("a merge has begun")
    }

    /// Returns true if the merge in progress in the bank (set of dies) is filling block `block`.
    pub fn is_target(&self, block: u32) -> bool {
        self.job.as_ref().is_some_and(|job| job.target == block)
    }

    /// Returns the time, in nanoseconds, that the bank (set of dies) has spent merging until `now`.
    pub fn ns_until(&self, now: SimTime) -> u64 {
        let running = if self.job.is_some() { now.since(self.since).ns() } else { 0 };
        self.spent_ns + running
    }

    /// Resets the time that the bank (set of dies) has spent in merges to zero, when simulated time begins.
    pub fn forget_time(&mut self) {
        self.spent_ns = 0;
    }
}

/// State of the queue of the write buffer slots that wait to be programmed to one bank (set of dies over which blocks
/// extend), with the conditions for programming them before their program unit is complete.
#[derive(Default)]
pub(crate) struct Waiting {
    /// Queue of the write buffer slots that wait to be programmed to the bank, in the order of the host's writes; each
    /// entry is the slot and the serial number of its wait. An entry whose serial number is outdated is void.
    pub queue: VecDeque<(u32, u32)>,
    /// Number of write buffer slots that still wait to be programmed to the bank (set of dies).
    pub units: u32,
    /// Queue of the groups of logical units that the buffer evicted and that must be programmed as a whole (page
    /// padding).
    pub padding: VecDeque<u32>,
    /// Time at which the bank is next checked for write buffer slots that have waited too long for a full program unit,
    /// so that the program unit is padded.
    pub timer: SimTime,
    /// True while the units that wait must be programmed without waiting for complete program units: for a flush, or
    /// because the buffer is full.
    pub pressed: bool,
    /// True while a host request waits for the program of a partly filled program unit of the bank, which is padded and
    /// programmed as soon as no data that could fill it are crossing the host link.
    pub awaited: bool,
}

/// State of one bank: a set of neighbouring dies over which each of its blocks extends.
pub(crate) struct Bank {
    pub first_die: u32,
    /// For each die of the bank, the number of superblocks being erased.
    pub erasing: Vec<u32>,
    /// For each group of logical units, the number of its data block, or `NONE`.
    pub data: Vec<u32>,
    /// Number of groups of logical units that have a data block in the bank (set of dies).
    pub data_blocks: u32,
    /// List of the log blocks of the bank (set of dies), in the order in which they were opened.
    pub logs: Vec<u32>,
    pub blocks: Vec<Block>,
    /// For each block, the superblocks (numbered over the drive) of which it consists: one for each die of the bank.
    pub members: Vec<u32>,
    /// List of the block numbers of the bank (set of dies) that are not in use.
    pub unused: Vec<u32>,
    pub waiting: Waiting,
    pub merging: Merging,
    /// Number of programs in flight (submitted and not complete) on the dies of the bank.
    pub in_flight: u32,
    /// Field: write clock of the bank (set of dies): number of programs of host writes, and of log blocks opened, so
    /// far.
    pub clock: u64,
}

impl Bank {
    /// Returns the size of the bank's state in the simulator's memory, in bytes.
    pub fn bytes(&self) -> usize {
        let blocks = self.blocks.len() * size_of::<Block>();
        4 * (self.data.len() + self.members.len() + self.unused.len()) + blocks
    }

    pub fn new(first_die: u32, span: u32, groups: u32) -> Self {
        Self {
            first_die,
            erasing: vec![0; span as usize],
            data: vec![NONE; groups as usize],
            data_blocks: 0,
            logs: Vec::new(),
            blocks: Vec::new(),
            members: Vec::new(),
            unused: Vec::new(),
            waiting: Waiting::default(),
            merging: Merging::default(),
            in_flight: 0,
            clock: 0,
        }
    }

    /// Returns the superblocks (numbered over the drive) of block `block`, one for each die of the bank.
    pub fn members_of(&self, block: u32) -> &[u32] {
        &self.members[block as usize * self.erasing.len()..][..self.erasing.len()]
    }

    /// Takes a block number of the bank (set of dies) that is not in use, or makes a new one if none is left, and
    /// returns the number.
    pub fn take_unused(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.blocks.push(Block::UNUSED);
            self.members.resize(self.blocks.len() * self.erasing.len(), NONE);
            self.blocks.len() as u32 - 1
        })
    }

    /// Returns the part of `all`, the state of all dies of the drive, that belongs to the dies of the bank (set of
    /// dies).
    fn dies<'a>(&self, all: &'a [DieSpace]) -> &'a [DieSpace] {
        &all[self.first_die as usize..][..self.erasing.len()]
    }

    /// Returns the number of blocks (one superblock on each die of the bank) that could be opened now: the fewest free
    /// superblocks on any die of the bank.
    pub fn free_blocks(&self, all: &[DieSpace]) -> u32 {
        self.dies(all).iter().map(|die| die.free.len()).min().unwrap_or(0) as u32
    }

    /// Sets the data block of group `group` to `block` (`NONE` for no data block), and returns the former data block.
    pub fn set_data(&mut self, group: u32, block: u32) -> u32 {
        let old = std::mem::replace(&mut self.data[group as usize], block);
        self.data_blocks = self.data_blocks + u32::from(block != NONE) - u32::from(old != NONE);
        old
    }

    /// Returns the number of blocks of the bank (set of dies) that are in use and not data blocks: log blocks, merge
    /// targets and sealed blocks.
    pub fn other_blocks(&self) -> u32 {
        (self.blocks.len() - self.unused.len()) as u32 - self.data_blocks
    }

    /// Returns the number of blocks (one superblock on each die of the bank) that could be opened once all erases in
    /// progress in the bank have succeeded.
    pub fn coming_blocks(&self, all: &[DieSpace]) -> u32 {
        let each = self.dies(all).iter().zip(&self.erasing);
        each.map(|(die, erasing)| die.free.len() as u32 + erasing).min().unwrap_or(0)
    }

    /// Returns the number of blocks that the bank (set of dies) could have in all, limited by the die with the fewest
    /// usable superblocks.
    pub fn usable_blocks(&self, all: &[DieSpace]) -> u32 {
        self.dies(all).iter().map(|die| die.usable).min().unwrap_or(0)
    }
}

/// Kind of answer to the question whether another log block can be opened in a bank (set of dies) without taking a
/// block that merges need: now, soon or never.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Case: answer for a bank (set of dies): another log block can be opened now.
    Now,
    /// Case: answer for a bank (set of dies): no log block can be opened now, but blocks are being erased or are about
    /// to be, after which one can.
    Soon,
    /// Case: answer for a bank (set of dies): no log block can be opened, and only a merge (copy of a group's valid
    /// units to a new block) would free a block.
    Never,
}

/// Record of the state of a bank (set of dies over which blocks extend) that the rules of the block mapping are shown
/// to choose the next step, such as to append or to merge.
pub struct BankView<'a> {
    pub(crate) bank: &'a Bank,
    pub(crate) dies: &'a [DieSpace],
    /// Number of blocks that the bank (set of dies) keeps for blocks that may fail, as far as it has them.
    pub(crate) spare: u32,
    /// Number of log blocks without which the rules of the block mapping cannot go on.
    pub(crate) logs_least: u32,
    /// True if blocks that are being erased count against the limit of blocks beside data blocks, because a power cut
    /// could interrupt their erase and bring them back.
    pub(crate) counts_erasing: bool,
    pub(crate) program_units: u32,
}

impl BankView<'_> {
    /// Returns the log blocks of the bank (set of dies), in the order in which they were opened.
    pub fn logs(&self) -> &[u32] {
        &self.bank.logs
    }

    /// Returns the state of block `block` of the bank (set of dies).
    pub fn block(&self, block: u32) -> &Block {
        &self.bank.blocks[block as usize]
    }

    /// Returns true when all program units of block `block` of the bank are programmed or assigned, so that the block
    /// takes no more data.
    pub fn is_full(&self, block: u32) -> bool {
        self.block(block).next == self.program_units
    }

    /// Returns the number of the newest log block of group `group`; `None` if the group has no log block of its own.
    pub fn log_of(&self, group: u32) -> Option<u32> {
        self.logs().iter().rev().copied().find(|&log| self.block(log).owner == group)
    }

    /// Returns the number of the log block to which the host has not written for the longest time; `None` without a log
    /// block.
    pub fn idlest_log(&self) -> Option<u32> {
        self.logs().iter().copied().min_by_key(|&log| self.block(log).used)
    }

    /// Returns the number of the data block of a group of logical units; `None` if the group has no data block.
    pub fn data_of(&self, group: u32) -> Option<u32> {
        Some(self.bank.data[group as usize]).filter(|&block| block != NONE)
    }

    /// Returns the kind of answer to whether another log block can be opened: now, after an erase, or only after a
    /// merge.
    pub fn room(&self) -> Room {
        // A data block is kept for every group, whether it has one or not, and one block to merge into: so every
        // merge finds its block, however the groups of a shared log block are spread.
        let (others, others_most) = (self.bank.other_blocks(), self.others_most());
        let within = others < others_most;
        let emptying = others > self.logs().len() as u32;
        if others + self.erasing() < others_most && self.bank.free_blocks(self.dies) >= 2 {
            Room::Now
        } else if (within && self.bank.coming_blocks(self.dies) >= 2) || (emptying && self.bank.in_flight > 0)
        {
            Room::Soon
        } else {
            Room::Never
        }
    }

    /// Returns the greatest number of blocks that the bank (set of dies) may use in addition to its data blocks: log
    /// blocks, merge targets and sealed blocks together.
    fn others_most(&self) -> u32 {
        let groups = self.bank.data.len() as u32;
        let usable = self.bank.usable_blocks(self.dies);
        let spare = self.spare.min(usable.saturating_sub(groups + self.logs_least + 1));
        usable.saturating_sub(groups + 1 + spare)
    }

    /// Returns the number of blocks of the bank (set of dies) that are being erased, as far as they count against the
    /// limit of blocks beside data blocks.
    fn erasing(&self) -> u32 {
        if self.counts_erasing { self.bank.erasing.iter().copied().max().unwrap_or(0) } else { 0 }
    }
}

/// Record of the next host write that a bank (set of dies) is to program, for the rules of the block mapping to decide
/// about.
#[derive(Clone, Copy, Debug)]
pub struct HostWrite {
    /// Number of the group of logical units that contains the unit to be written, which has waited longest.
    pub group: u32,
    /// Position, within the group, of the program unit that contains the unit to be written.
    pub position: u32,
    /// True if all mapping units of the write's program unit wait in the write buffer, apart from units of which the
    /// drive holds no data (never written, or trimmed).
    pub complete: bool,
}

/// Kind of step that the rules of a block mapping choose for the host's next write in a bank (set of dies), such as to
/// append to a log block or to merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Case of step: program the units that wait in the write buffer at the next position of this log or data block.
    Append(u32),
    /// Case of step: fill this block up to and including the position of the write; units that do not wait in the write
    /// buffer are copied there.
    Fill(u32),
    /// Case of step: open a new log block for one group of logical units, or for units of any group where the field is
    /// `None`; the rules are then asked again for the same write.
    Open(Option<u32>),
    /// Case of step: complete this log block, in which each unit is at its fixed position, by copying the rest of its
    /// group to it; the log block becomes the data block (switch or partial merge).
    Complete(u32),
    /// Case of step: copy all valid units of this group of logical units to a new data block (full merge).
    Merge(u32),
    /// Case of step: reclaim this log block by copying its valid units, group by group, to new data blocks.
    Reclaim(u32),
    /// Case of step: let the host's write wait until an erase in the bank has ended, which may free a block.
    Wait,
}

/// Trait of the rules of a block mapping: they choose where writes go on a drive that maps blocks, and which blocks are
/// merged when.
pub trait BlockRules: Send {
    /// Returns the number of dies over which one block of the block mapping (one superblock on each of these dies)
    /// extends: neighbouring dies, which are on different channels first.
    fn dies_per_block(&self) -> u32;

    /// Returns the next step for the host's write `write` in the bank (set of dies) that `view` shows.
    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step;

    /// Returns the smallest number of log blocks, for each bank, with which the rules can work.
    fn logs_least(&self) -> u32 {
        1
    }

    /// Returns the number of log blocks, for each bank, that the rules use in normal operation.
    fn logs_usual(&self) -> u32;

    /// Returns the number of random host writes, in mapping units, that one log block takes before a merge is needed;
    /// `group_units` is the number of mapping units of a block.
    fn units_absorbed(&self, group_units: u32) -> u32 {
        group_units
    }
}
