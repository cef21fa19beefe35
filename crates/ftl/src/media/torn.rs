//! What a power cut tears on a drive with parity, and what is read to make parity anew.

use super::Media;
use crate::guards::{Remains, members};
use crate::lapse::Lapse;
use crate::store::NONE;
use controller::{Class, Origin, Transaction};

impl Media {
    /// The power fails on a drive with parity, while these page rows of superblocks are torn: what can be found again from
    /// the rest of its stripe stays. Gives the page rows of which that is not so, each with its superblock.
    pub fn cut_groups(&mut self, torn: &[(u32, u32)]) -> Vec<(u32, u32)> {
        let Some(stripes) = &mut self.guards.parity else { return Vec::new() };
        let array = &self.core.store.array;
        let next_row = |superblock: u32| array.next_row(superblock as usize);
        stripes.cut(&Remains { layout: &self.core.store.layout, torn, next_row: &next_row })
    }

    /// The page rows (numbered over the drive) whose sum with what is in RAM is a page row of `superblock`; none: it has no
    /// parity, or a power cut took another part of it. What was handed out and is not programmed yet is in RAM, and so is
    /// parity that was not handed out.
    pub fn rows_beside(&self, superblock: u32, row: u32) -> Option<Vec<u32>> {
        let stripes = self.guards.parity.as_ref()?;
        let group = stripes.group_of(superblock);
        if self.core.rules.lapses.has(Lapse::ForgetsParity) {
            return None;
        }
        let others = members(stripes.beside(superblock, row)?);
        let programmed = others
            .map(|member| stripes.place_of(group, member).1)
            .filter(|&other| self.core.store.array.next_row(other as usize) > row);
        Some(programmed.map(|other| other * self.core.store.layout.rows + row).collect())
    }

    /// True when a superblock is one of a group with parity.
    pub fn is_protected_superblock(&self, superblock: u32) -> bool {
        let stripes = self.guards.parity.as_ref();
        stripes.is_some_and(|stripes| stripes.groups[stripes.group_of(superblock) as usize].parity != NONE)
    }

    /// The reads by which the parity is made anew that was in RAM.
    pub fn sum_reads(&self) -> Vec<Transaction> {
        let Some(stripes) = &self.guards.parity else { return Vec::new() };
        let layout = &self.core.store.layout;
        let whole = u64::MAX >> (64 - layout.row_units);
        let read = |(superblock, row): (u32, u32)| {
            let row = superblock * layout.rows + row;
            self.core.read_of(row, whole, Origin::Map, Class::InternalRead, NONE)
        };
        stripes.rows_to_sum(layout).into_iter().map(read).collect()
    }
}
