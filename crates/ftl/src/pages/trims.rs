//! Records of trims on their way to the flash: a flush is over when they are there.

use crate::Probe;
use crate::buffer::SlotState;
use crate::guards::trims::Trims;
use crate::host_side::Serves;
use crate::lapse::Lapse;
use crate::pages::PageMapped;
use controller::Context;
use units::{Lpn, Ppa};

impl PageMapped {
    /// A unit that held something was trimmed.
    #[cold]
    pub(super) fn note_trim_to_record(&mut self, lpn: Lpn) {
        let guards = &mut self.media.guards;
        let number = guards.power.as_mut().map(|power| power.next());
        if let Some(trims) = &mut guards.trims {
            trims.note(lpn, number);
        }
    }

    /// Sends the records of all trims so far to the flash; `flush` waits for them. False where there is none to be sent.
    pub fn record_trims<P: Probe>(&mut self, flush: Option<u32>, ctx: &mut Context<P>) -> bool {
        let Some(trims) = &mut self.media.guards.trims else { return false };
        if !trims.call_up() {
            return false;
        }
        trims.waiting.extend(flush);
        self.go_on_recording(ctx);
        true
    }

    /// Puts records into the buffer while there are slots for them; behind the last of them come the flushes that wait.
    pub(super) fn go_on_recording<P: Probe>(&mut self, ctx: &mut Context<P>) {
        let Some(trims) = &mut self.media.guards.trims else { return };
        if !trims.are_due() {
            return;
        }
        while let Some(unit) = self.media.guards.trims.as_mut().and_then(|trims| trims.next_due()) {
            self.put_record(unit);
        }
        let Some(trims) = &mut self.media.guards.trims else { return };
        if trims.are_due() {
            return self.pump(ctx);
        }
        let waiting = std::mem::take(&mut trims.waiting);
        self.send_out(ctx);
        self.media.pad_current(ctx);
        waiting.into_iter().for_each(|flush| self.host.await_flushed(flush, &mut self.media.buffer));
    }

    fn put_record(&mut self, unit: Lpn) {
        let waits = |slot: &u32| self.media.buffer.slot(*slot).state == SlotState::Queued;
        if let Some(slot) = self.media.buffer.find(unit).filter(waits) {
            return self.media.stamp(slot); // It takes the new ones along.
        }
        if let Some(trims) = &mut self.media.guards.trims {
            trims.used_slots += 1;
        }
        let slot = self.media.buffer.insert(unit, u32::MAX, SlotState::Queued);
        self.media.stamp(slot);
        self.media.buffer.enqueue(slot);
    }

    /// What the records say that are found voids older copies: `newest` has the newest of each unit.
    pub(super) fn apply_records(&mut self, before: &Trims, newest: &mut [Ppa], stamps: &[u64]) {
        let forgets = self.media.rules.lapses.has(Lapse::ForgetsTrim);
        let Some(trims) = self.media.guards.trims.as_mut().filter(|_| !forgets) else { return };
        for record in trims.units() {
            let home = newest[record.index()];
            if home == Ppa::NONE {
                continue;
            }
            for (lpn, number) in trims.go_on_with(before, record, stamps[home.index()]) {
                let copy = &mut newest[lpn.index()];
                if *copy != Ppa::NONE && stamps[copy.index()] < number {
                    *copy = Ppa::NONE;
                }
            }
        }
    }
}
