//! A run whose host keeps blocks on a drive of zones: requests of the workload become requests to zones, and are answered
//! when the last of these is.

use super::{Run, events};
use crate::measure::stages;
use crate::namespaces::Namespaces;
use crate::observe::Observer;
use crate::requests::Request;
use crate::run::limits::{LATEST, too_late};
use crate::translation::{HostTranslation, HostWork, PieceRequest, ZonePiece};
use engine::Event;
use host::{Completion, CompletionStatus, HostRequest, Poll};
use units::{Lpn, SimTime};

/// Host that keeps blocks on the zones of the drive: its translation, and the blocks that the workload may ask for.
pub(crate) struct BlockHost {
    pub translation: HostTranslation,
    /// Blocks as the workload sees them, by which its requests are checked.
    blocks: Namespaces,
}

impl BlockHost {
    /// Makes the host with the translation `translation`.
    pub fn new(translation: HostTranslation) -> Self {
        let blocks = Namespaces::whole(translation.capacity());
        Self { translation, blocks }
    }
}

impl<P: Observer> Run<P> {
    /// Returns the capacity in bytes of the blocks, or the zones, that the workload may ask for.
    pub fn capacity_of_host(&self) -> u64 {
        let drive = self.ftl.layout().capacity().get();
        self.block_host.as_ref().map_or(drive, |host| host.translation.capacity())
    }

    /// Returns the host's translation of a run that has one.
    fn translation(&mut self) -> &mut HostTranslation {
        &mut self.block_host.as_mut().expect("the host keeps blocks on zones").translation
    }

    /// Takes requests from the workload while the submission queues have free entries, and submits what the host's
    /// translation makes of them.
    #[cold]
    pub(super) fn draw_blocks(&mut self, now: SimTime) {
        while self.link.queues.has_place() && self.error.is_none() {
            if self.source_done && !self.translation().is_at_work() {
                return; // What is left is collection, for which nothing waits.
            }
            if let Some(piece) = self.translation().next() {
                self.send_piece(piece, now);
            } else if self.source_done || self.translation().is_full() {
                return;
            } else if self.end.is_reached(self.handed_out, now) {
                self.end_of_source(now);
            } else if !self.draw_block(now) {
                return;
            }
        }
    }

    /// Asks the workload for one request; returns false if it has none now.
    fn draw_block(&mut self, now: SimTime) -> bool {
        match self.workload.poll(now) {
            Ok(Poll::Ready(request)) => self.take_block(request, now),
            Ok(Poll::At(time)) if time.min(self.end.time) > LATEST => {
                self.error = Some(too_late(&self.workload.report().name, self.handed_out));
            }
            Ok(Poll::At(time)) => {
                self.await_arrival(time.min(self.end.time), now);
                return false;
            }
            Ok(Poll::Blocked) => return false,
            Ok(Poll::Done) => self.end_of_source(now),
            Err(error) => self.error = Some(error.into()),
        }
        true
    }

    /// Hands a request of the workload to the host's translation.
    fn take_block(&mut self, request: HostRequest, now: SimTime) {
        let host = self.block_host.as_ref().expect("the host keeps blocks on zones");
        if let Err(error) = host.blocks.admit(&request, || self.workload.report().name) {
            self.error = Some(error.into());
            return;
        }
        let request = match self.link.has_placer() {
            true => self.link.placed(request, self.workload.background()),
            false => request,
        };
        let measured = self.count_in(&request, now);
        self.translation().take(request, measured, now);
    }

    /// Submits a request of the host's translation to the drive.
    fn send_piece(&mut self, (request, piece): PieceRequest, now: SimTime) {
        let id = match piece {
            ZonePiece::Nothing { .. } => {
                let id = self.requests.insert(request, self.unit);
                let nothing = self.requests.get(id);
                (nothing.fetched, nothing.understood, nothing.measured) = (now, now, false);
                self.ctx.calendar.schedule(now, Event { kind: events::COMPLETE, index: id });
                id
            }
            ZonePiece::CopyRead { .. } | ZonePiece::CopyAppend { .. } | ZonePiece::Reset { .. } => {
                self.put_on_drive(HostRequest { arrive: now, ..request })
            }
            _ => self.put_on_drive(request),
        };
        self.translation().sent(id, piece);
    }

    fn put_on_drive(&mut self, request: HostRequest) -> u32 {
        let id = self.put_in_flight(request, false);
        self.ctx.probe.on_number(id, request.tag, || None);
        id
    }

    /// Ends the request `id` of the host's translation, and answers the requests of the workload that waited for it.
    #[cold]
    pub(super) fn on_piece_complete(&mut self, id: u32, now: SimTime) {
        let request = *self.requests.get(id);
        self.in_drive -= u32::from(request.worked_on);
        let spent = stages(&request, now);
        if request.worked_on {
            self.ctx.probe.on_complete(&request, now, &spent);
            self.ctx.probe.on_answer(&request, now, &self.ftl);
        }
        let place = (request.host.offset / self.unit) as u32;
        self.translation().complete(id, place, (request.failed, request.uncorrectable), now);
        while let Some(work) = self.translation().answered() {
            self.answer_block(&work, &request, now);
        }
        self.requests.release(id);
        self.draw(now);
    }

    /// Answers a request of the workload; `last` is the request to the drive that ended last of those that served it,
    /// whose stages are those of the request of the workload.
    fn answer_block(&mut self, work: &HostWork, last: &Request, now: SimTime) {
        let HostWork { request: host, failed, uncorrectable, measured, .. } = *work;
        self.host_requests += 1;
        if measured {
            let (first, end) = (host.offset / self.unit, host.offset + u64::from(host.bytes));
            let units = (end.div_ceil(self.unit) - first) as u32;
            let mut told = *last;
            (told.host, told.failed, told.uncorrectable) = (host, failed, uncorrectable);
            (told.first, told.units) = (Lpn(first as u32), units);
            self.measure.complete(&told, now, &stages(&told, now), self.ftl.cache_bytes());
        }
        let status = if failed { CompletionStatus::Failed } else { CompletionStatus::Success };
        self.workload.complete(&host, &Completion { at: now, status, address: None });
    }
}
