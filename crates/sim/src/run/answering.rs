//! What the drive answers, and what the host is told.

use super::on_zones::OnZones;
use super::run_host::RunHost;
use super::{AtZones, Run, events};
use crate::measure::stages;
use crate::observe::Observer;
use crate::requests::whole_units;
use engine::Event;
use ftl::Output;
use host::{Completion, CompletionStatus, Effect};
use units::SimTime;

impl<P: Observer> Run<P> {
    #[inline(always)]
    pub(super) fn on_output(&mut self, output: Output, now: SimTime) {
        match output {
            Output::Read { request, units, reading, stages } => {
                self.on_read(request, units, reading, stages, now);
            }
            Output::Durable { request: id, stages } => {
                let request = self.requests.get(id);
                let worked = now.since(request.understood).ns();
                let waits = request.buffer_waits.iter().sum::<u64>();
                request.stages = stages.within(worked.saturating_sub(waits));
                let stages = request.stages;
                let waits = request.limit_buffer_waits(worked.saturating_sub(stages.total()));
                request.parts -= 1;
                if request.parts == 0 {
                    // In frames, later data cross while earlier ones are programmed: only what the flash
                    // waited for counts.
                    request.link_ns = request.link_ns.min(worked.saturating_sub(stages.total() + waits));
                    self.answer(id, now);
                }
            }
            Output::Mapped { request: id, more, waited_ns } => {
                let request = self.requests.get(id);
                request.parts += more;
                let other = request.buffer_waits.last_mut().expect("there are columns");
                *other = waited_ns.max(*other);
            }
            Output::Flushed { request: id } => self.answer(id, now),
        }
    }

    pub fn fail(&mut self, id: u32) {
        self.requests.get(id).failed = true;
        let now = self.ctx.calendar.now();
        self.on_complete(id, now);
    }

    /// Ends the drive's work on the request `id`; the request is complete for the host once the completion has crossed
    /// the link.
    pub(super) fn answer(&mut self, id: u32, now: SimTime) {
        let request = self.requests.get(id);
        let end = self.link.answered(request.host.op.effect(), now, now);
        if end == now {
            return self.on_complete(id, now);
        }
        request.link_ns += end.since(now).ns();
        self.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
    }

    pub(super) fn on_complete(&mut self, id: u32, now: SimTime) {
        if self.host.keeps_blocks() {
            return OnZones(self).complete(id, now);
        }
        let request = &*self.requests.get(id);
        self.in_drive -= u32::from(request.worked_on);
        self.host_requests += 1;
        let stages = stages(request, now);
        let status = match request.failed {
            false => CompletionStatus::Success,
            true if self.dark => CompletionStatus::Lost,
            true => CompletionStatus::Failed,
        };
        if request.measured {
            self.measure.complete(request, now, &stages, self.ftl.cache_bytes());
            if self.namespaces.is_parted() && request.host.op.effect() != Effect::Flush {
                let at = self.namespaces.at_flash(request.host.offset);
                self.measure.by_namespace.note(at, &request.host, status);
            }
            if request.host.op.effect() == Effect::Trim && !request.failed {
                let (_, units) = whole_units(&request.host, self.unit);
                self.measure.untrimmed.add(request.host.bytes, units, self.unit);
            }
        }
        self.ctx.probe.on_complete(request, now, &stages);
        if let RunHost::Stepped(host) = &mut self.host {
            host.answers.push(request, now, &stages);
        }
        self.ctx.probe.on_answer(request, now, &self.ftl);
        let completion = Completion { at: now, status, address: None };
        if self.namespaces.is_zoned() {
            AtZones(self).tell(id, completion);
        } else {
            self.workload.complete(&request.host, &completion);
        }
        self.requests.release(id);
        self.draw(now);
    }
}
