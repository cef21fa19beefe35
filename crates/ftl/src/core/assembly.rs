//! How the host's data become program units: which dies may take some, and the one whose program unit is being filled.

use super::ordering::Ordering;
use super::streams::Streams;
use crate::placement::{self, PlacementPolicy};
use crate::program_order;
use crate::store::NONE;
use engine::RandomStream;
use units::{Nanos, SimTime};

/// State by which one stream's host data are collected into program units (units programmed together): the die whose
/// program unit is being filled, and the dies that may take the next one.
pub(crate) struct Lane {
    /// Number of the stream whose host data this lane (collector of one stream) collects into program units.
    pub own: usize,
    /// Bit set of the dies that may take another program unit of host data from this lane (collector of one stream):
    /// one bit for each die.
    pub eligible: Vec<u64>,
    /// Number of the die whose program unit the lane (collector of one stream's host data) is filling, or `NONE`.
    pub current: u32,
    /// Number of the stream, on the die whose program unit is being filled, whose open superblock takes the units.
    pub stream: usize,
    /// True while a host request waits for the program unit that is being filled: a write with forced unit access
    /// (FUA), or any write on a drive without a write cache.
    pub is_awaited: bool,
    /// Time by which the program unit that is being filled must be programmed even if it is partial; `NEVER` if no
    /// program unit is being filled or no time limit applies.
    pub flush_due: SimTime,
}

impl Lane {
    fn new(own: usize, words: usize) -> Self {
        let eligible = vec![0; words];
        Self { own, eligible, current: NONE, stream: own, is_awaited: false, flush_due: SimTime::NEVER }
    }

    /// Ends the program unit (units programmed together) that host data were filling; the next program unit may go to
    /// another die.
    #[inline]
    pub fn end_unit(&mut self) {
        self.current = NONE;
        self.is_awaited = false;
        self.flush_due = SimTime::NEVER;
    }
}

/// State of the collection of host data into program units on all dies: the policies that choose die and stream, and
/// the program unit that each stream is filling.
pub(crate) struct Assembly {
    pub placement: Box<dyn PlacementPolicy>,
    /// State of the streams of the drive (write frontiers for different kinds of data), with the policy that chooses
    /// the stream of each mapping unit.
    pub streams: Streams,
    /// State of the program-order policy, which may exchange the open superblocks of the host's stream and the stream
    /// of moved data on a die; `None` where the policy never does.
    pub ordering: Option<Box<Ordering>>,
    /// Setting: greatest number of programs of host data that may wait at a die.
    pub program_queue: u32,
    /// True while a drive of a sampled run stands still, between simulated time and writes without it: neither host nor
    /// garbage collection begins anything new on the flash.
    pub is_still: bool,
    /// Setting: time that a partial program unit waits for more mapping units before it is padded and programmed.
    pub flush_after: Nanos,
    /// For each die, the number of programs of the host's stream that wait or are in progress there.
    pub bound: Vec<u32>,
    /// Bit set of the dies that already hold as many live (valid) mapping units as their quota allows: one bit for each
    /// die.
    pub quota_blocked: Vec<u64>,
    /// List of the lanes, which collect host data into program units: one for each stream that takes host data, with
    /// the program unit that the stream is filling.
    pub lanes: Vec<Lane>,
}

impl Assembly {
    /// Returns text for messages that names the dies whose program units are being filled with host data.
    pub fn filling(&self) -> String {
        let dies = self
            .lanes
            .iter()
            .filter(|lane| lane.current != NONE)
            .map(|lane| format!("die {} is", lane.current));
        let dies: Vec<String> = dies.collect();
        if dies.is_empty() { "no die is".to_owned() } else { dies.join(", ") }
    }

    /// Makes the state of the collection of host data in which no program unit is being filled, for `dies` dies at each
    /// of which `program_queue` programs may wait.
    pub fn new(
        (placement, order): (&placement::Maker, &program_order::Maker),
        streams: Streams,
        dies: u32,
        program_queue: u32,
        flush_after: Nanos,
        seed: u64,
    ) -> Self {
        let mut placement = placement();
        placement.take_random(RandomStream::new(seed, "ftl.placement"));
        placement.attach(dies);
        let dies = dies as usize;
        Self {
            placement,
            ordering: Ordering::new(order),
            program_queue,
            is_still: false,
            flush_after,
            bound: vec![0; dies],
            quota_blocked: vec![0; dies.div_ceil(64)],
            lanes: streams.of_hosts().map(|stream| Lane::new(stream, dies.div_ceil(64))).collect(),
            streams,
        }
    }

    /// Ends the program unit that host data were filling in `stream` of `die`; the next program unit may go to another
    /// die.
    #[inline]
    pub fn end_unit(&mut self, die: usize, stream: usize) {
        for lane in &mut self.lanes {
            if lane.current == die as u32 && lane.stream == stream {
                lane.end_unit();
            }
        }
    }

    /// Returns the index of the lane (collector of host data into program units) that collects the host data of
    /// `stream`; 0 if no lane does.
    #[inline]
    pub fn lane_of(&self, stream: usize) -> usize {
        // Where a policy tells units by their origin alone there is one.
        self.lanes.iter().position(|lane| lane.own == stream).unwrap_or(0)
    }

    /// Returns true if the program unit of any die is partly filled with host data.
    #[inline]
    pub fn is_filling(&self) -> bool {
        self.lanes.iter().any(|lane| lane.current != NONE)
    }
}
