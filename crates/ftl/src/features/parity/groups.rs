//! Groups of superblocks that protect each other: which is reclaimed next, and how it comes back.
//!
//! A group is taken only when every die of its set has room for what its own member holds, and is erased only when no
//! member holds anything valid any more: until then the others can give back any of its pages.

use super::{Phase, Stripes, members};
use crate::Probe;
use crate::core::{Core, Erased, Together, Wish};
use crate::store::{NONE, SuperblockState};
use controller::{Context, Origin};
use nand::ProgramStatus;

impl Stripes {
    /// Asks for a group to be reclaimed.
    pub(super) fn ask(&mut self, group: u32, origin: Origin) {
        let set = self.set_of_group(group);
        let wear_waits = || self.asks[set].iter().any(|(_, origin)| *origin == Origin::Wear);
        if self.groups[group as usize].phase != Phase::Resting || (origin == Origin::Wear && wear_waits()) {
            return;
        }
        self.groups[group as usize].phase = Phase::Asked;
        self.asks[set].push_back((group, origin));
    }

    /// Asks that the group of a superblock with data to be rewritten is closed, if the group is open, and
    /// taken once there is room. False when the superblock is being emptied anyway.
    pub(super) fn ask_anew(&mut self, core: &Core, superblock: u32, origin: Origin) -> bool {
        let state = core.store.space.state[superblock as usize];
        let stays = matches!(state, SuperblockState::Open | SuperblockState::Closed);
        if stays {
            self.ask(self.group_of(superblock), origin);
        }
        stays
    }

    /// Turns superblocks that were asked of a die's collection alone into requests for their groups.
    pub(super) fn ask_forced(&mut self, core: &mut Core, die: usize) {
        while let Some((superblock, origin)) = core.collections[die].forced.pop_front() {
            let global = core.store.space.global(die, superblock);
            if origin == Origin::Rescue || core.store.space.is_candidate(global) {
                self.ask(self.group_of(global as u32), origin);
            }
        }
    }

    /// Lets the victim policy choose, if the die wants a victim and has none chosen.
    pub(super) fn ask_victim(&mut self, core: &mut Core, die: usize, wish: &Wish<'_>) {
        if self.asked_by[die] != NONE || !wish.wanted {
            return;
        }
        let Some(superblock) = core.store.space.pick_victim(die) else { return };
        let global = core.store.space.global(die, superblock);
        let group = self.group_of(global as u32);
        let resting = self.groups[group as usize].phase == Phase::Resting;
        if resting && (wish.foreground || self.is_group_worthwhile(core, group, wish)) {
            self.ask(group, Origin::Gc);
            self.asked_by[die] = group;
        }
    }

    /// True when a group, which is reclaimed as a whole, gains enough space for work in idle time.
    fn is_group_worthwhile(&self, core: &Core, group: u32, wish: &Wish<'_>) -> bool {
        let gain = |(_, at): (usize, u32)| core.gain_of(core.store.space.valid[at as usize]);
        let units = self.data_places(group).count() as u32 * core.store.layout.data_units();
        (wish.worthwhile)(self.data_places(group).map(gain).sum(), units)
    }

    /// Returns the group that was asked for `at`th in the set of a die.
    pub(super) fn asked(&self, core: &Core, die: usize, at: usize) -> Option<Together> {
        let &(group, origin) = self.asks[self.set_of(die)].get(at)?;
        let members: Vec<(usize, u32)> = self.data_places(group).collect();
        let fits = members.iter().all(|&(die, superblock)| core.has_room_for_member(die, superblock));
        Some(Together { members, origin, fits })
    }

    /// Takes the group at `at` in the list of requests for collection.
    pub(super) fn begin_group(&mut self, die: usize, at: usize) {
        let set = self.set_of(die);
        let Some((group, _)) = self.asks[set].remove(at) else { return };
        self.groups[group as usize].phase = Phase::Moving;
        for asked in self.asked_by.iter_mut().filter(|asked| **asked == group) {
            *asked = NONE;
        }
    }

    /// Takes a member of a group out of the superblocks that can be written, or collected by themselves; true when it
    /// holds units to be moved.
    pub(super) fn take(&mut self, core: &mut Core, die: usize, superblock: u32) -> bool {
        let (group, member) = (self.group_of(superblock), self.member_of(superblock));
        self.groups[group as usize].taken |= 1 << member;
        let (at, within) = (superblock as usize, superblock % core.store.space.per_die);
        let space = &mut core.store.space;
        if space.state[at] == SuperblockState::Free {
            space.withdraw_free(die, within);
            space.state[at] = SuperblockState::Erasing;
            return false;
        }
        space.take(die, within);
        true
    }

    /// Counts a member that was taken and is to be emptied.
    pub(super) fn count_taken(&mut self, superblock: u32) {
        let group = self.group_of(superblock);
        self.groups[group as usize].left += 1;
    }

    /// Drops victims chosen by garbage collection for which there is no room and will be none: the policy is asked
    /// again.
    pub(super) fn forget_hopeless(&mut self, core: &Core, die: usize) {
        let set = self.set_of(die);
        let dies = self.dies_of(set);
        let in_flight = |superblock: u32| core.store.space.in_flight[superblock as usize] > 0;
        let coming = dies.clone().any(|die| core.collections[die].expected_superblocks() > 0)
            || self.asks[set].iter().any(|&(group, _)| self.superblocks_of(group).any(in_flight));
        if coming {
            return;
        }
        let groups = &mut self.groups;
        self.asks[set].retain(|&(group, origin)| {
            if origin == Origin::Gc {
                groups[group as usize].phase = Phase::Resting;
            }
            origin != Origin::Gc
        });
        self.asked_by[dies].fill(NONE);
    }

