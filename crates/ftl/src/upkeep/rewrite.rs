//! Writing anew: units in idle time, so that later reads of them cost less.

use crate::events;
use crate::media::Media;
use crate::store::NONE;
use crate::upkeep::Upkeep;
use controller::{Class, Context, Origin, Probe, Transaction};
use engine::{Calendar, Event};
use units::{Lpn, Ppa};

impl Upkeep {
    /// A die has nothing to do: when that lasts, units that wait there are written anew.
    #[inline]
    pub(crate) fn arm_rewrite_timer(&mut self, media: &mut Media, die: usize, calendar: &mut Calendar) {
        let program = media.store.layout.program_units as usize;
        let Some(regulation) = &media.guards.regulation else { return };
        if regulation.rewrites_waiting(die) >= program {
            let event = Event { kind: events::REWRITE, index: die as u32 };
            media.movers[die].rewrite_timer.set(media.rules.rewrite_after, event, calendar);
        }
    }

    pub(crate) fn on_rewrite_timer<P: Probe>(
        &mut self,
        media: &mut Media,
        event: Event,
        ctx: &mut Context<P>,
    ) {
        let (die, since) = (event.index as usize, media.idle_since(event.index as usize));
        if media.movers[die].rewrite_timer.has_lasted(
            since,
            media.rules.rewrite_after,
            event,
            &mut ctx.calendar,
        ) {
            self.rewrite_some(media, die, ctx);
        }
    }

    /// Reads as many units as one program takes; only so many waiting are worth a program.
    pub(crate) fn rewrite_some<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if !self.can_rewrite(media, die) {
            return;
        }
        for _ in 0..media.store.layout.program_units {
            let Some(regulation) = &mut media.guards.regulation else { return };
            let Some(lpn) = regulation.next_rewrite(die) else { return };
            let home = media.store.map.lookup(lpn);
            let per_die = media.store.layout.superblocks_per_die;
            let here = home != Ppa::NONE && media.store.layout.superblock_of(home) / per_die == die as u32;
            if !here {
                regulation.drop_rewrite(lpn);
                continue;
            }
            let row = home.0 / media.store.layout.row_units;
            let mask = 1 << (home.0 % media.store.layout.row_units);
            media.submit_read(row, mask, Origin::Rewrite, Class::InternalRead, lpn.0, ctx);
        }
    }

    /// Writing anew makes garbage and frees nothing at once: it takes no space that a collection may need.
    pub(crate) fn can_rewrite(&self, media: &Media, die: usize) -> bool {
        let program = media.store.layout.program_units;
        let space = &media.store.space.dies[die];
        let left = space.frontiers[media.moving_stream()].left(&media.store.layout);
        let opens = u32::from(left < program);
        space.free.len() as u32 >= 2 + media.rules.spare + opens
            && media.has_room_for(die, program)
            && !self.trigger.foreground(&self.trigger_view(media, die))
            && media.guards.failed_die == NONE
    }

    /// A unit to be written anew was read: if it still lives there, it goes to the stream of moved data.
    pub(crate) fn on_rewrite_read<P: Probe>(
        &mut self,
        media: &mut Media,
        transaction: &Transaction,
        ctx: &mut Context<P>,
    ) {
        let die = transaction.die.index();
        let lpn = Lpn(transaction.owner);
        let home = Ppa(media.store.first_unit(transaction) + transaction.mask.trailing_zeros());
        let readable = !transaction.reading.uncorrectable;
        if readable && media.store.map.lookup(lpn) == home && self.can_rewrite(media, die) {
            media.move_unit(die, home, Origin::Rewrite, ctx);
        } else if let Some(regulation) = &mut media.guards.regulation {
            regulation.drop_rewrite(lpn);
        }
        media.pad_rewrites(die, ctx);
        media.update_eligible(die);
    }
}
