//! How a superblock is emptied, on behalf of any feature.

use crate::Probe;
use crate::core::Core;
use crate::media::Media;
use crate::store::{CREDIT_PROGRAMS, Mover};
use controller::{Context, Origin};

/// Kind of purpose for which a die relocates the units of victim superblocks: garbage collection, or folding of the SLC
/// cache. The die has a separate state of its relocations (mover) for each purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Customer {
    /// Case: purpose of the relocation of a victim superblock's units: garbage collection, and all other work that
    /// relocates data in the same way (wear levelling, data of failed programs, refresh, scrub, parity groups).
    Collection,
    /// Case: the purpose is folding, which relocates data from superblocks in SLC mode to superblocks that use all bits
    /// per cell.
    Folding,
}

impl Customer {
    /// Returns the purpose, garbage collection or folding (relocation out of the SLC cache), to which relocations of
    /// origin `origin` belong.
    #[inline]
    pub fn of(origin: Origin) -> Self {
        if origin == Origin::Fold { Self::Folding } else { Self::Collection }
    }
}

impl Core {
    /// Returns the number of page rows of a victim superblock of garbage collection or of folding (relocation out of
    /// the SLC cache); victims of folding are in SLC mode.
    #[inline(always)]
    pub fn rows_of(&self, customer: Customer) -> u32 {
        match customer {
            Customer::Collection => self.store.layout.rows,
            Customer::Folding => self.store.layout.slc_rows,
        }
    }

    /// Returns the purpose for which a superblock (numbered over the drive) would be relocated: folding (relocation out
    /// of the SLC cache) if it is in SLC mode, else garbage collection.
    pub fn customer_of(&self, superblock: u32) -> Customer {
        if self.store.space.holds_one_bit(superblock as usize) {
            Customer::Folding
        } else {
            Customer::Collection
        }
    }
}

impl Core {
    /// Returns the state of the relocations of a die for garbage collection, or for folding (relocation out of the SLC
    /// cache).
    #[inline(always)]
    pub fn mover(&mut self, die: usize, customer: Customer) -> &mut Mover {
        match customer {
            Customer::Collection => &mut self.collections[die].mover,
            Customer::Folding => &mut self.folding[die].mover,
        }
    }

    /// Removes the units of an erased superblock from the list of units that wait for free space to be relocated to:
    /// they are invalid, and must not be confused with units that are written to the superblock later.
    #[inline]
    pub fn forget_waiting(&mut self, die: usize, superblock: u32) {
        let units = self.store.layout.superblock_units;
        self.collections[die].mover.forget(superblock, units);
        if let Some(folding) = self.folding.get_mut(die) {
            folding.mover.forget(superblock, units);
        }
    }

    /// Returns the victim's next page row (numbered over the drive) with valid units, and the bit mask of these units;
    /// marks the rows before it as finished.
    #[inline(always)]
    pub fn next_row(&mut self, die: usize, customer: Customer) -> Option<(u32, u64)> {
        let &mut Mover { victim, next_row, .. } = self.mover(die, customer);
        let first = self.store.space.global(die, victim) as u32 * self.store.layout.rows;
        let rows = first + next_row..first + self.rows_of(customer);
        let found = self.store.first_row(rows.clone());
        self.pass_rows(die, customer, found.map_or(rows.end, |(row, _)| row) - rows.start);
        found
    }

    /// Marks the next `rows` page rows of the victim superblock as finished; in folding (relocation out of the SLC
    /// cache), this also raises the number of units that the host may write.
    #[inline(always)]
    pub fn pass_rows(&mut self, die: usize, customer: Customer, rows: u32) {
        self.mover(die, customer).next_row += rows;
        if customer == Customer::Folding {
            let (units, program) = (rows * self.store.layout.row_units, self.store.layout.program_units);
            self.folding[die].pace.earn(f64::from(units), f64::from(CREDIT_PROGRAMS * program));
        }
    }
}

impl Media {
    /// Ends the reading of a victim superblock, for all valid units of which reads were submitted; the victim is erased
    /// as soon as it has no valid unit left.
    pub fn end_victim<P: Probe>(&mut self, die: usize, customer: Customer, ctx: &mut Context<P>) {
        let victim = self.core.mover(die, customer).end_victim();
        let global = self.core.store.space.global(die, victim);
        if self.core.store.space.valid[global] == 0 {
            self.core.store.emptied.push(global as u32);
            self.erase_emptied(ctx);
        }
    }
}
