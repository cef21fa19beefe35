//! What became of a unit's place: it turned invalid, the map changed, a superblock was closed.

use crate::Probe;
use crate::core::{Ask, Overtaken};
use crate::media::Media;
use crate::store::SuperblockState;
use crate::store::spare::NOTHING;
use controller::{Context, Origin};
use units::{Lpn, Ppa};

impl Media {
    /// Marks the unit at `ppa` as invalid because a newer version from the host, a trim or a rollback replaced it.
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

    /// Returns true, on a drive whose power may be cut, if the version of `lpn` in write buffer slot `slot`, which has
    /// just been programmed although a newer version is in the buffer, is newer than the version on flash: a power cut
    /// would lose the version in the buffer, so that the programmed version must stay valid.
    #[inline]
    pub fn must_outlast_cut(&self, lpn: Lpn, slot: u32) -> bool {
        self.core.store.spare.is_some()
            && self.core.buffer.find(lpn).is_some()
            && self.stamp_of_slot(slot) > self.core.stamp_at_home(lpn)
    }

    /// Returns the stamp (number of the host's write, which a program also stores in the unit's spare area) of the data
    /// in write buffer slot `slot`; `NOTHING` if the data were trimmed since, unless a snapshot needs them, and on a
    /// drive whose power is never cut.
    pub fn stamp_of_slot(&self, slot: u32) -> u64 {
        let Some(numbers) = &self.core.store.spare else { return NOTHING };
        let stamp = numbers.of_slot(slot);
        let is_void =
            numbers.is_trimmed(self.core.buffer.slot(slot).lpn, stamp) && !self.features.holds_slot(slot);
        if is_void { NOTHING } else { stamp }
    }

    /// Asks the features how the present version of a unit that is about to be overwritten or trimmed must be treated
    /// (free to go, retained in the buffer, not to be replaced), and returns the answer.
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

    /// Marks the data at physical address `old`, which no longer are the newest version of their unit, as invalid,
    /// unless a feature (such as a snapshot) needs the data.
    #[inline]
    pub fn leave(&mut self, old: Ppa) {
        if !self.features.names(old) {
            self.invalidate_host(old);
        }
    }

    /// Releases a former version of unit `lpn` at `ppa` that no feature needs any more: the version becomes invalid,
    /// unless the map points to it or it must outlast a power cut.
    pub fn release<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        if self.core.outlasts_cut(lpn, ppa) {
            self.keep_overtaken(lpn, ppa, probe);
        } else if self.core.store.map.lookup(lpn) != ppa {
            self.invalidate_host(ppa);
        }
    }

    /// Carries out the queued actions of the drive's features; panics at an action that only the translation layer can
    /// carry out.
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
    /// When the action is one that the translation layer must carry out.
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
                if let Some(units) = self.features.flushes_map(&self.core) {
                    self.features.map_flushed(&mut self.core, &units, ctx.calendar.now());
                }
            }
            Ask::Tell(event) => ctx.probe.on_version(event),
            other => unreachable!("{other:?} is for the layer to do"),
        }
    }

    /// Marks the unit at `ppa`, a version of `lpn` that was programmed after the host had written a newer version to
    /// the write buffer, as valid, and sets the map entry of `lpn` to `ppa` until the newer version is on flash.
    #[cold]
    pub fn commit_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        self.core.store.space.valid[self.core.store.layout.superblock_of(ppa) as usize] += 1;
        self.keep_overtaken(lpn, ppa, probe);
    }

    /// Sets the map entry of `lpn` to `ppa`, a unit on flash that is already marked as valid, until the newer version
    /// of `lpn`, which is in the write buffer, is on flash. The version mapped before becomes invalid.
    pub fn keep_overtaken<P: Probe>(&mut self, lpn: Lpn, ppa: Ppa, probe: &mut P) {
        let old = self.core.store.map.lookup(lpn);
        self.features.changes(lpn);
        self.core.store.map.set(lpn, ppa);
        probe.on_overtaken(lpn, ppa, old);
        if old != Ppa::NONE {
            self.leave(old);
        }
    }

    /// Sets the state of a full superblock of which all programs have ended: closed (a candidate for garbage
    /// collection), queued for the relocation of its data after a program failure (rescue), or part of the SLC cache.
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
