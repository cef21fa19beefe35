//! How a superblock is emptied, on behalf of any feature.

use crate::Probe;
use crate::core::Core;
use crate::media::Media;
use crate::store::Mover;
use controller::{Context, Origin};

/// Purpose for which a die relocates the units of superblocks: each purpose has its own mover (the state of its
/// relocations).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Customer {
    /// Purpose: garbage collection, and all work that uses it to relocate data (wear levelling, rescue, refresh, scrub,
    /// parity groups).
    Collection,
    /// Purpose: folding of superblocks in SLC mode, whose data move to superblocks that use all bits per cell.
    Folding,
}

impl Customer {
    /// Returns the purpose, collection or folding, to which relocations of origin `origin` belong.
    #[inline]
    pub fn of(origin: Origin) -> Self {
        if origin == Origin::Fold { Self::Folding } else { Self::Collection }
    }
}

impl Core {
    /// Returns the number of page rows of a victim of collection or folding; victims of folding are in SLC mode.
    #[inline(always)]
    pub fn rows_of(&self, customer: Customer) -> u32 {
        match customer {
            Customer::Collection => self.store.layout.rows,
            Customer::Folding => self.store.layout.slc_rows,
        }
    }

    /// Returns the purpose for which a superblock (numbered over the drive) would be relocated: folding if it is in SLC
    /// mode, else collection.
    pub fn customer_of(&self, superblock: u32) -> Customer {
        if self.store.space.holds_one_bit(superblock as usize) {
            Customer::Folding
        } else {
            Customer::Collection
        }
    }
}

impl Core {
    /// Returns the mover (state of relocations) of a die for collection or for folding.
    #[inline(always)]
    pub fn mover(&mut self, die: usize, customer: Customer) -> &mut Mover {
        match customer {
            Customer::Collection => &mut self.collections[die].mover,
            Customer::Folding => &mut self.folding[die].mover,
        }
    }

    /// Removes units of an erased superblock from the units that wait for a place: they are invalid, and must not be
    /// confused with units written there next.
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

    /// Marks the next `rows` page rows of the victim as finished.
    #[inline(always)]
    pub fn pass_rows(&mut self, die: usize, customer: Customer, rows: u32) {
        self.mover(die, customer).next_row += rows;
        if customer == Customer::Folding {
            let (units, program) = (rows * self.store.layout.row_units, self.store.layout.program_units);
            self.folding[die].pace.earn(f64::from(units), program);
        }
    }
}

impl Media {
    /// Ends the reads of a victim once all its valid units have been read: the victim is erased as soon as it holds no
    /// valid unit.
    pub fn end_victim<P: Probe>(&mut self, die: usize, customer: Customer, ctx: &mut Context<P>) {
        let victim = self.core.mover(die, customer).end_victim();
        let global = self.core.store.space.global(die, victim);
        if self.core.store.space.valid[global] == 0 {
            self.core.store.emptied.push(global as u32);
            self.erase_emptied(ctx);
        }
    }
}
