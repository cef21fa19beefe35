//! The power is back on a drive with parity: which superblocks protect each other, and what is made of open groups.
//!
//! Groups are the superblocks of one number, and the spare areas of a page of parity say what it is the sum of. Groups that
//! were open are gone on with: what of their parity was in RAM is made anew from what was read of their members.

use crate::Probe;
use crate::pages::PageMapped;
use crate::store::Mark;
use crate::store::{NONE, SuperblockState};
use controller::{Context, Origin};

impl PageMapped {
    /// True when a superblock holds data, or may; one with the parity of others is told apart.
    pub(super) fn takes_data(&mut self, global: usize, mark: &Mark) -> bool {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        if self.media.core.stands_apart(within) {
            return true;
        }
        let Some(stripes) = &self.media.guards.parity else { return true };
        let of = &stripes.groups[stripes.group_of(global as u32) as usize];
        if of.parity != NONE && stripes.is_parity(global as u32) {
            self.media.core.store.space.state[global] = SuperblockState::Parity;
            self.media.core.store.space.failing[global] = mark.failing;
        }
        stripes.data_members(stripes.group_of(global as u32)) >> stripes.member_of(global as u32) & 1 == 1
    }

    /// True when more may be written to what is left of a superblock.
    pub(super) fn may_go_on(&self, global: usize) -> bool {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        let stripes = self.media.guards.parity.as_ref().filter(|_| !self.media.core.stands_apart(within));
        stripes.is_none_or(|stripes| !stripes.is_ended(global as u32))
    }

    /// An erased superblock is free; members of groups are once all are known.
    pub(super) fn free_found(&mut self, die: usize, superblock: u32) {
        if self.media.core.stands_apart(superblock) {
            self.media.keep_own(die, superblock);
        } else if self.media.guards.parity.is_some() {
            let global = self.media.core.store.space.global(die, superblock);
            self.media.core.store.space.state[global] = SuperblockState::Free;
        } else {
            self.media.core.store.space.push_free(die, superblock);
        }
    }

    /// A superblock that holds something takes no more data.
    pub(super) fn end_found(&mut self, global: usize) {
        let (_, within) = self.media.core.store.space.place_of(global as u32);
        let is_own = self.media.core.stands_apart(within);
        let is_full = self.media.core.store.array.next_row(global) == self.media.core.store.layout.rows;
        if let Some(stripes) = self.media.guards.parity.as_mut().filter(|_| !is_own && !is_full) {
            stripes.end_found(global as u32);
        }
    }

    /// All superblocks are told apart: the free ones of each group are opened by all dies in the same order.
    pub(super) fn free_found_groups(&mut self) {
        let groups = self.media.guards.parity.as_ref().map_or(0, |stripes| stripes.groups.len() as u32);
        for group in 0..groups {
            let places: Vec<(usize, u32)> = self.media.stripes().data_places(group).collect();
            let space = &self.media.core.store.space;
            let rank = |(die, at): &(usize, u32)| space.free_rank(*die, at % space.per_die);
            let asked = places.iter().map(rank).max().unwrap_or(0);
            let rank = self.media.stripes().rank_found(group, asked);
            for (die, at) in places {
                if self.media.core.store.space.state[at as usize] == SuperblockState::Free {
                    self.media.core.store.space.push_ranked(
                        die,
                        at % self.media.core.store.space.per_die,
                        rank,
                    );
                }
            }
        }
        let dead = self.media.core.store.dead.from_start;
        if let (Some(stripes), true) = (&mut self.media.guards.parity, dead != NONE) {
            stripes.forget_sums(dead, &self.media.core.store.layout);
        }
    }

    /// The map is found: parity that was due is programmed, and what a cut tore is moved while it can be found again.
    pub(super) fn begin_groups<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if self.media.core.store.dead.from_start != NONE || self.media.core.store.dead.are_any() {
            return;
        }
        let groups = self.media.guards.parity.as_ref().map_or(0, |stripes| stripes.groups.len() as u32);
        for group in 0..groups {
            let parity = self.media.stripes().groups[group as usize].parity;
            if parity == NONE {
                continue;
            }
            let (_, superblock) = self.media.stripes().place_of(group, parity);
            let due = self.media.stripes().catch_up(group);
            self.media.program_parity(superblock, due, ctx);
            if self.media.core.store.space.failing[superblock as usize] {
                self.media.ask(group, Origin::Rescue);
            }
        }
        let torn = self.media.guards.parity.as_ref().map_or_else(Vec::new, |stripes| stripes.torn_rows());
        for (superblock, row) in torn {
            let layout = &self.media.core.store.layout;
            let first = layout.first_ppa(superblock) + u64::from(row * layout.row_units);
            if self.media.core.store.map.valid_mask(first, layout.row_units) != 0 {
                let group = self.media.stripes().group_of(superblock);
                self.media.ask(group, Origin::Gc);
            }
        }
    }
}
