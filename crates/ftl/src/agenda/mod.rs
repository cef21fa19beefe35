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

/// Kind of timer-driven background work (refresh, patrol and so on) that the agenda holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// Kind of background work: check the superblock, numbered over the drive, which may hold data that must be
    /// rewritten (refreshed) now.
    Refresh(u32),
    /// Kind of background work: the next step of the patrol (background scrub) of this die.
    Patrol(u32),
    /// Kind of background work: rewrite superblocks of this die that wait for it, because the die may spend time on
    /// background work again.
    Turn(u32),
    /// Kind of background work: an action of a feature at a set time, such as to take a snapshot.
    Moment,
}

/// Record of a superblock (numbered over the drive) that must be rewritten: the time since which the rewrite is due,
/// the reason, and the time at which the superblock was opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub superblock: u32,
    pub since: SimTime,
    pub origin: Origin,
    /// Time at which the superblock was opened, in ns. If the superblock was erased and opened again since, the entry
    /// no longer applies.
    pub opened: i64,
}

/// State of the timer-driven background work of one die.
pub(crate) struct DieUpkeep {
    /// Superblocks of the die that wait to be rewritten, in the order in which they fell due.
    pub due: VecDeque<Due>,
    /// Policy that chooses which of the die's due superblocks is rewritten next.
    pub order: Box<dyn RefreshOrder>,
    /// Time from which on the die may do background work again; until then its share of time is used up.
    pub free_at: SimTime,
    /// True while the agenda holds an entry for the die's next turn of timer-driven work.
    pub has_turn: bool,
}

/// Counts of timer-driven background work (upkeep) since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepCounts {
    /// Number of superblocks whose relocation by timer-driven work began.
    pub begun: u64,
    /// Number of superblocks whose relocation began late: longer after the due time than one superblock takes at the
    /// permitted share of die time.
    pub late: u64,
    /// Sum over all begun superblocks of the time from due to the beginning of the relocation, in ns.
    pub late_ns: u64,
    /// Greatest time from due to the beginning of a superblock's relocation, in ns.
    pub late_ns_max: u64,
    /// Die time that timer-driven work took, in ns, calculated from the operation times of the drive file.
    pub die_ns: u64,
}

/// Schedule of a drive's timer-driven background work (refresh, patrol, snapshots), with the state of each die.
pub(crate) struct Agenda {
    share: f64,
    pub costs: Costs,
    queue: BinaryHeap<Reverse<(SimTime, u64, Work)>>,
    entered: u64,
    /// Times at which events of the simulation's calendar wake the agenda, the next one last. Each time is in the list
    /// once, so that the events do not multiply.
    pub armed: Vec<SimTime>,
    /// True while due work of the agenda is being done; work that is entered meanwhile is looked at afterwards.
    pub at_work: bool,
    /// True while the agenda rests because the drive is stuck, or because only the agenda's own events are left in the
    /// run: due work then waits for another event, so that the run can end.
    pub asleep: bool,
    pub dies: Vec<DieUpkeep>,
    /// For each superblock of the drive: true while it waits at its die to be rewritten.
    pub waits: Vec<bool>,
    pub counts: UpkeepCounts,
}

impl Agenda {
    /// Makes an agenda without due work; each die gets a policy from `order` for its rewrites, and may spend the
    /// fraction `share` of its time on background work.
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

    /// Adds work that falls due at time `at` to the agenda of background work.
    pub fn enter(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        self.queue.push(Reverse((at.max(calendar.now()), self.entered, work)));
        self.entered += 1;
        self.arm(calendar);
    }

    /// Schedules a calendar event for the agenda's next entry, unless an event as early is already scheduled.
    pub fn arm(&mut self, calendar: &mut Calendar) {
        let Some(Reverse((at, ..))) = self.queue.peek() else { return };
        let at = (*at).max(calendar.now());
        let is_first = self.armed.last().is_none_or(|armed| at < *armed);
        if is_first && at < SimTime::NEVER && !self.asleep && !self.at_work {
            self.armed.push(at);
            calendar.schedule_timer(at, Event { kind: events::UPKEEP, index: 0 });
        }
    }

    /// Removes all entries of the agenda of background work because the power fails.
    pub fn empty(&mut self) {
        self.queue.clear();
    }

    pub fn take_due(&mut self, now: SimTime) -> Option<Work> {
        let Reverse((at, ..)) = self.queue.peek()?;
        if *at > now { None } else { self.queue.pop().map(|Reverse((.., work))| work) }
    }

    /// Returns the time from the beginning of background work that takes `ns` nanoseconds until its die may do more, so
    /// that the die keeps to its share.
    pub fn spread(&self, ns: u64) -> Nanos {
        Nanos::new((ns as f64 / self.share) as u64)
    }

    /// Adds `ns` nanoseconds of background work, from time `from` on, to the time that a die has spent on such work;
    /// returns the time when the die may do more.
    pub fn charge(&mut self, die: usize, ns: u64, from: SimTime) -> SimTime {
        self.counts.die_ns += ns;
        let free_at = self.dies[die].free_at.max(from) + self.spread(ns);
        self.dies[die].free_at = free_at;
        free_at
    }

    /// Adds, for every die, the time for its part of a map checkpoint that begins now to the time that the die has
    /// spent on background work.
    pub fn charge_checkpoint(&mut self, layout: &Layout, now: SimTime) {
        let ns = self.costs.checkpoint(layout);
        (0..self.dies.len()).for_each(|die| {
            self.charge(die, ns, now);
        });
    }

    /// Returns the number of bytes of the simulator's memory that the agenda of background work takes.
    pub fn bytes(&self) -> usize {
        self.waits.len() + self.queue.capacity() * size_of::<(SimTime, u64, Work)>()
    }

    /// Returns the fraction (0 to 1) of each die's time that background work may take.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Returns the number of superblocks that wait to be rewritten and whose relocation has not begun.
    pub fn waiting(&self) -> u64 {
        self.dies.iter().map(|die| die.due.len() as u64).sum()
    }

    /// Ends the background work when the host has finished: no more work falls due.
    pub fn end(&mut self) {
        self.empty();
        self.dies.iter_mut().for_each(|die| die.due.clear());
        self.waits.fill(false);
    }
}
