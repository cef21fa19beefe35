//! What power cuts did to the stripes of superblocks that protect each other.
//!
//! The spare area of each page of parity names the members that it is the sum of, and up to where: so the drive knows after
//! a cut which part of a stripe is missing. A stripe whose parity is on flash gives back one row that is missing, and none of
//! the others then. The parity of a stripe without one on flash was in RAM: it is made anew from the rows that are whole,
//! and counts the torn ones as nothing. A group whose erase was interrupted protects nothing, and is erased as a whole.

use super::{Phase, Stripes, members};
use crate::Layout;
use crate::store::NONE;
use std::collections::{BTreeMap, BTreeSet};

/// Record of the damage that a power cut did to one stripe (a page row of all members of a parity group): one bit for
/// each member.
#[derive(Clone, Copy, Debug, Default)]
struct Scar {
    /// Bit set of members whose page row is torn (its program was interrupted by a power cut), or was never written
    /// although the parity counts it; the bit of the parity member is set if its own page row is torn.
    missing: u64,
    /// Bit set of members of the parity group whose page row is torn (program interrupted by a power cut) and was left
    /// out of the parity.
    left_out: u64,
}

/// Record of all damage that power cuts did to the stripes (page rows of all members) of the drive's parity groups.
#[derive(Clone, Debug, Default)]
pub(super) struct Scars {
    /// Field of the record of all damage: table by parity group and page row, with one entry for each damaged stripe
    /// (page row of all members of a group).
    rows: BTreeMap<(u32, u32), Scar>,
    /// Set of the parity groups whose erase was interrupted by a power cut: their parity protects no data until they
    /// are erased again.
    dissolved: BTreeSet<u32>,
    /// Flag in the parity feature's record of damage: true once a power cut has happened in the run.
    pub after_cut: bool,
}

impl Scars {
    /// Drops all damage noted about a parity group, the superblocks of several dies that share a parity, when the group
    /// has been erased.
    pub fn forget(&mut self, group: u32) {
        if self.after_cut {
            self.dissolved.remove(&group);
            self.rows.retain(|(of, _), _| *of != group);
        }
    }
}

/// State of the flash after a power cut, as parity needs it: the torn page rows (programs that the cut interrupted),
/// and how far each superblock is programmed.
pub(super) struct Remains<'a> {
    pub layout: &'a Layout,
    /// List of the page rows torn by this power cut (programs that it interrupted), each as superblock and page row.
    pub torn: &'a [(u32, u32)],
    /// Function, given to the parity feature at a power cut, that returns the number of page rows programmed in a
    /// superblock, including rows torn by the cut.
    pub next_row: &'a dyn Fn(u32) -> u32,
}

impl Stripes {
    /// Returns true if a power cut tore the page row of a superblock (interrupted its program), or left it unwritten,
    /// although the group's parity counts it: its data must be restored from the other members of the parity group.
    #[inline]
    pub(super) fn is_torn_row(&self, superblock: u32, row: u32) -> bool {
        self.scars.after_cut && self.is_missing(superblock, row)
    }

    #[cold]
    fn is_missing(&self, superblock: u32, row: u32) -> bool {
        let scar = self.scars.rows.get(&(self.group_of(superblock), row));
        scar.is_some_and(|scar| scar.missing >> self.member_of(superblock) & 1 == 1)
    }

    /// Returns the bit set of the members of the parity group whose page rows give row `row` of `superblock` by XOR;
    /// `None` if the row cannot be restored.
    pub(super) fn beside(&self, superblock: u32, row: u32) -> Option<u64> {
        let (group, own) = (self.group_of(superblock), 1 << self.member_of(superblock));
        let of = &self.groups[group as usize];
        let scar = self.scars.rows.get(&(group, row)).copied().unwrap_or_default();
        let whole = of.parity != NONE && !self.scars.dissolved.contains(&group);
        (whole && scar.missing & !own == 0).then_some(of.alive & !own & !scar.left_out)
    }

    /// Returns true if the rest of a superblock must not be programmed until its parity group is erased, because the
    /// superblock was closed early or a power cut damaged it.
    pub(super) fn is_ended(&self, superblock: u32) -> bool {
        let of = &self.groups[self.group_of(superblock) as usize];
        of.ended >> self.member_of(superblock) & 1 == 1
    }

    /// Records, at a power cut, the damage to the stripes (page rows of all members of a parity group) and drops the
    /// parity that was in RAM. Returns the torn page rows that cannot be restored, each with its superblock.
    pub(super) fn tear(&mut self, remains: &Remains<'_>) -> Vec<(u32, u32)> {
        self.scars.after_cut = true;
        for group in 0..self.groups.len() as u32 {
            if self.groups[group as usize].parity == NONE {
                continue;
            }
            if self.groups[group as usize].phase == Phase::Erasing {
                self.scars.dissolved.insert(group);
            }
            self.note_missing(group, remains);
        }
        for &(superblock, row) in remains.torn {
            self.note_torn(superblock, row, remains);
        }
        for group in 0..self.groups.len() as u32 {
            self.go_on_with(group, remains);
        }
        self.gathered = (0..self.groups.len() as u32).map(|group| u64::from(self.accumulating(group))).sum();
        self.asks.iter_mut().for_each(|asks| asks.clear());
        self.asked_by.fill(NONE);
        self.lost_rows()
    }

    /// Returns the number of page rows of a group's parity that are programmed on flash.
    fn parity_rows(&self, group: u32, remains: &Remains<'_>) -> u32 {
        let parity = self.groups[group as usize].parity;
        if parity == NONE { 0 } else { (remains.next_row)(self.place_of(group, parity).1) }
    }

