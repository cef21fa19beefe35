//! A host that keeps blocks on a drive of zones: a log over the zones, with a map and a collection of its own.
//!
//! The workload asks for blocks, to be read, written and trimmed in any order. What it asks is made into requests to zones
//! here: reads of the places where blocks lie, appends to the zones that are being filled, resets of zones that were collected.
//! Requests to zones have the arrival time of the request of the workload that they serve, so that its latency holds all
//! that it waited for.
//!
//! Not modelled: the time of the host's processor, the memory and the storage of its own map, its cache.

mod collecting;
mod log_rules;
mod log_untimed;
mod piece;
#[cfg(test)]
mod racing;
mod zone_log;

pub(crate) use log_rules::LogRules;
pub(crate) use piece::{PieceRequest, ZonePiece};

use collecting::Collecting;
use host::{Effect, HostRequest, Op};
use std::collections::VecDeque;
use units::{Nanos, SimTime};
use zone_log::ZoneLog;

/// Constant: greatest number of requests of the workload on which the translation of a host that keeps blocks on zones
/// works at the same time.
const REQUESTS_MOST: usize = 1024;

/// Record of a request that the workload makes to a host which keeps blocks on the zones of the drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AskedOfHost {
    /// Field: request of the workload, in byte addresses of the host's blocks.
    pub request: HostRequest,
    /// True if the request of the workload counts in the measured window.
    pub measured: bool,
}

/// State of a request of the workload on which the translation of a host that keeps blocks on zones works.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HostWork {
    /// Field: request of the workload, and whether it counts in the measured window.
    pub asked: AskedOfHost,
    /// True if a read of the drive for this read of the workload failed; always false for writes, trims and flushes.
    pub failed: bool,
    /// True if this request is a read of the workload, and data that it needs cannot be corrected.
    pub uncorrectable: bool,
    /// Number of requests to the drive, submitted or not, that serve this request of the workload and are not answered
    /// yet.
    pieces: u32,
    /// Number of the first logical block of a write of the workload that still has to be given a place in a zone: it
    /// advances as places are reserved, and equals `end` when all blocks have one. For other requests: their first
    /// logical block.
    next: u32,
    /// Number of the logical block after the last one that the request of the workload touches.
    end: u32,
    /// Number of a write in the order of the log's writes and trims; 0 until blocks that the write replaces in part are
    /// read, and for requests that are no writes.
    order: u64,
    /// Simulated time since which a write of the workload waits until a zone is empty; `None` if it does not wait.
    waiting_since: Option<SimTime>,
}

/// Record of counts of blocks, zones and waits in the translation of a host that keeps blocks on zones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TranslationCounts {
    /// Count of a host that keeps blocks on zones: number of blocks that the host wrote, or began to write, to zones
    /// for writes of the workload; a block written in part counts as one.
    pub blocks_written: u64,
    /// Count of a host that keeps blocks on zones: number of bytes of the workload's writes, as the workload asked for
    /// them (not rounded to whole blocks).
    pub bytes_written: u64,
    /// Count of a host that keeps blocks on zones: number of blocks that the host read from zones because a write of
    /// the workload replaced only a part of the block.
    pub blocks_completed: u64,
    /// Count of a host that keeps blocks on zones: number of blocks that the host's collection of zones copied to other
    /// zones.
    pub blocks_copied: u64,
    /// Count of a host that keeps blocks on zones: number of zones that the host's collection emptied and reset.
    pub zones_collected: u64,
    /// Count of a host that keeps blocks on zones: number of writes of the workload that waited for an empty zone.
    pub writes_waited: u64,
    /// Count of a host that keeps blocks on zones: sum of the times in nanoseconds that writes of the workload waited
    /// for an empty zone, each added at the end of its wait.
    pub waited_ns: u64,
}

impl TranslationCounts {
    /// Returns the write amplification of the host alone: blocks written for the workload and copied by the host's
    /// collection, over blocks written for the workload; `None` without writes of the workload.
    pub fn write_amplification(&self) -> Option<f64> {
        let written = self.blocks_written as f64;
        (self.blocks_written > 0).then(|| (written + self.blocks_copied as f64) / written)
    }

