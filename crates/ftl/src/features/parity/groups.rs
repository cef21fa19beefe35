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
    /// Queues a parity group to be reclaimed (relocated and erased as a whole), with the reason; does nothing if the
    /// group is already queued or being reclaimed, or for wear levelling while another group of the same set of dies is
    /// queued for that.
    pub(super) fn ask(&mut self, group: u32, origin: Origin) {
        let set = self.set_of_group(group);
        let wear_waits = || self.asks[set].iter().any(|(_, origin)| *origin == Origin::Wear);
        if self.groups[group as usize].phase != Phase::Resting || (origin == Origin::Wear && wear_waits()) {
            return;
        }
        self.groups[group as usize].phase = Phase::Asked;
        self.asks[set].push_back((group, origin));
    }

    /// Queues the parity group of a superblock whose data must be relocated for refresh or background scrub; false if
    /// the superblock is being reclaimed anyway.
    pub(super) fn ask_anew(&mut self, core: &Core, superblock: u32, origin: Origin) -> bool {
        let state = core.store.space.state[superblock as usize];
        let stays = matches!(state, SuperblockState::Open | SuperblockState::Closed);
        if stays {
            self.ask(self.group_of(superblock), origin);
        }
        stays
    }

    /// Turns the queued relocations of single superblocks of a die (wear levelling, refresh, scrub, failed programs)
    /// into requests to reclaim their parity groups; drops, except after failed programs, superblocks that are no
    /// candidates now.
    pub(super) fn ask_forced(&mut self, core: &mut Core, die: usize) {
        while let Some((superblock, origin)) = core.collections[die].forced.pop_front() {
            let global = core.store.space.global(die, superblock);
            if origin == Origin::Rescue || core.store.space.is_candidate(global) {
                self.ask(self.group_of(global as u32), origin);
            }
        }
    }

    /// Lets the victim policy of a die choose a superblock, if the die's garbage collection wants a victim and has none
    /// chosen, and queues the parity group of that superblock to be reclaimed; in idle time only if that is worthwhile.
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

    /// Returns true if reclaiming a whole parity group gains enough free space to be worth the work in idle time.
    fn is_group_worthwhile(&self, core: &Core, group: u32, wish: &Wish<'_>) -> bool {
        let gain = |(_, at): (usize, u32)| core.gain_of(core.store.space.valid[at as usize]);
        let units = self.data_places(group).count() as u32 * core.store.layout.data_units();
        (wish.worthwhile)(self.data_places(group).map(gain).sum(), units)
    }

    /// Returns the parity group at index `at` in the queue of groups to be reclaimed in the set of dies to which `die`
    /// belongs, and whether all these dies have free space for the units to be moved; `None` beyond the end of the
    /// queue.
    pub(super) fn asked(&self, core: &Core, die: usize, at: usize) -> Option<Together> {
        let &(group, origin) = self.asks[self.set_of(die)].get(at)?;
        let members: Vec<(usize, u32)> = self.data_places(group).collect();
        let fits = members.iter().all(|&(die, superblock)| core.has_room_for_member(die, superblock));
        Some(Together { members, origin, fits })
    }

    /// Removes the parity group at index `at` from the queue of groups to be reclaimed, and begins to move the valid
    /// units of the group.
    pub(super) fn begin_group(&mut self, die: usize, at: usize) {
        let set = self.set_of(die);
        let Some((group, _)) = self.asks[set].remove(at) else { return };
        self.groups[group as usize].phase = Phase::Moving;
        for asked in self.asked_by.iter_mut().filter(|asked| **asked == group) {
            *asked = NONE;
        }
    }

    /// Takes a member (superblock) of a parity group for garbage collection, so that it can no longer be written or
    /// collected by itself; true if it may hold units to be moved, false if it was free.
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

    /// Adds one to the number of members (superblocks) of a parity group whose valid units must still be moved before
    /// the group is erased, for a member that garbage collection took.
    pub(super) fn count_taken(&mut self, superblock: u32) {
        let group = self.group_of(superblock);
        self.groups[group as usize].left += 1;
    }

    /// Drops the queued parity groups that the victim policies of a set of dies chose, and lets the policies choose
    /// anew; does nothing while a die of the set is about to get free superblocks, or a queued group has programs in
    /// flight.
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

    /// Handles the end of a parity program: if it failed, the group is queued to be reclaimed; the group is erased if
    /// it only waited for this program.
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

    /// Marks a member (superblock) of a parity group as empty of valid units, and erases the group if it was the last
    /// member with valid units.
    pub(super) fn empty_member<P: Probe>(&mut self, core: &mut Core, superblock: u32, ctx: &mut Context<P>) {
        let (group, bit) = (self.group_of(superblock), 1 << self.member_of(superblock));
        let of = &mut self.groups[group as usize];
        if of.emptied & bit == 0 {
            of.emptied |= bit;
            of.left -= 1;
            self.erase_group(core, group, ctx);
        }
    }

    /// Erases all superblocks of a parity group that is being reclaimed, once no member holds a valid unit, no failed
    /// read needs the group and no parity program is in flight.
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

    /// Records the erase of a superblock of a parity group: a superblock that is lost, or whose die has failed, is
    /// removed from the group.
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

    /// Counts an ended erase of a superblock of a parity group; true if it was the group's last one.
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

    /// Puts an erased parity group back into use: its superblocks for data are free again, or lost if the group has
    /// only one good superblock left. Returns the freed superblocks (numbered over the drive), each with its die.
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

    /// Takes a superblock (member of a parity group) out of the capacity for data, and gives it the state `state`: it
    /// holds parity from now on, or it is lost.
    fn withdraw(&self, core: &mut Core, group: u32, member: u32, state: SuperblockState) {
        let (die, superblock) = self.place_of(group, member);
        core.lose_superblock(die, superblock as usize);
        // The block is good: it is only the drive's room that is smaller.
        core.store.stats.superblocks_lost -= 1;
        core.store.space.state[superblock as usize] = state;
    }
}
