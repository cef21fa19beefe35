//! What one die looks like at a moment of its steady state, in parts of a superblock, so that it can be built again on
//! a die with other superblocks.
//!
//! Not kept: which units are valid (in steady state under uniform overwriting any could be), and what policies learnt.

use crate::pages::PageMapped;
use crate::store::NONE;
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
    /// What the first die looks like now. `worn`: cycles that its blocks had when the drive was new.
    pub fn moment(&self, worn: u32) -> Moment {
        let space = &self.media.store.space.dies[0];
        let units = f64::from(self.media.store.layout.data_units());
        let valid = |at: u32| f64::from(self.media.store.space.valid[at as usize]) / units;
        let cycles = |at: u32| self.media.store.space.pe_cycles[at as usize].saturating_sub(worn);
        let mut order: Vec<u32> = space.candidates.iter().map(|SuperblockId(at)| *at).collect();
        order.sort_by_key(|&at| (self.media.store.space.closed_at[at as usize], at));
        let closed = order.iter().map(|&at| UsedBlock {
            valid: valid(at),
            age: (space.clock - self.media.store.space.closed_at[at as usize]) as f64 / units,
            cycles: cycles(at),
        });
        let open = [0, 1].map(|stream| {
            let frontier = space.frontiers[stream];
            (frontier.superblock != NONE).then(|| OpenBlock {
                written: f64::from(frontier.next_unit) / units,
                valid: valid(frontier.superblock),
                cycles: cycles(frontier.superblock),
            })
        });
        let collection = &self.media.movers[0];
        let victim = (collection.victim != NONE).then(|| VictimBlock {
            done: f64::from(collection.next_row) / f64::from(self.media.store.layout.rows),
            valid: valid(collection.victim),
            rate: collection.rate,
            cycles: cycles(collection.victim),
        });
        Moment {
            closed: closed.collect(),
            open,
            victim,
            credit: collection.credit / units,
            free: space.free.iter().map(|entry| cycles(entry.0.1)).collect(),
            kept: self.superblocks_kept(),
            erases: space.erases,
        }
    }
}
