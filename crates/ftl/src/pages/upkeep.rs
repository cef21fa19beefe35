//! What the clock brings back, one entry of the agenda after the other.

use crate::agenda::{Moment, Work};
use crate::pages::PageMapped;
use crate::store::SuperblockState;
use controller::{Origin, Probe};
use engine::Calendar;

impl PageMapped {
    /// The agenda's next entry may be due.
    pub(crate) fn on_upkeep<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        let is_stuck = self.is_stuck();
        let Some(agenda) = &mut self.media.agenda else { return };
        agenda.armed.pop();
        // Its own events alone move nothing.
        if is_stuck || calendar.len() == agenda.armed.len() {
            agenda.asleep = true;
            return;
        }
        agenda.at_work = true;
        while let Some(work) = self.media.agenda.as_mut().and_then(|agenda| agenda.take_due(calendar.now())) {
            match work {
                Work::Refresh(superblock) => {
                    self.upkeep.on_refresh_due(&mut self.media, superblock, calendar)
                }
                Work::Patrol(die) => {
                    self.upkeep.on_patrol_timer(&mut self.media, die as usize, calendar, probe)
                }
                Work::Turn(die) => {
                    if let Some(agenda) = &mut self.media.agenda {
                        agenda.dies[die as usize].has_turn = false;
                    }
                    self.take_turn(die as usize, calendar, probe);
                }
                Work::Moment => self.on_moment(calendar, probe),
            }
        }
        if let Some(agenda) = &mut self.media.agenda {
            agenda.at_work = false;
            agenda.arm(calendar);
        }
    }

    /// The die begins to write one superblock anew, if its share of time is there, and comes back for the next.
    fn take_turn<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let now = calendar.now();
        loop {
            let is_moving = self.media.movers[die].keeps_data();
            let Some(agenda) = &mut self.media.agenda else { return };
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
                return agenda.enter(at, Work::Turn(die as u32), calendar);
            }
            let Some(due) = of.due.pop_front() else { return };
            agenda.waits[due.superblock as usize] = false;
            let valid = self.media.store.space.valid[due.superblock as usize];
            let opened = self
                .media
                .guards
                .regulation
                .as_ref()
                .map(|regulation| regulation.opened_at(due.superblock as usize));
            if opened != Some(due.opened) {
                continue;
            }
            if self.write_superblock_anew(due.superblock, due.origin, calendar, probe) {
                self.media.note_begun(die, due, valid, now);
            } else if due.origin == Origin::Refresh {
                self.upkeep.look_again(&mut self.media, due.superblock, calendar);
            }
        }
    }

    /// A moment has come.
    pub(super) fn on_moment<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        while let Some(agenda) = &mut self.media.agenda
            && let Some((time, due)) = agenda.moments.first()
            && time <= calendar.now()
        {
            agenda.moments.pass(time, due);
            match due {
                Moment::Snapshot => {
                    self.take_snapshot(calendar, probe);
                }
                Moment::Rollback => self.roll_back(calendar, probe),
            }
        }
        self.upkeep.await_moment(&mut self.media, calendar);
    }

    /// Moves all that a superblock holds, closing it before if it is open; false while programs to it are under way,
    /// while a collection needs it open, and where it is being emptied anyway.
    pub(super) fn write_superblock_anew<P: Probe>(
        &mut self,
        superblock: u32,
        origin: Origin,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let global = superblock as usize;
        let (die, within) = (
            (superblock / self.media.store.space.per_die) as usize,
            superblock % self.media.store.space.per_die,
        );
        if self.media.guards.parity.is_some() {
            let asked = self.media.ask_anew(superblock, origin);
            self.upkeep.collect(&mut self.media, die, calendar, probe);
            self.pump(calendar, probe);
            return asked;
        }
        if self.media.store.space.state[global] == SuperblockState::Open {
            if !self.upkeep.can_close(&self.media, die, within) {
                return false;
            }
            self.media.end_superblock(die, within, calendar, probe);
            if self.media.store.space.in_flight[global] == 0 {
                self.media.store.space.close(die, within);
            }
            self.media.update_eligible(die);
        }
        if self.media.store.space.state[global] != SuperblockState::Closed
            || self.media.store.space.in_flight[global] > 0
        {
            return false;
        }
        self.media.movers[die].force(within, origin);
        self.upkeep.collect(&mut self.media, die, calendar, probe);
        self.pump(calendar, probe);
        true
    }

    /// The host is gone: no more data are looked at or fall due, so that the drive comes to rest.
    pub fn end_upkeep(&mut self) {
        self.upkeep.end(&mut self.media);
    }
}
