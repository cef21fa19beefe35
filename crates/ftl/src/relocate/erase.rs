//! Superblocks that hold nothing any more.

use crate::media::Media;
use crate::store::SuperblockState;
use crate::wear::Observed;
use controller::{Class, Context, Kind, Origin, Probe, Transaction};
use units::{DieId, SuperblockId};

impl Media {
    /// Erases the victims that hold nothing any more and are read completely.
    #[inline]
    pub(crate) fn erase_emptied<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if !self.store.emptied.is_empty() {
            self.erase_all_emptied(ctx);
        }
    }

    fn erase_all_emptied<P: Probe>(&mut self, ctx: &mut Context<P>) {
        while let Some(global) = self.store.emptied.pop() {
            let (die, superblock) =
                ((global / self.store.space.per_die) as usize, global % self.store.space.per_die);
            if self.guards.parity.is_some() && !self.holds_one_bit(global as usize) {
                if self.movers[die].is_pending(superblock) {
                    self.on_member_emptied(global, ctx);
                }
                continue;
            }
            let origin = match self.movers[die].begin_erase(superblock) {
                Some(origin) => origin,
                None if self.take_emptied_slc(die, superblock) => Origin::Fold,
                None => continue, // Not read to its end yet; the collection will come back to it.
            };
            self.store.space.state[global as usize] = SuperblockState::Erasing;
            let die = DieId(die as u32);
            let mut erase = Transaction::new(Kind::Erase, origin, Class::Erase, die, superblock, 0);
            erase.wear = self.store.controller.wear_row(|| self.store.array.worn(die.0, superblock));
            self.store.controller.submit(erase, ctx);
        }
    }

    /// The superblock is read completely and empty: it may be erased.
    pub(crate) fn take_emptied_slc(&mut self, die: usize, superblock: u32) -> bool {
        let Some(cache) = &mut self.guards.slc_cache else { return false };
        let pending = &mut cache.dies[die].pending;
        match pending.iter().position(|&waiting| waiting == superblock) {
            Some(at) => {
                pending.swap_remove(at);
                cache.dies[die].erasing += 1;
                true
            }
            None => false,
        }
    }

    /// Tells wear levelling how long the erase of a superblock took, and the programs before it.
    pub(crate) fn observe_erase(&mut self, die: usize, superblock: u32, wear: u8) {
        let observed = Observed {
            superblock: SuperblockId(superblock),
            pe_cycles: self.store.space.pe_cycles[self.store.space.global(die, superblock)],
            erase: self.store.controller.t_bers(wear),
            program: self.store.controller.t_prog(0, wear, 0),
        };
        self.store.space.dies[die].wear.on_erase(&observed);
    }
}
