//! Work that only the clock brings back: data written anew before they are lost, the patrol that looks for errors,
//! snapshots and what going back to them takes. It stands in one agenda, of which the calendar knows the next entry only,
//! and on each die it takes at most a stated share of the time, so that the host always gets on. What comes late for
//! that is counted; what could not be kept even so is refused before the run (`burden`).
//!
//! What a die does when it is idle (collection, folding, re-writes that a regulator asks for) is not here: the host
//! brings that, it ends by itself, and any operation of the host's ends it at once.

mod burden;
mod moments;
mod patrol;
mod refresh;

pub(crate) use burden::{Burden, Costs};
use moments::Moments;
pub(crate) use patrol::Patrol;
pub use patrol::PatrolRules;

use crate::events;
use crate::snapshots::SnapshotRules;
use crate::{Layout, PageMapped};
use config::{ConfigError, Section};
use controller::{Origin, Probe};
use engine::{Calendar, Event};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use units::{Nanos, SimTime};

/// Reads `[ftl.upkeep]`: the most of a die's time that upkeep takes.
///
/// # Errors
/// When it is no share.
pub(crate) fn read_share(ftl: &mut Section) -> Result<f64, ConfigError> {
    let mut section = ftl.child("upkeep")?;
    // Assumed: no maker says; half leaves the host as much as it takes.
    let help = "the most of a die's time that refresh, scrub and snapshots take together";
    let share = section.or("share", 0.5, help)?;
    if !(share > 0.0 && share <= 1.0) {
        return Err(section.reject("share", "expected more than 0, at most 1"));
    }
    section.finish()?;
    Ok(share)
}

/// What can be due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Work {
    /// A superblock (numbered over the drive) may hold data that must be written anew.
    Refresh(u32),
    /// The patrol of a die goes on.
    Patrol(u32),
    /// A die may spend time on what it has to write anew.
    Turn(u32),
    /// A snapshot, or going back to one.
    Moment,
}

/// A superblock (numbered over the drive) that is to be written anew.
#[derive(Clone, Copy, Debug)]
struct Due {
    superblock: u32,
    since: SimTime,
    origin: Origin,
    /// When it was opened: what it holds after another erase is not meant.
    opened: i64,
}

/// One die's part.
#[derive(Clone, Debug, Default)]
struct DieUpkeep {
    due: VecDeque<Due>,
    /// Before that its share is used up.
    free_at: SimTime,
    /// A turn is in the agenda.
    has_turn: bool,
}

/// What was counted since the run began.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct UpkeepCounts {
    /// Superblocks whose moving began.
    pub begun: u64,
    /// Of those, begun later than one superblock's share of time after they were due.
    pub late: u64,
    /// By how much they were later than due, together and at most, in ns.
    pub late_ns: u64,
    /// See `late_ns`.
    pub late_ns_max: u64,
    /// Time of dies that it took, by the drive file's times, in ns.
    pub die_ns: u64,
}

/// The upkeep of a drive.
pub(crate) struct Upkeep {
    share: f64,
    costs: Costs,
    agenda: BinaryHeap<Reverse<(SimTime, u64, Work)>>,
    entered: u64,
    /// When the calendar's events for the agenda come, the next one last: no two of them at one time, and none again
    /// that is there already, or they would become more and more.
    armed: Vec<SimTime>,
    /// The agenda is being worked on: what is entered is looked at afterwards.
    at_work: bool,
    /// Nothing else happens any more: what is due waits until something does, or the run would never end.
    asleep: bool,
    dies: Vec<DieUpkeep>,
    /// By superblock of the drive: it waits at its die.
    waits: Vec<bool>,
    moments: Moments,
    pub counts: UpkeepCounts,
}

impl Upkeep {
    pub fn new(share: f64, costs: Costs, layout: &Layout, snapshots: Option<&SnapshotRules>) -> Self {
        Self {
            share,
            costs,
            agenda: BinaryHeap::new(),
            entered: 0,
            armed: Vec::new(),
            at_work: false,
            asleep: false,
            dies: vec![DieUpkeep::default(); layout.dies as usize],
            waits: vec![false; layout.superblocks()],
            moments: Moments::of(snapshots),
            counts: UpkeepCounts::default(),
        }
    }

