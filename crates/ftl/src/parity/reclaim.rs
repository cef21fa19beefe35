//! Parity at work: its programs, and groups that are reclaimed as a whole.
//!
//! A group is taken only when every die of its set has room for what its own member holds, and is erased only when no
//! member holds anything valid any more: until then the others can give back any of its pages.

use super::stripes::{Phase, Stripes, members};
use crate::PageMapped;
use crate::gc::collection::PENDING_MAX;
use crate::programs::Source;
use crate::space::{NONE, SuperblockState};
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::Calendar;
use units::DieId;

impl PageMapped {
    /// The parity of the drive, if it has one.
    pub fn parity(&self) -> Option<&Stripes> {
        self.parity.as_deref()
    }

    fn stripes(&mut self) -> &mut Stripes {
        self.parity.as_mut().expect("only a drive with parity has groups")
    }

    /// Gives each die the superblocks that hold data; those of groups that cannot be protected stay out of use.
    pub(crate) fn free_groups(&mut self) {
        let stripes = self.stripes();
        let mut data = Vec::new();
        let mut parity = Vec::new();
        for group in 0..stripes.groups.len() as u32 {
            let of = &stripes.groups[group as usize];
            if of.parity != NONE {
                parity.push(stripes.place_of(group, of.parity).1);
            }
            data.extend(members(stripes.data_members(group)).map(|member| stripes.place_of(group, member)));
        }
        for superblock in parity {
            self.space.state[superblock as usize] = SuperblockState::Parity;
        }
        for (die, superblock) in data {
            self.space.push_free(die, superblock % self.space.per_die);
            self.space.dies[die].usable += 1;
        }
    }

    // ---- programs -----------------------------------------------------------------------------------

    /// A program of a superblock (numbered over the drive) was handed out, `programs` with it: the parity follows where
    /// it was the last of its stripe.
    pub(crate) fn note_program<P: Probe>(
        &mut self,
        superblock: u32,
        programs: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let due = self.stripes().note_written(superblock, programs);
        self.program_parity(superblock, due, calendar, probe);
    }

    /// A superblock was closed before it was full.
    pub(crate) fn note_ended<P: Probe>(&mut self, superblock: u32, calendar: &mut Calendar, probe: &mut P) {
        let due = self.stripes().note_ended(superblock);
        self.program_parity(superblock, due, calendar, probe);
    }

    /// Submits the `due` last of the parity programs handed out in the group of `superblock`.
    fn program_parity<P: Probe>(
        &mut self,
        superblock: u32,
        due: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        if due == 0 {
            return;
        }
        let stripes = self.stripes();
        let group = stripes.group_of(superblock);
        let of = &stripes.groups[group as usize];
        let (end, member) = (of.parity_written, of.parity);
        let (die, global) = stripes.place_of(group, member);
        let within = global % self.space.per_die;
        for program in end - due..end {
            let slot = self.programs.take_slot();
            for unit in 0..self.layout.program_units {
                self.programs.set(slot, unit, Source::new(Origin::Parity, 0));
            }
            let (row, class) = (program * self.layout.program_rows, Class::InternalProgram);
            let mut transaction =
                Transaction::new(Kind::Program, Origin::Parity, class, DieId(die as u32), within, row);
            transaction.wear = self.controller.wear_row(|| self.array.worn(die as u32, within));
            transaction.rows = self.layout.program_rows;
            transaction.pages = self.layout.planes * self.layout.program_rows;
            transaction.owner = slot;
            if let Some(regulation) = &mut self.regulation {
                let cost = regulation.ways.for_parity();
                transaction.cost =
                    regulation.issue(cost, global as usize, row, transaction.rows, calendar.now());
                // The data that it protects fall due themselves.
                regulation.take_due();
            }
            self.space.in_flight[global as usize] += 1;
            self.controller.submit(transaction, calendar, probe);
        }
    }

    /// A parity program is done, for good or ill.
    pub(crate) fn on_parity_programmed<P: Probe>(
        &mut self,
        superblock: u32,
        done: bool,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let group = self.stripes().group_of(superblock);
        if !done {
            // Nothing of the host's is lost: the group is reclaimed, and the block retired.
            self.space.failing[superblock as usize] = true;
            self.ask(group, Origin::Rescue);
        }
        self.erase_group(group, calendar, probe);
    }

    // ---- choosing -----------------------------------------------------------------------------------