    /// Returns the write amplification of the host alone by its collected zones, of `capacity` blocks each: one, plus
    /// blocks copied from these zones over blocks freed in them; `None` if no zone was collected, or nothing freed.
    pub fn of_collection(&self, capacity: u32) -> Option<f64> {
        let room = (self.zones_collected * u64::from(capacity)).saturating_sub(self.blocks_copied);
        (self.zones_collected > 0 && room > 0).then(|| 1.0 + self.blocks_copied as f64 / room as f64)
    }

    /// Returns the counts of the host's translation since `then`, an older copy of these counts.
    pub fn since(&self, then: &Self) -> Self {
        Self {
            blocks_written: self.blocks_written - then.blocks_written,
            bytes_written: self.bytes_written - then.bytes_written,
            blocks_completed: self.blocks_completed - then.blocks_completed,
            blocks_copied: self.blocks_copied - then.blocks_copied,
            zones_collected: self.zones_collected - then.zones_collected,
            writes_waited: self.writes_waited - then.writes_waited,
            waited_ns: self.waited_ns - then.waited_ns,
        }
    }
}

/// State of the translation of a host that keeps blocks on a drive of zones: its log, the requests of the workload on
/// which it works, and its collection of zones.
pub(crate) struct HostTranslation {
    /// Field: log of the host, which knows where each block lies on the zones.
    log: ZoneLog,
    /// Size in bytes of a block of the host, which is a mapping unit of the drive.
    unit: u64,
    /// Number of streams of new data, each of which fills a zone of its own.
    streams: u16,
    /// List, by index, of the requests of the workload on which the translation works; `None` at a free index.
    hosts: Vec<Option<HostWork>>,
    /// List of the free indices in the list of requests of the workload.
    free: Vec<u32>,
    /// For each request number of the run: purpose of the host's request to the drive in flight with this number;
    /// `None` where no request of the host's translation has it.
    pieces: Vec<Option<ZonePiece>>,
    /// Queue of the host's requests to the drive that are not submitted yet.
    ready: VecDeque<PieceRequest>,
    /// Queue of the writes of the workload, by index, that wait for an empty zone.
    waiting: VecDeque<u32>,
    /// List of the requests of the workload that are served, and whose answers the run has not taken yet.
    done: Vec<HostWork>,
    /// Field: state of the host's collection of zones.
    collecting: Collecting,
    /// Field: counts of blocks, zones and waits since the host's translation was made.
    counts: TranslationCounts,
    /// Field: counts of blocks, zones and waits when the measured window began.
    before: TranslationCounts,
    /// For each zone that the host chose for collection in the measured window: number of its blocks that were still
    /// needed, and number of its other blocks.
    victims: Vec<[u32; 2]>,
}

impl HostTranslation {
    /// Makes the translation by `rules`, with an empty log, of a host on a drive with `zones` zones of `capacity`
    /// blocks of `unit` bytes; `seed` is the seed of the run.
    pub fn new(rules: &LogRules, (zones, capacity): (u32, u32), unit: u64, seed: u64) -> Self {
        Self {
            log: ZoneLog::new(rules, zones, capacity, seed),
            unit,
            streams: rules.streams,
            hosts: Vec::new(),
            free: Vec::new(),
            pieces: Vec::new(),
            ready: VecDeque::new(),
            waiting: VecDeque::new(),
            done: Vec::new(),
            collecting: Collecting::new(rules, zones),
            counts: TranslationCounts::default(),
            before: TranslationCounts::default(),
            victims: Vec::new(),
        }
    }

    /// Returns the capacity in bytes of the blocks that the host keeps on the zones.
    pub fn capacity(&self) -> u64 {
        u64::from(self.log.blocks()) * self.unit
    }

    /// Returns the capacity of a zone of the drive, in blocks of the host's log; a block is a mapping unit of the drive.
    pub fn zone_blocks(&self) -> u32 {
        self.log.capacity()
    }

    /// Returns the number of the host's streams of new data, each of which fills a zone of its own.
    pub fn streams(&self) -> u16 {
        self.streams
    }

