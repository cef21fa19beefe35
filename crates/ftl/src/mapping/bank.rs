//! The dies that one block spans, and what lies on them: data blocks, log blocks, what waits.

use crate::store::{DieSpace, NONE};
use controller::Origin;
use std::collections::VecDeque;
use units::SimTime;

/// The use of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Role {
    /// The block is not in use.
    Unused,
    /// The block holds a group of logical units, each unit at a fixed place.
    Data,
    /// The block takes the host's writes in order of arrival.
    Log,
    /// Is being filled by a merge, to become a data block.
    Target,
    /// The block takes no more data; it is erased when it holds no valid unit.
    Sealed,
}

impl Role {
    pub(crate) const ALL: [Self; 5] = [Self::Unused, Self::Data, Self::Log, Self::Target, Self::Sealed];
}

/// A block: one superblock of each die of its bank. Program unit `p` lies on die `p` modulo their number, so that
/// neighbouring program units work at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// The use of the block.
    pub role: Role,
    /// The group whose units the block holds, or `u32::MAX` where it holds units of any group.
    pub owner: u32,
    /// Number of program units of the block that were handed out.
    pub next: u32,
    /// True while each unit of the block lies at its position in a data block.
    pub in_place: bool,
    /// True after a program on the block failed: its valid units are moved out, then the block is retired.
    pub failing: bool,
    /// Number of valid units in the block.
    pub valid: u32,
    /// Programs of the block in flight.
    pub in_flight: u32,
    /// The bank's clock when the host last wrote to the block.
    pub used: u64,
    /// The number by which spare areas name the block, on a drive whose power is cut.
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

/// A program unit of a merge that waits for its reads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Planned {
    pub program: u32,
    pub position: u32,
    pub reads: u32,
}

/// The purpose of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Lets the host write further on in the same block.
    Fill,
    /// The log block becomes the data block.
    Complete,
    /// A new block takes all valid units of a group.
    Full,
    /// A new block takes a group that left the buffer, together with its units on flash.
    Pad,
}

/// A merge: a block that is being filled in order, each unit from its place on flash or from the buffer.
#[derive(Clone, Debug)]
pub(crate) struct Merge {
    pub purpose: Purpose,
    pub origin: Origin,
    pub group: u32,
    pub target: u32,
    /// Number of the program unit after the last one that the merge fills.
    pub end: u32,
    pub copied: bool,
    pub ahead: VecDeque<Planned>,
}

/// The merge in progress, and the blocks to be emptied next.
#[derive(Default)]
pub(crate) struct Merging {
    pub job: Option<Merge>,
    /// Sealed blocks whose valid units must move.
    pub reclaim: VecDeque<(u32, Origin)>,
    /// Nanoseconds spent in earlier merges, and when the merge in progress began.
    spent_ns: u64,
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

    /// True if the merge in progress fills `block`.
    pub fn is_target(&self, block: u32) -> bool {
        self.job.as_ref().is_some_and(|job| job.target == block)
    }

    /// Returns the time spent merging until `now`.
    pub fn ns_until(&self, now: SimTime) -> u64 {
        let running = if self.job.is_some() { now.since(self.since).ns() } else { 0 };
        self.spent_ns + running
    }

    /// Time begins.
    pub fn forget_time(&mut self) {
        self.spent_ns = 0;
    }
}

/// The units that wait to be written.
#[derive(Default)]
pub(crate) struct Waiting {
    /// Buffer slots with their serial numbers, in the order of the host.
    pub queue: VecDeque<(u32, u32)>,
    /// Number of queued units that still wait.
    pub units: u32,
    /// Groups that left the buffer and must be written whole.
    pub padding: VecDeque<u32>,
    /// When the bank will be looked at because of program units that stay partial.
    pub timer: SimTime,
    /// True while a flush waits: partial program units are padded at once.
    pub pressed: bool,
    /// True while a request waits for the program of a partial program unit: the unit is padded once no data
    /// cross the link that could join the unit.
    pub awaited: bool,
}

/// The state of one bank.
pub(crate) struct Bank {
    pub first_die: u32,
    /// For each die of the bank, superblocks that are being erased.
    pub erasing: Vec<u32>,
    /// The data block of each group.
    pub data: Vec<u32>,
    /// Number of groups that have a data block.
    pub data_blocks: u32,
    /// Log blocks in the order they were opened.
    pub logs: Vec<u32>,
    pub blocks: Vec<Block>,
    /// The superblocks of each block, numbered over the drive.
    pub members: Vec<u32>,
    /// Numbers of blocks that are free.
    pub unused: Vec<u32>,
    pub waiting: Waiting,
    pub merging: Merging,
    /// Programs of the bank in flight.
    pub in_flight: u32,
    /// Writes to the blocks of the bank so far.
    pub clock: u64,
}

impl Bank {
    /// Returns the number of bytes of state: groups, blocks and what they are made of.
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

    /// Returns the superblocks of a block, one of each die.
    pub fn members_of(&self, block: u32) -> &[u32] {
        &self.members[block as usize * self.erasing.len()..][..self.erasing.len()]
    }

    /// Returns the number of a block that holds nothing yet.
    pub fn take_unused(&mut self) -> u32 {
        self.unused.pop().unwrap_or_else(|| {
            self.blocks.push(Block::UNUSED);
            self.members.resize(self.blocks.len() * self.erasing.len(), NONE);
            self.blocks.len() as u32 - 1
        })
    }

