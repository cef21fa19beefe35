//! Work that only the clock brings back: data written anew before they are lost, the patrol that looks for errors,
//! snapshots and what going back to them takes. It stands in one agenda, of which the calendar knows the next entry only,
//! and on each die it takes at most a stated share of the time, so that the host always gets on. What comes late for
//! that is counted; what could not be kept even so is refused before the run (`upkeep/burden`).
//!
//! What a die does when it is idle (collection, folding, re-writes that a regulator asks for) is not here: the host
//! brings that, it ends by itself, and any operation of the host's ends it at once.

mod costs;

pub(crate) use costs::Costs;

use crate::refresh_order::{Maker, RefreshOrder};
use crate::{Layout, events};
use controller::Origin;
use engine::{Calendar, Event};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use units::{Nanos, SimTime};

/// A kind of timer-driven work that can fall due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// A superblock (numbered over the drive) may hold data that must be written anew.
    Refresh(u32),
    /// Next step of the patrol of this die.
    Patrol(u32),
    /// A die may spend time on superblocks that wait to be rewritten.
    Turn(u32),
    /// Work of a feature at a set time.
    Moment,
}

/// A superblock (numbered over the drive) that must be rewritten.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub superblock: u32,
    pub since: SimTime,
    pub origin: Origin,
    /// When the superblock was opened, in ns: if it was erased since, the entry no longer applies.
    pub opened: i64,
}

/// The timer-driven work of one die.
pub(crate) struct DieUpkeep {
    /// Superblocks to be rewritten, in the order in which they fell due.
    pub due: VecDeque<Due>,
    /// Policy that chooses which due superblock is rewritten next.
    pub order: Box<dyn RefreshOrder>,
    /// Time before which the die's share of time for upkeep is used up.
    pub free_at: SimTime,
    /// True while a turn of the die's timer-driven work is entered in the agenda.
    pub has_turn: bool,
}

/// What was counted since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepCounts {
    /// Superblocks whose moving by timer-driven work began.
    pub begun: u64,
    /// Superblocks begun more than one superblock's share of time after they fell due.
    pub late: u64,
    /// How late these superblocks were begun, in ns: in sum and at most.
    pub late_ns: u64,
    /// See `late_ns`.
    pub late_ns_max: u64,
    /// Die time that timer-driven work took, in ns, by the times of the drive file.
    pub die_ns: u64,
}

/// The upkeep of a drive.
pub(crate) struct Agenda {
    share: f64,
    pub costs: Costs,
    queue: BinaryHeap<Reverse<(SimTime, u64, Work)>>,
    entered: u64,
    /// When the calendar's events for the agenda come, the next one last: no two of them at one time, and none again
    /// that is there already, or they would become more and more.
    pub armed: Vec<SimTime>,
    /// True while the work of the agenda is being done: work entered meanwhile is looked at afterwards.
    pub at_work: bool,
    /// True when the agenda holds all that is left to happen in the run: due work waits for another event, or
    /// the run would never end.
    pub asleep: bool,
    pub dies: Vec<DieUpkeep>,
    /// By superblock of the drive: true while it waits at its die to be rewritten.
    pub waits: Vec<bool>,
    pub counts: UpkeepCounts,
}

impl Agenda {
    /// Makes an agenda with nothing due; each die has an `order` of its own for rewriting and may spend
    /// `share` of its time on upkeep.
    pub fn new(layout: &Layout, order: &Maker, share: f64, costs: Costs) -> Self {
        let idle =
            || DieUpkeep { due: VecDeque::new(), order: order(), free_at: SimTime::ZERO, has_turn: false };
        Self {
            share,
            costs,
            queue: BinaryHeap::new(),
            entered: 0,
            armed: Vec::new(),
            at_work: false,
            asleep: false,
            dies: (0..layout.dies).map(|_| idle()).collect(),
            waits: vec![false; layout.superblocks()],
            counts: UpkeepCounts::default(),
        }
    }

    /// Puts work into the agenda.
    pub fn enter(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        self.queue.push(Reverse((at.max(calendar.now()), self.entered, work)));
        self.entered += 1;
        self.arm(calendar);
    }

    /// Lets the calendar know when the next entry is due.
    pub fn arm(&mut self, calendar: &mut Calendar) {
        let Some(Reverse((at, ..))) = self.queue.peek() else { return };
        let at = (*at).max(calendar.now());
        let is_first = self.armed.last().is_none_or(|armed| at < *armed);
        if is_first && at < SimTime::NEVER && !self.asleep && !self.at_work {
            self.armed.push(at);
            calendar.schedule_timer(at, Event { kind: events::UPKEEP, index: 0 });
        }
    }

    /// Drops all due work, because the power fails.
    pub fn empty(&mut self) {
        self.queue.clear();
    }

    pub fn take_due(&mut self, now: SimTime) -> Option<Work> {
        let Reverse((at, ..)) = self.queue.peek()?;
        if *at > now { None } else { self.queue.pop().map(|Reverse((.., work))| work) }
    }

    /// Returns the time from the beginning of `ns` of upkeep until a die may do more, so that upkeep keeps to
    /// its share.
    pub fn spread(&self, ns: u64) -> Nanos {
        Nanos::new((ns as f64 / self.share) as u64)
    }

    /// Charges a die with `ns` of upkeep from `from` on; returns when the die may do more.
    pub fn charge(&mut self, die: usize, ns: u64, from: SimTime) -> SimTime {
        self.counts.die_ns += ns;
        let free_at = self.dies[die].free_at.max(from) + self.spread(ns);
        self.dies[die].free_at = free_at;
        free_at
    }

    /// Charges all dies with a checkpoint of the map that begins.
    pub fn charge_checkpoint(&mut self, layout: &Layout, now: SimTime) {
        let ns = self.costs.checkpoint(layout);
        (0..self.dies.len()).for_each(|die| {
            self.charge(die, ns, now);
        });
    }

    /// Returns the number of bytes of state of the simulator: an entry for each superblock may stand in the
    /// agenda.
    pub fn bytes(&self) -> usize {
        self.waits.len() + self.queue.capacity() * size_of::<(SimTime, u64, Work)>()
    }

    /// Returns the share of each die's time that upkeep may take.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Returns the number of superblocks that are due and not begun.
    pub fn waiting(&self) -> u64 {
        self.dies.iter().map(|die| die.due.len() as u64).sum()
    }

    /// Ends the agenda when the host has finished: no more work falls due.
    pub fn end(&mut self) {
        self.empty();
        self.dies.iter_mut().for_each(|die| die.due.clear());
        self.waits.fill(false);
    }
}
