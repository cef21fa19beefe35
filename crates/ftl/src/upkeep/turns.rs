//! What the clock brings back, one entry of the agenda after the other, with any kind of map.

use crate::Probe;
use crate::agenda::Work;
use crate::media::Media;
use crate::upkeep::Upkeep;
use controller::{Context, Origin};
use std::ops::Range;

/// A layer with timer-driven work.
pub(crate) trait KeepsUp {
    /// Returns the flash, and the state of the work that moves data on it.
    fn keeping(&mut self) -> (&mut Media, &mut Upkeep);

    /// True when data wait and nothing moves any more.
    fn is_stuck(&self) -> bool;

    /// True while a die is busy moving what it was told to move: the next must wait.
    fn is_moving(&self, die: usize) -> bool;

    /// Returns the dies that take part when a superblock is rewritten, and the units that each of them moves.
    fn burden_of(&self, superblock: u32) -> (Range<usize>, u32);

    /// Begins to move all that a superblock holds; false where that cannot be now, or happens anyway.
    fn write_superblock_anew<P: Probe>(
        &mut self,
        superblock: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool;

    /// Does the work of a moment: a snapshot is due, or going back to a snapshot.
    fn on_moment<P: Probe>(&mut self, _ctx: &mut Context<P>) {}

    /// Works on the agenda, whose next entry may be due.
    fn on_upkeep<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let is_stuck = self.is_stuck();
        let (media, _) = self.keeping();
        let Some(agenda) = &mut media.core.agenda else { return };
        agenda.armed.pop();
        // Its own events alone move nothing.
        if is_stuck || ctx.calendar.len() == agenda.armed.len() {
            agenda.asleep = true;
            return;
        }
        agenda.at_work = true;
        loop {
            let (media, upkeep) = self.keeping();
            let due = media.core.agenda.as_mut().and_then(|agenda| agenda.take_due(ctx.calendar.now()));
            match due {
                Some(Work::Refresh(superblock)) => {
                    media.features.refresh_due(&mut media.core, superblock, &mut ctx.calendar);
                }
                Some(Work::Patrol(die)) => upkeep.on_patrol_timer(media, die as usize, ctx),
                Some(Work::Turn(die)) => {
                    if let Some(agenda) = &mut media.core.agenda {
                        agenda.dies[die as usize].has_turn = false;
                    }
                    self.take_turn(die as usize, ctx);
                }
                Some(Work::Moment) => self.on_moment(ctx),
                None => break,
            }
        }
        if let Some(agenda) = &mut self.keeping().0.core.agenda {
            agenda.at_work = false;
            agenda.arm(&mut ctx.calendar);
        }
    }

    /// Lets the die begin to rewrite one superblock, if its share of time allows, and schedules its next
    /// turn.
    fn take_turn<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        loop {
            let is_moving = self.is_moving(die);
            let (media, _) = self.keeping();
            let Some(agenda) = &mut media.core.agenda else { return };
            let of = &mut agenda.dies[die];
            if of.due.is_empty() || of.has_turn {
                return;
            }
            // One after the other: what waits for room must not pile up in the die's collection.
            if of.free_at > now || is_moving {
                let slot = agenda.spread(agenda.costs.superblock);
                let of = &mut agenda.dies[die];
                of.has_turn = true;
                let at = if of.free_at > now { of.free_at } else { now + slot };
                return agenda.enter(at, Work::Turn(die as u32), &mut ctx.calendar);
            }
            let Some(due) = media.core.take_next_due(die, now) else { return };
            if media.features.opened(due.superblock) != Some(due.opened) {
                continue;
            }
            let (dies, units) = self.burden_of(due.superblock);
            let begun = self.write_superblock_anew(due.superblock, due.origin, ctx);
            let (media, _) = self.keeping();
            if begun {
                media.core.note_begun(dies, due, units, now);
            } else if due.origin == Origin::Refresh {
                media.core.look_again(due.superblock, &mut ctx.calendar);
            }
        }
    }
}
