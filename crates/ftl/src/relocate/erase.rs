//! Superblocks that hold nothing any more.

use crate::Probe;
use crate::core::{Core, Erased};
use crate::media::Media;
use crate::store::SuperblockState;
use crate::wear::Observed;
use controller::{Class, Context, Kind, Origin, Transaction};
use units::{DieId, SuperblockId};

impl Core {
    pub fn submit_erase<P: Probe>(&mut self, die: usize, global: u32, origin: Origin, ctx: &mut Context<P>) {
        let superblock = global % self.store.space.per_die;
        let die = DieId(die as u32);
        let mut erase = Transaction::new(Kind::Erase, origin, Class::Erase, die, superblock, 0);
        erase.wear = self.store.controller.wear_row(|| self.store.array.worn(die.0, superblock));
        self.store.controller.submit(erase, ctx);
    }

    /// Reports to the wear levelling policy how long the erase of a superblock took, and how long a program of its
    /// first page takes, both at the wear before the erase (row `wear` of the chip's tables).
    pub fn observe_erase(&mut self, die: usize, superblock: u32, wear: u8) {
        let observed = Observed {
            superblock: SuperblockId(superblock),
            pe_cycles: self.store.space.pe_cycles[self.store.space.global(die, superblock)],
            erase: self.store.controller.t_bers(wear),
            program: self.store.controller.t_prog(0, wear, 0),
        };
        self.store.space.dies[die].wear.on_erase(&observed);
    }
}

impl Core {
    /// Submits the erase of a victim superblock (numbered over the drive) if all its valid units have been read;
    /// returns the origin (cause) of the erase, or none if it did not begin.
    pub fn erase_pending<P: Probe>(
        &mut self,
        die: usize,
        global: u32,
        ctx: &mut Context<P>,
    ) -> Option<Origin> {
        let customer = self.customer_of(global);
        let superblock = global % self.store.space.per_die;
        let origin = self.mover(die, customer).begin_erase(superblock)?;
        self.store.space.state[global as usize] = SuperblockState::Erasing;
        self.submit_erase(die, global, origin, ctx);
        Some(origin)
    }
}

impl Media {
    /// Submits the erases of the victim superblocks that have no valid unit left and from which no more units have to
    /// be read.
    #[inline]
    pub fn erase_emptied<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if !self.core.store.emptied.is_empty() {
            self.erase_all_emptied(ctx);
        }
    }

    fn erase_all_emptied<P: Probe>(&mut self, ctx: &mut Context<P>) {
        while let Some(global) = self.core.store.emptied.pop() {
            if !self.features.emptied(&mut self.core, global, ctx) {
                // What is not read to its end yet comes back when it is.
                let (die, _) = self.core.store.space.place_of(global);
                self.core.erase_pending(die, global, ctx);
            }
        }
    }

    /// Completes an erase: counts it, and replaces the superblock's failed blocks by spare blocks. Returns whether the
    /// superblock can be written again (whole) or no spare block was left for it (lost).
    pub fn erase(&mut self, die: usize, superblock: u32, origin: Origin) -> Erased {
        let global = self.core.store.space.global(die, superblock);
        assert_eq!(self.core.store.space.valid[global], 0, "superblock {global} was erased with valid data");
        self.core.store.forget_copies(global);
        let done = self.erase_cells(die, superblock);
        self.core.store.stats.blocks_erased[origin as usize] += u64::from(self.core.store.layout.planes);
        self.core.store.stats.erase_failures += u64::from(!done);
        self.core.store.space.dies[die].erases += 1;
        let failing = std::mem::take(&mut self.core.store.space.failing[global]);
        let is_good = done && !failing;
        if is_good || self.core.store.array.retire(die as u32, superblock) != nand::RetireOutcome::Lost {
            Erased::Whole
        } else {
            Erased::Lost
        }
    }

    /// Erases the cells of a superblock, in SLC mode or full mode as they were programmed; returns false if one of its
    /// blocks failed.
    #[inline]
    pub fn erase_cells(&mut self, die: usize, superblock: u32) -> bool {
        let global = self.core.store.space.global(die, superblock);
        self.features.erases(global);
        if self.core.store.space.holds_one_bit(global) {
            self.core.store.array.erase_slc(die as u32, superblock)
        } else {
            self.core.store.array.erase(die as u32, superblock)
        }
    }

    /// Puts a superblock that was erased and can be written again on the free list of its die, unless a feature of the
    /// drive keeps the superblock; `wear` is the row of the chip's wear tables for the superblock before the erase.
    /// Returns the superblock that the wear levelling policy chose for relocation, if any.
    pub fn free_erased(&mut self, die: usize, superblock: u32, wear: u8) -> Option<u32> {
        self.note_cycles(die, superblock);
        self.core.observe_erase(die, superblock, wear);
        if self.features.keeps_own(&mut self.core, die, superblock) {
            return None;
        }
        self.core.store.space.push_free(die, superblock);
        self.core.store.space.pick_relocation(die, superblock)
    }

    /// Counts one more program/erase cycle of a superblock after its erase, and informs the drive's features of the new
    /// number.
    pub fn note_cycles(&mut self, die: usize, superblock: u32) {
        let cycles = self.core.count_cycles(die, superblock);
        self.features.worn(self.core.store.space.global(die, superblock), cycles);
    }
}
