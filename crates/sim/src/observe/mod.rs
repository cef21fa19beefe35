//! What watches a run: nothing, or a checker, a timeline, rows for every request and who holds the data.

pub(crate) mod account;
pub(crate) mod answers;
pub mod holder;
pub mod tables;
pub(crate) mod timeline;

use crate::measure::STAGES;
use crate::observe::holder::{Holder, HostAnswer};
use crate::observe::tables::{Column, REQUESTS};
use crate::observe::timeline::Timeline;
use crate::requests::Request;
use account::{Account, Shown, past_event};
use check::Answered;
use controller::{ChannelUse, Interrupted, Origin, TimedTransaction, Transaction, TransactionId};
use ftl::{Ftl, Probe, VersionEvent};
use host::HostRequest;
use units::{ChannelId, Lpn, Ppa, SimTime};

/// Interface of an observer of a run, which sees the host's requests in addition to the events of the translation layer
/// and the flash.
pub(crate) trait Observer: Probe {
    fn on_request(&mut self, _id: u32, _: &HostRequest) {}
    /// Tells the observer the number of a request in its source, such as the line of a trace. `number` computes it, and
    /// is called only by an observer that needs it.
    fn on_number(&mut self, _id: u32, _tag: u16, _number: impl FnOnce() -> Option<u64>) {}
    /// Tells the observer that the data of one unit of a write are about to enter the drive.
    fn on_data(&mut self, _id: u32, _: &HostRequest, _lpn: Lpn) {}
    /// Tells the observer that a request had no effect on the drive: a power cut came before the drive had read the
    /// command, or the request's zone refused it.
    fn on_unheard(&mut self, _id: u32) {}
    /// Tells the observer that the power failed; the list has the programs and erases that were interrupted after they
    /// had changed cells.
    fn on_cut(&mut self, _now: SimTime, _: &[Interrupted]) {}
    /// Tells the observer that recovery after a power cut has rebuilt the drive's logical-to-physical map.
    fn on_found(&mut self, _: &Ftl) {}
    /// Tells the observer that the dies with these indices have failed, as planned for the run.
    fn on_dies_failed(&mut self, _dies: &[u32]) {}
    /// Tells the observer that the data of one unit of a write enter the drive now; a holder of data, such as a drive
    /// image, stores them.
    fn on_content(&mut self, _id: u32, _: &HostRequest, _lpn: Lpn, _: &Ftl) {}
    /// Tells the observer that the ramp at the beginning of a run is over and the measured window begins.
    fn on_window(&mut self, _now: SimTime) {}
    fn on_complete(&mut self, _: &Request, _now: SimTime, _stages: &[u64; STAGES.len() + 1]) {}
    /// Tells the observer that the drive answers a request now; for a read a holder of data, such as a drive image,
    /// supplies the data.
    fn on_answer(&mut self, _: &Request, _now: SimTime, _: &Ftl) {}
}

impl Observer for () {}

/// Constant: number of values in one row of `requests.parquet`: the number of its columns.
const WIDTH: usize = REQUESTS.len();
/// Constant: number of rows of `requests.parquet` that are turned into columns in one step, few enough for the
/// processor's first-level cache.
const ROWS_AT_ONCE: usize = 64;

/// Store of the rows of `requests.parquet` that the caller has not taken yet: rows are stored one by one and turned
/// into columns in batches.
pub(crate) struct RequestRows {
    rows: Vec<[u64; WIDTH]>,
    /// List, indexed by the id of a request in flight, of the requests' numbers in their source (such as the line of a
    /// trace).
    numbers: Vec<u64>,
    /// List of the numbers of requests so far, one for each tag (a fio job, or a volume of a trace).
    counts: Vec<u64>,
    /// Simulated time that counts as zero in the times of the rows of `requests.parquet`.
    origin: SimTime,
}

impl RequestRows {
    /// Makes an empty store for rows of `requests.parquet`, in which times count from `origin`.
    pub fn since(origin: SimTime) -> Self {
        Self { rows: Vec::new(), numbers: Vec::new(), counts: Vec::new(), origin }
    }

    fn number(&mut self, id: u32, tag: u16, number: Option<u64>) {
        let (id, tag) = (id as usize, usize::from(tag));
        self.counts.resize(self.counts.len().max(tag + 1), 0);
        self.counts[tag] += 1;
        self.numbers.resize(self.numbers.len().max(id + 1), 0);
        self.numbers[id] = number.unwrap_or(self.counts[tag]);
    }

