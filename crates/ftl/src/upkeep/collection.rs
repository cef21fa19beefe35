//! One die's collection decided: which superblock is emptied next, and whether one is.
//!
//! A collection takes a victim only when the space it may need is there, so it never waits half-way for
//! space that only it could free.

use crate::Probe;
use crate::core::{Core, Erased};
use crate::gc::trigger::TriggerView;
use crate::media::Media;
use crate::relocate::Customer;
use crate::store::{NONE, PENDING_MAX};
use crate::upkeep::Upkeep;
use controller::{Context, Origin, Transaction, Urgency};
use units::DieId;

/// Kind of urgency with which a die collects garbage: in the foreground, because it needs free superblocks, or in the
/// background.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Haste {
    /// Case: urgency of garbage collection: the die needs free superblocks and collects garbage now, with or without
    /// host requests.
    Foreground,
    /// Case: urgency of garbage collection: the die has enough free superblocks, and collects only superblocks that
    /// were requested (for instance by wear levelling), and further ones while it is idle.
    Background,
}

impl Upkeep {
    pub fn trigger_view(&self, media: &Media, die: usize) -> TriggerView {
        let (space, collection) = (&media.core.store.space.dies[die], &media.core.collections[die]);
        TriggerView {
            free: (media.core.free_superblocks(die) + collection.mover.returning())
                .saturating_sub(media.core.rules.spare + space.held),
            superblocks: space.usable,
            garbage_units: media.core.store.space.garbage(die),
            superblock_units: media.core.store.layout.data_units(),
        }
    }

    /// Advances garbage collection and folding of the SLC cache on a die: picks victims while one is wanted, submits
    /// reads of their valid units, and pads a partly filled program where no more moved units will come to fill it.
    pub fn collect<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if media.features.reads_map() {
            return; // Which of its units are valid is not known yet.
        }
        if media.core.rests(die) {
            self.leave_burst(media, die);
            return; // The data must stay: only the rest of a stripe gives back the data of the failed die.
        }
        self.collect_garbage(media, die, ctx);
        if !media.core.folding.is_empty() {
            self.fold(media, die, ctx);
        }
        media.update_eligible(die);
        self.wake_dies(media, ctx);
    }

    /// Advances garbage collection on a die, without folding of the SLC cache.
    pub fn collect_garbage<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if !media.core.collections[die].mover.waiting.is_empty() {
            media.retry_waiting(die, ctx);
        }
        self.empty(media, die, Customer::Collection, ctx);
        self.leave_burst(media, die);
        media.pad_leftover(die, ctx);
        let urgency = if media.core.free_superblocks(die) < 2 { Urgency::Urgent } else { Urgency::Normal };
        media.core.store.controller.set_urgency(DieId(die as u32), urgency);
    }

    /// Picks the next superblock of a die to be reclaimed, one requested by wear levelling or refresh before a victim
    /// of garbage collection, and starts to reclaim it; returns false if none is wanted, or if there is no space for
    /// its valid units.
    pub fn take_victim(&mut self, media: &mut Media, die: usize) -> bool {
        if media.core.collections[die].mover.pending.len() >= PENDING_MAX || media.core.assembly.is_still {
            return false;
        }
        let haste = match self.trigger.foreground(&self.trigger_view(media, die)) {
            true => Haste::Foreground,
            false => Haste::Background,
        };
        let asked = media.core.next_forced(die, haste);
        let next = asked.or_else(|| self.choose_victim(media, die, haste).map(|it| (it, Origin::Gc)));
        let Some((superblock, origin)) = next else { return false };
        self.count_victim(media, die, media.core.store.space.global(die, superblock), origin);
        media.core.store.space.take(die, superblock);
        media.core.begin_victim(die, superblock, origin);
        true
    }

    /// Returns the superblock of a die that the victim policy picks for garbage collection with urgency `haste`, or the
    /// emptiest one if space is too short for that and the drive is made for power cuts or has several streams of moved
    /// data; `None` if none is wanted, its gain is too small, or none fits.
    fn choose_victim(&self, media: &mut Media, die: usize, haste: Haste) -> Option<u32> {
        let idle = media.core.collections[die].background;
        let foreground = haste == Haste::Foreground;
        let wanted = foreground || (idle && self.trigger.background(&self.trigger_view(media, die)));
        if !wanted {
            return None;
        }
        // A choice for which there was no room is kept: asking again would draw again, and favour victims with
        // little in them beyond what the policy says.
        let space = &mut media.core.store.space;
        let kept = std::mem::replace(&mut media.core.collections[die].declined, NONE);
        let is_kept = kept != NONE && space.is_candidate(space.global(die, kept));
        let superblock = if is_kept { kept } else { space.pick_victim(die)? };
        let valid = space.valid[space.global(die, superblock)];
        if !foreground
            && !self.trigger.worthwhile(media.core.gain_of(valid), media.core.store.layout.data_units())
        {
            return None; // The die rests, or it would move all it holds for a little room that is not wanted.
        }
        let has_room = media.core.has_room_for(die, valid);
        let collection = &mut media.core.collections[die];
        if !has_room && collection.expected_superblocks() > 0 {
            collection.declined = superblock;
        } else if !has_room && (media.core.store.spare.is_some() || media.core.assembly.streams.spare() > 0) {
            return media.core.emptiest_that_fits(die);
        }
        has_room.then_some(superblock)
    }

    /// Handles the completed erase of a superblock: it becomes free (with parity across dies, once its whole group is
    /// erased), or is lost if a block failed and no spare replaces it.
    pub fn on_erased<P: Probe>(&mut self, media: &mut Media, erase: &Transaction, ctx: &mut Context<P>) {
        let (die, superblock) = (erase.die.index(), erase.superblock);
        let global = media.core.store.space.global(die, superblock);
        ctx.probe.on_erase(global);
        media.core.forget_waiting(die, global as u32);
        let customer = media.core.customer_of(global as u32);
        if media.core.store.dead.has(die) && !media.core.rules.in_step {
            // What its cells hold now is unknown, and not needed.
            let _ = media.erase(die, superblock, erase.origin);
            media.core.mover(die, customer).erasing -= 1;
            return;
        }
        if media.core.rules.in_step && customer == Customer::Collection {
            return self.on_member_erased(media, erase, ctx);
        }
        let erased = media.erase(die, superblock, erase.origin);
        media.core.mover(die, customer).erasing -= 1;
        if customer == Customer::Folding {
            media.features.erased_one_bit(&mut media.core, die, global);
        }
        if erased == Erased::Lost {
            media.core.lose_superblock(die, global);
            media.fit_features(ctx);
        } else if let Some(cold) = media.free_erased(die, superblock, erase.wear) {
            media.core.collections[die].force(cold, Origin::Wear);
        }
        self.collect(media, die, ctx);
    }

    /// Counts a superblock (numbered over the drive) that is about to be reclaimed for the reason `origin`: its valid
    /// units as units to move, the rest as space gained.
    pub fn count_victim(&mut self, media: &mut Media, die: usize, superblock: usize, origin: Origin) {
        let valid = media.core.store.space.valid[superblock];
        let room = u64::from(media.core.store.layout.data_units() - valid);
        if origin != Origin::Gc {
            media.core.store.stats.wear_relocations += u64::from(origin == Origin::Wear);
            media.core.store.stats.relocated_units += u64::from(valid);
            media.core.store.stats.relocated_room += room;
            return media.features.counts_moved(origin);
        }
        media.core.store.stats.victims += 1;
        media.core.store.stats.victim_units += u64::from(valid);
        media.core.store.stats.victim_room += room;
        media.core.store.stats.victim_candidates += media.core.store.space.dies[die].candidates.len() as u64;
        media.core.store.stats.victim_free += media.core.store.space.dies[die].free.len() as u64;
        self.turnover.note(die, u64::from(valid), room);
        if self.turnover.is_due() {
            let mut mark = media.core.mark();
            // It is counted and not taken yet.
            mark.units_to_move += u64::from(valid);
            self.turnover.push(mark);
        }
    }
}

