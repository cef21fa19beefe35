//! The buffer as a cache: what the translation layer does with it beside writing it out.

use crate::pages::PageMapped;
use controller::{Probe, Transaction};
use engine::Calendar;
use units::{Lpn, SimTime};

impl PageMapped {
    /// New data for a unit of which the buffer has a version that is not under way to the flash: true when they
    /// took its place.
    pub(crate) fn overwrite_buffered(&mut self, slot: u32, request: u32) -> bool {
        let taken = self.media.buffer.take_over(slot, request, &mut self.media.store.stats);
        if taken {
            self.relieve_buffer();
        }
        taken
    }

    /// Lets units leave when the buffer keeps more than it may.
    #[inline]
    pub(crate) fn relieve_buffer(&mut self) {
        self.media.buffer.relieve(&mut self.media.store.stats);
    }

    /// Keeps what the host read from flash, where it is still the newest and there is room for it.
    pub(crate) fn keep_read<P: Probe>(&mut self, transaction: &Transaction, probe: &mut P) {
        if !self.media.buffer.is_cache() || transaction.superblock == Transaction::NOWHERE {
            return;
        }
        for ppa in self.media.store.units_of(transaction) {
            let lpn = self.media.store.map.holder(ppa);
            let current = lpn != Lpn::NONE
                && self.media.store.map.lookup(lpn) == ppa
                && self.media.buffer.find(lpn).is_none();
            if current && self.media.buffer.keeps_clean(lpn) && self.has_room() {
                let slot = self.media.buffer.insert_clean(lpn);
                probe.on_kept(lpn, slot, ppa);
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
        self.media.store.stats.risk_unit_ns += self.host.risk.until(now, self.media.buffer.at_risk());
    }

    /// Mapping units that the buffer holds at most.
    pub fn buffer_units(&self) -> u32 {
        self.media.buffer.slots()
    }

    /// The most units that were at risk at once since the run began.
    pub fn risk_most(&self) -> u32 {
        self.host.risk.most
    }

    /// Sends all that the buffer holds to the flash: the run is over, or a flush asks for it.
    pub fn send_out<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        self.media.buffer.send_out_held();
        self.pump(calendar, probe);
    }
}
