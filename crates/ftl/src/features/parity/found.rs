//! The power is back on a drive with parity: which superblocks protect each other, and what is made of open groups.
//!
//! Groups are the superblocks of one number, and the spare areas of a page of parity say what it is the sum of. Groups that
//! were open are gone on with: the part of their parity that was in RAM is made anew from what was read of their members.

use super::Stripes;
use crate::core::Core;
use crate::store::{Mark, NONE, SuperblockState};
use controller::Origin;

impl Stripes {
    /// Checks whether a superblock found after a power cut is a member of a parity group that holds data, not parity:
    /// true if so. A superblock that holds the group's parity is marked as belonging to the parity feature.
    pub(super) fn holds_data_of(&self, core: &mut Core, superblock: u32, mark: &Mark) -> bool {
        let group = self.group_of(superblock);
        if self.groups[group as usize].parity != NONE && self.is_parity(superblock) {
            core.store.space.state[superblock as usize] = SuperblockState::Owned;
            core.store.space.failing[superblock as usize] = mark.failing;
        }
        self.data_members(group) >> self.member_of(superblock) & 1 == 1
    }

    /// Frees the erased superblocks of each parity group (superblocks on several dies that share a parity) after a
    /// power cut, in the same order on all dies, once recovery knows the role of every superblock.
    pub(super) fn free_found(&mut self, core: &mut Core) {
        for group in 0..self.groups.len() as u32 {
            let places: Vec<(usize, u32)> = self.data_places(group).collect();
            let space = &core.store.space;
            let rank = |(die, at): &(usize, u32)| space.free_rank(*die, at % space.per_die);
            let asked = places.iter().map(rank).max().unwrap_or(0);
            let rank = self.rank_found(group, asked);
            for (die, at) in places {
                if core.store.space.state[at as usize] == SuperblockState::Free {
                    core.store.space.push_ranked(die, at % core.store.space.per_die, rank);
                }
            }
        }
        let dead = core.store.dead.from_start;
        if dead != NONE {
            self.forget_sums(dead, &core.store.layout);
        }
    }

    /// Requests, when recovery has found the map, the parity programs of a parity group that are due because all the
    /// data that they protect are known, and the relocation of the group if a block of its parity superblock failed.
    pub(super) fn catch_up_with(&mut self, core: &mut Core, group: u32) {
        let parity = self.groups[group as usize].parity;
        if parity == NONE {
            return;
        }
        let (_, superblock) = self.place_of(group, parity);
        let due = self.catch_up(group);
        self.ask_programs(superblock, due, core);
        if core.store.space.failing[superblock as usize] {
            self.ask(group, Origin::Rescue);
        }
    }

    /// Requests that parity groups with torn page rows (programs that a power cut interrupted) of valid data are
    /// relocated while the rows can still be restored.
    pub(super) fn move_torn(&mut self, core: &Core) {
        for (superblock, row) in self.torn_rows() {
            let layout = &core.store.layout;
            let first = layout.first_ppa(superblock) + u64::from(row * layout.row_units);
            if core.store.map.valid_mask(first, layout.row_units) != 0 {
                self.ask(self.group_of(superblock), Origin::Gc);
            }
        }
    }
}