    /// Records the page rows of a parity group whose programs were issued, and not begun before the power cut, although
    /// the parity on flash counts them.
    fn note_missing(&mut self, group: u32, remains: &Remains<'_>) {
        let parity_rows = self.parity_rows(group, remains);
        for member in members(self.data_members(group)) {
            let superblock = self.place_of(group, member).1;
            let handed_out = self.written[superblock as usize] * remains.layout.program_rows;
            for row in (remains.next_row)(superblock)..handed_out.min(parity_rows) {
                self.scars.rows.entry((group, row)).or_default().missing |= 1 << member;
            }
        }
    }

    fn note_torn(&mut self, superblock: u32, row: u32, remains: &Remains<'_>) {
        let (group, member) = (self.group_of(superblock), self.member_of(superblock));
        let is_counted = row < self.parity_rows(group, remains);
        let is_parity = self.is_parity(superblock);
        let scar = self.scars.rows.entry((group, row)).or_default();
        if is_parity || (is_counted && scar.left_out >> member & 1 == 0) {
            scar.missing |= 1 << member;
        } else {
            scar.left_out |= 1 << member;
        }
    }

    /// Resets the state of a parity group after a power cut to the programs found on flash. A member (superblock) that
    /// lacks rows which the parity counts takes no more data.
    fn go_on_with(&mut self, group: u32, remains: &Remains<'_>) {
        let programs = |rows: u32| rows / remains.layout.program_rows;
        let parity_written = programs(self.parity_rows(group, remains));
        let dissolved = self.scars.dissolved.contains(&group);
        let data = self.data_members(group);
        for member in members(data) {
            let superblock = self.place_of(group, member).1;
            let written = programs((remains.next_row)(superblock));
            self.written[superblock as usize] = written;
            if dissolved || written < parity_written {
                self.groups[group as usize].ended |= 1 << member;
            }
        }
        // What a dissolved group lacks of its parity is not in RAM either.
        let longest = if dissolved { self.longest(group) } else { 0 };
        let of = &mut self.groups[group as usize];
        of.parity_written = parity_written.max(longest);
        (of.taken, of.emptied, of.left, of.pins, of.phase) = (0, 0, 0, 0, Phase::Resting);
    }

    /// Marks a superblock that recovery found closed before it was full, so that its parity group expects no more data
    /// from it.
    pub(super) fn end_found(&mut self, superblock: u32) {
        let (group, member) = (self.group_of(superblock), self.member_of(superblock));
        self.groups[group as usize].ended |= 1 << member;
    }

    /// Sets and returns the rank (position in the order of opening) of a parity group after a power cut: groups that
    /// only some dies have opened come before all others.
    pub(super) fn rank_found(&mut self, group: u32, asked: u64) -> u64 {
        self.note_begun(group);
        let rank = if self.is_begun(group) { 0 } else { asked + 1 };
        self.groups[group as usize].rank = rank;
        rank
    }

    /// Returns the page rows, each with its superblock, that recovery reads to compute again the parity that was in RAM
    /// at the power cut: all rows of data whose parity is not on flash, apart from torn rows.
    pub(super) fn rows_to_sum(&self, layout: &Layout) -> Vec<(u32, u32)> {
        let mut rows = Vec::new();
        for group in 0..self.groups.len() as u32 {
            let begin = self.groups[group as usize].parity_written * layout.program_rows;
            for member in members(self.data_members(group)) {
                let superblock = self.place_of(group, member).1;
                let end = self.written[superblock as usize] * layout.program_rows;
                let left_out = |row: u32| {
                    self.scars.rows.get(&(group, row)).is_some_and(|scar| scar.left_out >> member & 1 == 1)
                };
                rows.extend((begin..end).filter(|row| !left_out(*row)).map(|row| (superblock, row)));
            }
        }
        rows
    }

    /// Marks, for a die that has failed, the parity in RAM that cannot be computed again because a page row of the die
    /// is a part of it.
    pub(super) fn forget_sums(&mut self, die: u32, layout: &Layout) {
        for (superblock, row) in self.rows_to_sum(layout) {
            if superblock / self.per_die == die {
                let group = self.group_of(superblock);
                let parity = self.groups[group as usize].parity;
                self.scars.rows.entry((group, row)).or_default().missing |= 1 << parity;
            }
        }
    }

    /// Returns the number of programs of a group's parity that can be issued now, and counts them as issued.
    pub(super) fn catch_up(&mut self, group: u32) -> u32 {
        let before = self.accumulating(group);
        self.recount(group, before)
    }

    /// Returns the page rows torn by a power cut that cannot be restored from the other members of their parity group,
    /// each with its superblock.
    fn lost_rows(&self) -> Vec<(u32, u32)> {
        let mut lost = Vec::new();
        for (&(group, row), scar) in &self.scars.rows {
            for member in members((scar.missing | scar.left_out) & self.data_members(group)) {
                let superblock = self.place_of(group, member).1;
                let is_left_out = scar.left_out >> member & 1 == 1;
                if is_left_out || self.beside(superblock, row).is_none() {
                    lost.push((superblock, row));
                }
            }
        }
        lost
    }

    /// Returns the page rows torn by a power cut that can be restored from the other members of their parity group,
    /// each with its superblock.
    pub(super) fn torn_rows(&self) -> Vec<(u32, u32)> {
        let mut torn = Vec::new();
        for (&(group, row), scar) in &self.scars.rows {
            let places =
                members(scar.missing & self.data_members(group)).map(|member| self.place_of(group, member).1);
            torn.extend(places.map(|superblock| (superblock, row)));
        }
        torn.retain(|&(superblock, row)| self.beside(superblock, row).is_some());
        torn
    }
}
