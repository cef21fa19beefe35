//! Commands on zones: what a drive with zoned namespaces does with them beside what every drive does.

use super::run_host::RunHost;
use super::{Run, events};
use crate::namespaces::Namespaces;
use crate::namespaces::ZoneTurn;
use crate::observe::Observer;
use engine::Event;
use ftl::ZonedLayer;
use host::command::refused;
use host::command::zns::{ZoneError, ZoneWork};
use host::{Completion, CompletionStatus, Effect, HostRequest, Op};
use units::{Lpn, SimTime};

impl<P: Observer> Run<P> {
    /// Sets the namespaces of the simulated drive in this run; on a zoned drive the states of the zones are taken from
    /// the drive's contents, and the workload is told of them.
    pub fn live_in(&mut self, namespaces: &Namespaces) {
        self.namespaces = namespaces.clone();
        self.namespaces.begin(&self.ftl);
        self.report_zones();
    }

    /// Tells the workload how much is written in each zone of the drive, if the drive has zones that the workload sees.
    pub(super) fn report_zones(&mut self) {
        if self.host.keeps_blocks() {
            return;
        }
        if let Some(zoned) = self.namespaces.seen_zoned() {
            self.workload.learn_zones(&zoned.report());
        }
    }
}

/// Wrapper around a run on a zoned drive, with methods for the operations on requests and zones that only a zoned drive
/// has.
pub(super) struct AtZones<'a, P: Observer>(pub &'a mut Run<P>);