    /// Asks for a group to be reclaimed.
    fn ask(&mut self, group: u32, origin: Origin) {
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
    pub(crate) fn ask_anew(&mut self, superblock: u32, origin: Origin) -> bool {
        let stays =
            matches!(self.space.state[superblock as usize], SuperblockState::Open | SuperblockState::Closed);
        if stays {
            let group = self.stripes().group_of(superblock);
            self.ask(group, origin);
        }
        stays
    }

    /// What was asked of a die's collection by itself becomes a wish for the group.
    fn ask_forced(&mut self, die: usize) {
        while let Some((superblock, origin)) = self.collections[die].take_forced() {
            let global = self.space.global(die, superblock);
            if origin == Origin::Rescue || self.space.is_candidate(global) {
                let group = self.stripes().group_of(global as u32);
                self.ask(group, origin);
            }
        }
    }

    /// Lets the victim policy choose, if the die wants a victim and has none chosen.
    fn ask_victim(&mut self, die: usize) {
        if self.stripes().asked_by[die] != NONE {
            return;
        }
        let view = self.trigger_view(die);
        let foreground = self.trigger.foreground(&view);
        let wanted = foreground || (self.collections[die].background && self.trigger.background(&view));
        if !wanted {
            return;
        }
        let Some(superblock) = self.space.pick_victim(die) else { return };
        let global = self.space.global(die, superblock);
        let group = self.stripes().group_of(global as u32);
        let resting = self.stripes().groups[group as usize].phase == Phase::Resting;
        if resting && (foreground || self.is_group_worthwhile(group)) {
            self.ask(group, Origin::Gc);
            self.stripes().asked_by[die] = group;
        }
    }

    /// True when a group, which is reclaimed as a whole, gives back enough for background work.
    fn is_group_worthwhile(&self, group: u32) -> bool {
        let stripes = self.parity.as_ref().expect("only a drive with parity has groups");
        let members = members(stripes.data_members(group));
        let (mut gain, mut units) = (0, 0);
        for member in members {
            gain += self.gain_of(self.space.valid[stripes.place_of(group, member).1 as usize]);
            units += self.layout.data_units();
        }
        self.trigger.worthwhile(gain, units)
    }

    /// The die's next victim, from a group that is taken or can be.
    #[cold]
    pub(crate) fn take_member<P: Probe>(
        &mut self,
        die: usize,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        loop {
            if let Some((superblock, origin)) = self.collections[die].taken.pop_front() {
                self.begin_victim(die, superblock, origin);
                return true;
            }
            self.ask_forced(die);
            self.ask_victim(die);
            let set = self.stripes().set_of(die);
            let asks = self.stripes().asks[set].len();
            if !(0..asks).any(|at| self.take_group(set, at, calendar, probe)) {
                self.forget_hopeless(set);
                return false;
            }
        }
    }

    /// Drops choices of garbage collection for which there is no room and none is coming: the policy is asked again.
    fn forget_hopeless(&mut self, set: usize) {
        let stripes = self.parity.as_mut().expect("only a drive with parity has groups");
        let dies = stripes.dies_of(set);
        let coming = dies.clone().any(|die| self.collections[die].expected_superblocks() > 0)
            || stripes.asks[set].iter().any(|&(group, _)| {
                stripes.superblocks_of(group).any(|superblock| self.space.in_flight[superblock as usize] > 0)
            });
        if coming {
            return;
        }
        let groups = &mut stripes.groups;
        stripes.asks[set].retain(|&(group, origin)| {
            if origin == Origin::Gc {
                groups[group as usize].phase = Phase::Resting;
            }
            origin != Origin::Gc
        });
        stripes.asked_by[dies].fill(NONE);
    }

    // ---- taking -------------------------------------------------------------------------------------

    /// Takes the group that was asked for `at`th, if every die of the set has room for its part.
    fn take_group<P: Probe>(
        &mut self,
        set: usize,
        at: usize,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let Some(stripes) = &self.parity else { return false };
        let (group, origin) = stripes.asks[set][at];
        let places = || members(stripes.data_members(group)).map(|member| stripes.place_of(group, member));
        if !places().all(|(die, superblock)| self.has_room_for_member(die, superblock)) {
            return false;
        }
        let places: Vec<(usize, u32)> = places().collect();
        for &(die, superblock) in &places {
            if self.space.state[superblock as usize] == SuperblockState::Open {
                self.end_superblock(die, superblock % self.space.per_die, calendar, probe);
                self.update_eligible(die);
            }
        }
        if places.iter().any(|&(_, superblock)| self.space.in_flight[superblock as usize] > 0) {
            return false;
        }
        let stripes = self.stripes();
        stripes.asks[set].remove(at);
        stripes.groups[group as usize].phase = Phase::Moving;
        for asked in stripes.asked_by.iter_mut().filter(|asked| **asked == group) {
            *asked = NONE;
        }
        for (die, superblock) in places {
            self.take_part(group, die, superblock, origin);
        }
        true
    }

    /// Room on a die for what its member of a group holds, and a turn in its queue.
    fn has_room_for_member(&self, die: usize, superblock: u32) -> bool {
        let at = superblock as usize;
        let collection = &self.collections[die];
        if collection.under_way() >= PENDING_MAX {
            return false;
        }
        match self.space.state[at] {
            // What is open is closed first: what it holds has to move, and the rest of its room is given up. What is free
            // leaves the free ones for a while.
            SuperblockState::Open | SuperblockState::Free => self.has_room_for(die, self.layout.data_units()),
            _ => self.has_room_for(die, self.space.valid[at]),
        }
    }

    /// A member of a group that is taken: its data is to be moved by its own die.
    fn take_part(&mut self, group: u32, die: usize, superblock: u32, origin: Origin) {
        let (at, within) = (superblock as usize, superblock % self.space.per_die);
        let member = self.stripes().member_of(superblock);
        self.stripes().groups[group as usize].taken |= 1 << member;
        if self.space.state[at] == SuperblockState::Free {
            self.space.withdraw_free(die, within);
            self.space.state[at] = SuperblockState::Erasing;
            self.collections[die].erasing += 1;
            return;
        }
        self.count_victim(die, at, origin);
        self.stats.wear_relocations += u64::from(origin == Origin::Wear);
        self.count_refresh(origin);
        if self.space.is_candidate(at) {
            self.space.take(die, within);
        } else {
            self.space.state[at] = SuperblockState::Victim;
        }
        self.stripes().groups[group as usize].left += 1;
        self.collections[die].taken.push_back((within, origin));
        self.stripes().woken.push(die);
    }

    /// Lets the dies that have something new go on.
    pub(crate) fn wake_dies<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        while let Some(die) = self.parity.as_mut().and_then(|stripes| stripes.woken.pop()) {
            self.collect(die, calendar, probe);
        }
    }

