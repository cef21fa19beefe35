//! What the clock brings back on a map of pages: superblocks written anew, snapshots.

use crate::Probe;
use crate::host_side::Serves;
use crate::media::Media;
use crate::pages::PageMapped;
use crate::store::SuperblockState;
use crate::upkeep::{KeepsUp, Upkeep};
use controller::{Context, Origin};
use std::ops::Range;

impl KeepsUp for PageMapped {
    fn keeping(&mut self) -> (&mut Media, &mut Upkeep) {
        (&mut self.media, &mut self.upkeep)
    }

    fn is_stuck(&self) -> bool {
        self.is_stuck()
    }

    fn is_moving(&self, die: usize) -> bool {
        self.media.core.collections[die].keeps_data()
    }

    fn burden_of(&self, superblock: u32) -> (Range<usize>, u32) {
        let die = (superblock / self.media.core.store.space.per_die) as usize;
        let dies = self.media.features.dies_beside(die).unwrap_or(die..die + 1);
        (dies, self.media.core.store.space.valid[superblock as usize])
    }

    /// Does the timed actions of the drive's features that are due now, such as taking a snapshot, and schedules the
    /// time of the next action.
    fn on_moment<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let now = ctx.calendar.now();
        while self.media.features.moment(&mut self.media.core, now, &mut ctx.probe) {
            self.carry_out(ctx);
        }
        self.media.await_moment(&mut ctx.calendar);
    }

    /// Begins to move all valid units out of a superblock (refresh or scrub), which is closed first if it is open.
    /// Returns false while programs to the superblock are in flight, while garbage collection needs it open, or if it
    /// is being reclaimed already.
    fn write_superblock_anew<P: Probe>(
        &mut self,
        superblock: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let global = superblock as usize;
        let (die, within) = self.media.core.store.space.place_of(superblock);
        if self.media.core.rules.in_step {
            let asked = self.media.features.asks_anew(&self.media.core, superblock, origin);
            self.upkeep.collect(&mut self.media, die, ctx);
            self.pump(ctx);
            return asked;
        }
        if self.media.core.store.space.state[global] == SuperblockState::Open {
            if !self.media.core.can_close(die, within) {
                return false;
            }
            self.media.end_superblock(die, within, ctx);
            if self.media.core.store.space.in_flight[global] == 0 {
                self.media.core.store.space.close(die, within);
            }
            self.media.update_eligible(die);
        }
        if self.media.core.store.space.state[global] != SuperblockState::Closed
            || self.media.core.store.space.in_flight[global] > 0
        {
            return false;
        }
        self.media.core.collections[die].force(within, origin);
        self.upkeep.collect(&mut self.media, die, ctx);
        self.pump(ctx);
        true
    }
}
