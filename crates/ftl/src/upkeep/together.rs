//! Superblocks of several dies that are reclaimed together: each die moves what is valid in its own.

use crate::Probe;
use crate::core::{Together, Wish};
use crate::media::Media;
use crate::store::SuperblockState;
use crate::upkeep::Upkeep;
use controller::{Context, Origin, Transaction};

impl Upkeep {
    /// Starts to reclaim the die's next superblock on a drive that reclaims whole parity groups: a superblock of a
    /// group whose reclaiming has begun, or of a further group that can be reclaimed now. Returns false if there is
    /// none.
    #[cold]
    pub fn take_together<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) -> bool {
        loop {
            if let Some((superblock, origin)) = media.core.collections[die].taken.pop_front() {
                media.core.begin_victim(die, superblock, origin);
                return true;
            }
            self.tell_wishes(media, die);
            if !self.take_what_fits(media, die, ctx) {
                media.features.none_fits(&media.core, die);
                return false;
            }
        }
    }

    fn tell_wishes(&self, media: &mut Media, die: usize) {
        let view = self.trigger_view(media, die);
        let foreground = self.trigger.foreground(&view);
        let wanted = foreground || (media.core.collections[die].background && self.trigger.background(&view));
        let worthwhile = |gain, units| self.trigger.worthwhile(gain, units);
        let wish = Wish { foreground, wanted, worthwhile: &worthwhile };
        media.features.wishes(&mut media.core, die, &wish);
    }

    /// Begins to reclaim, as a whole, the first parity group in the die's queue of requested groups that can be
    /// reclaimed now; returns false when there is none.
    fn take_what_fits<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) -> bool {
        let mut at = 0;
        while let Some(asked) = media.features.asked_together(&media.core, die, at) {
            if asked.fits && self.take_all(media, (die, at), asked, ctx) {
                return true;
            }
            at += 1;
        }
        false
    }

    /// Begins to reclaim the parity group at index `at` in the queue of groups requested for a die, after closing its
    /// open superblocks; returns false while programs to one of its superblocks are in flight.
    fn take_all<P: Probe>(
        &mut self,
        media: &mut Media,
        (die, at): (usize, usize),
        asked: Together,
        ctx: &mut Context<P>,
    ) -> bool {
        for &(die, superblock) in &asked.members {
            if media.core.store.space.state[superblock as usize] == SuperblockState::Open {
                media.end_superblock(die, superblock % media.core.store.space.per_die, ctx);
                media.update_eligible(die);
            }
        }
        let in_flight = |superblock: u32| media.core.store.space.in_flight[superblock as usize] > 0;
        if asked.members.iter().any(|&(_, superblock)| in_flight(superblock)) {
            return false;
        }
        media.features.begins_together(die, at);
        for (die, superblock) in asked.members {
            self.take_part(media, die, superblock, asked.origin);
        }
        true
    }

    /// Begins to reclaim one superblock of a parity group that is being reclaimed as a whole: garbage collection of the
    /// superblock's own die will move its valid units.
    fn take_part(&mut self, media: &mut Media, die: usize, superblock: u32, origin: Origin) {
        if media.core.store.space.state[superblock as usize] == SuperblockState::Free {
            media.features.takes_member(&mut media.core, die, superblock);
            media.core.collections[die].mover.erasing += 1;
            return media.update_eligible(die); // It may have been the last free one.
        }
        self.count_victim(media, die, superblock as usize, origin);
        media.features.takes_member(&mut media.core, die, superblock);
        media.features.moves_member(superblock);
        media.core.turns.woken.push(die);
        let within = superblock % media.core.store.space.per_die;
        media.core.collections[die].taken.push_back((within, origin));
    }

    /// Advances garbage collection on all dies that have got new work, for instance a superblock of a parity group to
    /// be reclaimed.
    pub fn wake_dies<P: Probe>(&mut self, media: &mut Media, ctx: &mut Context<P>) {
        while let Some(die) = media.core.turns.woken.pop() {
            self.collect(media, die, ctx);
        }
    }

    /// Handles the completed erase of one superblock of a reclaimed parity group; after the last one, all superblocks
    /// of the group become free.
    pub fn on_member_erased<P: Probe>(
        &mut self,
        media: &mut Media,
        erase: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let die = erase.die.index();
        let global = media.core.store.space.global(die, erase.superblock) as u32;
        media.erase_member(die, global, erase.origin);
        if !media.features.erased_last(&mut media.core, global) {
            return;
        }
        let freed = media.give_back(global);
        if media.features.shares_room() {
            media.fit_features(ctx); // A member may have been lost.
        }
        for &(die, superblock) in &freed {
            let space = &mut media.core.store.space;
            if let Some(cold) = space.pick_relocation(die, superblock % space.per_die) {
                let cold = space.global(die, cold) as u32;
                media.features.relocates(cold);
            }
        }
        let dies = media.features.dies_beside(die);
        media.core.turns.woken.extend(dies.into_iter().flatten());
        self.wake_dies(media, ctx);
    }
}

impl Media {
    /// Erases a superblock whose valid units were moved out because its parity group is being reclaimed as a whole.
    pub fn erase_member(&mut self, die: usize, global: u32, origin: Origin) {
        let erased = self.erase(die, global % self.core.store.space.per_die, origin);
        self.features.erased_member(&mut self.core, global, erased);
    }

    /// Frees all superblocks of a parity group that was reclaimed, the group of superblock `global` (numbered over the
    /// drive), and returns the freed superblocks, each with its die.
    pub fn give_back(&mut self, global: u32) -> Vec<(usize, u32)> {
        let freed = self.features.gives_members_back(&mut self.core, global).unwrap_or_default();
        for &(_, superblock) in &freed {
            let cycles = self.core.store.space.pe_cycles[superblock as usize];
            self.features.worn(superblock as usize, cycles);
        }
        freed
    }
}