    // ---- erasing ------------------------------------------------------------------------------------

    /// A member holds nothing any more.
    pub(crate) fn on_member_emptied<P: Probe>(
        &mut self,
        superblock: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let stripes = self.stripes();
        let (group, bit) = (stripes.group_of(superblock), 1 << stripes.member_of(superblock));
        let of = &mut stripes.groups[group as usize];
        if of.emptied & bit == 0 {
            of.emptied |= bit;
            of.left -= 1;
            self.erase_group(group, calendar, probe);
        }
    }

    /// Erases a group of which nothing is needed any more.
    pub(crate) fn erase_group<P: Probe>(&mut self, group: u32, calendar: &mut Calendar, probe: &mut P) {
        let stripes = self.stripes();
        let of = &stripes.groups[group as usize];
        let (phase, parity) = (of.phase, of.parity);
        if phase != Phase::Moving || of.left > 0 || of.pins > 0 {
            return;
        }
        let taken = of.taken;
        let (parity_die, parity_at) = stripes.place_of(group, parity);
        if self.space.in_flight[parity_at as usize] > 0 {
            return;
        }
        let mut erases = 0;
        let mut of_group = Origin::Gc;
        for member in members(taken) {
            let (die, superblock) = self.stripes().place_of(group, member);
            if let Some(origin) = self.collections[die].begin_erase(superblock % self.space.per_die) {
                self.space.state[superblock as usize] = SuperblockState::Erasing;
                self.submit_erase(die, superblock, origin, calendar, probe);
                (erases, of_group) = (erases + 1, origin);
            }
        }
        if self.array.next_row(parity_at as usize) > 0 {
            self.submit_erase(parity_die, parity_at, of_group, calendar, probe);
            erases += 1;
        }
        let of = &mut self.stripes().groups[group as usize];
        (of.phase, of.left) = (Phase::Erasing, erases);
        assert!(erases > 0, "group {group} was reclaimed though nothing was written");
    }