impl Core {
    /// Returns the garbage collection candidate of a die with the fewest valid units, if there is space for these
    /// units; `None` otherwise. For dies with so little space, because of superblocks torn by power cuts or several
    /// partly filled open superblocks, that the policy's choice would wait for ever.
    #[cold]
    pub fn emptiest_that_fits(&self, die: usize) -> Option<u32> {
        let valid = |superblock: u32| self.store.space.valid[self.store.space.global(die, superblock)];
        self.store.space.emptiest(die).filter(|&at| self.has_room_for(die, valid(at)))
    }

    /// Removes and returns the next superblock of a die that is to be reclaimed for another reason than lack of space
    /// (wear levelling, refresh and so on), with the reason; `None` if no superblock is requested, if there is no space
    /// for its valid units, or if host writes or urgent garbage collection go first this time.
    pub fn next_forced(&mut self, die: usize, haste: Haste) -> Option<(u32, Origin)> {
        while let Some(&(superblock, origin)) = self.collections[die].forced.front() {
            let pressed = haste == Haste::Foreground || self.buffer.first_queued().is_some();
            if origin.keeps_data() && pressed && std::mem::take(&mut self.collections[die].kept_data) {
                return None; // More may fall due than the die can move: the host must get on all the same.
            }
            let global = self.store.space.global(die, superblock);
            if origin == Origin::Rescue || self.store.space.is_candidate(global) {
                if !self.has_room_for(die, self.store.space.valid[global]) {
                    return None;
                }
                self.collections[die].kept_data = origin.keeps_data();
                return self.collections[die].forced.pop_front();
            }
            self.collections[die].forced.pop_front();
        }
        None
    }
}

impl Media {
    /// Makes features that keep additional data (such as snapshots) release data until the rest fits into the
    /// over-provisioning, which failed blocks may have reduced.
    pub fn fit_features<P: Probe>(&mut self, ctx: &mut Context<P>) {
        self.features.set_room(self.core.spare_units());
        while self.features.gives_way(&mut self.core, ctx.calendar.now()) {
            self.do_asked(ctx);
        }
        self.erase_emptied(ctx);
    }
}
