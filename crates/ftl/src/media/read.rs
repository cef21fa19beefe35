//! How a page row is read, for the host, collection and features alike.

use crate::Probe;
use crate::lapse::Lapse;
use crate::media::Media;
use controller::{Class, Context, Origin, Transaction, TransactionId};
use engine::Calendar;
use units::{Lpn, Ppa};

impl Media {
    /// Submits the read of some units of one page row (numbered over the drive).
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
        if let Some(regulation) = &mut self.guards.regulation {
            if origin == Origin::Host {
                regulation.note_host_operation(die as usize, ctx.calendar.now());
            }
            transaction.reading = match transaction.slc {
                true => regulation.plan_one_bit_read(origin),
                false => regulation.plan_read(row, origin, ctx.calendar.now()),
            };
            if let Some(superblock) = regulation.take_worn_by_reads() {
                self.ask_upkeep(superblock, ctx.calendar.now(), Origin::Refresh, &mut ctx.calendar);
            }
        }
        let dead = self.core.store.dead.has(die as usize) && !self.core.rules.lapses.has(Lapse::ReadsDeadDie);
        transaction.reading.uncorrectable |=
            die == self.core.store.dead.from_start || dead || self.features.is_torn(global, transaction.row);
        if transaction.reading.uncorrectable && origin != Origin::ReadAhead {
            self.features.pinned(global);
        }
        self.core.store.controller.submit(transaction, ctx)
    }

    /// Tells the regulator, if there is one, that the host reads a unit that lives at `ppa`.
    #[inline]
    pub fn note_regulated_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.guards.regulation.is_some() {
            self.tell_regulator_of_read(lpn, ppa);
        }
    }

    #[cold]
    fn tell_regulator_of_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if self.core.store.space.holds_one_bit(self.core.store.layout.superblock_of(ppa) as usize) {
            return;
        }
        let Some(regulation) = &mut self.guards.regulation else { return };
        let row = self.core.store.layout.row_number(ppa);
        let die = row / self.core.store.layout.rows / self.core.store.layout.superblocks_per_die;
        regulation.on_host_read(lpn, row, die as usize);
    }

    /// A read of the host's rides on another, without being submitted for itself.
    pub fn note_ride(&mut self, rider: &Transaction, calendar: &Calendar) {
        if rider.slc {
            self.core.store.stats.slc_units_read += u64::from(rider.mask.count_ones());
        }
        if let Some(regulation) = &mut self.guards.regulation {
            regulation.note_host_operation(rider.die.index(), calendar.now());
        }
    }

    /// Where a unit can be fetched from ahead of time: on flash, readable, in no buffer, its map entry at hand.
    pub fn home_ahead(&self, lpn: Lpn) -> Option<Ppa> {
        let at_hand = self.guards.demand.as_ref().is_none_or(|demand| demand.knows(lpn));
        let ppa = self.core.store.map.lookup(lpn);
        let is_lost = || self.core.lost.is_lost(lpn);
        (at_hand && ppa != Ppa::NONE && self.core.buffer.find(lpn).is_none() && !is_lost()).then_some(ppa)
    }
}
