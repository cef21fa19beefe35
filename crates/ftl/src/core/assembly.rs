//! How the host's data become program units: which dies may take some, and the one whose program unit is being filled.

use super::ordering::Ordering;
use super::streams::Streams;
use crate::placement::{self, PlacementPolicy};
use crate::program_order;
use crate::store::NONE;
use engine::RandomStream;
use units::{Nanos, SimTime};

/// The program unit that is being filled with the host's data of one stream, and who may take the next.
pub(crate) struct Lane {
    /// Number of the stream of the host's data that fills the lane.
    pub own: usize,
    /// Dies that may take another program unit: one bit each.
    pub eligible: Vec<u64>,
    /// The die whose program unit is being filled, or `NONE`, and the stream there that the units join.
    pub current: u32,
    /// See `current`.
    pub stream: usize,
    /// True while a request waits for the program unit that is being filled: a forced write, or any write of
    /// a drive without a write cache.
    pub is_awaited: bool,
    /// When the program unit that is being filled must be programmed although it is partial; `NEVER` when none is being
    /// filled or it need not wait.
    pub flush_due: SimTime,
}

impl Lane {
    fn new(own: usize, words: usize) -> Self {
        let eligible = vec![0; words];
        Self { own, eligible, current: NONE, stream: own, is_awaited: false, flush_due: SimTime::NEVER }
    }

    /// Ends the program unit that the host's data fill: the next is another die's to take.
    #[inline]
    pub fn end_unit(&mut self) {
        self.current = NONE;
        self.is_awaited = false;
        self.flush_due = SimTime::NEVER;
    }
}

/// The program units that are being filled, and who may take the next.
pub(crate) struct Assembly {
    pub placement: Box<dyn PlacementPolicy>,
    /// Streams, with the stream that each unit joins.
    pub streams: Streams,
    /// Which open superblock a program goes to, where that is a question.
    pub ordering: Option<Box<Ordering>>,
    /// Programs that may wait at a die.
    pub program_queue: u32,
    /// How long a partial program unit waits for more units.
    pub flush_after: Nanos,
    /// Programs of the host's stream at each die.
    pub bound: Vec<u32>,
    /// Dies that hold as many live units as their quota allows: one bit per die.
    pub quota_blocked: Vec<u64>,
    /// A lane for each stream that takes the host's data.
    pub lanes: Vec<Lane>,
}

impl Assembly {
    /// Returns the dies whose program units are being filled with the host's data, in words.
    pub fn filling(&self) -> String {
        let dies = self
            .lanes
            .iter()
            .filter(|lane| lane.current != NONE)
            .map(|lane| format!("die {} is", lane.current));
        let dies: Vec<String> = dies.collect();
        if dies.is_empty() { "no die is".to_owned() } else { dies.join(", ") }
    }

    /// Creates an assembly in which nothing is being filled, for `dies` dies at each of which `program_queue` programs
    /// may wait.
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
            flush_after,
            bound: vec![0; dies],
            quota_blocked: vec![0; dies.div_ceil(64)],
            lanes: streams.of_hosts().map(|stream| Lane::new(stream, dies.div_ceil(64))).collect(),
            streams,
        }
    }

    /// Ends the program unit of a die's stream that the host's data fill.
    #[inline]
    pub fn end_unit(&mut self, die: usize, stream: usize) {
        for lane in &mut self.lanes {
            if lane.current == die as u32 && lane.stream == stream {
                lane.end_unit();
            }
        }
    }

    /// Returns the place among the lanes of the one of a stream.
    #[inline]
    pub fn lane_of(&self, stream: usize) -> usize {
        // Where a policy tells units by their origin alone there is one.
        self.lanes.iter().position(|lane| lane.own == stream).unwrap_or(0)
    }

    /// True if some die has a part of a program unit of host data.
    #[inline]
    pub fn is_filling(&self) -> bool {
        self.lanes.iter().any(|lane| lane.current != NONE)
    }
}
