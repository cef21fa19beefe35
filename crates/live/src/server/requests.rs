//! Requests of clients on their way: to the drive, and back as answers.

use super::Server;
use crate::commands::{Allocation, DriveRequest, Pieces, RequestPlan, plan};
use crate::connection::{Connection, Quiet};
use crate::contents::{Done, Payload};
use crate::extents::{EXTENTS_MOST, LOOKED_AT, extents};
use crate::nbd::{Command, Export, NbdRequest, Refusal, ReplyExtent};
use host::{Effect, HostRequest};
use sim::Error;
use units::SimTime;

/// Limit on the work for the requests of one client in one pass over the clients, counted in mapping units examined: a
/// query for allocated extents counts the units that it examines, but at least `REQUEST_WORK`, and every other request
/// counts `REQUEST_WORK`.
const TURN_WORK: u64 = LOOKED_AT;
/// Limit on the work for the requests of all clients together in one pass over the clients, counted in mapping units as
/// in `TURN_WORK`; requests of every kind count.
const ALL_WORK: u64 = 4 * TURN_WORK;
/// Work, counted in mapping units examined, that every request of a client counts at least.
const REQUEST_WORK: u64 = 64;

/// Record of a client's request that the server has not answered; one of the requests to the drive that carry it out is
/// in flight, under the same serial number.
pub(super) struct ClientRequest {
    pub client: u64,
    pub cookie: u64,
    command: Command,
    /// Byte range on the drive of the namespace to which the request goes.
    namespace: host::Extent,
    offset: u64,
    bytes: u32,
    arrived: SimTime,
    pieces: Pieces,
    /// Number of bytes that count against the client's limit until the request is answered.
    charge: u64,
    durable: bool,
    refusal: Option<Refusal>,
}

impl Server {
    /// Receives requests from the clients in turn, until the work allowed in one pass is used up; the next pass begins
    /// with the client after the last one served.
    pub(super) fn receive(&mut self, quiet: Quiet) {
        let mut clients = std::mem::take(&mut self.clients);
        let arrive = self.arrival();
        let first = self.next_client;
        let order: Vec<u64> =
            clients.range(first..).chain(clients.range(..first)).map(|(&name, _)| name).collect();
        let mut all_left = ALL_WORK;
        for name in order {
            let Some(client) = clients.get_mut(&name) else { continue };
            let mut left = TURN_WORK.min(all_left);
            all_left -= left;
            client.receive(quiet, &mut |client, asked| {
                left = left.saturating_sub(self.take(name, client, asked, arrive));
                left > 0
            });
            all_left += left;
            self.next_client = name + 1;
            if all_left == 0 {
                break;
            }
        }
        self.clients = clients;
    }

    /// Returns the simulated arrival time for requests that are received now.
    fn arrival(&mut self) -> SimTime {
        let now = self.session.times().map_or(SimTime::ZERO, |(now, _)| now);
        self.clock.map_or(now, |clock| clock.now().max(now))
    }

    /// Processes a client's request: refuses it, answers it, or passes it to the drive. Returns the work that this
    /// causes, counted in mapping units examined.
    fn take(&mut self, name: u64, client: &mut Connection, asked: NbdRequest<'_>, arrive: SimTime) -> u64 {
        let (cookie, command, offset, bytes) = (asked.cookie, asked.command, asked.offset, asked.length);
        let durable = asked.is_fua() || command == Command::Flush;
        let allocation = if client.knows_allocation() { Allocation::Known } else { Allocation::Unknown };
        let replies = client.replies();
        let most = if asked.wants_one() { 1 } else { EXTENTS_MOST };
        let writes = matches!(command, Command::Write | Command::WriteZeroes | Command::Trim);
        let planned = plan(asked, client.export(), allocation, &mut self.shared().buffers);
        match planned {
            RequestPlan::Leave => client.is_over = true,
            RequestPlan::Refuse(refusal) => {
                self.meter.note_refused(refusal);
                client.answers().add(|out| replies.refuse(out, cookie, refusal));
            }
            RequestPlan::Status => {
                let (found, work) = self.extents(client.export(), offset, bytes, most);
                client.answers().add(|out| replies.status(out, cookie, &found));
                return work.max(REQUEST_WORK);
            }
            RequestPlan::Drive(..) if (writes || durable) && !self.shared().image.find_room() => {
                self.meter.note_refused(Refusal::NoSpace);
                client.answers().add(|out| replies.refuse(out, cookie, Refusal::NoSpace));
            }
            RequestPlan::Drive(pieces) => {
                let charge = pieces.charge();
                let refusal = None;
                let mut pending = ClientRequest {
                    client: name,
                    cookie,
                    command,
                    namespace: client.export().namespace.extent,
                    offset,
                    bytes,
                    arrived: arrive,
                    pieces,
                    charge,
                    durable,
                    refusal,
                };
                match pending.pieces.next() {
                    None => client.answers().add(|out| replies.done(out, cookie)),
                    Some(part) => {
                        client.begin(charge);
                        self.numbered += 1;
                        self.ask(self.numbered, part, pending.namespace, arrive);
                        self.pending.insert(self.numbered, pending);
                    }
                }
            }
        }
        REQUEST_WORK
    }

