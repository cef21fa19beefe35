//! One die's collection decided: which superblock is emptied next, and whether one is.
//!
//! A collection takes a victim only when the space it may need is there, so it never waits half-way for
//! space that only it could free.

use crate::events;
use crate::gc::trigger::TriggerView;
use crate::media::{Media, PENDING_MAX};
use crate::store::{NONE, SuperblockState};
use crate::upkeep::Upkeep;
use controller::{Context, Origin, Probe, Transaction, Urgency};
use engine::{Calendar, Event};
use units::DieId;

impl Upkeep {
    pub(crate) fn trigger_view(&self, media: &Media, die: usize) -> TriggerView {
        let (space, collection) = (&media.store.space.dies[die], &media.movers[die]);
        TriggerView {
            free: (media.free_superblocks(die) + collection.pending.len() as u32 + collection.erasing)
                .saturating_sub(media.rules.spare + space.held),
            superblocks: space.usable,
            garbage_units: media.store.space.garbage(die),
            superblock_units: media.store.layout.data_units(),
        }
    }

    /// Lets the die's collection go on: takes victims while one is wanted, keeps reads under way, and lets
    /// nothing wait for units that will not come.
    pub(crate) fn collect<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if media.guards.failed_die != NONE {
            return; // What is there must stay: only the rest of a stripe gives back what the dead die held.
        }
        self.collect_garbage(media, die, ctx);
        if media.guards.slc_cache.is_some() {
            self.fold(media, die, ctx);
        }
        media.update_eligible(die);
        self.wake_dies(media, ctx);
    }

    /// Collection alone, without the folding that may need it.
    pub(crate) fn collect_garbage<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if !media.movers[die].backlog.is_empty() {
            media.retry_backlog(die, ctx);
        }
        while media.movers[die].victim != NONE || self.take_next(media, die, ctx) {
            media.read_victim(die, ctx);
            let collection = &mut media.movers[die];
            if collection.next_row < media.store.layout.rows {
                break;
            }
            let victim = std::mem::replace(&mut collection.victim, NONE);
            collection.pending.push((victim, collection.origin));
            let global = media.store.space.global(die, victim);
            if media.store.space.valid[global] == 0 {
                media.store.emptied.push(global as u32);
                media.erase_emptied(ctx);
            }
        }
        media.pad_leftover(die, ctx);
        let urgency = if media.free_superblocks(die) < 2 { Urgency::Urgent } else { Urgency::Normal };
        media.store.controller.set_urgency(DieId(die as u32), urgency);
    }

    #[inline]
    pub(crate) fn take_next<P: Probe>(
        &mut self,
        media: &mut Media,
        die: usize,
        ctx: &mut Context<P>,
    ) -> bool {
        if media.guards.parity.is_some() {
            self.take_member(media, die, ctx)
        } else {
            self.take_victim(media, die)
        }
    }

    /// Takes the next victim, if one is wanted and there is room for all it holds.
    pub(crate) fn take_victim(&mut self, media: &mut Media, die: usize) -> bool {
        if media.movers[die].pending.len() >= PENDING_MAX {
            return false;
        }
        let foreground = self.trigger.foreground(&self.trigger_view(media, die));
        while let Some(&(superblock, origin)) = media.movers[die].forced.front() {
            let keeps_data = matches!(origin, Origin::Refresh | Origin::Scrub);
            let pressed = foreground || media.buffer.first_queued().is_some();
            if keeps_data && pressed && std::mem::take(&mut media.movers[die].kept_data) {
                break; // More may fall due than the die can move: the host must get on all the same.
            }
            let global = media.store.space.global(die, superblock);
            let rescue = origin == Origin::Rescue;
            if !rescue && !media.store.space.is_candidate(global) {
                media.movers[die].forced.pop_front();
                continue;
            }
            if !media.has_room_for(die, media.store.space.valid[global]) {
                break;
            }
            media.movers[die].forced.pop_front();
            media.movers[die].kept_data = keeps_data;
            self.count_victim(media, die, global, origin);
            if rescue {
                media.store.space.state[global] = SuperblockState::Victim;
            } else {
                media.store.space.take(die, superblock);
                media.store.stats.wear_relocations += u64::from(origin == Origin::Wear);
                self.count_refresh(media, origin);
            }
            media.begin_victim(die, superblock, origin);
            return true;
        }
        let view = self.trigger_view(media, die);
        let wanted = foreground || (media.movers[die].background && self.trigger.background(&view));
        if !wanted {
            return false;
        }
        // A choice for which there was no room is kept: asking again would draw again, and favour victims with
        // little in them beyond what the policy says.
        let kept = std::mem::replace(&mut media.movers[die].declined, NONE);
        let kept = (kept != NONE && media.store.space.is_candidate(media.store.space.global(die, kept)))
            .then_some(kept);
        let Some(superblock) = kept.or_else(|| media.store.space.pick_victim(die)) else { return false };
        let valid = media.store.space.valid[media.store.space.global(die, superblock)];
        if !foreground && !self.trigger.worthwhile(media.gain_of(valid), media.store.layout.data_units()) {
            return false; // The die rests, or it would move all it holds for a little room nobody asks for.
        }
        if !media.has_room_for(die, valid) {
            if media.movers[die].expected_superblocks() > 0 {
                media.movers[die].declined = superblock;
            }
            return false;
        }
        self.count_victim(media, die, media.store.space.global(die, superblock), Origin::Gc);
        media.store.space.take(die, superblock);
        media.begin_victim(die, superblock, Origin::Gc);
        true
    }

    /// Units of a victim were read: those still valid move on.
    pub(crate) fn on_moving_read<P: Probe>(
        &mut self,
        media: &mut Media,
        transaction: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let die = transaction.die.index();
        media.movers[die].reading_rows -= 1;
        media.movers[die].reading_units -= transaction.mask.count_ones();
        media.movers[die].earn(f64::from(transaction.mask.count_ones()), media.store.layout.program_units);
        for ppa in media.store.units_of(transaction) {
            if media.store.map.is_valid(ppa) {
                media.move_unit(die, ppa, transaction.origin, ctx);
            }
        }
        self.collect(media, die, ctx);
    }

    pub(crate) fn on_erased<P: Probe>(
        &mut self,
        media: &mut Media,
        transaction: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let (die, superblock) = (transaction.die.index(), transaction.superblock);
        let global = media.store.space.global(die, superblock);
        if media.guards.parity.is_some() && !media.holds_one_bit(global) {
            return self.on_member_erased(media, transaction, ctx);
        }
        assert_eq!(media.store.space.valid[global], 0, "superblock {global} was erased with valid data");
        media.store.forget_copies(global);
        let slc = media.holds_one_bit(global);
        let done = match slc {
            false => media.store.array.erase(die as u32, superblock),
            true => media.store.array.erase_slc(die as u32, superblock),
        };
        media.store.stats.blocks_erased[transaction.origin as usize] += u64::from(media.store.layout.planes);
        media.store.stats.erase_failures += u64::from(!done);
        media.store.space.dies[die].erases += 1;
        media.forget_waiting(die, global as u32);
        if slc {
            media.free_slc(die, global);
        } else {
            media.movers[die].erasing -= 1;
        }
        ctx.probe.on_erase(global);
        let failing = std::mem::replace(&mut media.store.space.failing[global], false);
        let lost = (failing || !done)
            && media.store.array.retire(die as u32, superblock) == nand::RetireOutcome::Lost;
        if lost {
            media.lose_superblock(die, global);
            self.fit_snapshots(media, ctx);
        } else {
            media.store.space.pe_cycles[global] = media.store.array.pe_cycles(die as u32, superblock);
            if let Some(regulation) = &mut media.guards.regulation {
                regulation.note_wear(global, media.store.space.pe_cycles[global]);
            }
            media.observe_erase(die, superblock, transaction.wear);
            if !(slc && media.keep_own(die, superblock)) {
                media.store.space.push_free(die, superblock);
                if let Some(cold) = media.store.space.pick_relocation(die, superblock) {
                    media.movers[die].force(cold, Origin::Wear);
                }
            }
        }
        self.collect(media, die, ctx);
    }

    /// A superblock (numbered over the drive) is taken on behalf of `origin`: what it holds will move, the rest of it is
    /// room gained.
    pub(crate) fn count_victim(&mut self, media: &mut Media, die: usize, superblock: usize, origin: Origin) {
        let valid = media.store.space.valid[superblock];
        let room = u64::from(media.store.layout.data_units() - valid);
        if origin != Origin::Gc {
            media.store.stats.relocated_units += u64::from(valid);
            media.store.stats.relocated_room += room;
            return;
        }
        media.store.stats.victims += 1;
        media.store.stats.victim_units += u64::from(valid);
        media.store.stats.victim_room += room;
        media.store.stats.victim_candidates += media.store.space.dies[die].candidates.len() as u64;
        media.store.stats.victim_free += media.store.space.dies[die].free.len() as u64;
        self.turnover.note(die, u64::from(valid), room);
        if self.turnover.is_due() {
            let mut mark = media.mark();
            // It is counted and not taken yet.
            mark.units_to_move += u64::from(valid);
            self.turnover.push(mark);
        }
    }

    pub(crate) fn count_refresh(&mut self, media: &mut Media, origin: Origin) {
        let Some(regulation) = &mut media.guards.regulation else { return };
        regulation.counts.superblocks_refreshed += u64::from(origin == Origin::Refresh);
        regulation.counts.superblocks_scrubbed += u64::from(origin == Origin::Scrub);
    }

    pub(crate) fn arm_idle_timer(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let collection = &mut media.movers[die];
        collection.idle_since = calendar.now();
        if collection.timer.is_set() {
            return;
        }
        let Some(wait) = self.trigger.idle_after() else { return };
        let view = self.trigger_view(media, die);
        if self.trigger.background(&view) {
            let event = Event { kind: events::IDLE, index: die as u32 };
            media.movers[die].timer.set(wait, event, calendar);
        }
    }

    /// Blocks that failed may have taken the room that snapshots had: the oldest go, whatever the policy is.
    pub(crate) fn fit_snapshots<P: Probe>(&mut self, media: &mut Media, ctx: &mut Context<P>) {
        let spare = media.spare_units();
        if let Some(snapshots) = &mut media.guards.snapshots {
            snapshots.set_room(spare);
        }
        while let Some(snapshots) = &mut media.guards.snapshots
            && snapshots.units > snapshots.room
        {
            snapshots.counts.dropped_full += 1;
            media.drop_snapshot(0, &mut ctx.probe);
        }
        media.erase_emptied(ctx);
    }
}
