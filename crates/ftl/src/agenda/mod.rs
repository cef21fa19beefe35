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

/// Kind of timer-driven background work (refresh of old data, patrol scrub, snapshots) that the agenda, the schedule of
/// such work, contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// Case of background work: check whether the superblock, numbered over the drive, has data that must be refreshed
    /// (relocated so that they stay readable) now.
    Refresh(u32),
    /// Case of background work: read the next page rows of this die for the patrol (background scrub).
    Patrol(u32),
    /// Case of background work: relocate superblocks of this die that wait for their refresh, because the die's
    /// permitted share of time for background work allows it again.
    Turn(u32),
    /// Case of background work: an action of a drive's feature at a set time, such as to take a snapshot.
    Moment,
}

/// Record of a superblock (numbered over the drive) whose data must be relocated so that they stay readable (refresh,
/// scrub): the time since which that is due, the reason, and the time at which the superblock was opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Due {
    pub superblock: u32,
    pub since: SimTime,
    pub origin: Origin,
    /// Time at which the superblock was opened, in ns. If the superblock was erased and opened again since, this record
    /// no longer applies.
    pub opened: i64,
}

/// State of the timer-driven background work (refresh, scrub) of one die.
pub(crate) struct DieUpkeep {
    /// List of the superblocks of the die whose data wait to be relocated so that they stay readable (refresh, scrub),
    /// in the order in which they fell due.
    pub due: VecDeque<Due>,
    /// Field: the die's instance of the refresh-order policy, which chooses which of the die's due superblocks is
    /// refreshed (relocated) next.
    pub order: Box<dyn RefreshOrder>,
    /// Simulated time from which on the die may do timer-driven background work again; until then, its permitted share
    /// of time for such work is used up.
    pub free_at: SimTime,
    /// True while the schedule of background work (agenda) has an entry for the time when this die may relocate its
    /// next due superblock.
    pub has_turn: bool,
}

/// Record of the counts of timer-driven background work (upkeep) since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepCounts {
    /// Number of superblocks whose relocation by timer-driven background work (refresh, scrub) began.
    pub begun: u64,
    /// Number of superblocks whose relocation began late: longer after the due time than one superblock takes at the
    /// permitted share of die time.
    pub late: u64,
    /// Sum, over all superblocks whose relocation by timer-driven background work began, of the time from the due time
    /// to the beginning of the relocation, in ns.
    pub late_ns: u64,
    /// Greatest time from the due time of a superblock's relocation by timer-driven background work to its beginning,
    /// in ns.
    pub late_ns_max: u64,
    /// Die time that timer-driven background work took, in ns, summed over all dies and calculated from the operation
    /// times of the drive file.
    pub die_ns: u64,
}

/// State of the schedule of a drive's timer-driven background work (refresh, patrol, snapshots), with the state of each
/// die.
pub(crate) struct Agenda {
    share: f64,
    pub costs: Costs,
    queue: BinaryHeap<Reverse<(SimTime, u64, Work)>>,
    entered: u64,
    /// List of the times at which events of the simulation's calendar wake the agenda (schedule of background work),
    /// the next one last; each time is in the list once, so that the events do not multiply.
    pub armed: Vec<SimTime>,
    /// True while due entries of the agenda (schedule of background work) are being carried out; entries that are added
    /// meanwhile are looked at afterwards.
    pub at_work: bool,
    /// True while the agenda (schedule of background work) does not wake by itself, because the drive is stuck, or
    /// because only the agenda's own events are left in the run: due work then waits for another event, so that the run
    /// can end.
    pub asleep: bool,
    pub dies: Vec<DieUpkeep>,
    /// For each superblock of the drive: true while it is in its die's list of superblocks that wait to be refreshed
    /// (relocated).
    pub waits: Vec<bool>,
    pub counts: UpkeepCounts,
}

impl Agenda {
    /// Makes an agenda (schedule of timer-driven background work) without entries; each die gets a policy from `order`
    /// for the order of its refreshes, and may spend the fraction `share` of its time on background work.
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

    /// Adds an entry for background work that falls due at time `at` to the agenda (schedule of such work).
    pub fn enter(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        self.queue.push(Reverse((at.max(calendar.now()), self.entered, work)));
        self.entered += 1;
        self.arm(calendar);
    }

    /// Schedules a calendar event (timer) for the earliest entry of the agenda, the schedule of background work, unless
    /// an event at that time or earlier is already scheduled.
    pub fn arm(&mut self, calendar: &mut Calendar) {
        let Some(Reverse((at, ..))) = self.queue.peek() else { return };
        let at = (*at).max(calendar.now());
        let is_first = self.armed.last().is_none_or(|armed| at < *armed);
        if is_first && at < SimTime::NEVER && !self.asleep && !self.at_work {
            self.armed.push(at);
            calendar.schedule_timer(at, Event { kind: events::UPKEEP, index: 0 });
        }
    }

    /// Removes all entries of the agenda (schedule of timer-driven background work).
    pub fn empty(&mut self) {
        self.queue.clear();
    }

    pub fn take_due(&mut self, now: SimTime) -> Option<Work> {
        let Reverse((at, ..)) = self.queue.peek()?;
        if *at > now { None } else { self.queue.pop().map(|Reverse((.., work))| work) }
    }

    /// Returns the least time between the beginning of background work that takes `ns` nanoseconds of a die and the
    /// beginning of the die's next such work, so that the die spends no more than its permitted share of time: `ns`
    /// divided by the share.
    pub fn spread(&self, ns: u64) -> Nanos {
        Nanos::new((ns as f64 / self.share) as u64)
    }

    /// Counts `ns` nanoseconds of background work of a die, from time `from` on, against the die's permitted share of
    /// time; returns the time from which on the die may do more background work.
    pub fn charge(&mut self, die: usize, ns: u64, from: SimTime) -> SimTime {
        self.counts.die_ns += ns;
        let free_at = self.dies[die].free_at.max(from) + self.spread(ns);
        self.dies[die].free_at = free_at;
        free_at
    }

    /// Counts, for every die, the time for its part of a map checkpoint that begins now against the die's permitted
    /// share of time for background work.
    pub fn charge_checkpoint(&mut self, layout: &Layout, now: SimTime) {
        let ns = self.costs.checkpoint(layout);
        (0..self.dies.len()).for_each(|die| {
            self.charge(die, ns, now);
        });
    }

    /// Returns the number of bytes of the simulator's memory that the agenda (schedule of timer-driven background work)
    /// takes.
    pub fn bytes(&self) -> usize {
        self.waits.len() + self.queue.capacity() * size_of::<(SimTime, u64, Work)>()
    }

    /// Returns the greatest fraction (0 to 1) of each die's time that timer-driven background work may take.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Returns the number of superblocks, over all dies, that wait to be refreshed (relocated) and whose relocation has
    /// not begun.
    pub fn waiting(&self) -> u64 {
        self.dies.iter().map(|die| die.due.len() as u64).sum()
    }

    /// Removes all entries of the schedule of timer-driven background work, and the superblocks that wait to be
    /// refreshed, when the host has finished, so that no more work falls due.
    pub fn end(&mut self) {
        self.empty();
        self.dies.iter_mut().for_each(|die| die.due.clear());
        self.waits.fill(false);
    }
}