    /// Returns the dies of the bank, from all dies of the store.
    fn dies<'a>(&self, all: &'a [DieSpace]) -> &'a [DieSpace] {
        &all[self.first_die as usize..][..self.erasing.len()]
    }

    /// Returns the number of blocks that could be opened now.
    pub fn free_blocks(&self, all: &[DieSpace]) -> u32 {
        self.dies(all).iter().map(|die| die.free.len()).min().unwrap_or(0) as u32
    }

    /// Makes `block` (or none) the data block of a group; returns the former one.
    pub fn set_data(&mut self, group: u32, block: u32) -> u32 {
        let old = std::mem::replace(&mut self.data[group as usize], block);
        self.data_blocks = self.data_blocks + u32::from(block != NONE) - u32::from(old != NONE);
        old
    }

    /// Returns the number of blocks in use that are no data blocks.
    pub fn other_blocks(&self) -> u32 {
        (self.blocks.len() - self.unused.len()) as u32 - self.data_blocks
    }

    /// Returns the number of blocks that could be opened when all erases have succeeded.
    pub fn coming_blocks(&self, all: &[DieSpace]) -> u32 {
        let each = self.dies(all).iter().zip(&self.erasing);
        each.map(|(die, erasing)| die.free.len() as u32 + erasing).min().unwrap_or(0)
    }

    /// Returns the number of blocks that the least healthy die still makes possible.
    pub fn usable_blocks(&self, all: &[DieSpace]) -> u32 {
        self.dies(all).iter().map(|die| die.usable).min().unwrap_or(0)
    }
}

/// Whether another block can be opened without taking a block that merges need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// A block can be opened now.
    Now,
    /// Not now, but blocks are being erased.
    Soon,
    /// No block can be opened: only a merge would make room.
    Never,
}

/// The information about a bank that mapping rules may use.
pub struct BankView<'a> {
    pub(crate) bank: &'a Bank,
    pub(crate) dies: &'a [DieSpace],
    /// Blocks that may be in use beside data blocks.
    pub(crate) others_most: u32,
    /// Blocks being erased that count among `others_most`.
    pub(crate) erasing: u32,
    pub(crate) program_units: u32,
}

impl BankView<'_> {
    /// Returns the log blocks in the order they were opened.
    pub fn logs(&self) -> &[u32] {
        &self.bank.logs
    }

    /// Returns a block of the bank.
    pub fn block(&self, block: u32) -> &Block {
        &self.bank.blocks[block as usize]
    }

    /// True when no further program unit fits into a block.
    pub fn is_full(&self, block: u32) -> bool {
        self.block(block).next == self.program_units
    }

    /// Returns the log block of a group that was opened last.
    pub fn log_of(&self, group: u32) -> Option<u32> {
        self.logs().iter().rev().copied().find(|&log| self.block(log).owner == group)
    }

    /// Returns the log block that the host has not written to for longest.
    pub fn idlest_log(&self) -> Option<u32> {
        self.logs().iter().copied().min_by_key(|&log| self.block(log).used)
    }

    /// Returns the data block of a group of units.
    pub fn data_of(&self, group: u32) -> Option<u32> {
        Some(self.bank.data[group as usize]).filter(|&block| block != NONE)
    }

    /// Whether another block can be opened.
    pub fn room(&self) -> Room {
        // A data block is kept for every group, whether it has one or not, and one block to merge into: so every
        // merge finds its block, however the groups of a shared log block are spread.
        let others = self.bank.other_blocks();
        let within = others < self.others_most;
        let emptying = others > self.logs().len() as u32;
        if others + self.erasing < self.others_most && self.bank.free_blocks(self.dies) >= 2 {
            Room::Now
        } else if (within && self.bank.coming_blocks(self.dies) >= 2) || (emptying && self.bank.in_flight > 0)
        {
            Room::Soon
        } else {
            Room::Never
        }
    }
}

/// The host's next write in a bank.
#[derive(Clone, Copy, Debug)]
pub struct HostWrite {
    /// The group of the first unit that waits.
    pub group: u32,
    /// Position of the write's program unit within the group.
    pub position: u32,
    /// True if all units of the write's program unit wait in the buffer, apart from empty units.
    pub complete: bool,
}

/// The next step for the host's write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Units that wait in the buffer go to the next place of this log block.
    Append(u32),
    /// The block is filled, by copying what does not wait, up to and with this program unit.
    Fill(u32),
    /// Open a new log block for a group (or for any); then the rules are asked again.
    Open(Option<u32>),
    /// A block filled in place is completed and becomes the data block.
    Complete(u32),
    /// All that is valid of a group goes into a new data block.
    Merge(u32),
    /// All that is valid in a log block goes into new data blocks, group by group.
    Reclaim(u32),
    /// The write waits until an erase has ended.
    Wait,
}

/// Where do writes go in a drive that maps blocks, and what is merged when?
pub trait BlockRules: Send {
    /// Returns the number of dies that one block spans, neighbours first on all channels.
    fn dies_per_block(&self) -> u32;

    /// Returns the next step for a write of the host.
    fn next(&self, view: &BankView<'_>, write: HostWrite) -> Step;

    /// Returns the fewest log blocks, for each bank, with which the rules can work.
    fn logs_least(&self) -> u32 {
        1
    }

    /// Returns the log blocks, for each bank, that the rules have in normal operation.
    fn logs_usual(&self) -> u32;

    /// Returns random writes that a log block takes before it must be merged, where a block holds
    /// `group_units`.
    fn units_absorbed(&self, group_units: u32) -> u32 {
        group_units
    }
}
