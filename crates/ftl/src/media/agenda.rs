//! What is to be written anew, and when its die has time for that.

use crate::agenda::{Due, Work};
use crate::media::Media;
use crate::store::SuperblockState;
use controller::Origin;
use engine::Calendar;
use units::SimTime;

impl Media {
    pub(crate) fn enter_upkeep(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        if let Some(upkeep) = &mut self.agenda {
            upkeep.enter(at, work, calendar);
        }
    }

    /// Something happened: upkeep goes on, if it rested because nothing did.
    #[inline]
    pub(crate) fn wake_upkeep(&mut self, calendar: &mut Calendar) {
        if let Some(upkeep) = &mut self.agenda
            && upkeep.asleep
        {
            upkeep.asleep = false;
            upkeep.arm(calendar);
        }
    }

    /// A superblock is to be written anew as soon as its die has time for that.
    pub(crate) fn ask_upkeep(
        &mut self,
        superblock: u32,
        since: SimTime,
        origin: Origin,
        calendar: &mut Calendar,
    ) {
        let die = (superblock / self.store.space.per_die) as usize;
        let is_meant = self.is_written_anew(superblock);
        let (Some(upkeep), Some(regulation)) = (&mut self.agenda, &self.guards.regulation) else { return };
        if !is_meant {
            return; // It is being emptied: its own reads may have worn it out.
        }
        if std::mem::replace(&mut upkeep.waits[superblock as usize], true) {
            return;
        }
        let of = &mut upkeep.dies[die];
        of.due.push_back(Due {
            superblock,
            since,
            origin,
            opened: regulation.opened_at(superblock as usize),
        });
        if !of.has_turn {
            of.has_turn = true;
            let at = of.free_at;
            upkeep.enter(at, Work::Turn(die as u32), calendar);
        }
    }

    pub(crate) fn note_begun(&mut self, die: usize, due: Due, valid: u32, now: SimTime) {
        let dies = match &self.guards.parity {
            Some(stripes) => stripes.dies_beside(die),
            None => die..die + 1,
        };
        let Some(upkeep) = &mut self.agenda else { return };
        let ns = upkeep.costs.moving(valid, &self.store.layout);
        for die in dies {
            upkeep.charge(die, ns, now);
        }
        let late = now.since(due.since).ns();
        upkeep.counts.begun += 1;
        upkeep.counts.late_ns += late;
        upkeep.counts.late_ns_max = upkeep.counts.late_ns_max.max(late);
        upkeep.counts.late += u64::from(late > upkeep.spread(upkeep.costs.superblock).ns());
    }

    /// True when writing a superblock anew means anything: it holds data, and is not being emptied already.
    pub(crate) fn is_written_anew(&self, superblock: u32) -> bool {
        let state = self.store.space.state[superblock as usize];
        // What lies in a block with one bit a cell is folded before its time comes.
        matches!(state, SuperblockState::Open | SuperblockState::Closed)
            && !self.holds_one_bit(superblock as usize)
    }
}
