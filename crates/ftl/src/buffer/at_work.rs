//! The buffer as a cache: what the translation layer does with it beside writing it out.

use crate::PageMapped;
use controller::{Probe, Transaction};
use engine::Calendar;
use units::{Lpn, Ppa, SimTime};

impl PageMapped {
    /// New data for a unit of which the buffer has a version that is not under way to the flash: true when they
    /// took its place.
    pub(crate) fn overwrite_buffered(&mut self, slot: u32, request: u32) -> bool {
        let taken = self.buffer.take_over(slot, request, &mut self.stats);
        if taken {
            self.relieve_buffer();
        }
        taken
    }

    /// Lets units leave when the buffer keeps more than it may.
    #[inline]
    pub(crate) fn relieve_buffer(&mut self) {
        self.buffer.relieve(&mut self.stats);
    }

    /// Keeps what the host read from flash, where it is still the newest and there is room for it.
    pub(crate) fn keep_read(&mut self, transaction: &Transaction) {
        if !self.buffer.is_cache() || transaction.superblock == Transaction::NOWHERE {
            return;
        }
        let global = self.space.global(transaction.die.index(), transaction.superblock);
        let start = self.layout.first_ppa(global as u32) + transaction.row * self.layout.row_units;
        let mut mask = transaction.mask;
        while mask != 0 {
            let ppa = Ppa(start + mask.trailing_zeros());
            mask &= mask - 1;
            let lpn = self.map.holder(ppa);
            let current = lpn != Lpn::NONE && self.map.lookup(lpn) == ppa && self.buffer.find(lpn).is_none();
            if current && self.buffer.keeps_clean(lpn) && self.has_room() {
                self.buffer.insert_clean(lpn);
                self.relieve_buffer();
            }
        }
    }

    /// Counts what would have been lost if the power had failed, for the time until now. Called before it changes.
    #[inline]
    pub fn account_risk(&mut self, now: SimTime) {
        if self.is_protected() {
            return; // Capacitors: nothing is at risk.
        }
        self.stats.risk_unit_ns += self.risk.until(now, self.buffer.at_risk());
    }

    /// Mapping units that the buffer holds at most.
    pub fn buffer_units(&self) -> u32 {
        self.buffer.slots()
    }

    /// The most units that were at risk at once since the run began.
    pub fn risk_most(&self) -> u32 {
        self.risk.most
    }

    /// Sends all that the buffer holds to the flash: the run is over, or a flush asks for it.
    pub fn send_out<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        self.buffer.send_out_held();
        self.pump(calendar, probe);
    }
}
