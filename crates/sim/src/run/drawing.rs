//! Requests of the workload: drawn as there is room for them, and handed to the drive.

use super::on_zones::OnZones;
use super::run_host::RunHost;
use super::{AtZones, Run, events};
use crate::observe::Observer;
use crate::run::limits::{LATEST, too_late, too_much};
use engine::Event;
use host::{Effect, HostRequest, Poll, WorkloadError};
use units::SimTime;

impl<P: Observer> Run<P> {
    /// Takes requests from the workload of the run again after a time in which none were taken, such as a power cut.
    pub fn draw_anew(&mut self, now: SimTime) {
        self.next_arrival = SimTime::NEVER;
        self.group_room = self.group_units;
        self.draw(now);
    }

    /// Takes requests from the workload while the submission queues have free entries, and lets the drive fetch
    /// commands.
    pub(super) fn draw(&mut self, now: SimTime) {
        if self.dark {
            return;
        }
        if self.host.keeps_blocks() {
            OnZones(self).draw(now);
        } else {
            while !self.source_done
                && self.link.queues.has_place()
                && self.draw_next(now, |run, request| run.submit(request, now))
            {}
        }
        if self.in_drive == 0 {
            self.group_room = self.group_units;
        }
        while self.in_drive < self.link.config().max_commands && self.group_room > 0 {
            let Some(id) = self.link.queues.fetch() else {
                // A group that has begun is not joined later.
                self.group_room =
                    if self.in_drive > 0 && self.group_units < u32::MAX { 0 } else { self.group_room };
                break;
            };
            self.in_drive += 1;
            if self.group_units < u32::MAX {
                self.group_room = self.group_room.saturating_sub(self.requests.get(id).units);
            }
            let request = self.requests.take_up(id);
            let understood = self.link.command_done(request.host.op.effect(), now);
            request.fetched = now;
            request.understood = understood;
            self.ctx.calendar.schedule(understood, Event { kind: events::COMMAND, index: id });
        }
        if self.requests.read_too_much() {
            self.error = Some(too_much(&self.workload.report().name, self.unit));
        }
    }

    /// Asks the workload, or the caller of a stepped run, for its next request and passes it to `take`; returns false
    /// if there is none now, be it for the limits of the run, the end of the workload, or an error.
    #[inline(always)]
    pub(super) fn draw_next(&mut self, now: SimTime, take: impl FnOnce(&mut Self, HostRequest)) -> bool {
        if self.end.is_reached(self.handed_out, now) {
            self.end_of_source(now);
            return false;
        }
        let polled = match &mut self.host {
            RunHost::Stepped(host) => Ok(host.poll(now)),
            _ => self.workload.poll(now),
        };
        match polled {
            Ok(Poll::Ready(request)) => {
                take(self, request);
                return true;
            }
            Ok(Poll::At(time)) if time.min(self.end.time) > LATEST => {
                self.error = Some(too_late(&self.workload.report().name, self.handed_out));
            }
            Ok(Poll::At(time)) => self.await_arrival(time.min(self.end.time), now),
            Ok(Poll::Blocked) => {
                // The caller of a stepped run may be late with the next: its place among the events of its moment is
                // kept for it.
                if matches!(self.host, RunHost::Stepped(_)) {
                    self.ctx.calendar.keep_turn();
                }
            }
            Ok(Poll::Done) => self.end_of_source(now),
            Err(error) => self.error = Some(error.into()),
        }
        false
    }

    /// Records that the workload has no more requests. A run in which no request came after the ramp measured nothing,
    /// and ends with an error.
    #[cold]
    pub(super) fn end_of_source(&mut self, now: SimTime) {
        self.source_done = true;
        if self.ramping && self.handed_out > 0 && !self.warming {
            let error = WorkloadError::of(
                self.workload.report().name,
                format!(
                    "none of {} requests was made after the ramp, the last before {now}",
                    self.handed_out
                ),
                "a workload that goes on after its ramp_time",
            );
            self.error = Some(error.into());
        }
    }

    pub(super) fn await_arrival(&mut self, time: SimTime, now: SimTime) {
        debug_assert!(time > now, "the workload must not name the present");
        if time < self.next_arrival {
            self.next_arrival = time;
            self.ctx.calendar.schedule_in_turn(time, Event { kind: events::ARRIVAL, index: 0 });
        }
    }

    #[inline(always)]
    pub(super) fn submit(&mut self, request: HostRequest, now: SimTime) {
        if let Err(error) = self.namespaces.admit(&request, || self.workload.report().name) {
            self.error = Some(error.into());
            return;
        }
        if self.namespaces.is_zoned() {
            return AtZones(self).submit(request, now);
        }
        let request = match self.link.has_placer() {
            true => self.link.placed(request, self.workload.background()),
            false => request,
        };
        self.take_in(request, now);
    }

    /// Takes in a host request: counts it for the measured window, puts it in flight in a submission queue, and tells
    /// the observers its number in the workload. Returns the request's id.
    #[inline(always)]
    pub(super) fn take_in(&mut self, request: HostRequest, now: SimTime) -> u32 {
        let measured = self.count_in(&request, now);
        let id = self.put_in_flight(request);
        self.requests.get(id).measured = measured;
        self.ctx.probe.on_number(id, request.tag, || self.workload.number());
        if let RunHost::Stepped(host) = &mut self.host {
            host.take_in(id);
        }
        id
    }

    /// Counts a request that the workload, or the caller of a stepped run, makes; returns true if it counts in the
    /// measured window, which begins with the first request after a ramp.
    #[inline(always)]
    pub(super) fn count_in(&mut self, request: &HostRequest, now: SimTime) -> bool {
        self.handed_out += 1;
        if self.ramping && !self.warming && !self.workload.in_ramp(now) {
            self.begin_measuring(now);
        }
        let measured = !self.ramping;
        if measured {
            self.measure.submitted[request.op.effect() as usize] += 1;
            self.measure.arrivals.note(request.arrive, now);
        }
        measured
    }

    /// Puts a request in flight: gives it an id, tells the observers, and submits the request to a submission queue of
    /// the drive. Returns the id.
    #[inline(always)]
    pub(super) fn put_in_flight(&mut self, request: HostRequest) -> u32 {
        let id = self.requests.insert(request, self.unit);
        self.ctx.probe.on_request(id, &request);
        if request.op.effect() != Effect::Flush {
            self.ftl.prefetch(self.requests.get(id).first);
        }
        self.link.queues.submit(id, request.tag);
        id
    }
}
