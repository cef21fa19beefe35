//! Groups of superblocks that protect each other, emptied and erased as a whole.
//!
//! A group is taken only when every die of its set has room for what its own member holds, and is erased only when no
//! member holds anything valid any more: until then the others can give back any of its pages.

use crate::Probe;
use crate::core::Core;
use crate::guards::{Phase, members};
use crate::media::Media;
use crate::store::{NONE, PENDING_MAX, SuperblockState};
use controller::{Context, Origin};
use nand::ProgramStatus;

impl Core {
    /// Room that a die must have before its member of a group is taken.
    pub fn units_of_member(&self, superblock: u32) -> u32 {
        match self.store.space.state[superblock as usize] {
            // What is open is closed first: what it holds has to move, and the rest of its room is given up. What is free
            // leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => self.store.layout.data_units(),
            _ => self.store.space.valid[superblock as usize],
        }
    }

    /// Room on a die for what its member of a group holds, and a turn in its queue.
    pub fn has_room_for_member(&self, die: usize, superblock: u32) -> bool {
        self.collections[die].under_way() < PENDING_MAX
            && self.has_room_for(die, self.units_of_member(superblock))
    }
}

impl Media {
    /// Asks for a group to be reclaimed.
    pub fn ask(&mut self, group: u32, origin: Origin) {
        let stripes = self.stripes();
        let set = stripes.set_of_group(group);
        let wear_waits = || stripes.asks[set].iter().any(|(_, origin)| *origin == Origin::Wear);
        if stripes.groups[group as usize].phase != Phase::Resting || (origin == Origin::Wear && wear_waits())
        {
            return;
        }
        stripes.groups[group as usize].phase = Phase::Asked;
        stripes.asks[set].push_back((group, origin));
    }

    /// A superblock holds data that must be written anew: its group is closed, if it is open, and taken when there is
    /// room for that. False where it is being emptied anyway.
    pub fn ask_anew(&mut self, superblock: u32, origin: Origin) -> bool {
        let stays = matches!(
            self.core.store.space.state[superblock as usize],
            SuperblockState::Open | SuperblockState::Closed
        );
        if stays {
            let group = self.stripes().group_of(superblock);
            self.ask(group, origin);
        }
        stays
    }

    /// A member of a group leaves the superblocks that can be written, or collected for themselves.
    pub fn take_from_group(&mut self, die: usize, superblock: u32) {
        let stripes = self.stripes();
        let (group, member) = (stripes.group_of(superblock), stripes.member_of(superblock));
        stripes.groups[group as usize].taken |= 1 << member;
        let (at, within) = (superblock as usize, superblock % self.core.store.space.per_die);
        let space = &mut self.core.store.space;
        if space.state[at] == SuperblockState::Free {
            space.withdraw_free(die, within);
            space.state[at] = SuperblockState::Erasing;
        } else {
            space.take(die, within);
        }
    }

    /// A parity program is done, for good or ill.
    pub fn on_parity_programmed<P: Probe>(
        &mut self,
        superblock: u32,
        status: ProgramStatus,
        ctx: &mut Context<P>,
    ) {
        let group = self.stripes().group_of(superblock);
        if status == ProgramStatus::Failed {
            // Nothing of the host's is lost: the group is reclaimed, and the block retired.
            self.core.store.space.failing[superblock as usize] = true;
            self.ask(group, Origin::Rescue);
        }
        self.erase_group(group, ctx);
    }

    /// A member holds nothing any more.
    pub fn on_member_emptied<P: Probe>(&mut self, superblock: u32, ctx: &mut Context<P>) {
        let stripes = self.stripes();
        let (group, bit) = (stripes.group_of(superblock), 1 << stripes.member_of(superblock));
        let of = &mut stripes.groups[group as usize];
        if of.emptied & bit == 0 {
            of.emptied |= bit;
            of.left -= 1;
            self.erase_group(group, ctx);
        }
    }