    fn push(&mut self, request: &Request, now: SimTime, stages: &[u64; STAGES.len() + 1]) {
        let host = &request.host;
        let number = self.numbers[request.id as usize];
        let mut row = [0; WIDTH];
        let (about, spent) = row.split_at_mut(WIDTH - stages.len());
        about.copy_from_slice(&[
            number,
            host.arrive.since(self.origin).ns(),
            now.since(self.origin).ns(),
            host.op.effect() as u64,
            u64::from(request.failed),
            u64::from(request.measured),
            u64::from(host.tag),
            host.offset,
            u64::from(host.bytes),
        ]);
        spent.copy_from_slice(stages);
        self.rows.push(row);
    }

    /// Returns all rows since the last call as columns of little-endian numbers, in the order of [`REQUESTS`], and
    /// removes them.
    pub fn take(&mut self) -> Vec<Vec<u8>> {
        let capacity = |column: &Column| Vec::with_capacity(self.rows.len() * column.kind.width());
        let mut columns: Vec<Vec<u8>> = REQUESTS.iter().map(capacity).collect();
        for rows in self.rows.chunks(ROWS_AT_ONCE) {
            for (place, column) in columns.iter_mut().enumerate() {
                match REQUESTS[place].kind.width() {
                    1 => append::<1>(column, rows, place),
                    2 => append::<2>(column, rows, place),
                    4 => append::<4>(column, rows, place),
                    _ => append::<8>(column, rows, place),
                }
            }
        }
        self.rows.clear();
        columns
    }
}

/// Appends the values at index `place` of all rows to the bytes of a column, `BYTES` bytes for each value.
fn append<const BYTES: usize>(column: &mut Vec<u8>, rows: &[[u64; WIDTH]], place: usize) {
    let from = column.len();
    column.resize(from + rows.len() * BYTES, 0);
    for (bytes, row) in column[from..].as_chunks_mut::<BYTES>().0.iter_mut().zip(rows) {
        bytes.copy_from_slice(&row[place].to_le_bytes()[..BYTES]);
    }
}

/// Set of the observers that are enabled in a run: checker, timeline, rows of requests, holder of the data.
#[derive(Default)]
pub(crate) struct Observers {
    pub check: Option<Box<Account>>,
    pub timeline: Option<Timeline>,
    pub rows: Option<RequestRows>,
    pub holder: Option<Box<dyn Holder>>,
    /// Simulated time at which the timeline of the run begins.
    pub origin: SimTime,
}

impl Observers {
    /// Returns the part of the time interval `from` to `to` that the timeline shows, as two times counted from the
    /// timeline's start; `None` if the interval ends before that start.
    fn shown(&self, from: SimTime, to: SimTime) -> Option<[SimTime; 2]> {
        let counted = |time: SimTime| SimTime::from_ns(time.since(self.origin).ns());
        (to > self.origin).then(|| [from.max(self.origin), to].map(counted))
    }
}

impl controller::Probe for Observers {
    fn on_channel(
        &mut self,
        channel: ChannelId,
        id: TransactionId,
        transaction: &Transaction,
        usage: ChannelUse,
        from: SimTime,
        to: SimTime,
    ) {
        let shown = if self.timeline.is_some() { self.shown(from, to) } else { None };
        if let (Some([from, to]), Some(timeline)) = (shown, &mut self.timeline) {
            timeline.on_channel(channel, usage, from, to);
        }
        if let Some(check) = &mut self.check {
            check.on_channel(channel, id, transaction, usage, (from, to));
        }
    }

    fn on_array(&mut self, id: TransactionId, transaction: &Transaction, from: SimTime, to: SimTime) {
        let shown = if self.timeline.is_some() { self.shown(from, to) } else { None };
        if let (Some([from, to]), Some(timeline)) = (shown, &mut self.timeline) {
            timeline.on_array(transaction, from, to);
        }
        if let Some(check) = &mut self.check {
            check.on_array(id, transaction, from, to);
        }
    }

    fn on_submit(&mut self, id: TransactionId, transaction: &Transaction) {
        if let Some(check) = &mut self.check {
            check.on_submit(id, transaction);
        }
    }

    fn on_ride(&mut self, carrier: TransactionId, id: TransactionId, transaction: &Transaction) {
        if let Some(check) = &mut self.check {
            check.on_ride(carrier, id, transaction);
        }
    }

    fn on_finish(&mut self, id: TransactionId, transaction: &TimedTransaction) {
        if let Some(check) = &mut self.check {
            check.on_finish(id, transaction);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_finish(transaction);
        }
    }
}

impl Probe for Observers {
    fn on_place(&mut self, transaction: &Transaction, units: u32, source: impl Fn(u32) -> (Origin, u64)) {
        if let Some(check) = &mut self.check {
            check.on_place(transaction, units, &source);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_place(transaction, units, &source);
        }
    }

    fn on_rest(&mut self, slot: u32, from: u32) {
        if let Some(check) = &mut self.check {
            check.on_rest(slot, from);
        }
    }