    /// Queues `part`, one of the requests to the drive that carry out the client's request with serial number `number`,
    /// for the drive, and adds it to the recorded trace if there is one.
    fn ask(&mut self, number: u64, part: DriveRequest, namespace: host::Extent, arrive: SimTime) {
        let DriveRequest { op, offset, bytes, fua, payload } = part;
        let offset = if op.effect() == Effect::Flush { 0 } else { namespace.on_drive(offset) };
        let request = HostRequest { fua, ..HostRequest::plain(arrive, op, offset, bytes) };
        if let Some(recorder) = &mut self.recorder {
            recorder.note(&request);
        }
        let mut shared = self.shared.lock().expect("one thread");
        shared.incoming.push_back((number, request));
        if payload != Payload::None {
            shared.payloads.insert(number, payload);
        }
        self.in_flight += 1;
    }

    /// Returns the allocated and unallocated extents of a byte range of an export, and the number of mapping units
    /// examined.
    fn extents(&self, export: &Export, offset: u64, length: u32, most: usize) -> (Vec<ReplyExtent>, u64) {
        let Some(ftl) = self.session.ftl() else { return (Vec::new(), 0) };
        let (unit, offset) = (u64::from(export.unit), export.namespace.extent.on_drive(offset));
        let last = offset / unit + LOOKED_AT;
        let end = (offset + u64::from(length)).min(last * unit);
        let units = (offset / unit) as u32..end.div_ceil(unit) as u32;
        let in_buffer = self.shared().buffered(units.clone());
        let found = extents(offset..end, unit, most, &ftl.written(units.clone()), &in_buffer);
        (found, units.len() as u64)
    }

    /// Processes the drive's completions: answers the clients, or queues the next requests to the drive for the
    /// clients' requests that need several.
    pub(super) fn answer(&mut self) -> Result<(), Error> {
        let done = std::mem::take(&mut self.shared().done);
        if done.is_empty() {
            return Ok(());
        }
        for one in done {
            self.in_flight -= 1;
            if let Some(data) = self.tell(one) {
                self.shared().buffers.put_back(data);
            }
        }
        // The next piece of a request may have been asked for.
        self.offer()
    }

    /// Processes a completion of the drive: queues the next request to the drive for the client's request, or, after
    /// the last one, answers the client. Returns the memory of data that are no longer needed.
    fn tell(&mut self, done: Done) -> Option<Vec<u8>> {
        let Some(mut pending) = self.pending.remove(&done.number) else { return Some(done.data) };
        if done.failed {
            pending.refusal = Some(Refusal::Io);
        }
        let next = if pending.refusal.is_none() { pending.pieces.next() } else { None };
        if let Some(part) = next {
            let arrive = self.arrival();
            self.ask(done.number, part, pending.namespace, arrive);
            self.pending.insert(done.number, pending);
            return Some(done.data);
        }
        if pending.durable && self.shared().image.refused().is_some() {
            pending.refusal = Some(Refusal::NoSpace);
        }
        self.count(&pending, done.at);
        let Some(client) = self.clients.get_mut(&pending.client) else { return Some(done.data) };
        client.finish(pending.charge);
        let (replies, cookie) = (client.replies(), pending.cookie);
        match pending.refusal {
            Some(refusal) => client.answers().add(|out| replies.refuse(out, cookie, refusal)),
            None if pending.command == Command::Read => {
                let length = done.data.len();
                client.answers().add(|out| replies.before_data(out, cookie, pending.offset, length));
                return client.answers().add_data(done.data);
            }
            None => client.answers().add(|out| replies.done(out, cookie)),
        }
        Some(done.data)
    }

    /// Counts a client's request that the drive completed at simulated time `at`: its latency, lateness and result.
    fn count(&mut self, pending: &ClientRequest, at: SimTime) {
        if let Some(clock) = &self.clock {
            self.meter.note_late(clock.late(at));
        }
        self.meter.answered += 1;
        match pending.refusal {
            Some(refusal) => self.meter.note_refused(refusal),
            None => {
                let took = at.since(pending.arrived);
                self.meter.note_done(pending.command, pending.bytes.into(), took);
            }
        }
    }
}
