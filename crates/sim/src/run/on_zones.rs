//! A run whose host keeps blocks on a drive of zones: requests of the workload become requests to zones, and are answered
//! when the last of these is.

use super::run_host::RunHost;
use super::{Run, events};
use crate::measure::stages;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::requests::{Request, whole_units};
use crate::translation::{AskedOfHost, HostTranslation, HostWork, PieceRequest, ZonePiece};
use engine::Event;
use host::{Completion, CompletionStatus, Effect, HostRequest};
use units::{Lpn, SimTime};

/// State of the host, in a run, that keeps blocks on the zones of the drive: its translation, and the address space
/// that the workload sees.
pub(crate) struct BlockHost {
    /// Field: state of the host's translation, which turns the workload's requests for blocks into requests to zones.
    pub translation: HostTranslation,
    /// Field: address space of the host's blocks, against which the workload's requests are checked.
    blocks: Namespaces,
}

impl BlockHost {
    /// Makes the host of a run that keeps blocks on zones, from its translation `translation`.
    pub fn new(translation: HostTranslation) -> Self {
        let blocks = Namespaces::whole(translation.capacity());
        Self { translation, blocks }
    }
}

/// Type that borrows a run whose host keeps blocks on the zones of the drive; its methods are the host's part of the
/// run.
pub(super) struct OnZones<'a, P: Observer>(pub &'a mut Run<P>);

impl<P: Observer> OnZones<'_, P> {
    /// Returns the translation of the run's host, which keeps blocks on zones.
    fn translation(&mut self) -> &mut HostTranslation {
        let RunHost::Blocks(host) = &mut self.0.host else { unreachable!("the host keeps blocks on zones") };
        &mut host.translation
    }

    /// Submits the requests that the host's translation makes to the drive, and hands it requests of the workload,
    /// while the submission queues have free entries; stops when the last request of the workload is answered.
    #[cold]
    pub fn draw(&mut self, now: SimTime) {
        while self.0.link.queues.has_place() && self.0.error.is_none() {
            if self.0.source_done && !self.translation().is_at_work() {
                return; // What is left is collection, for which nothing waits.
            }
            if let Some(piece) = self.translation().next() {
                self.send_piece(piece, now);
            } else if self.0.source_done
                || self.translation().is_full()
                || !self.0.draw_next(now, |run, request| OnZones(run).take_block(request, now))
            {
                return;
            }
        }
    }

    /// Checks a request of the workload, gives it a placement handle where the host has a policy for these, and hands
    /// it to the host's translation.
    fn take_block(&mut self, request: HostRequest, now: SimTime) {
        let blocks = self.0.host.blocks().map(|host| &host.blocks);
        let admitted =
            blocks.map_or(Ok(()), |blocks| blocks.admit(&request, || self.0.workload.report().name));
        if let Err(error) = admitted {
            self.0.error = Some(error.into());
            return;
        }
        let request = match self.0.link.has_placer() {
            true => self.0.link.placed(request, self.0.workload.background()),
            false => request,
        };
        let measured = self.0.count_in(&request, now);
        self.translation().take(AskedOfHost { request, measured }, now);
    }

    /// Submits a request of the host's translation to the drive, or ends it at once where it needs nothing of the
    /// drive; requests of the host's collection get `now` as their arrival time.
    fn send_piece(&mut self, (request, piece): PieceRequest, now: SimTime) {
        let id = match piece {
            ZonePiece::Nothing { .. } => {
                let id = self.0.requests.insert(request, self.0.unit);
                let nothing = self.0.requests.get(id);
                (nothing.fetched, nothing.understood, nothing.measured) = (now, now, false);
                self.0.ctx.calendar.schedule(now, Event { kind: events::COMPLETE, index: id });
                id
            }
            ZonePiece::CopyRead { .. } | ZonePiece::CopyAppend { .. } | ZonePiece::Reset { .. } => {
                self.put_on_drive(HostRequest { arrive: now, ..request })
            }
            _ => self.put_on_drive(request),
        };
        self.translation().sent(id, piece);
    }

    /// Submits a request of the host's translation to the drive, and returns its request number; it is not measured
    /// itself, as the request of the workload that it serves is.
    fn put_on_drive(&mut self, request: HostRequest) -> u32 {
        let id = self.0.put_in_flight(request);
        self.0.requests.get(id).measured = false;
        self.0.ctx.probe.on_number(id, request.tag, || None);
        id
    }

    /// Ends the request `id` of the host's translation, and answers the requests of the workload that are served by it.
    #[cold]
    pub fn complete(&mut self, id: u32, now: SimTime) {
        let request = *self.0.requests.get(id);
        self.0.in_drive -= u32::from(request.worked_on);
        let spent = stages(&request, now);
        if request.worked_on {
            self.0.ctx.probe.on_complete(&request, now, &spent);
            self.0.ctx.probe.on_answer(&request, now, &self.0.ftl);
        }
        let place = (request.host.offset / self.0.unit) as u32;
        self.translation().complete(id, place, (request.failed, request.uncorrectable), now);
        while let Some(work) = self.translation().answered() {
            self.answer_block(&work, &request, now);
        }
        self.0.requests.release(id);
        self.0.draw(now);
    }

    /// Answers a request of the workload; the stages of its latency are those of `last`, the last request of the host's
    /// translation that served it.
    fn answer_block(&mut self, work: &HostWork, last: &Request, now: SimTime) {
        let HostWork { asked: AskedOfHost { request: host, measured }, failed, uncorrectable, .. } = *work;
        self.0.host_requests += 1;
        if measured {
            let (first, end) = (host.offset / self.0.unit, host.offset + u64::from(host.bytes));
            let units = (end.div_ceil(self.0.unit) - first) as u32;
            let mut told = *last;
            (told.host, told.failed, told.uncorrectable) = (host, failed, uncorrectable);
            (told.first, told.units) = (Lpn(first as u32), units);
            self.0.measure.complete(&told, now, &stages(&told, now), self.0.ftl.cache_bytes());
            if host.op.effect() == Effect::Trim {
                let (_, units) = whole_units(&host, self.0.unit);
                self.0.measure.untrimmed.add(host.bytes, units, self.0.unit);
            }
        }
        let status = if failed { CompletionStatus::Failed } else { CompletionStatus::Success };
        self.0.workload.complete(&host, &Completion { at: now, status, address: None });
    }
}
