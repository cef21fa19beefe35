//! Writing anew: units in idle time, so that later reads of them cost less.

use crate::PageMapped;
use crate::events;
use crate::gc::collection::moving_stream;
use crate::space::NONE;
use controller::{Class, Origin, Probe, Transaction};
use engine::{Calendar, Event};
use units::{DieId, Lpn, Ppa};

impl PageMapped {
    /// A die has nothing to do: when that lasts, units that wait there are written anew.
    #[inline]
    pub(crate) fn arm_rewrite_timer(&mut self, die: usize, calendar: &mut Calendar) {
        let program = self.layout.program_units as usize;
        let Some(regulation) = &mut self.regulation else { return };
        if regulation.rewrites_waiting(die) < program || self.collections[die].rewrite_timer {
            return;
        }
        self.collections[die].idle_since = calendar.now();
        self.collections[die].rewrite_timer = true;
        let at = calendar.now() + self.rewrite_after;
        calendar.schedule_timer(at, Event { kind: events::REWRITE, index: die as u32 });
    }

    pub(crate) fn on_rewrite_timer<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        self.collections[die].rewrite_timer = false;
        if !self.controller.is_idle(DieId(die as u32)) {
            return;
        }
        let due = self.collections[die].idle_since + self.rewrite_after;
        if due > calendar.now() {
            self.collections[die].rewrite_timer = true;
            calendar.schedule_timer(due, Event { kind: events::REWRITE, index: die as u32 });
            return;
        }
        self.rewrite_some(die, calendar, probe);
    }

    /// Reads as many units as one program takes; only so many waiting are worth a program.
    fn rewrite_some<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        if !self.can_rewrite(die) {
            return;
        }
        for _ in 0..self.layout.program_units {
            let Some(regulation) = &mut self.regulation else { return };
            let Some(lpn) = regulation.next_rewrite(die) else { return };
            let home = self.map.lookup(lpn);
            let per_die = self.layout.superblocks_per_die;
            let here = home != Ppa::NONE && self.layout.superblock_of(home) / per_die == die as u32;
            if !here {
                regulation.drop_rewrite(lpn);
                continue;
            }
            let row = home.0 / self.layout.row_units;
            let mask = 1 << (home.0 % self.layout.row_units);
            self.submit_read(row, mask, Origin::Rewrite, Class::InternalRead, lpn.0, calendar, probe);
        }
    }

    /// Writing anew makes garbage and frees nothing at once: it takes no space that a collection may need.
    fn can_rewrite(&self, die: usize) -> bool {
        let program = self.layout.program_units;
        let space = &self.space.dies[die];
        let left = space.frontiers[moving_stream(self.mixed)].left(&self.layout);
        let opens = u32::from(left < program);
        space.free.len() as u32 >= 2 + self.spare + opens
            && self.has_room_for(die, program)
            && !self.trigger.foreground(&self.trigger_view(die))
            && self.failed_die == NONE
    }

    /// A unit to be written anew was read: if it still lives there, it goes to the stream of moved data.
    pub(crate) fn on_rewrite_read<P: Probe>(
        &mut self,
        transaction: &Transaction,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = transaction.die.index();
        let lpn = Lpn(transaction.owner);
        let global = self.space.global(die, transaction.superblock) as u32;
        let unit = transaction.row * self.layout.row_units + transaction.mask.trailing_zeros();
        let home = Ppa(self.layout.first_ppa(global) + unit);
        let readable = !transaction.reading.uncorrectable;
        if readable && self.map.lookup(lpn) == home && self.can_rewrite(die) {
            self.move_unit(die, home, Origin::Rewrite, calendar, probe);
        } else if let Some(regulation) = &mut self.regulation {
            regulation.drop_rewrite(lpn);
        }
        self.pad_rewrites(die, calendar, probe);
        self.update_eligible(die);
    }

    /// Completes a program unit when none of the units read for it is still to come and no collection will fill it.
    fn pad_rewrites<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let stream = moving_stream(self.mixed);
        let frontier = self.space.dies[die].frontiers[stream];
        if self.controller.is_idle(DieId(die as u32)) && frontier.superblock != NONE && !self.mixed {
            self.pad(die, stream, calendar, probe);
        }
    }
}
