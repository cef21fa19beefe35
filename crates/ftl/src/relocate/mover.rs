//! How a superblock is emptied, on behalf of any feature.

use crate::Probe;
use crate::core::Core;
use crate::media::Media;
use crate::store::Mover;
use controller::{Context, Origin};

/// The purpose for which a die empties superblocks: each purpose has a mover of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Customer {
    /// Garbage collection, and all work that uses it to move data: wear levelling, rescue, refresh, scrub, parity
    /// groups.
    Collection,
    /// Folding of what has one bit a cell.
    Folding,
}

impl Customer {
    /// Returns who has units of such an origin moved.
    #[inline]
    pub fn of(origin: Origin) -> Self {
        if origin == Origin::Fold { Self::Folding } else { Self::Collection }
    }
}

impl Core {
    /// Returns the number of page rows of the victims of a customer.
    #[inline(always)]
    pub fn rows_of(&self, customer: Customer) -> u32 {
        match customer {
            Customer::Collection => self.store.layout.rows,
            Customer::Folding => self.store.layout.slc_rows,
        }
    }

    /// Returns who has a superblock emptied, numbered over the drive.
    pub fn customer_of(&self, superblock: u32) -> Customer {
        if self.store.space.holds_one_bit(superblock as usize) {
            Customer::Folding
        } else {
            Customer::Collection
        }
    }
}

impl Core {
    /// Returns who empties a die's superblocks for a customer.
    #[inline(always)]
    pub fn mover(&mut self, die: usize, customer: Customer) -> &mut Mover {
        match customer {
            Customer::Collection => &mut self.collections[die].mover,
            Customer::Folding => &mut self.folding[die].mover,
        }
    }

    /// Forgets units that wait, after a superblock was erased: units read from it that still waited for a
    /// place, and are invalid, must not be confused with units written there next.
    #[inline]
    pub fn forget_waiting(&mut self, die: usize, superblock: u32) {
        let units = self.store.layout.superblock_units;
        self.collections[die].mover.forget(superblock, units);
        if let Some(folding) = self.folding.get_mut(die) {
            folding.mover.forget(superblock, units);
        }
    }

    /// Returns the next page row of the victim (numbered over the drive) with valid units, and which units
    /// these are. Earlier rows are finished.
    #[inline(always)]
    pub fn next_row(&mut self, die: usize, customer: Customer) -> Option<(u32, u64)> {
        let &mut Mover { victim, next_row, .. } = self.mover(die, customer);
        let first = self.store.space.global(die, victim) as u32 * self.store.layout.rows;
        let rows = first + next_row..first + self.rows_of(customer);
        let found = self.store.first_row(rows.clone());
        self.pass_rows(die, customer, found.map_or(rows.end, |(row, _)| row) - rows.start);
        found
    }

    /// Passes over `rows` page rows of the victim, which are finished.
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
    /// Ends a victim of which all was read: it is erased as soon as it holds no valid unit.
    pub fn end_victim<P: Probe>(&mut self, die: usize, customer: Customer, ctx: &mut Context<P>) {
        let victim = self.core.mover(die, customer).end_victim();
        let global = self.core.store.space.global(die, victim);
        if self.core.store.space.valid[global] == 0 {
            self.core.store.emptied.push(global as u32);
            self.erase_emptied(ctx);
        }
    }
}
