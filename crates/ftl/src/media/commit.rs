//! What became of a unit's place: it turned invalid, the map changed, a superblock was closed.

use crate::Probe;
use crate::core::{Ask, Overtaken};
use crate::media::Media;
use crate::store::SuperblockState;
use crate::store::spare::NOTHING;
use controller::{Context, Origin};
use units::{Lpn, Ppa};

impl Media {
    /// Makes `ppa` invalid, because the host's newest version replaced the data there.
    #[inline]
    pub fn invalidate_host(&mut self, ppa: Ppa) {
        let superblock = self.core.invalidate(ppa);
        if self.core.store.space.state[superblock as usize] == SuperblockState::Victim {
            self.core.store.space.overtaken[superblock as usize] = true;
        }
        self.lower_live((superblock / self.core.store.space.per_die) as usize);
    }

    #[inline]
    pub fn lower_live(&mut self, die: usize) {
        self.core.store.space.dies[die].live -= 1;
        if self.core.assembly.quota_blocked[die / 64] >> (die % 64) & 1 == 1 {
            self.update_eligible(die);
        }
    }

    /// True for a version that was programmed although a newer one is in the buffer: a request may have been told that
    /// it is durable, and a power failure now would lose the newer one.
    #[inline]
    pub fn must_outlast_cut(&self, lpn: Lpn, slot: u32) -> bool {
        self.core.store.spare.is_some()
            && self.core.buffer.find(lpn).is_some()
            && self.stamp_of_slot(slot) > self.core.stamp_at_home(lpn)
    }

    /// Returns the number of what a slot holds; none of what was trimmed since, but for snapshots.
    pub fn stamp_of_slot(&self, slot: u32) -> u64 {
        let Some(numbers) = &self.core.store.spare else { return NOTHING };
        let stamp = numbers.of_slot(slot);
        let is_void =
            numbers.is_trimmed(self.core.buffer.slot(slot).lpn, stamp) && !self.features.holds_slot(slot);
        if is_void { NOTHING } else { stamp }
    }

    /// Returns what becomes of the present version of a unit that is about to be overwritten or trimmed.
    #[inline]
    pub fn overtake<P: Probe>(&mut self, lpn: Lpn, ctx: &mut Context<P>) -> Overtaken {
        loop {
            let overtaken = self.features.overtakes(&mut self.core, lpn, ctx.calendar.now());
            if overtaken != Overtaken::Again {
                return overtaken;
            }
            self.do_asked(ctx);
        }
    }

    /// Leaves `old`, which is no longer the home of the newest version: it becomes invalid unless a feature
    /// needs it.
    #[inline]
    pub fn leave(&mut self, old: Ppa) {
        if !self.features.names(old) {
            self.invalidate_host(old);
        }
    }

    /// Releases a former version, at this place, that has no use any more.
    pub fn release<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        if self.core.outlasts_cut(lpn, ppa) {
            self.keep_overtaken(lpn, ppa, probe);
        } else if self.core.store.map.lookup(lpn) != ppa {
            self.invalidate_host(ppa);
        }
    }

    /// Carries out the actions that features asked for, as far as they are done here.
    #[inline]
    pub fn do_asked<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if !self.core.asks.is_empty() {
            self.do_all_asked(ctx);
        }
    }

    #[cold]
    fn do_all_asked<P: Probe>(&mut self, ctx: &mut Context<P>) {
        for ask in self.core.take_asks() {
            self.do_one(ask, ctx);
        }
    }

    /// Carries out one action that a feature asked for.
    ///
    /// # Panics
    /// When it is for the layer to do.
    pub fn do_one<P: Probe>(&mut self, ask: Ask, ctx: &mut Context<P>) {
        match ask {
            Ask::Release(lpn, ppa) => self.release(lpn, ppa, &mut ctx.probe),
            Ask::PutBack(since) => self.features.put_back(&mut self.core, since, ctx.calendar.now()),
            Ask::Program { origin, die, superblock, row } => {
                self.program_own(origin, (die, superblock, row), ctx);
            }
            Ask::Reread { origin, row, mask, class, owner } => {
                self.submit_read(row, mask, origin, class, owner, ctx);
            }
            Ask::EraseEmptied => self.erase_emptied(ctx),
            Ask::FlushMap => {
                if let Some(units) = self.features.flushes_map() {
                    self.features.map_flushed(&mut self.core, &units, ctx.calendar.now());
                }
            }
            Ask::Tell(event) => ctx.probe.on_version(event),
            other => unreachable!("{other:?} is for the layer to do"),
        }
    }

    /// Makes the place of such a version the home of its unit, until the newer one is on flash.
    #[cold]
    pub fn commit_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        self.core.store.space.valid[self.core.store.layout.superblock_of(ppa) as usize] += 1;
        self.keep_overtaken(lpn, ppa, probe);
    }

    /// The same of a place that is valid already.
    pub fn keep_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        let old = self.core.store.map.lookup(lpn);
        self.features.changes(lpn);
        self.core.store.map.set(lpn, ppa);
        probe.on_overtaken(lpn, ppa, old);
        if old != Ppa::NONE {
            self.leave(old);
        }
    }

    /// Settles a closed superblock whose programs have all ended: sets the state that it has from now on.
    #[inline(always)]
    pub fn settle_superblock(&mut self, die: usize, superblock: u32) {
        let global = self.core.store.space.global(die, superblock);
        if self.core.store.space.holds_one_bit(global) {
            self.features.closes_one_bit(&mut self.core, die, superblock);
        } else if self.core.store.space.failing[global] {
            self.core.collections[die].force(superblock, Origin::Rescue);
        } else {
            self.core.store.space.close(die, superblock);
        }
    }
}
