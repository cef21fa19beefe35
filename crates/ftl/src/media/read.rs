//! How a page row is read, for the host, collection and features alike.

use crate::Probe;
use crate::lapse::Lapse;
use crate::media::Media;
use controller::{Class, Context, Origin, Transaction, TransactionId};
use engine::Calendar;
use units::{Lpn, Ppa};

impl Media {
    /// Submits a flash read of some units of one page row (numbered over the drive).
    #[allow(clippy::too_many_arguments)]
    #[inline]
    pub fn submit_read<P: Probe>(
        &mut self,
        row: u32,
        mask: u64,
        origin: Origin,
        class: Class,
        owner: u32,
        ctx: &mut Context<P>,
    ) -> TransactionId {
        let global = row / self.core.store.layout.rows;
        let die = global / self.core.store.layout.superblocks_per_die;
        let mut transaction = self.core.read_of(row, mask, origin, class, owner);
        if self.core.store.space.holds_one_bit(global as usize) {
            transaction.slc = true;
            let units = if origin == Origin::Host { mask.count_ones() } else { 0 };
            self.core.store.stats.slc_units_read += u64::from(units);
        }
        transaction.bytes = std::mem::take(&mut self.core.read_bytes);
        self.features.plans_read(&mut self.core, &mut transaction, row, &mut ctx.calendar);
        let dead = self.core.store.dead.has(die as usize) && !self.core.rules.lapses.has(Lapse::ReadsDeadDie);
        transaction.reading.uncorrectable |=
            die == self.core.store.dead.from_start || dead || self.features.is_torn(global, transaction.row);
        if transaction.reading.uncorrectable && origin != Origin::ReadAhead {
            self.features.pinned(global);
        }
        self.core.store.controller.submit(transaction, ctx)
    }

    /// Counts a host read that uses the array read (sense) of another read in flight, and so is not submitted to the
    /// flash as an operation of its own.
    pub fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar) {
        if rider.slc {
            self.core.store.stats.slc_units_read += u64::from(rider.mask.count_ones());
        }
        self.features.rides(rider.die.index(), calendar.now());
    }

    /// Returns the physical address from which a unit can be read ahead of the host; none unless the unit is on flash,
    /// readable, not in the write buffer, and has its map entry in RAM.
    pub fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let at_hand = self.features.has_entry(lpn);
        let ppa = self.core.store.map.lookup(lpn);
        let is_lost = || self.core.lost.is_lost(lpn);
        (at_hand && ppa != Ppa::NONE && self.core.buffer.find(lpn).is_none() && !is_lost()).then_some(ppa)
    }
}
