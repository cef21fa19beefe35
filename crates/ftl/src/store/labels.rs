//! What the spare areas of a map of blocks say beside: which block a program unit is a part of, and what that is for.

use super::spare::NOTHING;
use units::Ppa;

/// The facts about its block that a program unit carries in its spare area.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Number of the program among all programs of the drive; `NOTHING`: the label cannot be read.
    pub age: u64,
    /// Number of the block: the number of programs of the drive when the block was opened.
    pub serial: u64,
    /// The group whose units the block takes, or `u32::MAX` where it takes units of any group.
    pub owner: u32,
    /// Program units that the block has when the merge that wrote this one is complete; 0: it was written by no merge.
    pub end: u32,
    /// True if the program unit holds all data that the drive had of that program unit's place in a data
    /// block.
    pub in_place: bool,
}

impl Label {
    const UNREADABLE: Self = Self { age: NOTHING, serial: NOTHING, owner: u32::MAX, end: 0, in_place: false };

    /// Bytes of a label.
    pub const BYTES: u64 = size_of::<Self>() as u64;
}

/// The labels of all program units.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    program_units: usize,
    all: Vec<Label>,
    last: u64,
}

impl Labels {
    /// Returns the labels of a drive on which nothing is written.
    pub fn new(program_units: u32, physical_units: usize) -> Self {
        let program_units = program_units as usize;
        Self { program_units, all: vec![Label::UNREADABLE; physical_units / program_units], last: NOTHING }
    }

    /// True until a program is labelled.
    pub fn is_fresh(&self) -> bool {
        self.last == NOTHING
    }

    /// Returns the next number, of a program or of a block.
    pub fn count(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Sets the label of the program unit that begins at `first`.
    pub fn put(&mut self, first: Ppa, label: Label) {
        self.all[first.index() / self.program_units] = label;
    }

    /// Returns the label of the program unit of `ppa`, if it can be read.
    pub fn get(&self, ppa: Ppa) -> Option<Label> {
        Some(self.all[ppa.index() / self.program_units]).filter(|label| label.age != NOTHING)
    }

    /// Makes these units unreadable.
    pub fn spoil(&mut self, first: usize, count: usize) {
        let end = (first + count).div_ceil(self.program_units);
        self.all[first / self.program_units..end].fill(Label::UNREADABLE);
    }

    /// Goes on with the numbers that were found.
    pub fn go_on(&mut self) {
        self.last = self.all.iter().map(|label| label.age).max().unwrap_or(NOTHING);
    }

    /// Returns the number of bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        self.all.len() * size_of::<Label>()
    }
}