    /// Puts work into the agenda.
    pub fn enter(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        self.agenda.push(Reverse((at.max(calendar.now()), self.entered, work)));
        self.entered += 1;
        self.arm(calendar);
    }

    /// Lets the calendar know when the next entry is due.
    fn arm(&mut self, calendar: &mut Calendar) {
        let Some(Reverse((at, ..))) = self.agenda.peek() else { return };
        let at = (*at).max(calendar.now());
        let is_first = self.armed.last().is_none_or(|armed| at < *armed);
        if is_first && at < SimTime::NEVER && !self.asleep && !self.at_work {
            self.armed.push(at);
            calendar.schedule_timer(at, Event { kind: events::UPKEEP, index: 0 });
        }
    }

    fn take_due(&mut self, now: SimTime) -> Option<Work> {
        let Reverse((at, ..)) = self.agenda.peek()?;
        if *at > now { None } else { self.agenda.pop().map(|Reverse((.., work))| work) }
    }

    /// How long a die keeps away from upkeep after so much of it, from its beginning.
    fn spread(&self, ns: u64) -> Nanos {
        Nanos::new((ns as f64 / self.share) as u64)
    }

    /// A die spends time from some moment on; gives when its next share is there.
    fn charge(&mut self, die: usize, ns: u64, from: SimTime) -> SimTime {
        self.counts.die_ns += ns;
        let free_at = self.dies[die].free_at.max(from) + self.spread(ns);
        self.dies[die].free_at = free_at;
        free_at
    }

    /// A checkpoint of the map begins: all dies take part.
    pub fn charge_checkpoint(&mut self, layout: &Layout, now: SimTime) {
        let ns = self.costs.checkpoint(layout);
        (0..self.dies.len()).for_each(|die| {
            self.charge(die, ns, now);
        });
    }

    /// What each piece of it takes.
    pub fn costs(&self) -> &Costs {
        &self.costs
    }

    /// Bytes of state of the simulator: an entry for each superblock may stand in the agenda.
    pub fn bytes(&self) -> usize {
        self.waits.len() + self.agenda.capacity() * size_of::<(SimTime, u64, Work)>()
    }

    /// The share of each die's time.
    pub fn share(&self) -> f64 {
        self.share
    }

    /// Superblocks that are due and not begun.
    pub fn waiting(&self) -> u64 {
        self.dies.iter().map(|die| die.due.len() as u64).sum()
    }

    /// The host is gone: nothing falls due any more.
    fn end(&mut self) {
        self.agenda.clear();
        self.moments = Moments::default();
        self.dies.iter_mut().for_each(|die| die.due.clear());
        self.waits.fill(false);
    }
}

impl PageMapped {
    /// Time begins, and with it whatever the clock brings.
    pub(crate) fn begin_upkeep(&mut self, calendar: &mut Calendar) {
        self.begin_refresh(calendar);
        self.begin_patrol(calendar);
        self.await_moment(calendar);
    }

