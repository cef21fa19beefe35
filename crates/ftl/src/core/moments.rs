//! What dies look like at a moment of their steady state, in parts of a superblock, so that they can be built again on dies
//! with other superblocks.

use super::Core;
use crate::store::{Mover, NONE, SuperblockState};
use engine::RandomStream;
use std::cmp::Reverse;
use units::SuperblockId;

/// A closed superblock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedBlock {
    /// Share of the superblock's units that is valid.
    pub valid: f64,
    /// Units written to the die since the superblock was closed, in superblocks.
    pub age: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// An open superblock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenBlock {
    /// Share of the superblock's units that is written.
    pub written: f64,
    /// Share of the superblock's units that is valid.
    pub valid: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// A superblock that is being collected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VictimBlock {
    /// Share of the victim's page rows that collection has gone through.
    pub done: f64,
    /// Share of the victim's units that is still valid.
    pub valid: f64,
    /// Host units earned by each unit moved.
    pub rate: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// The state of one superblock of a group, where superblocks protect each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member {
    /// The superblock serves a feature; program/erase cycles since the drive was new.
    Owned(u32),
    /// The superblock is erased; the number is its program/erase cycles.
    Free(u32),
    /// The superblock is open for a stream.
    Open(usize, OpenBlock),
    /// The superblock is full.
    Closed(UsedBlock),
}

/// A group of superblocks, one on each die of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupMoment {
    /// Place of the group in the order in which free superblocks are opened.
    pub rank: u64,
    /// Superblocks of the group, by die.
    pub members: Vec<Member>,
}

/// Dies whose superblocks protect each other, at one moment; a die by itself where none do.
#[derive(Clone, Debug, PartialEq)]
pub struct SetMoment {
    /// Dies of the set.
    pub dies: Vec<Moment>,
    /// Groups of the set; empty where no superblock protects others.
    pub groups: Vec<GroupMoment>,
}

/// The state of one die at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Closed superblocks, the one closed first coming first.
    pub closed: Vec<UsedBlock>,
    /// Open superblocks: of the host's stream, and of moved data where that has a stream of its own.
    pub open: [Option<OpenBlock>; 2],
    /// Superblock that is being collected.
    pub victim: Option<VictimBlock>,
    /// Host units that the collection has earned beyond those written, in superblocks.
    pub credit: f64,
    /// Program/erase cycles of the free superblocks.
    pub free: Vec<u32>,
    /// Superblocks that each die of the drive keeps free or open at least.
    pub kept: u32,
    /// Erases of the die so far.
    pub erases: u64,
}

/// What the superblocks of one die are to be; closed ones in the order they were closed, others with their cycles.
#[derive(Default)]
pub(crate) struct Roles {
    pub closed: Vec<(u32, UsedBlock)>,
    pub open: [Option<(u32, OpenBlock)>; 2],
    pub victim: Option<(u32, VictimBlock)>,
    pub free: Vec<(u32, u32)>,
    pub owned: Vec<(u32, u32)>,
}

/// What the superblocks of a set of dies are to be.
pub(crate) struct SetPlan {
    pub roles: Vec<Roles>,
    /// Groups of the set, in the order in which they are begun.
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

    /// Returns the roles of a die's superblocks, which are in random order.
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

/// Brings a list into random order.
pub(crate) fn shuffle(list: &mut [u32], random: &mut RandomStream) {
    for at in (1..list.len()).rev() {
        list.swap(at, random.below(at as u64 + 1) as usize);
    }
}

/// Returns one of `list` for the `at`th of `count` that are built like it, so that each part of the list has
/// its share.
pub(crate) fn drawn<'a, T>(list: &'a [T], at: usize, count: usize, random: &mut RandomStream) -> &'a T {
    let drawn = (at as f64 + random.unit()) / count as f64 * list.len() as f64;
    &list[(drawn as usize).min(list.len() - 1)]
}
