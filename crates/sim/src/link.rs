//! The host link at work: who is fetched next, when data has crossed.

use host::LinkConfig;
use std::collections::VecDeque;
use units::{Bytes, Nanos, SimTime};

/// The smallest piece a host interface hands on.
const SECTOR: u64 = 512;

/// A transfer direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    ToDrive,
    ToHost,
}

/// Submission queues, the serial part of command handling, and the wires.
pub(crate) struct Link {
    config: LinkConfig,
    queues: Vec<VecDeque<u32>>,
    queued: u32,
    next_queue: usize,
    service_free: SimTime,
    wire_free: [SimTime; 2],
    /// The length computed last: most transfers of a workload have one length.
    last: (u64, Nanos),
    /// Nanoseconds the wires were busy, by direction.
    pub busy_ns: [u64; 2],
}

impl Link {
    pub fn new(config: LinkConfig) -> Self {
        Self {
            queues: (0..config.queues).map(|_| VecDeque::new()).collect(),
            queued: 0,
            next_queue: 0,
            service_free: SimTime::ZERO,
            wire_free: [SimTime::ZERO; 2],
            last: (0, Nanos::ZERO),
            busy_ns: [0; 2],
            config,
        }
    }

    pub fn config(&self) -> &LinkConfig {
        &self.config
    }

    /// True while some submission queue has a place.
    #[inline]
    pub fn has_place(&self) -> bool {
        self.queued < self.config.queues * self.config.queue_depth
    }

    /// Puts a request into the queue its tag prefers, or the next that has a place.
    #[inline]
    pub fn submit(&mut self, request: u32, tag: u16) {
        let count = self.queues.len();
        let mut queue = usize::from(tag) % count;
        while self.queues[queue].len() as u32 >= self.config.queue_depth {
            queue = (queue + 1) % count;
        }
        self.queues[queue].push_back(request);
        self.queued += 1;
    }

    /// Takes the next request in turn over the queues, as NVMe's round-robin arbitration does.
    #[inline]
    pub fn fetch(&mut self) -> Option<u32> {
        if self.queued == 0 {
            return None;
        }
        loop {
            let queue = self.next_queue;
            self.next_queue = if queue + 1 == self.queues.len() { 0 } else { queue + 1 };
            if let Some(request) = self.queues[queue].pop_front() {
                self.queued -= 1;
                return Some(request);
            }
        }
    }

    /// When a command fetched now has been understood.
    #[inline]
    pub fn command_done(&mut self, now: SimTime) -> SimTime {
        let begin = self.service_free.max(now);
        self.service_free = begin + self.config.t_command_service;
        begin + self.config.t_command_service.max(self.config.t_command)
    }

    /// When `bytes` that came in until `until`, over `over`, have crossed to the host. With a FIFO the link works
    /// on all pages that are coming in, sector by sector: it may have begun with the first, and cannot end before
    /// the last.
    #[inline]
    pub fn give(&mut self, until: SimTime, over: Nanos, bytes: u64) -> SimTime {
        let early = if self.config.cut_through { over } else { Nanos::ZERO };
        self.transfer(Direction::ToHost, SimTime::from_ns(until.ns() - early.ns()), bytes).max(until)
    }

    /// When the flash may go on with `bytes` of a write that arrived at `arrived`, is worked on now and takes
    /// `over` to go on.
    #[inline]
    pub fn take(&mut self, arrived: SimTime, now: SimTime, over: Nanos, bytes: u64) -> SimTime {
        let from = if self.config.double_buffer { arrived } else { now };
        let end = self.transfer(Direction::ToDrive, from, bytes);
        if !self.config.cut_through {
            return end.max(now);
        }
        // The flash must not overtake the link: it ends no earlier, and begins with the first sector.
        let length = self.time_for(bytes);
        let sector = self.config.rate.time_for(Bytes::new(SECTOR.min(bytes)));
        let ahead = Nanos::new(length.ns() - sector.ns()).min(over);
        SimTime::from_ns(end.ns() - ahead.ns()).max(now)
    }

    fn time_for(&mut self, bytes: u64) -> Nanos {
        if self.last.0 != bytes {
            self.last = (bytes, self.config.rate.time_for(Bytes::new(bytes)));
        }
        self.last.1
    }

    /// When `bytes` that may start at `from` have crossed; calls come in order of `from`.
    #[inline]
    fn transfer(&mut self, direction: Direction, from: SimTime, bytes: u64) -> SimTime {
        let length = self.time_for(bytes);
        let wire = if self.config.full_duplex { direction as usize } else { 0 };
        let end = self.wire_free[wire].max(from) + length;
        self.wire_free[wire] = end;
        self.busy_ns[direction as usize] += length.ns();
        end
    }
}
