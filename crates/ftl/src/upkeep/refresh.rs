//! Data written anew before they are lost, superblock by superblock: because of their age, or of what a patrol found.

use crate::agenda::Work;
use crate::media::Media;
use crate::upkeep::Upkeep;
use controller::Origin;
use engine::Calendar;
use units::Nanos;

/// A superblock that cannot be moved yet is looked at again after that: its last programs are under way, or a
/// collection fills it.
const SOON: Nanos = Nanos::new(1_000_000);

impl Upkeep {
    /// What the drive holds when time begins must be written anew some day, too.
    pub(crate) fn begin_refresh(&mut self, media: &mut Media, calendar: &mut Calendar) {
        for superblock in 0..media.store.layout.superblocks() {
            let Some(regulation) = &mut media.guards.regulation else { return };
            if media.store.space.valid[superblock] > 0
                && let Some(due) = regulation.due_from_start(superblock)
            {
                media.enter_upkeep(due, Work::Refresh(superblock as u32), calendar);
            }
        }
    }

    /// A superblock may hold data whose time is over: it moves, and what is written anew takes the cost that the
    /// regulator chooses for it.
    pub(crate) fn on_refresh_due(&mut self, media: &mut Media, superblock: u32, calendar: &mut Calendar) {
        let Some(regulation) = &media.guards.regulation else { return };
        // Erased, and perhaps opened again: then an entry of its own is to come.
        let Some(since) = regulation.due_since(superblock as usize, calendar.now()) else { return };
        media.ask_upkeep(superblock, since, Origin::Refresh, calendar);
    }

    /// A superblock that is due could not be moved.
    pub(crate) fn look_again(&mut self, media: &mut Media, superblock: u32, calendar: &mut Calendar) {
        if media.is_written_anew(superblock) {
            let soon = calendar.now() + media.rules.rewrite_after.max(SOON);
            media.enter_upkeep(soon, Work::Refresh(superblock), calendar);
        }
    }

    /// True when collections do without the rest of an open superblock: they count on what is left of the one they fill.
    pub(crate) fn can_close(&self, media: &Media, die: usize, superblock: u32) -> bool {
        let filled = media.store.space.dies[die].frontiers[media.moving_stream()].superblock == superblock;
        let in_hand = media.movers[die].reserved_units(&media.store.space, die);
        !filled || (in_hand == 0 && media.store.space.dies[die].free.len() as u32 > media.rules.spare)
    }
}
