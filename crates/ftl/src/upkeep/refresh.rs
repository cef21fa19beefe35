//! Data written anew before they are lost, superblock by superblock: because of their age, or of what a patrol found.

use super::Work;
use crate::PageMapped;
use crate::gc::collection::moving_stream;
use crate::space::SuperblockState;
use controller::{Origin, Probe};
use engine::Calendar;
use units::Nanos;

/// A superblock that cannot be moved yet is looked at again after that: its last programs are under way, or a
/// collection fills it.
const SOON: Nanos = Nanos::new(1_000_000);

impl PageMapped {
    /// What the drive holds when time begins must be written anew some day, too.
    pub(super) fn begin_refresh(&mut self, calendar: &mut Calendar) {
        for superblock in 0..self.layout.superblocks() {
            let Some(regulation) = &mut self.regulation else { return };
            if self.space.valid[superblock] > 0
                && let Some(due) = regulation.due_from_start(superblock)
            {
                self.enter_upkeep(due, Work::Refresh(superblock as u32), calendar);
            }
        }
    }

    /// A superblock may hold data whose time is over: it moves, and what is written anew takes the cost that the
    /// regulator chooses for it.
    pub(super) fn on_refresh_due(&mut self, superblock: u32, calendar: &mut Calendar) {
        let Some(regulation) = &self.regulation else { return };
        // Erased, and perhaps opened again: then an entry of its own is to come.
        let Some(since) = regulation.due_since(superblock as usize, calendar.now()) else { return };
        self.ask_upkeep(superblock, since, Origin::Refresh, calendar);
    }

    /// A superblock that is due could not be moved.
    pub(super) fn look_again(&mut self, superblock: u32, calendar: &mut Calendar) {
        if self.is_written_anew(superblock) {
            let soon = calendar.now() + self.rewrite_after.max(SOON);
            self.enter_upkeep(soon, Work::Refresh(superblock), calendar);
        }
    }

    /// True when writing a superblock anew means anything: it holds data, and is not being emptied already.
    pub(super) fn is_written_anew(&self, superblock: u32) -> bool {
        let state = self.space.state[superblock as usize];
        matches!(state, SuperblockState::Open | SuperblockState::Closed)
    }

    pub(crate) fn count_refresh(&mut self, origin: Origin) {
        let Some(regulation) = &mut self.regulation else { return };
        regulation.counts.superblocks_refreshed += u64::from(origin == Origin::Refresh);
        regulation.counts.superblocks_scrubbed += u64::from(origin == Origin::Scrub);
    }

    /// True when collections do without the rest of an open superblock: they count on what is left of the one they fill.
    fn can_close(&self, die: usize, superblock: u32) -> bool {
        let filled = self.space.dies[die].frontiers[moving_stream(self.mixed)].superblock == superblock;
        let in_hand = self.collections[die].reserved_units(&self.space, die);
        !filled || (in_hand == 0 && self.space.dies[die].free.len() as u32 > self.spare)
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
        let (die, within) = ((superblock / self.space.per_die) as usize, superblock % self.space.per_die);
        if self.parity.is_some() {
            let asked = self.ask_anew(superblock, origin);
            self.collect(die, calendar, probe);
            self.pump(calendar, probe);
            return asked;
        }
        if self.space.state[global] == SuperblockState::Open {
            if !self.can_close(die, within) {
                return false;
            }
            self.end_superblock(die, within, calendar, probe);
            if self.space.in_flight[global] == 0 {
                self.space.close(die, within);
            }
            self.update_eligible(die);
        }
        if self.space.state[global] != SuperblockState::Closed || self.space.in_flight[global] > 0 {
            return false;
        }
        self.collections[die].force(within, origin);
        self.collect(die, calendar, probe);
        self.pump(calendar, probe);
        true
    }
}