    /// Returns the number of zones of the drive that are empty by the host's log.
    pub fn empty_zones(&self) -> u32 {
        self.log.empty_zones()
    }

    /// Returns the size in bytes of the map of the host's log in the host's RAM: four bytes for each logical block, and
    /// four for each place in the zones, by which collection finds the logical block of the place.
    pub fn map_bytes(&self) -> u64 {
        let places = u64::from(self.log.zone_count()) * u64::from(self.log.capacity());
        4 * (u64::from(self.log.blocks()) + places)
    }

    /// Returns the counts of the host's translation since the measured window began.
    pub fn counts(&self) -> TranslationCounts {
        self.counts.since(&self.before)
    }

    /// Begins the measured window of the host's translation: counts and the list of collected zones begin anew.
    pub fn begin_measuring(&mut self) {
        self.before = self.counts;
        // A zone that is half collected is collected within the window, too.
        let last = self.victims.last().copied().filter(|_| self.collecting.is_at_work());
        self.victims = last.into_iter().collect();
    }

    /// Returns, for each zone that the host chose for collection in the measured window, the number of its blocks that
    /// were still needed, and of its other blocks.
    pub fn victims(&self) -> &[[u32; 2]] {
        &self.victims
    }

    /// Returns true while the host has a request of the workload that is not answered; its collection alone does not
    /// count.
    pub fn is_at_work(&self) -> bool {
        self.hosts.len() > self.free.len()
    }

    /// Returns true while the host works on so many requests of the workload that it can take no further one.
    pub fn is_full(&self) -> bool {
        self.hosts.len() - self.free.len() >= REQUESTS_MOST
    }

    /// Takes a request of the workload, which lies within the capacity of the host's blocks, at the simulated time
    /// `now`, and queues the requests to the drive that can be made for it now.
    pub fn take(&mut self, asked: AskedOfHost, now: SimTime) {
        let (unit, request) = (self.unit, asked.request);
        let end = request.offset + u64::from(request.bytes);
        let work = HostWork {
            asked,
            failed: false,
            uncorrectable: false,
            pieces: 0,
            next: (request.offset / unit) as u32,
            end: end.div_ceil(unit) as u32,
            order: 0,
            waiting_since: None,
        };
        let host = self.insert(work);
        match request.op.effect() {
            Effect::Read => self.read(host),
            Effect::Write => self.write(host, now),
            Effect::Trim => {
                let (first, end) = (request.offset.div_ceil(unit) as u32, (end / unit) as u32);
                self.log.trim(first, end.saturating_sub(first));
                self.push(host, request, ZonePiece::Nothing { host });
            }
            Effect::Flush => self.push(host, request, ZonePiece::Flush { host }),
            Effect::Manage => unreachable!("blocks have no zones to manage"),
        }
        self.collect();
    }

    /// Stores the state of a request of the workload at a free index, and returns the index.
    fn insert(&mut self, work: HostWork) -> u32 {
        match self.free.pop() {
            Some(host) => {
                self.hosts[host as usize] = Some(work);
                host
            }
            None => {
                self.hosts.push(Some(work));
                (self.hosts.len() - 1) as u32
            }
        }
    }

    /// Returns the state of the unanswered request of the workload with the index `host`.
    fn host(&mut self, host: u32) -> &mut HostWork {
        self.hosts[host as usize]
            .as_mut()
            .expect("a request of the workload is worked on until it is answered")
    }

    /// Queues a request to the drive that serves the request of the workload with the index `host`.
    fn push(&mut self, host: u32, request: HostRequest, piece: ZonePiece) {
        self.host(host).pieces += 1;
        self.ready.push_back((request, piece));
    }

    /// Queues the reads of the drive for a read of the workload: one for each stretch of logical blocks that lie one
    /// after the other in a zone.
    fn read(&mut self, host: u32) {
        let work = *self.host(host);
        let mut block = work.next;
        while block < work.end {
            let Some(place) = self.log.place(block) else {
                block += 1;
                continue;
            };
            let room = self.log.capacity() - place % self.log.capacity();
            let follows = |&ahead: &u32| self.log.place(block + ahead) == Some(place + ahead);
            let blocks = 1 + (1..room.min(work.end - block)).take_while(follows).count() as u32;
            self.push_read(host, place, blocks, ZonePiece::Read { host });
            block += blocks;
        }
        if self.host(host).pieces == 0 {
            self.push(host, work.asked.request, ZonePiece::Nothing { host });
        }
    }