    fn on_kept(&mut self, lpn: Lpn, slot: u32, ppa: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_kept(lpn, slot, ppa);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_kept(slot, ppa);
        }
    }

    fn on_commit(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_commit(lpn, new, old);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_settled(lpn, new);
        }
    }

    fn on_moved(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_moved(lpn, new, old);
        }
    }

    fn on_buffered(&mut self, lpn: Lpn, slot: u32, rest: Option<u32>) {
        if let Some(check) = &mut self.check {
            check.on_buffered(lpn, slot, rest);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_buffered(lpn, slot);
        }
    }

    fn on_outdated(&mut self, lpn: Lpn, slot: u32) {
        if let Some(check) = &mut self.check {
            check.on_outdated(lpn, slot);
        }
    }

    fn on_overtaken(&mut self, lpn: Lpn, new: Ppa, old: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_overtaken(lpn, new, old);
        }
    }

    fn on_trim(&mut self, lpn: Lpn, old: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_trim(lpn, old);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_trim(lpn);
        }
    }

    fn on_erase(&mut self, superblock: usize) {
        if let Some(check) = &mut self.check {
            check.on_erase(superblock);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_erase(superblock);
        }
    }

    fn on_host_read(&mut self, lpn: Lpn, ppa: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_host_read(lpn, ppa);
        }
    }

    fn on_fetch(&mut self, lpn: Lpn, ppa: Ppa) {
        if let Some(check) = &mut self.check {
            check.on_fetch(lpn, ppa);
        }
    }

    fn on_fetched_read(&mut self, lpn: Lpn) {
        if let Some(check) = &mut self.check {
            check.on_fetched_read(lpn);
        }
    }

    fn on_version(&mut self, event: VersionEvent) {
        if let Some(check) = &mut self.check {
            check.on_version(past_event(event));
        }
    }

    fn on_host_write(&mut self, lpn: Lpn) {
        if let Some(check) = &mut self.check {
            check.on_host_write(lpn);
        }
    }
}

/// Returns an answered host request in the form that the checker takes.
fn answered(request: &Request) -> Answered<'_> {
    let Request { id, host, first, units, failed, uncorrectable, .. } = request;
    let (id, first, units) = (*id, *first, *units);
    Answered { id, host, first, units, failed: *failed, uncorrectable: *uncorrectable }
}

impl Observer for Observers {
    fn on_request(&mut self, id: u32, request: &HostRequest) {
        if let Some(check) = &mut self.check {
            check.on_request(id, request);
        }
    }

    fn on_number(&mut self, id: u32, tag: u16, number: impl FnOnce() -> Option<u64>) {
        if self.rows.is_none() && self.holder.is_none() {
            return;
        }
        let number = number();
        if let Some(rows) = &mut self.rows {
            rows.number(id, tag, number);
        }
        if let Some(holder) = &mut self.holder {
            holder.on_number(id, number);
        }
    }

    fn on_data(&mut self, id: u32, request: &HostRequest, lpn: Lpn) {
        if let Some(check) = &mut self.check {
            check.on_data(id, request, lpn);
        }
    }

    fn on_unheard(&mut self, id: u32) {
        if let Some(check) = &mut self.check {
            check.on_unheard(id);
        }
    }

    fn on_cut(&mut self, now: SimTime, interrupted: &[Interrupted]) {
        if let Some(check) = &mut self.check {
            check.on_cut(now, interrupted);
        }
    }

    fn on_found(&mut self, ftl: &Ftl) {
        if let Some(check) = &mut self.check {
            check.on_found(&Shown::later(ftl));
        }
    }

    fn on_dies_failed(&mut self, dies: &[u32]) {
        if let Some(check) = &mut self.check {
            check.on_dies_failed(dies);
        }
    }

    fn on_content(&mut self, id: u32, request: &HostRequest, lpn: Lpn, ftl: &Ftl) {
        if let Some(holder) = &mut self.holder {
            holder.on_content(id, request, lpn, ftl.lookup(lpn));
        }
    }

    fn on_answer(&mut self, request: &Request, now: SimTime, ftl: &Ftl) {
        if let Some(holder) = &mut self.holder {
            let answer = HostAnswer { id: request.id, host: &request.host, failed: request.failed, now };
            holder.on_answer(&answer, &|lpn| ftl.lookup(lpn));
        }
    }

    fn on_window(&mut self, now: SimTime) {
        if let Some(check) = &mut self.check {
            check.on_window(now);
        }
    }

    fn on_complete(&mut self, request: &Request, now: SimTime, stages: &[u64; STAGES.len() + 1]) {
        if let Some(check) = &mut self.check {
            check.on_complete(&answered(request), now, stages);
        }
        if let Some(rows) = &mut self.rows {
            rows.push(request, now, stages);
        }
    }
}
