//! What dies look like at a moment of their steady state, in parts of a superblock, so that they can be built again on dies
//! with other superblocks.

use super::Core;
use crate::store::{Mover, NONE, SuperblockState};
use engine::RandomStream;
use std::cmp::Reverse;
use units::SuperblockId;

/// Record of a closed superblock (full, or closed early) in the recorded steady state of a die, from which a used drive
/// can be constructed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedBlock {
    /// Fraction (0 to 1) of the mapping units of the closed superblock that is valid, in the recorded steady state of a
    /// die.
    pub valid: f64,
    /// Age of the closed superblock in the recorded steady state of a die: number of mapping units written to the die
    /// since the superblock was closed, divided by the number of mapping units of a superblock.
    pub age: f64,
    /// Number of program/erase cycles, since the drive was new, of the closed superblock in the recorded steady state
    /// of a die.
    pub cycles: u32,
}

/// Record of an open superblock in the recorded steady state of a die, from which a used drive can be constructed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenBlock {
    /// Fraction (0 to 1) of the mapping units of the open superblock that is written, in the recorded steady state of a
    /// die.
    pub written: f64,
    /// Fraction (0 to 1) of the mapping units of the open superblock that is valid, in the recorded steady state of a
    /// die.
    pub valid: f64,
    /// Number of program/erase cycles, since the drive was new, of the open superblock in the recorded steady state of
    /// a die.
    pub cycles: u32,
}

/// Record of the victim superblock of garbage collection in the recorded steady state of a die, from which a used drive
/// can be constructed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VictimBlock {
    /// Fraction (0 to 1) of the victim's page rows that garbage collection has read, in the recorded steady state of a
    /// die.
    pub done: f64,
    /// Fraction (0 to 1) of the victim's mapping units that is still valid, in the recorded steady state of a die.
    pub valid: f64,
    /// Number of mapping units that the host may write to the die for each unit that garbage collection moves out of
    /// the victim (write throttling), in the recorded steady state of the die.
    pub rate: f64,
    /// Number of program/erase cycles, since the drive was new, of the garbage collection victim in the recorded steady
    /// state of a die.
    pub cycles: u32,
}

/// Kind of state that one superblock of a parity group (superblocks of several dies that share a parity) has in a
/// recorded steady state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member {
    /// Case of state of a superblock of a recorded parity group: a feature uses the superblock itself, such as for
    /// parity; the number is the superblock's program/erase cycles since the drive was new.
    Owned(u32),
    /// Case of state of a superblock of a recorded parity group: erased and free; the number is the superblock's
    /// program/erase cycles since the drive was new.
    Free(u32),
    /// Case of state of a superblock of a recorded parity group: open for writing by the stream (write frontier) of
    /// this number.
    Open(usize, OpenBlock),
    /// Case of state of a superblock of a recorded parity group: closed (full, or closed early).
    Closed(UsedBlock),
}

/// Record of the state of one parity group: superblocks, one on each die of a set, of which one holds the parity of the
/// others.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupMoment {
    /// Position of the recorded parity group in the order in which groups of free superblocks are opened for writing.
    pub rank: u64,
    /// List of the states of the superblocks of the parity group, one for each die of the set.
    pub members: Vec<Member>,
}

/// Record of the state of a set of dies: the dies whose superblocks share parity; a single die on a drive without
/// parity.
#[derive(Clone, Debug, PartialEq)]
pub struct SetMoment {
    /// List of the recorded states of the dies whose superblocks share parity; one die on a drive without parity.
    pub dies: Vec<Moment>,
    /// List of the states of the parity groups of the set; empty on a drive without parity.
    pub groups: Vec<GroupMoment>,
}

/// Record of the state of one die at one moment of the steady state, from which a drive in steady state can be
/// constructed.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// List of the records of the die's closed superblocks in the recorded steady state, in the order in which they
    /// were closed.
    pub closed: Vec<UsedBlock>,
    /// Pair of the records of the open superblocks of the die: of the host's stream, and of the stream of moved
    /// (relocated) data where there is a separate one.
    pub open: [Option<OpenBlock>; 2],
    /// The record of the superblock that garbage collection is relocating, kept in the recorded steady state of the
    /// die; `None` if there is no victim.
    pub victim: Option<VictimBlock>,
    /// Write credit of the host in the recorded steady state of the die, as a number of superblocks: amount that
    /// garbage collection has allowed the host to write and that is not written yet.
    pub credit: f64,
    /// List of the numbers of program/erase cycles of the die's free superblocks in the recorded steady state, one for
    /// each superblock.
    pub free: Vec<u32>,
    /// Number of superblocks of a die that are free or open, not closed, in the recorded steady state.
    pub kept: u32,
    /// Number of erases that the die had performed when its steady state was recorded.
    pub erases: u64,
}

/// Record of the lists of the roles that the superblocks of one die will get when a drive is constructed from a
/// recorded steady state: closed ones in the order of closing, the others with their state or their program/erase
/// cycles.
#[derive(Default)]
pub(crate) struct Roles {
    pub closed: Vec<(u32, UsedBlock)>,
    pub open: [Option<(u32, OpenBlock)>; 2],
    pub victim: Option<(u32, VictimBlock)>,
    pub free: Vec<(u32, u32)>,
    pub owned: Vec<(u32, u32)>,
}

/// Record of the plan of the roles that the superblocks of a set of dies (dies that share parity) will get when a drive
/// is constructed from a recorded steady state.
pub(crate) struct SetPlan {
    pub roles: Vec<Roles>,
    /// List of the numbers of the parity groups of the set of dies, in the order in which the groups are opened for
    /// writing.
    pub groups: Vec<u32>,
}