    /// Queues a read of `blocks` blocks from `place` on for a request of the workload; their zone is not reset before
    /// the read has ended.
    fn push_read(&mut self, host: u32, place: u32, blocks: u32, piece: ZonePiece) {
        let request = self.host(host).asked.request;
        self.collecting.pin(place / self.log.capacity());
        let inner = self.request_at(request, Op::READ, place, blocks);
        self.push(host, inner, piece);
    }

    /// Makes a request `op` to the drive for `blocks` blocks from `place` (in blocks over the capacities of all zones)
    /// on; all else is as in `request`, a request of the workload.
    fn request_at(&self, request: HostRequest, op: Op, place: u32, blocks: u32) -> HostRequest {
        let (offset, bytes) = (u64::from(place) * self.unit, (u64::from(blocks) * self.unit) as u32);
        HostRequest { op, offset, bytes, placement: None, ..request }
    }

    /// Begins a write of the workload: queues reads of the blocks at its two ends that it replaces in part, if they
    /// hold data; without such reads it begins the appends.
    fn write(&mut self, host: u32, now: SimTime) {
        let work = *self.host(host);
        let (unit, request) = (self.unit, work.asked.request);
        self.counts.bytes_written += u64::from(request.bytes);
        let is_cut = |at: u64| !at.is_multiple_of(unit);
        let begins = is_cut(request.offset).then_some(work.next);
        let ends = is_cut(request.offset + u64::from(request.bytes)).then_some(work.end - 1);
        let ends = ends.filter(|&end| begins != Some(end));
        for block in begins.into_iter().chain(ends) {
            if let Some(place) = self.log.place(block) {
                self.counts.blocks_completed += 1;
                self.push_read(host, place, 1, ZonePiece::Edge { host });
            }
        }
        if self.host(host).pieces == 0 {
            self.begin_write(host, now);
        }
    }

    /// Gives a write of the workload its number in the log's order, and queues its appends; it waits if other writes
    /// wait already, or no zone is left for a part of it.
    fn begin_write(&mut self, host: u32, now: SimTime) {
        let HostWork { next, end, .. } = *self.host(host);
        self.host(host).order = self.log.begin_write(next, end - next);
        self.counts.blocks_written += u64::from(end - next);
        // Writes are given places in the order in which they came.
        if self.waiting.is_empty() && self.append(host) {
            return;
        }
        self.host(host).waiting_since = Some(now);
        self.counts.writes_waited += 1;
        self.waiting.push_back(host);
    }

    /// Queues the appends of the rest of a write of the workload; returns false if no zone is left for a part of it.
    fn append(&mut self, host: u32) -> bool {
        let work = *self.host(host);
        let stream = work.asked.request.placement.unwrap_or(0).min(self.streams - 1);
        let mut next = work.next;
        while next < work.end {
            let Some(reserved) = self.log.reserve(stream, work.end - next) else { break };
            let piece = ZonePiece::Append { host, first: next, blocks: reserved.blocks };
            let zone = reserved.zone * self.log.capacity();
            // All appends go through one submission queue: zones are opened and filled in the order in which they were taken.
            let request = HostRequest { tag: 0, ..work.asked.request };
            let inner = self.request_at(request, Op::APPEND, zone, reserved.blocks);
            self.push(host, inner, piece);
            next += reserved.blocks;
        }
        self.host(host).next = next;
        next == work.end
    }

    /// Queues the appends of the writes of the workload that wait for an empty zone, in their order, until no zone is
    /// left.
    fn serve_waiting(&mut self, now: SimTime) {
        while let Some(&host) = self.waiting.front() {
            if !self.append(host) {
                return;
            }
            self.waiting.pop_front();
            let since = self.host(host).waiting_since.take();
            self.counts.waited_ns += since.map_or(Nanos::ZERO, |since| now.since(since)).ns();
        }
    }