    fn submit_erase<P: Probe>(
        &mut self,
        die: usize,
        superblock: u32,
        origin: Origin,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let within = superblock % self.space.per_die;
        let die = DieId(die as u32);
        let mut erase = Transaction::new(Kind::Erase, origin, Class::Erase, die, within, 0);
        erase.wear = self.controller.wear_row(|| self.array.worn(die.0, within));
        self.controller.submit(erase, calendar, probe);
    }

    /// A superblock of a group was erased; the last of them gives all back.
    pub(crate) fn on_member_erased<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let global = self.space.global(die, transaction.superblock);
        self.stats.blocks_erased[transaction.origin as usize] += u64::from(self.layout.planes);
        probe.on_erase(global);
        self.erase_member(die, global as u32);
        let group = self.stripes().group_of(global as u32);
        let of = &mut self.stripes().groups[group as usize];
        of.left -= 1;
        if of.left > 0 {
            return;
        }
        for member in members(of.taken) {
            let die = self.stripes().place_of(group, member).0;
            self.collections[die].erasing -= 1;
        }
        let freed = self.give_back(group);
        for &(die, superblock) in &freed {
            if let Some(cold) = self.space.pick_relocation(die, superblock % self.space.per_die) {
                let cold = self.space.global(die, cold) as u32;
                let group = self.stripes().group_of(cold);
                self.ask(group, Origin::Wear);
            }
        }
        let dies = {
            let stripes = self.stripes();
            stripes.dies_of(stripes.set_of(die))
        };
        self.stripes().woken.extend(dies);
        self.wake_dies(calendar, probe);
    }

    /// Erases one superblock of a group; one that fails is repaired or leaves the group.
    pub(super) fn erase_member(&mut self, die: usize, global: u32) {
        let (at, within) = (global as usize, global % self.space.per_die);
        assert_eq!(self.space.valid[at], 0, "superblock {global} was erased with valid data");
        let done = self.array.erase(die as u32, within);
        self.stats.erase_failures += u64::from(!done);
        self.space.dies[die].erases += 1;
        let failing = std::mem::replace(&mut self.space.failing[at], false);
        if (failing || !done) && self.array.retire(die as u32, within) == nand::RetireOutcome::Lost {
            let was_parity = self.stripes().is_parity(global);
            let group = self.stripes().group_of(global) as usize;
            let bit = 1 << self.stripes().member_of(global);
            self.stripes().groups[group].alive &= !bit;
            if was_parity {
                self.space.state[at] = SuperblockState::Lost;
                self.stats.superblocks_lost += 1;
            } else {
                self.lose_superblock(die, at);
            }
        }
    }

    /// A group is erased: its superblocks with data are free again. Gives them, each with its die.
    pub(super) fn give_back(&mut self, group: u32) -> Vec<(usize, u32)> {
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
                self.stats.superblocks_lost += 1;
                self.withdraw(group, member, SuperblockState::Lost);
            }
            self.stripes().groups[group as usize].alive = 0;
        }
        let stripes = self.stripes();
        let freed: Vec<(usize, u32)> = members(before & stripes.data_members(group))
            .map(|member| stripes.place_of(group, member))
            .collect();
        let mut asked = 0;
        for &(die, superblock) in &freed {
            let at = superblock as usize;
            let cycles = self.array.pe_cycles(die as u32, superblock % self.space.per_die);
            self.space.pe_cycles[at] = cycles;
            if let Some(regulation) = &mut self.regulation {
                regulation.note_wear(at, cycles);
            }
            asked = asked.max(self.space.free_rank(die, superblock % self.space.per_die));
        }
        let rank = self.stripes().rank(group, asked);
        self.stripes().groups[group as usize].rank = rank;
        for &(die, superblock) in &freed {
            self.space.push_ranked(die, superblock % self.space.per_die, rank);
        }
        freed
    }

    /// A superblock holds no data from now on.
    fn withdraw(&mut self, group: u32, member: u32, state: SuperblockState) {
        let (die, superblock) = self.stripes().place_of(group, member);
        self.lose_superblock(die, superblock as usize);
        // The block is good: it is only the drive's room that is smaller.
        self.stats.superblocks_lost -= 1;
        self.space.state[superblock as usize] = state;
    }
}
