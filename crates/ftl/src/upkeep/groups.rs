//! Which group of superblocks that protect each other is reclaimed next.

use crate::Probe;
use crate::guards::{Phase, members};
use crate::media::Media;
use crate::store::{NONE, SuperblockState};
use crate::upkeep::Upkeep;
use controller::{Context, Origin, Transaction};

impl Upkeep {
    /// Lets the victim policy choose, if the die wants a victim and has none chosen.
    pub fn ask_victim(&mut self, media: &mut Media, die: usize) {
        if media.stripes().asked_by[die] != NONE {
            return;
        }
        let view = self.trigger_view(media, die);
        let foreground = self.trigger.foreground(&view);
        let wanted = foreground || (media.core.collections[die].background && self.trigger.background(&view));
        if !wanted {
            return;
        }
        let Some(superblock) = media.core.store.space.pick_victim(die) else { return };
        let global = media.core.store.space.global(die, superblock);
        let group = media.stripes().group_of(global as u32);
        let resting = media.stripes().groups[group as usize].phase == Phase::Resting;
        if resting && (foreground || self.is_group_worthwhile(media, group)) {
            media.ask(group, Origin::Gc);
            media.stripes().asked_by[die] = group;
        }
    }

    /// True when a group, which is reclaimed as a whole, gives back enough for background work.
    pub fn is_group_worthwhile(&self, media: &Media, group: u32) -> bool {
        let stripes = media.guards.parity.as_ref().expect("only a drive with parity has groups");
        let gain = |(_, at): (usize, u32)| media.core.gain_of(media.core.store.space.valid[at as usize]);
        let units = stripes.data_places(group).count() as u32 * media.core.store.layout.data_units();
        self.trigger.worthwhile(stripes.data_places(group).map(gain).sum(), units)
    }

    /// The die's next victim, from a group that is taken or can be.
    #[cold]
    pub fn take_member<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) -> bool {
        loop {
            if let Some((superblock, origin)) = media.core.collections[die].taken.pop_front() {
                media.core.begin_victim(die, superblock, origin);
                return true;
            }
            media.ask_forced(die);
            self.ask_victim(media, die);
            let set = media.stripes().set_of(die);
            let asks = media.stripes().asks[set].len();
            if !(0..asks).any(|at| self.take_group(media, set, at, ctx)) {
                media.forget_hopeless(set);
                return false;
            }
        }
    }

    /// Takes the group that was asked for `at`th, if every die of the set has room for its part.
    pub fn take_group<P: Probe>(
        &mut self,
        media: &mut Media,
        set: usize,
        at: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        let Some(stripes) = &media.guards.parity else { return false };
        let (group, origin) = stripes.asks[set][at];
        if !stripes
            .data_places(group)
            .all(|(die, superblock)| media.core.has_room_for_member(die, superblock))
        {
            return false;
        }
        let places: Vec<(usize, u32)> = stripes.data_places(group).collect();
        for &(die, superblock) in &places {
            if media.core.store.space.state[superblock as usize] == SuperblockState::Open {
                media.end_superblock(die, superblock % media.core.store.space.per_die, ctx);
                media.update_eligible(die);
            }
        }
        if places.iter().any(|&(_, superblock)| media.core.store.space.in_flight[superblock as usize] > 0) {
            return false;
        }
        let stripes = media.stripes();
        stripes.asks[set].remove(at);
        stripes.groups[group as usize].phase = Phase::Moving;
        for asked in stripes.asked_by.iter_mut().filter(|asked| **asked == group) {
            *asked = NONE;
        }
        for (die, superblock) in places {
            self.take_part(media, die, superblock, origin);
        }
        true
    }

    /// A member of a group that is taken: its data is to be moved by its own die.
    pub fn take_part(&mut self, media: &mut Media, die: usize, superblock: u32, origin: Origin) {
        if media.core.store.space.state[superblock as usize] == SuperblockState::Free {
            media.take_from_group(die, superblock);
            media.core.collections[die].mover.erasing += 1;
            return media.update_eligible(die); // It may have been the last free one.
        }
        self.count_victim(media, die, superblock as usize, origin);
        media.take_from_group(die, superblock);
        let stripes = media.stripes();
        let group = stripes.group_of(superblock);
        stripes.groups[group as usize].left += 1;
        stripes.woken.push(die);
        media.core.collections[die].taken.push_back((superblock % media.core.store.space.per_die, origin));
    }

    /// Lets the dies that have something new go on.
    pub fn wake_dies<P: Probe>(&mut self, media: &mut Media, ctx: &mut Context<P>) {
        while let Some(die) = media.guards.parity.as_mut().and_then(|stripes| stripes.woken.pop()) {
            self.collect(media, die, ctx);
        }
    }

    /// A superblock of a group was erased; the last of them gives all back.
    pub fn on_member_erased<P: Probe>(
        &mut self,
        media: &mut Media,
        erase: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let die = erase.die.index();
        let global = media.core.store.space.global(die, erase.superblock) as u32;
        media.erase_member(die, global, erase.origin);
        let group = media.stripes().group_of(global);
        let of = &mut media.stripes().groups[group as usize];
        of.left -= 1;
        if of.left > 0 {
            return;
        }
        for member in members(of.taken) {
            let die = media.stripes().place_of(group, member).0;
            media.core.collections[die].mover.erasing -= 1;
        }
        let freed = media.give_back(group);
        if media.features.watches_writes() {
            media.fit_features(ctx); // A member may have been lost.
        }
        for &(die, superblock) in &freed {
            if let Some(cold) =
                media.core.store.space.pick_relocation(die, superblock % media.core.store.space.per_die)
            {
                let cold = media.core.store.space.global(die, cold) as u32;
                let group = media.stripes().group_of(cold);
                media.ask(group, Origin::Wear);
            }
        }
        let dies = {
            let stripes = media.stripes();
            stripes.dies_of(stripes.set_of(die))
        };
        media.stripes().woken.extend(dies);
        self.wake_dies(media, ctx);
    }
}

impl Media {
    /// What was asked of a die's collection by itself becomes a wish for the group.
    pub fn ask_forced(&mut self, die: usize) {
        while let Some((superblock, origin)) = self.core.collections[die].forced.pop_front() {
            let global = self.core.store.space.global(die, superblock);
            if origin == Origin::Rescue || self.core.store.space.is_candidate(global) {
                let group = self.stripes().group_of(global as u32);
                self.ask(group, origin);
            }
        }
    }

    /// Drops choices of garbage collection for which there is no room and none is coming: the policy is asked again.
    pub fn forget_hopeless(&mut self, set: usize) {
        let stripes = self.guards.parity.as_mut().expect("only a drive with parity has groups");
        let dies = stripes.dies_of(set);
        let coming = dies.clone().any(|die| self.core.collections[die].expected_superblocks() > 0)
            || stripes.asks[set].iter().any(|&(group, _)| {
                stripes
                    .superblocks_of(group)
                    .any(|superblock| self.core.store.space.in_flight[superblock as usize] > 0)
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
}
