//! Collection without time that runs ahead of the host as far as it does in time.
//!
//! In time a collection goes on by itself once it has begun, and an idle die collects more than writes need. How far that
//! comes between two units of the host is a question of times, which is answered by a part of the run in time
//! (`CollectionInTime`). Not modelled: how the pace differs from one superblock to the next, beyond that the host goes on.

use crate::core::CollectionInTime;
use crate::pages::PageMapped;
use crate::store::NONE;
use crate::upkeep::{Eager, EagerDie};
use controller::Origin;
use units::Nanos;

/// A layer whose collections run ahead of writes without time.
pub struct RunsAhead<'a>(pub &'a mut PageMapped);

impl RunsAhead<'_> {
    /// What was seen of all dies' collections in time.
    pub fn seen_in_time(&self) -> CollectionInTime {
        let dies = self.0.media.core.collections.iter();
        dies.fold(CollectionInTime::default(), |all, die| all.and(die.seen))
    }

    /// How long a die must be idle before it collects in the background; none where idle dies do not.
    pub fn idle_after(&self) -> Option<Nanos> {
        self.0.upkeep.trigger.idle_after()
    }

    /// What is written without time from now on lets collections run ahead as they were seen to, or, with none, as
    /// little as writes need.
    pub fn run_ahead(&mut self, seen: Option<CollectionInTime>) {
        let dies = self.0.media.core.store.layout.dies;
        self.0.upkeep.eager = seen.map(|seen| Box::new(Eager::new(seen, dies)));
    }

    /// A program unit of the host comes to a die, which may have been idle until now.
    #[inline(never)]
    pub(super) fn rest_before_program(&mut self, die: usize) {
        if !self.0.upkeep.trigger.background(&self.0.upkeep.trigger_view(&self.0.media, die)) {
            return;
        }
        let Some(eager) = &mut self.0.upkeep.eager else { return };
        eager.dies[die].idle += eager.idle;
        while let Some(eager) = &mut self.0.upkeep.eager
            && eager.dies[die].idle >= 1.0
        {
            eager.dies[die].idle -= 1.0;
            let (at_once, owed) = (eager.at_once, eager.dies[die].owed);
            while self.0.media.core.collections[die].mover.has_victim() && self.0.go_on_untimed(die) {}
            let takes = self.0.take_idle_untimed(die);
            if takes {
                self.move_while(die, |eager| owed - eager.owed < at_once);
            }
            // What an idle die moves the host does not pay for.
            if let Some(eager) = &mut self.0.upkeep.eager {
                eager.dies[die].owed = owed;
            }
            if !takes {
                return;
            }
        }
    }

    /// The host wrote a unit to a die whose collection goes on meanwhile.
    #[inline(never)]
    pub(super) fn collect_ahead(&mut self, die: usize) {
        if self.0.media.core.collections[die].mover.has_victim()
            && let Some(eager) = &mut self.0.upkeep.eager
        {
            eager.dies[die].owed += eager.moved;
            self.move_while(die, |eager| eager.owed > 0.0);
        }
        self.pad_leftover(die);
    }

    /// Where no superblock is emptied any more, the program unit of moved data is completed, as in time: what was emptied
    /// waits for it.
    fn pad_leftover(&mut self, die: usize) {
        let upkeep = &self.0.upkeep;
        if self.0.media.core.collections[die].mover.has_victim()
            || upkeep.trigger.foreground(&upkeep.trigger_view(&self.0.media, die))
        {
            return;
        }
        let core = &mut self.0.media.core;
        let program = core.store.layout.program_units;
        for stream in core.assembly.streams.of_moved() {
            let core = &mut self.0.media.core;
            let frontier = core.store.space.dies[die].frontiers[stream];
            let missing = frontier.next_unit.next_multiple_of(program) - frontier.next_unit;
            if frontier.superblock != NONE && missing > 0 && !core.assembly.streams.is_shared(stream) {
                core.store.stats.units_programmed[Origin::Padding as usize] += u64::from(missing);
                self.0.media.settle_stream(die, stream);
            }
        }
    }

    /// Empties the present superblock of a die while that is wanted.
    fn move_while(&mut self, die: usize, wants: impl Fn(&EagerDie) -> bool) {
        while self.0.media.core.collections[die].mover.has_victim()
            && self.0.upkeep.eager.as_ref().is_some_and(|eager| wants(&eager.dies[die]))
        {
            self.0.go_on_untimed(die);
        }
    }
}