    /// The host is gone: no more data are looked at or fall due, so that the drive comes to rest.
    pub fn end_upkeep(&mut self) {
        self.patrol = None;
        if let Some(regulation) = &mut self.regulation {
            regulation.forget_due();
        }
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.end();
        }
    }

    pub(crate) fn enter_upkeep(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.enter(at, work, calendar);
        }
    }

    /// The agenda's next entry may be due.
    pub(crate) fn on_upkeep<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        let is_stuck = self.is_stuck();
        let Some(upkeep) = &mut self.upkeep else { return };
        upkeep.armed.pop();
        // Its own events alone move nothing.
        if is_stuck || calendar.len() == upkeep.armed.len() {
            upkeep.asleep = true;
            return;
        }
        upkeep.at_work = true;
        while let Some(work) = self.upkeep.as_mut().and_then(|upkeep| upkeep.take_due(calendar.now())) {
            match work {
                Work::Refresh(superblock) => self.on_refresh_due(superblock, calendar),
                Work::Patrol(die) => self.on_patrol_timer(die as usize, calendar, probe),
                Work::Turn(die) => {
                    if let Some(upkeep) = &mut self.upkeep {
                        upkeep.dies[die as usize].has_turn = false;
                    }
                    self.take_turn(die as usize, calendar, probe);
                }
                Work::Moment => self.on_moment(calendar, probe),
            }
        }
        if let Some(upkeep) = &mut self.upkeep {
            upkeep.at_work = false;
            upkeep.arm(calendar);
        }
    }

    /// Something happened: upkeep goes on, if it rested because nothing did.
    #[inline]
    pub(crate) fn wake_upkeep(&mut self, calendar: &mut Calendar) {
        if let Some(upkeep) = &mut self.upkeep
            && upkeep.asleep
        {
            upkeep.asleep = false;
            upkeep.arm(calendar);
        }
    }

    /// A superblock is to be written anew as soon as its die has time for that.
    pub(crate) fn ask_upkeep(
        &mut self,
        superblock: u32,
        since: SimTime,
        origin: Origin,
        calendar: &mut Calendar,
    ) {
        let die = (superblock / self.space.per_die) as usize;
        let is_meant = self.is_written_anew(superblock);
        let (Some(upkeep), Some(regulation)) = (&mut self.upkeep, &self.regulation) else { return };
        if !is_meant {
            return; // It is being emptied: its own reads may have worn it out.
        }
        if std::mem::replace(&mut upkeep.waits[superblock as usize], true) {
            return;
        }
        let of = &mut upkeep.dies[die];
        of.due.push_back(Due {
            superblock,
            since,
            origin,
            opened: regulation.opened_at(superblock as usize),
        });
        if !of.has_turn {
            of.has_turn = true;
            let at = of.free_at;
            upkeep.enter(at, Work::Turn(die as u32), calendar);
        }
    }

    /// The die begins to write one superblock anew, if its share of time is there, and comes back for the next.
    fn take_turn<P: Probe>(&mut self, die: usize, calendar: &mut Calendar, probe: &mut P) {
        let now = calendar.now();
        loop {
            let is_moving = self.collections[die].keeps_data();
            let Some(upkeep) = &mut self.upkeep else { return };
            let of = &mut upkeep.dies[die];
            if of.due.is_empty() || of.has_turn {
                return;
            }
            // One after the other: what waits for room must not pile up in the die's collection.
            if of.free_at > now || is_moving {
                let slot = upkeep.spread(upkeep.costs.superblock);
                let of = &mut upkeep.dies[die];
                of.has_turn = true;
                let at = if of.free_at > now { of.free_at } else { now + slot };
                return upkeep.enter(at, Work::Turn(die as u32), calendar);
            }
            let Some(due) = of.due.pop_front() else { return };
            upkeep.waits[due.superblock as usize] = false;
            let valid = self.space.valid[due.superblock as usize];
            let opened =
                self.regulation.as_ref().map(|regulation| regulation.opened_at(due.superblock as usize));
            if opened != Some(due.opened) {
                continue;
            }
            if self.write_superblock_anew(due.superblock, due.origin, calendar, probe) {
                self.note_begun(die, due, valid, now);
            } else if due.origin == Origin::Refresh {
                self.look_again(due.superblock, calendar);
            }
        }
    }

    fn note_begun(&mut self, die: usize, due: Due, valid: u32, now: SimTime) {
        let dies = match &self.parity {
            Some(stripes) => stripes.dies_beside(die),
            None => die..die + 1,
        };
        let Some(upkeep) = &mut self.upkeep else { return };
        let ns = upkeep.costs.moving(valid, &self.layout);
        for die in dies {
            upkeep.charge(die, ns, now);
        }
        let late = now.since(due.since).ns();
        upkeep.counts.begun += 1;
        upkeep.counts.late_ns += late;
        upkeep.counts.late_ns_max = upkeep.counts.late_ns_max.max(late);
        upkeep.counts.late += u64::from(late > upkeep.spread(upkeep.costs.superblock).ns());
    }
}
