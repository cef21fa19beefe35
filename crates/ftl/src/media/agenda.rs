//! What is to be written anew, and when its die has time for that.

use crate::agenda::{Due, Work};
use crate::media::Media;
use controller::Origin;
use engine::Calendar;
use units::SimTime;

impl Media {
    /// A superblock is to be written anew as soon as its die has time for that.
    pub fn ask_upkeep(&mut self, superblock: u32, since: SimTime, origin: Origin, calendar: &mut Calendar) {
        let die = (superblock / self.core.store.space.per_die) as usize;
        let is_meant = self.core.is_written_anew(superblock);
        let (Some(agenda), Some(regulation)) = (&mut self.core.agenda, &self.guards.regulation) else {
            return;
        };
        if !is_meant {
            return; // It is being emptied: its own reads may have worn it out.
        }
        if std::mem::replace(&mut agenda.waits[superblock as usize], true) {
            return;
        }
        let of = &mut agenda.dies[die];
        of.due.push_back(Due {
            superblock,
            since,
            origin,
            opened: regulation.opened_at(superblock as usize),
        });
        if !of.has_turn {
            of.has_turn = true;
            let at = of.free_at;
            agenda.enter(at, Work::Turn(die as u32), calendar);
        }
    }
}
