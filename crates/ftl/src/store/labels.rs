//! What the spare areas of a map of blocks say beside: which block a program unit is a part of, and what that is for.

use super::spare::NOTHING;
use units::Ppa;

/// Record (label) in the spare area of a program unit of a block-mapped drive: facts about the block of the program
/// unit, from which recovery rebuilds the map.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Label {
    /// Sequence number of the program that wrote this label, in the drive's common count of programs and opened blocks;
    /// `NOTHING` means that the label cannot be read.
    pub age: u64,
    /// Number that identifies the block: the drive's count of programs and opened blocks when the block was opened.
    pub serial: u64,
    /// Number of the group of logical units (the units that share a data block) whose data the block takes, or
    /// `u32::MAX` for a log block that takes units of any group.
    pub owner: u32,
    /// Number of program units that the block has when the merge that wrote this program unit is complete; 0 if no
    /// merge wrote the program unit.
    pub end: u32,
    /// True if the program unit is at its fixed position in the group and holds all data that the drive had for that
    /// position when it was programmed: older copies are then garbage.
    pub in_place: bool,
}

impl Label {
    const UNREADABLE: Self = Self { age: NOTHING, serial: NOTHING, owner: u32::MAX, end: 0, in_place: false };

    /// Constant: size, in bytes of the simulator's memory, of a label (record in a program unit's spare area, from
    /// which recovery rebuilds the map of a block-mapped drive).
    pub const BYTES: u64 = size_of::<Self>() as u64;
}

/// Type of the table of the labels (facts about the block, for recovery) in the spare areas of all program units of a
/// block-mapped drive.
#[derive(Clone, Debug)]
pub(crate) struct Labels {
    program_units: usize,
    all: Vec<Label>,
    last: u64,
}

impl Labels {
    /// Makes the table of labels of a block-mapped drive on which nothing is written: all unreadable.
    pub fn new(program_units: u32, physical_units: usize) -> Self {
        let program_units = program_units as usize;
        Self { program_units, all: vec![Label::UNREADABLE; physical_units / program_units], last: NOTHING }
    }

    /// Returns true until the first program or opened block takes a number from the drive's count.
    pub fn is_fresh(&self) -> bool {
        self.last == NOTHING
    }

    /// Takes the next sequence number from the drive's count, for a program or for a block that is opened, and returns
    /// the number.
    pub fn count(&mut self) -> u64 {
        self.last += 1;
        self.last
    }

    /// Stores the label of a program unit (record in its spare area, from which recovery rebuilds the map of a
    /// block-mapped drive); the program unit begins at physical unit `first`.
    pub fn put(&mut self, first: Ppa, label: Label) {
        self.all[first.index() / self.program_units] = label;
    }

    /// Returns the label (record in the spare area, for recovery) of the program unit that contains physical unit
    /// `ppa`, on a block-mapped drive; `None` if the label cannot be read.
    pub fn get(&self, ppa: Ppa) -> Option<Label> {
        Some(self.all[ppa.index() / self.program_units]).filter(|label| label.age != NOTHING)
    }

    /// Marks the labels (block records in spare areas) of the program units in a range of `count` physical units from
    /// `first` on as unreadable, as an erase or an interrupted program makes them.
    pub fn spoil(&mut self, first: usize, count: usize) {
        let end = (first + count).div_ceil(self.program_units);
        self.all[first / self.program_units..end].fill(Label::UNREADABLE);
    }

    /// Sets the count of programs and opened blocks, after a power cut, to the highest number found in readable labels
    /// of spare areas, so that new numbers are higher.
    pub fn go_on(&mut self) {
        self.last = self.all.iter().map(|label| label.age).max().unwrap_or(NOTHING);
    }

    /// Returns the size, in bytes of the simulator's memory, of the table of labels (records in spare areas, from which
    /// recovery rebuilds the map of a block-mapped drive).
    pub fn bytes(&self) -> usize {
        self.all.len() * size_of::<Label>()
    }
}