    /// Ends a parity program, whether it succeeded or failed.
    pub(super) fn end_parity_program<P: Probe>(
        &mut self,
        core: &mut Core,
        superblock: u32,
        status: ProgramStatus,
        ctx: &mut Context<P>,
    ) {
        let group = self.group_of(superblock);
        if status == ProgramStatus::Failed {
            // Nothing of the host's is lost: the group is reclaimed, and the block retired.
            core.store.space.failing[superblock as usize] = true;
            self.ask(group, Origin::Rescue);
        }
        self.erase_group(core, group, ctx);
    }

    /// Empties a member, which holds nothing any more.
    pub(super) fn empty_member<P: Probe>(&mut self, core: &mut Core, superblock: u32, ctx: &mut Context<P>) {
        let (group, bit) = (self.group_of(superblock), 1 << self.member_of(superblock));
        let of = &mut self.groups[group as usize];
        if of.emptied & bit == 0 {
            of.emptied |= bit;
            of.left -= 1;
            self.erase_group(core, group, ctx);
        }
    }

    /// Erases a group when no unit of it is needed any more.
    pub(super) fn erase_group<P: Probe>(&mut self, core: &mut Core, group: u32, ctx: &mut Context<P>) {
        let of = &self.groups[group as usize];
        let (phase, parity) = (of.phase, of.parity);
        if phase != Phase::Moving || of.left > 0 || of.pins > 0 {
            return;
        }
        let taken = of.taken;
        let (parity_die, parity_at) = self.place_of(group, parity);
        if core.store.space.in_flight[parity_at as usize] > 0 {
            return;
        }
        let mut erases = 0;
        let mut of_group = Origin::Gc;
        for member in members(taken) {
            let (die, superblock) = self.place_of(group, member);
            if let Some(origin) = core.erase_collected(die, superblock, ctx) {
                (erases, of_group) = (erases + 1, origin);
            }
        }
        if core.store.array.next_row(parity_at as usize) > 0 {
            core.submit_erase(parity_die, parity_at, of_group, ctx);
            erases += 1;
        }
        let of = &mut self.groups[group as usize];
        (of.phase, of.left) = (Phase::Erasing, erases);
        assert!(erases > 0, "group {group} was reclaimed though nothing was written");
    }

    /// Notes that a superblock of a group is erased; one that cannot be repaired leaves the group.
    pub(super) fn note_erased_member(&mut self, core: &mut Core, global: u32, erased: Erased) {
        let (die, _) = core.store.space.place_of(global);
        let dead = core.store.dead.has(die);
        if erased == Erased::Whole && !dead {
            return;
        }
        let (group, bit) = (self.group_of(global) as usize, 1 << self.member_of(global));
        let was_parity = self.is_parity(global);
        self.groups[group].alive &= !bit;
        if dead {
            core.store.space.state[global as usize] = SuperblockState::Lost;
        } else if was_parity {
            core.store.space.state[global as usize] = SuperblockState::Lost;
            core.store.stats.superblocks_lost += 1;
        } else {
            core.lose_superblock(die, global as usize);
        }
    }

    /// Counts an erase of a superblock of a group that has ended; true when it was the group's last one.
    pub(super) fn count_erased(&mut self, core: &mut Core, superblock: u32) -> bool {
        let group = self.group_of(superblock);
        let of = &mut self.groups[group as usize];
        of.left -= 1;
        if of.left > 0 {
            return false;
        }
        for member in members(of.taken) {
            let die = self.place_of(group, member).0;
            core.collections[die].mover.erasing -= 1;
        }
        true
    }

    /// Gives back an erased group: its superblocks for data are free again. Returns them, each with its die.
    pub(super) fn give_back_group(&mut self, core: &mut Core, group: u32) -> Vec<(usize, u32)> {
        let before = self.groups[group as usize].taken;
        let elected = self.begin_anew(group);
        if let Some(member) = elected {
            self.withdraw(core, group, member, SuperblockState::Owned);
        }
        if self.groups[group as usize].parity == NONE {
            // One superblock is left, which nothing could protect.
            let data = before & self.groups[group as usize].alive;
            for member in members(data) {
                core.store.stats.superblocks_lost += 1;
                self.withdraw(core, group, member, SuperblockState::Lost);
            }
            self.groups[group as usize].alive = 0;
        }
        let freed: Vec<(usize, u32)> = self.places(group, before & self.data_members(group)).collect();
        let mut asked = 0;
        for &(die, superblock) in &freed {
            let within = superblock % core.store.space.per_die;
            core.count_cycles(die, within);
            asked = asked.max(core.store.space.free_rank(die, within));
        }
        let rank = self.rank(group, asked);
        self.groups[group as usize].rank = rank;
        for &(die, superblock) in &freed {
            core.store.space.push_ranked(die, superblock % core.store.space.per_die, rank);
        }
        freed
    }

    /// Withdraws a superblock, which holds no data from now on.
    fn withdraw(&self, core: &mut Core, group: u32, member: u32, state: SuperblockState) {
        let (die, superblock) = self.place_of(group, member);
        core.lose_superblock(die, superblock as usize);
        // The block is good: it is only the drive's room that is smaller.
        core.store.stats.superblocks_lost -= 1;
        core.store.space.state[superblock as usize] = state;
    }
}