    /// Erases a group of which nothing is needed any more.
    pub fn erase_group<P: Probe>(&mut self, group: u32, ctx: &mut Context<P>) {
        let stripes = self.stripes();
        let of = &stripes.groups[group as usize];
        let (phase, parity) = (of.phase, of.parity);
        if phase != Phase::Moving || of.left > 0 || of.pins > 0 {
            return;
        }
        let taken = of.taken;
        let (parity_die, parity_at) = stripes.place_of(group, parity);
        if self.core.store.space.in_flight[parity_at as usize] > 0 {
            return;
        }
        let mut erases = 0;
        let mut of_group = Origin::Gc;
        for member in members(taken) {
            let (die, superblock) = self.stripes().place_of(group, member);
            if let Some(origin) = self.erase_pending(die, superblock, ctx) {
                (erases, of_group) = (erases + 1, origin);
            }
        }
        if self.core.store.array.next_row(parity_at as usize) > 0 {
            self.core.submit_erase(parity_die, parity_at, of_group, ctx);
            erases += 1;
        }
        let of = &mut self.stripes().groups[group as usize];
        (of.phase, of.left) = (Phase::Erasing, erases);
        assert!(erases > 0, "group {group} was reclaimed though nothing was written");
    }

    /// A superblock of a group is erased; one that cannot be repaired leaves the group.
    pub fn erase_member(&mut self, die: usize, global: u32, origin: Origin) {
        let is_whole = self.erase(die, global % self.core.store.space.per_die, origin);
        let dead = self.core.store.dead.has(die);
        if is_whole && !dead {
            return;
        }
        let stripes = self.stripes();
        let (group, bit) = (stripes.group_of(global) as usize, 1 << stripes.member_of(global));
        let was_parity = stripes.is_parity(global);
        stripes.groups[group].alive &= !bit;
        if dead {
            self.core.store.space.state[global as usize] = SuperblockState::Lost;
        } else if was_parity {
            self.core.store.space.state[global as usize] = SuperblockState::Lost;
            self.core.store.stats.superblocks_lost += 1;
        } else {
            self.core.lose_superblock(die, global as usize);
        }
    }

    /// A group is erased: its superblocks with data are free again. Gives them, each with its die.
    pub fn give_back(&mut self, group: u32) -> Vec<(usize, u32)> {
        let before = self.stripes().groups[group as usize].taken;
        let elected = self.stripes().begin_anew(group);
        if let Some(member) = elected {
            self.withdraw(group, member, SuperblockState::Parity);
        }
        let alone = self.stripes().groups[group as usize].parity == NONE;
        if alone {
            // One superblock is left, which nothing could protect.
            let data = before & self.stripes().groups[group as usize].alive;
            for member in members(data) {
                self.core.store.stats.superblocks_lost += 1;
                self.withdraw(group, member, SuperblockState::Lost);
            }
            self.stripes().groups[group as usize].alive = 0;
        }
        let stripes = self.stripes();
        let freed: Vec<(usize, u32)> = stripes.places(group, before & stripes.data_members(group)).collect();
        let mut asked = 0;
        for &(die, superblock) in &freed {
            let within = superblock % self.core.store.space.per_die;
            self.note_cycles(die, within);
            asked = asked.max(self.core.store.space.free_rank(die, within));
        }
        let rank = self.stripes().rank(group, asked);
        self.stripes().groups[group as usize].rank = rank;
        for &(die, superblock) in &freed {
            self.core.store.space.push_ranked(die, superblock % self.core.store.space.per_die, rank);
        }
        freed
    }

    /// A superblock holds no data from now on.
    pub fn withdraw(&mut self, group: u32, member: u32, state: SuperblockState) {
        let (die, superblock) = self.stripes().place_of(group, member);
        self.core.lose_superblock(die, superblock as usize);
        // The block is good: it is only the drive's room that is smaller.
        self.core.store.stats.superblocks_lost -= 1;
        self.core.store.space.state[superblock as usize] = state;
    }
}
