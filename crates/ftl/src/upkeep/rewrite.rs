//! Writing anew: units in idle time, so that later reads of them cost less.

use crate::Probe;
use crate::media::Media;
use crate::upkeep::Upkeep;
use controller::{Class, Context, Origin, Transaction};
use units::{Lpn, Ppa};

impl Upkeep {
    /// Submits, on an idle die, reads of up to one program's worth of the units that a write cost regulator has queued
    /// to be programmed again so that later reads of them take less time. The idle timer for this starts only when
    /// enough units for a whole program are queued.
    pub fn rewrite_some<P: Probe>(&mut self, media: &mut Media, die: usize, ctx: &mut Context<P>) {
        if !self.can_rewrite(media, die) {
            return;
        }
        for _ in 0..media.core.store.layout.program_units {
            let Some(lpn) = media.features.next_anew(die) else { return };
            let home = media.core.store.map.lookup(lpn);
            let per_die = media.core.store.layout.superblocks_per_die;
            let here =
                home != Ppa::NONE && media.core.store.layout.superblock_of(home) / per_die == die as u32;
            if !here {
                media.features.drops_anew(lpn);
                continue;
            }
            let (row, bit) = media.core.store.layout.row_of(home);
            media.submit_read(row, bit, Origin::Rewrite, Class::InternalRead, lpn.0, ctx);
        }
    }

    /// Returns true when units of a die may be programmed again so that later reads of them take less time (rewriting).
    /// This makes garbage and frees nothing immediately, so it must not take space that garbage collection may need.
    pub fn can_rewrite(&self, media: &Media, die: usize) -> bool {
        let program = media.core.store.layout.program_units;
        let space = &media.core.store.space.dies[die];
        let opens = u32::from(media.core.assembly.streams.moving_left(&media.core.store, die) < program);
        space.free.len() as u32 >= 2 + media.core.rules.spare + opens
            && media.core.has_room_for(die, program)
            && !self.trigger.foreground(&self.trigger_view(media, die))
            && !media.features.reads_map()
            && !media.core.rests(die)
    }

    /// Handles the completed read of a unit that is to be programmed again so that later reads take less time: queues
    /// it for programming with other moved data if it was readable, its place on flash has not changed and the die has
    /// space, else drops it from the list.
    pub fn on_rewrite_read<P: Probe>(&mut self, media: &mut Media, read: &Transaction, ctx: &mut Context<P>) {
        let die = read.die.index();
        let lpn = Lpn(read.owner);
        let home = Ppa(media.core.store.first_unit(read) + u64::from(read.mask.trailing_zeros()));
        let readable = !read.reading.uncorrectable;
        if readable && media.core.store.map.lookup(lpn) == home && self.can_rewrite(media, die) {
            media.move_unit(die, home, Origin::Rewrite, ctx);
        } else {
            media.features.drops_anew(lpn);
        }
        media.pad_rewrites(die, ctx);
        media.update_eligible(die);
    }
}
