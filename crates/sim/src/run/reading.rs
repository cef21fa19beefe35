//! The data of a read: from the flash or the buffer's DRAM, over the link.

use super::{Run, events};
use crate::observe::Observer;
use controller::Reading;
use engine::Event;
use ftl::Stages;
use host::Effect;
use units::{Nanos, SimTime};

impl<P: Observer> Run<P> {
    /// Starts to fetch from the write buffer's DRAM the units of the read `id` that the buffer contains; returns the
    /// number of parts (0 or 1) that the read must wait for in addition.
    #[inline]
    pub(super) fn ask_memory(&mut self, id: u32, now: SimTime) -> u32 {
        if self.memory.is_none() { 0 } else { self.fetch_from_memory(id, now) }
    }

    #[cold]
    pub(super) fn fetch_from_memory(&mut self, id: u32, now: SimTime) -> u32 {
        let Some(memory) = &mut self.memory else { return 0 };
        let cached = self.ftl.take_cached();
        if cached == 0 {
            return 0;
        }
        let at = memory.access(cached, now);
        self.requests.get(id).from_memory = cached;
        self.ctx.calendar.schedule(at, Event { kind: events::MEMORY, index: id });
        1
    }

    /// Ends an access to the write buffer's DRAM for the request `id`: the DRAM stored the last data of a write, or
    /// delivered the part of a read that the write buffer contained.
    #[cold]
    pub(super) fn on_memory(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        if request.host.op.effect() == Effect::Write {
            return self.answer(id, now);
        }
        request.parts -= 1;
        let last = request.parts == 0;
        let bytes = if last { request.bytes_left } else { request.bytes_left.min(request.from_memory) };
        request.bytes_left -= bytes;
        let decoded = if last { now.max(request.gathered_at) } else { now };
        let mut end = self.link.give(decoded, Nanos::ZERO, bytes);
        if last {
            end = self.link.answered(Effect::Read, now, end);
            let request = self.requests.get(id);
            request.stages = Stages::default();
            request.link_ns = end.since(now).ns();
            self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
        }
    }

    /// Handles the arrival of some mapping units of a read from the flash: sends them to the host once they are
    /// decoded, or gathers them until there are enough bytes for one transfer, and completes the read with its last
    /// part.
    #[inline(always)]
    pub(super) fn on_read(&mut self, id: u32, units: u32, reading: Reading, stages: Stages, now: SimTime) {
        let request = self.requests.get(id);
        request.uncorrectable |= reading.uncorrectable;
        request.failed |= reading.uncorrectable;
        request.retries = request.retries.max(reading.decodes.saturating_sub(1));
        let decoding = reading.decoding(self.t_decode);
        request.stages = stages;
        // Of a wait for map entries only what did not overlap the last flash read made the request longer.
        let rest = now.since(request.understood).ns().saturating_sub(stages.total());
        let map_wait = request.buffer_waits.last_mut().expect("there are columns");
        *map_wait = rest.min(*map_wait);
        request.parts -= 1;
        let bytes = if request.parts == 0 {
            request.bytes_left
        } else {
            request.bytes_left.min(u64::from(units) * self.unit)
        };
        request.bytes_left -= bytes;
        request.gathered += bytes;
        // The answer comes after all that was read is decoded; what was read earlier may take more attempts.
        request.gathered_at = request.gathered_at.max(now + decoding);
        let mut decoded = if request.parts == 0 { request.gathered_at } else { now + decoding };
        let mut over = Nanos::new(stages.transfer);
        if self.read_frame > 0 {
            if request.parts > 0 && request.gathered < self.read_frame {
                return;
            }
            (decoded, over) = (request.gathered_at, Nanos::ZERO);
        }
        let bytes = std::mem::take(&mut request.gathered);
        let mut end = self.link.give(decoded, over, bytes);
        if request.parts == 0 {
            end = self.link.answered(Effect::Read, now, end);
        }
        request.ecc_ns = decoded.since(now).ns();
        request.link_ns = end.since(decoded).ns();
        if request.parts == 0 {
            self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
            if self.link.config().double_buffer {
                request.worked_on = false;
                self.in_drive -= 1;
                self.draw(now);
            }
        }
    }
}
