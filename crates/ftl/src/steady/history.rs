//! What one die looks like at a moment of its steady state, in parts of a superblock, so that it can be built again on
//! a die with other superblocks. Where superblocks of several dies protect each other, those dies share a moment, and
//! what their groups are is kept, too.
//!
//! Not kept: which units are valid (in steady state under uniform overwriting any could be), and what policies learnt.

use crate::core::Core;
use crate::pages::PageMapped;
use crate::store::{Mover, NONE, SuperblockState};
use units::SuperblockId;

/// A closed superblock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UsedBlock {
    /// The part of its units that is valid.
    pub valid: f64,
    /// Superblocks' worth of units written to the die since it was closed.
    pub age: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// An open superblock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpenBlock {
    /// The part of its units that is written.
    pub written: f64,
    /// The part of its units that is valid.
    pub valid: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// A superblock whose collection is under way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VictimBlock {
    /// The part of its page rows that was gone through.
    pub done: f64,
    /// The part of its units that is still valid.
    pub valid: f64,
    /// Host units earned by each unit moved.
    pub rate: f64,
    /// Program/erase cycles since the drive was new.
    pub cycles: u32,
}

/// What one superblock of a group is, where superblocks protect each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Member {
    /// It holds parity, after so many cycles since the drive was new.
    Parity(u32),
    /// It is erased, after so many cycles.
    Free(u32),
    /// It takes data of a stream.
    Open(usize, OpenBlock),
    /// It is full.
    Closed(UsedBlock),
}

/// A group of superblocks, one on each die of a set.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupMoment {
    /// In what order it is opened, among those that are free.
    pub rank: u64,
    /// Its superblocks, by die.
    pub members: Vec<Member>,
}

/// Dies whose superblocks protect each other, at one moment; a die by itself where none do.
#[derive(Clone, Debug, PartialEq)]
pub struct SetMoment {
    /// Its dies.
    pub dies: Vec<Moment>,
    /// Its groups; none where nothing protects.
    pub groups: Vec<GroupMoment>,
}

/// One die at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Closed superblocks, the one closed first coming first.
    pub closed: Vec<UsedBlock>,
    /// Open superblocks: of the host's stream, and of moved data where that has its own.
    pub open: [Option<OpenBlock>; 2],
    /// The superblock being collected.
    pub victim: Option<VictimBlock>,
    /// Host units that the collection has earned beyond those written, in superblocks.
    pub credit: f64,
    /// Cycles of the free superblocks.
    pub free: Vec<u32>,
    /// Superblocks that a die of this drive keeps free or open at least.
    pub kept: u32,
    /// Erases of the die so far.
    pub erases: u64,
}

impl PageMapped {
    /// What the first die looks like now, and those that its superblocks share parity with. `worn`: cycles that their
    /// blocks had when the drive was new.
    pub fn moment(&self, worn: u32) -> SetMoment {
        let media = &self.media;
        let Some(stripes) = &media.guards.parity else {
            return SetMoment { dies: vec![media.core.moment_of(0, worn)], groups: Vec::new() };
        };
        let dies = stripes.dies_of(0);
        let group = |slot: u32| GroupMoment {
            rank: stripes.groups[slot as usize].rank,
            members: dies.clone().map(|die| media.core.member(die, slot, worn)).collect(),
        };
        SetMoment {
            groups: (0..media.core.store.space.per_die).map(group).collect(),
            dies: dies.clone().map(|die| media.core.moment_of(die, worn)).collect(),
        }
    }
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
            SuperblockState::Parity => {
                Member::Parity(self.store.array.pe_cycles(die as u32, superblock).saturating_sub(worn))
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
}
