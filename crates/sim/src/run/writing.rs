//! The data of a write: over the link, into the buffer as there is room.

use super::{AtZones, Run, events};
use crate::observe::Observer;
use crate::requests::{bytes_of, coverage};
use engine::Event;
use ftl::Placing;
use host::HostRequest;
use units::{Lpn, SimTime};

impl<P: Observer> Run<P> {
    /// Returns true if a write is acknowledged only once its data are on flash: without a write-back buffer, and for
    /// FUA writes without capacitors.
    pub(super) fn waits_for_flash(&self, request: &HostRequest) -> bool {
        !self.ftl.buffer().is_write_back() || (request.fua && !self.ftl.buffer().is_protected())
    }

    /// Starts the data transfer of a write, or puts the write behind earlier writes that wait for space in the write
    /// buffer.
    #[inline]
    pub(super) fn begin_write(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        request.waiting_since = now;
        request.busy_then = self.ftl.controller().array_busy_total();
        request.parts = request.units;
        if self.writers.is_empty() {
            self.take_data(id, now);
        } else {
            self.writers.push_back(id);
        }
    }

    /// Transfers over the host link as many units of the write `id` as the write buffer has space for, at most one
    /// frame of the link; the other units wait.
    pub(super) fn take_data(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        let wanted = request.units - request.units_in;
        let first = Lpn(request.first.0 + request.units_in);
        let granted = self.ftl.reserve_at(id, first, wanted.min(self.frame_units));
        if granted == 0 {
            self.writers.push_front(id);
            return;
        }
        request.end_buffer_wait(now, self.ftl.controller().array_busy_total());
        request.units_crossing = granted;
        let bytes = bytes_of(request, self.unit, granted);
        let over = self.ftl.controller().bus().data_in();
        let end = self.link.take(request.host.arrive, now, over, bytes);
        request.link_ns += end.since(now).ns();
        self.ctx.calendar.schedule(end, Event { kind: events::DATA_IN, index: id });
    }

    pub(super) fn serve_writers(&mut self, now: SimTime) {
        while self.ftl.has_room() {
            let Some(id) = self.writers.pop_front() else { return };
            self.take_data(id, now);
        }
    }

    #[inline(always)]
    pub(super) fn on_data_in(&mut self, id: u32, now: SimTime) {
        let request = *self.requests.get(id);
        let waits = self.waits_for_flash(&request.host);
        let waiter = if waits { id } else { u32::MAX };
        let start = request.units_in;
        let (at, is_last) = (request.host.offset, start + request.units_crossing == request.units);
        self.ftl.set_placement(request.host.placement);
        for unit in start..start + request.units_crossing {
            let lpn = Lpn(request.first.0 + unit);
            self.ftl.note_extent(id, request.host.offset, u64::from(request.host.bytes));
            if self.ftl.refuses(lpn, &mut self.ctx) {
                self.requests.get(id).lose_unit();
                continue;
            }
            let coverage = coverage(&request.host, lpn, self.unit);
            self.ctx.probe.on_data(id, &request.host, lpn);
            self.ctx.probe.on_content(id, &request.host, lpn, &self.ftl);
            self.ftl.write(waiter, lpn, coverage, &mut self.ctx);
        }
        let bytes = bytes_of(&request, self.unit, request.units_crossing);
        let stored = self.memory.as_mut().filter(|_| !waits).map(|memory| memory.access(bytes, now));
        let request = self.requests.get(id);
        request.units_in += request.units_crossing;
        request.units_crossing = 0;
        if request.units_in < request.units {
            request.waiting_since = now;
            request.busy_then = self.ftl.controller().array_busy_total();
            self.take_data(id, now);
        } else if let Some(stored) = stored {
            self.ctx.calendar.schedule(stored, Event { kind: events::MEMORY, index: id });
        } else if !waits || request.parts == 0 {
            self.answer(id, now);
        }
        self.ftl.pump(&mut self.ctx);
        if is_last && self.namespaces.is_zoned() {
            AtZones(self).end_turn(at, now);
        }
    }
}