impl Core {
    pub fn part_valid(&self, global: usize) -> f64 {
        f64::from(self.store.space.valid[global]) / f64::from(self.store.layout.data_units())
    }

    pub fn cycles_since(&self, global: usize, worn: u32) -> u32 {
        self.store.space.pe_cycles[global].saturating_sub(worn)
    }

    pub fn used(&self, die: usize, superblock: u32, worn: u32) -> UsedBlock {
        let space = &self.store.space;
        let at = space.global(die, superblock);
        let age = (space.dies[die].clock - space.closed_at[at]) as f64;
        UsedBlock {
            valid: self.part_valid(at),
            age: age / f64::from(self.store.layout.data_units()),
            cycles: self.cycles_since(at, worn),
        }
    }

    pub fn opened(&self, die: usize, stream: usize, worn: u32) -> Option<OpenBlock> {
        let frontier = self.store.space.dies[die].frontiers[stream];
        let at = (frontier.superblock != NONE).then(|| self.store.space.global(die, frontier.superblock))?;
        Some(OpenBlock {
            written: f64::from(frontier.next_unit) / f64::from(self.store.layout.data_units()),
            valid: self.part_valid(at),
            cycles: self.cycles_since(at, worn),
        })
    }

    pub fn member(&self, die: usize, superblock: u32, worn: u32) -> Member {
        let space = &self.store.space;
        let at = space.global(die, superblock);
        let opened = |stream: usize| {
            let is_its = space.dies[die].frontiers[stream].superblock == superblock;
            self.opened(die, stream, worn).filter(|_| is_its).map(|block| Member::Open(stream, block))
        };
        match space.state[at] {
            SuperblockState::Owned => {
                Member::Owned(self.store.array.pe_cycles(die as u32, superblock).saturating_sub(worn))
            }
            SuperblockState::Closed => Member::Closed(self.used(die, superblock, worn)),
            _ => opened(0).or_else(|| opened(1)).unwrap_or(Member::Free(self.cycles_since(at, worn))),
        }
    }

    pub fn moment_of(&self, die: usize, worn: u32) -> Moment {
        let space = &self.store.space.dies[die];
        let units = f64::from(self.store.layout.data_units());
        let global = |at: u32| self.store.space.global(die, at);
        let mut order: Vec<u32> = space.candidates.iter().map(|SuperblockId(at)| *at).collect();
        order.sort_by_key(|&at| (self.store.space.closed_at[global(at)], at));
        let collection = &self.collections[die];
        let Mover { victim, next_row, .. } = collection.mover;
        let victim = (victim != NONE).then(|| VictimBlock {
            done: f64::from(next_row) / f64::from(self.store.layout.rows),
            valid: self.part_valid(global(victim)),
            rate: collection.pace.rate,
            cycles: self.cycles_since(global(victim), worn),
        });
        Moment {
            closed: order.iter().map(|&at| self.used(die, at, worn)).collect(),
            open: [0, 1].map(|stream| self.opened(die, stream, worn)),
            victim,
            credit: collection.pace.credit / units,
            free: space.free.iter().map(|entry| self.cycles_since(global(entry.0.1), worn)).collect(),
            kept: self.superblocks_kept(),
            erases: space.erases,
        }
    }

    /// Assigns the roles of the recorded steady state `moment` to the free superblocks of a die, which are put into
    /// random order.
    ///
    /// # Errors
    /// When the die has too few good superblocks.
    pub fn roles_of_die(
        &mut self,
        die: usize,
        moment: &Moment,
        random: &mut RandomStream,
    ) -> Result<Roles, String> {
        let free = &mut self.store.space.dies[die].free;
        let mut superblocks: Vec<u32> = free.drain().map(|Reverse((_, superblock))| superblock).collect();
        superblocks.sort_unstable();
        shuffle(&mut superblocks, random);
        let short = || format!("die {die} has too few good superblocks");
        let mut take = || superblocks.pop().ok_or_else(short);
        let mut roles = Roles::default();
        for (open, block) in roles.open.iter_mut().zip(&moment.open) {
            if let Some(block) = block {
                *open = Some((take()?, *block));
            }
        }
        if let Some(block) = moment.victim {
            roles.victim = Some((take()?, block));
        }
        let more = self.superblocks_kept() + self.rules.apart;
        let free_count = (moment.free.len() as u32 + more).saturating_sub(moment.kept).max(1);
        for at in 0..free_count as usize {
            let cycles = moment.free.get(at % moment.free.len().max(1)).copied().unwrap_or(0);
            roles.free.push((take()?, cycles));
        }
        if superblocks.is_empty() || moment.closed.is_empty() {
            return Err(short());
        }
        let count = superblocks.len();
        let closed = superblocks.into_iter().enumerate();
        roles.closed =
            closed.map(|(at, superblock)| (superblock, *drawn(&moment.closed, at, count, random))).collect();
        Ok(roles)
    }
}

/// Shuffles a list of superblocks or parity groups into random order, when a drive is constructed from a recorded
/// steady state.
pub(crate) fn shuffle(list: &mut [u32], random: &mut RandomStream) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// Returns the entry of `list`, from a recorded steady state, whose state the item number `at` of `count` new items
/// takes; the choice is partly random, and each entry is taken about equally often.
pub(crate) fn drawn<'a, T>(list: &'a [T], at: usize, count: usize, random: &mut RandomStream) -> &'a T {
    let drawn = (at as f64 + random.unit()) / count as f64 * list.len() as f64;
    &list[(drawn as usize).min(list.len() - 1)]
}
