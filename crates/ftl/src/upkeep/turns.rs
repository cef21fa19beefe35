//! What the clock brings back, one entry of the agenda after the other, with any kind of map.

use crate::Probe;
use crate::agenda::Work;
use crate::media::Media;
use crate::upkeep::Upkeep;
use controller::{Context, Origin};
use std::ops::Range;

/// Interface of a translation layer with timed upkeep work, such as refresh and background scrub.
pub(crate) trait KeepsUp {
    /// Returns the core (flash, map, buffer) and the state of upkeep work of the translation layer.
    fn keeping(&mut self) -> (&mut Media, &mut Upkeep);

    /// Returns true when data wait to be programmed and nothing is in flight that could let the drive proceed.
    fn is_stuck(&self) -> bool;

    /// Returns true while the die, or the set of dies to which it belongs, is still moving data out of superblocks, so
    /// that the next superblock that is due for upkeep (such as refresh) must wait.
    fn is_moving(&self, die: usize) -> bool;

    /// Returns the dies that take part when all valid units of superblock `superblock` are programmed elsewhere, for
    /// refresh or scrub, and the number of mapping units that each of these dies moves.
    fn burden_of(&self, superblock: u32) -> (Range<usize>, u32);

    /// Starts to move all valid data out of superblock `superblock` for the reason `origin`; returns false if that is
    /// not possible now, or happens anyway.
    fn write_superblock_anew<P: Probe>(
        &mut self,
        superblock: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool;

    /// Does the scheduled work of features at a point in time: takes a due snapshot, or advances a rollback to a
    /// snapshot.
    fn on_moment<P: Probe>(&mut self, _ctx: &mut Context<P>) {}

    /// Processes the entries of the upkeep agenda (queue of refreshes, scrubs and snapshots by due time) that are due
    /// now, and schedules the event for the next entry.
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

    /// Starts to move the data of the die's superblocks that are due for refresh or found bad by the scrub, one
    /// superblock at a time and within the fraction of time that upkeep may take, and schedules the next call for the
    /// die.
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