    /// Takes the next of the host's requests to the drive from the queue, with its purpose, to be submitted; it has the
    /// drive's own byte addresses. `None` if the queue is empty.
    pub fn next(&mut self) -> Option<PieceRequest> {
        self.ready.pop_front()
    }

    /// Records that the host's request to the drive with the purpose `piece` is in flight with the request number `id`.
    pub fn sent(&mut self, id: u32, piece: ZonePiece) {
        let id = id as usize;
        if id >= self.pieces.len() {
            self.pieces.resize(id + 1, None);
        }
        self.pieces[id] = Some(piece);
    }

    /// Continues the host's work when the drive answers the host's request with the number `id` at `now`: `place` is
    /// the block at which its data begin, counted over the capacities of all zones, and two flags say whether the
    /// request failed and whether its data cannot be corrected. [`Self::answered`] then returns the requests of the
    /// workload that are served.
    ///
    /// # Panics
    /// When the host has no such request in flight, or when a zone refused an append.
    pub fn complete(&mut self, id: u32, place: u32, (failed, uncorrectable): (bool, bool), now: SimTime) {
        let piece = self.pieces[id as usize].take().expect("the request is of the host's translation");
        match piece {
            ZonePiece::Read { host } | ZonePiece::Edge { host } => {
                self.collecting.unpin(place / self.log.capacity());
                self.note_failure(host, failed, uncorrectable);
                self.end_piece(host, now);
            }
            ZonePiece::Append { host, first, blocks } => {
                assert!(
                    !failed,
                    "zone {} refuses an append of the host's translation",
                    place / self.log.capacity()
                );
                let order = self.host(host).order;
                self.log.end_write(order, first, blocks, place);
                self.end_piece(host, now);
            }
            ZonePiece::Flush { host } | ZonePiece::Nothing { host } => self.end_piece(host, now),
            ZonePiece::CopyRead { place, blocks } => self.on_copy_read(place, blocks),
            ZonePiece::CopyAppend { from } => {
                self.counts.blocks_copied += from.len() as u64;
                self.collecting.unpin(from[0].0 / self.log.capacity());
                self.log.end_copy(&from, place);
                self.collecting.copies -= 1;
            }
            ZonePiece::Reset { zone } => {
                self.counts.zones_collected += 1;
                self.log.reset(zone);
                self.end_reset();
                self.copy_waiting();
                self.serve_waiting(now);
            }
        }
        self.collect();
    }

    /// Records the failure of a read of the drive in the request of the workload that it serves, if that is a read.
    fn note_failure(&mut self, host: u32, failed: bool, uncorrectable: bool) {
        let work = self.host(host);
        // What a write cannot keep of a block whose data are lost, it replaces: only reads fail.
        if work.asked.request.op.effect() == Effect::Read {
            work.failed |= failed;
            work.uncorrectable |= uncorrectable;
        }
    }

    /// Ends a request to the drive for a request of the workload. After the last one the request of the workload is
    /// served, unless it is a write that has only read its ends yet and now begins its appends, or one that waits for a
    /// zone.
    fn end_piece(&mut self, host: u32, now: SimTime) {
        let work = self.host(host);
        work.pieces -= 1;
        if work.pieces > 0 {
            return;
        }
        let is_write = work.asked.request.op.effect() == Effect::Write;
        if is_write && work.order == 0 {
            return self.begin_write(host, now);
        }
        if is_write && work.next < work.end {
            return; // The rest waits for an empty zone.
        }
        self.done.extend(self.hosts[host as usize].take());
        self.free.push(host);
    }

    /// Takes one of the requests of the workload that are served and can be answered; `None` if there is none.
    pub fn answered(&mut self) -> Option<HostWork> {
        self.done.pop()
    }

    /// Returns a string about the state of the host's translation, for the error message of a run that makes no
    /// progress.
    pub fn explain(&self) -> String {
        format!(
            "host translation: {} requests, {} wait for a zone, {} to be submitted, {} empty zones, {}",
            self.hosts.len() - self.free.len(),
            self.waiting.len(),
            self.ready.len(),
            self.log.empty_zones(),
            self.collecting.explain()
        )
    }
}