impl<P: Observer> AtZones<'_, P> {
    /// Submits a host request to a zoned drive, after conversion of its address from the host's to the drive's own byte
    /// addresses.
    #[cold]
    pub fn submit(&mut self, request: HostRequest, now: SimTime) {
        if request.op.effect() == Effect::Flush {
            self.0.take_in(request, now);
            return;
        }
        if let Some(refusal) = self.0.namespaces.refusal(&request) {
            self.0.error = Some(refused(&self.0.workload.report().name, refusal).into());
            return;
        }
        let entry = self.0.namespaces.enter(&request);
        let id = self.0.take_in(entry.inner, now);
        if let Some(odd) = entry.odd {
            self.0.namespaces.zoned().keep(id, odd);
        }
    }

    /// Does for request `id` on a zoned drive, once the firmware has processed its command, the part that concerns its
    /// zone: refuses a read or trim that the zone does not allow, begins or ends the check of a write's write pointer,
    /// or queues a zone management command. Returns true if the caller has nothing more to do for now; false if the
    /// caller carries the request out: a flush, an allowed read or trim, or any request outside of zones.
    #[cold]
    pub fn takes(&mut self, id: u32, now: SimTime) -> bool {
        let inner = self.0.requests.get(id).host;
        match inner.op.effect() {
            Effect::Flush => false,
            _ if !self.0.namespaces.is_in_zone(inner.offset) => false,
            Effect::Write => {
                // A write comes here once more when the firmware has looked at the pointer of its zone.
                match self.0.namespaces.zoned().look_at_pointer(id, inner.op, now) {
                    Some(at) => self.0.ctx.calendar.schedule(at, Event { kind: events::COMMAND, index: id }),
                    None => self.on_pointer(id, now),
                }
                true
            }
            Effect::Manage => {
                match self.0.namespaces.zoned().manage(&inner) {
                    Ok(work) => {
                        let zone = self.0.namespaces.zoned().zone_of(inner.offset);
                        self.take_turn(zone, ZoneTurn::Work(id, work), now);
                    }
                    Err(error) => self.fail_in_zone(id, error, now),
                }
                true
            }
            Effect::Read | Effect::Trim => match self.0.namespaces.zoned().let_in(id, &inner) {
                Ok(_) => false,
                Err(error) => {
                    self.fail_in_zone(id, error, now);
                    true
                }
            },
        }
    }

    /// Ends the firmware's check of a zone's write pointer for the write `id`: advances the write pointer, so that the
    /// data of the write may be transferred, or answers the write with the zone's error.
    fn on_pointer(&mut self, id: u32, now: SimTime) {
        let request = self.0.requests.get(id);
        request.understood = now;
        let inner = request.host;
        match self.0.namespaces.zoned().let_in(id, &inner) {
            Ok(offset) => {
                let request = self.0.requests.get(id);
                request.host.offset = offset;
                request.first = Lpn((offset / self.0.unit) as u32);
                let zone = self.0.namespaces.zoned().zone_of(offset);
                self.take_turn(zone, ZoneTurn::Write(id), now);
            }
            Err(error) => self.fail_in_zone(id, error, now),
        }
    }

    fn take_turn(&mut self, zone: u32, turn: ZoneTurn, now: SimTime) {
        if self.0.namespaces.zoned().queue(zone, turn) {
            self.go_on_in_zone(zone, turn, now);
        }
    }

    /// Starts the work `turn` (a write or a zone command), which is next in the queue of a zone, and then further
    /// waiting work of the zone as long as no write transfers data; flash work for a zone command does not delay the
    /// next turn.
    fn go_on_in_zone(&mut self, zone: u32, turn: ZoneTurn, now: SimTime) {
        let mut next = Some(turn);
        while let Some(turn) = next {
            match turn {
                ZoneTurn::Write(_) if !self.0.namespaces.zoned().has_place(zone) => return,
                ZoneTurn::Write(id) => return self.0.begin_write(id, now),
                ZoneTurn::Work(id, work) => self.work_in_zone(id, zone, work, now),
            }
            next = self.0.namespaces.zoned().next_turn(zone);
        }
        self.rest(zone, now);
    }

    /// Ends the work in a zone in which none waits. If the zone was filled, its earlier writes no longer hold back
    /// other zones from the write buffer, and the work of a zone that waited for that begins.
    fn rest(&mut self, zone: u32, now: SimTime) {
        if let Some((next, turn)) = self.0.namespaces.zoned().rests(zone) {
            self.go_on_in_zone(next, turn, now);
        }
    }

    /// Begins the work of a zone that may put data into the write buffer now because a finish or reset of zone `zone`
    /// has begun, if such a zone waited.
    fn leave_place(&mut self, zone: u32, now: SimTime) {
        if let Some((next, turn)) = self.0.namespaces.zoned().end_place(zone) {
            self.go_on_in_zone(next, turn, now);
        }
    }

    fn work_in_zone(&mut self, id: u32, zone: u32, work: ZoneWork, now: SimTime) {
        match work {
            ZoneWork::Finish => {
                self.0.ftl.finish_zone(id, zone, &mut self.0.ctx);
                return self.leave_place(zone, now);
            }
            ZoneWork::Reset(_) => {
                self.0.ftl.reset_zone(zone, &mut self.0.ctx);
                self.leave_place(zone, now);
            }
            ZoneWork::None => {}
        }
        let done = now + self.0.namespaces.zoned().time_of(work);
        let end = self.0.link.answered(Effect::Manage, now, done);
        self.0.ctx.calendar.schedule(end, Event { kind: events::COMPLETE, index: id });
    }

    /// Starts the next work that waits in the zone of byte address `at`, once all data of a write to that zone have
    /// been transferred.
    #[cold]
    pub fn end_turn(&mut self, at: u64, now: SimTime) {
        if !self.0.namespaces.is_in_zone(at) {
            return;
        }
        let zone = self.0.namespaces.zoned().zone_of(at);
        match self.0.namespaces.zoned().next_turn(zone) {
            Some(next) => self.go_on_in_zone(zone, next, now),
            None => self.rest(zone, now),
        }
    }

    /// Ends the request `id` with the error `error`, with which a zone answers it.
    fn fail_in_zone(&mut self, id: u32, error: ZoneError, now: SimTime) {
        let request = self.0.requests.get(id);
        request.failed = true;
        if request.measured {
            self.0.namespaces.zoned().note_error(error);
        }
        // No part of it is looked for.
        self.0.ctx.probe.on_unheard(id);
        self.0.answer(id, now);
    }

    /// Reports the completion of the request `id` on a zoned drive to the workload; for an append with the address of
    /// its data.
    #[cold]
    pub fn tell(&mut self, id: u32, completion: Completion) {
        let inner = self.0.requests.get(id).host;
        let (request, address) = self.0.namespaces.in_hosts_words(id, &inner);
        let is_told = inner.op == Op::APPEND && completion.status == CompletionStatus::Success;
        let completion = Completion { address: is_told.then_some(address), ..completion };
        if let RunHost::Stepped(host) = &mut self.0.host {
            host.answers.place(&request, completion.address);
        }
        self.0.workload.complete(&request, &completion);
    }
}
