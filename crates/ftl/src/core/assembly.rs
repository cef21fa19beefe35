//! How the host's data become program units: which dies may take some, and the one whose program unit is being filled.

use super::ordering::Ordering;
use crate::placement::{self, PlacementPolicy};
use crate::program_order;
use crate::store::{HOST, NONE};
use engine::RandomStream;
use units::{Nanos, SimTime};

/// The program unit that is being filled, and who may take the next.
pub(crate) struct Assembly {
    pub placement: Box<dyn PlacementPolicy>,
    /// Which open superblock a program goes to, where that is a question.
    pub ordering: Option<Box<Ordering>>,
    /// Programs that may wait at a die.
    pub program_queue: u32,
    /// How long a partial program unit waits for company.
    pub flush_after: Nanos,
    /// Programs of the host's stream at each die.
    pub bound: Vec<u32>,
    /// Dies that may take another program unit, and those that hold as much as they may: one bit each.
    pub eligible: Vec<u64>,
    /// See `eligible`.
    pub quota_blocked: Vec<u64>,
    /// The die whose program unit is being filled with the host's data, or `NONE`, and the stream it goes to.
    pub current: u32,
    /// See `current`.
    pub host_stream: usize,
    /// A request waits for the program unit that is being filled: a forced write's, or any write's without a write cache.
    pub is_awaited: bool,
    /// When the program unit that is being filled has waited long enough; `NEVER` when none is, or it need not wait.
    pub flush_due: SimTime,
}

impl Assembly {
    /// Nothing is being filled, on so many dies at each of which `program_queue` programs may wait.
    pub fn new(
        (placement, order): (&placement::Maker, &program_order::Maker),
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
            eligible: vec![0; dies.div_ceil(64)],
            quota_blocked: vec![0; dies.div_ceil(64)],
            current: NONE,
            host_stream: HOST,
            is_awaited: false,
            flush_due: SimTime::NEVER,
        }
    }

    /// The host's data fill no program unit any more: the next is another die's to take.
    #[inline]
    pub fn end_unit(&mut self) {
        self.current = NONE;
        self.is_awaited = false;
        self.flush_due = SimTime::NEVER;
    }
}
