//! What is to be written anew, and when its die has time for that.

use super::Core;
use crate::agenda::{Agenda, DieUpkeep, Due, Work};
use crate::refresh_order::RefreshOrder;
use crate::store::{Space, SuperblockState};
use engine::Calendar;
use std::collections::VecDeque;
use std::ops::Range;
use units::{SimTime, SuperblockId};

/// Kind of result of a round of the background scrub (patrol), which reads all superblocks of one die: ended within the
/// required time, or too late.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// Case of result of a round of the background scrub (patrol) over a die: ended within the required time.
    InTime,
    /// Case of result of a round of the background scrub (patrol) over a die: took longer than the required time.
    Late,
}

impl Core {
    pub fn enter_upkeep(&mut self, at: SimTime, work: Work, calendar: &mut Calendar) {
        if let Some(agenda) = &mut self.agenda {
            agenda.enter(at, work, calendar);
        }
    }

    /// Continues upkeep (timer-driven refresh and background scrub) after an event on the drive, if upkeep was
    /// suspended because only upkeep was left to happen in the run.
    #[inline]
    pub fn wake_upkeep(&mut self, calendar: &mut Calendar) {
        if let Some(agenda) = &mut self.agenda
            && agenda.asleep
        {
            agenda.asleep = false;
            agenda.arm(calendar);
        }
    }

    /// Removes from the die's list the superblock that must be relocated next for refresh or background scrub, and
    /// returns the superblock with its reason and due time; `None` if no superblock waits.
    ///
    /// # Panics
    /// When the policy's answer is none of the candidates.
    pub fn take_next_due(&mut self, die: usize, now: SimTime) -> Option<Due> {
        let Agenda { dies, waits, .. } = &mut **self.agenda.as_mut()?;
        let DieUpkeep { due, order, .. } = &mut dies[die];
        let at = match due.len() {
            0 | 1 => 0,
            _ if order.is_first_due() => 0,
            _ => ask_order(order.as_mut(), due, &mut self.store.space, die, now),
        };
        let taken = due.remove(at)?;
        waits[taken.superblock as usize] = false;
        Some(taken)
    }

    pub fn note_begun(&mut self, dies: Range<usize>, due: Due, units: u32, now: SimTime) {
        let Some(agenda) = &mut self.agenda else { return };
        let ns = agenda.costs.moving(units, &self.store.layout);
        for die in dies {
            agenda.charge(die, ns, now);
        }
        let late = now.since(due.since).ns();
        agenda.counts.begun += 1;
        agenda.counts.late_ns += late;
        agenda.counts.late_ns_max = agenda.counts.late_ns_max.max(late);
        agenda.counts.late += u64::from(late > agenda.spread(agenda.costs.superblock).ns());
    }

    /// Returns true if relocating the superblock (numbered over the drive) for refresh or background scrub is of use:
    /// the superblock holds data, is not in SLC mode, and garbage collection has not yet taken it.
    pub fn is_written_anew(&self, superblock: u32) -> bool {
        let state = self.store.space.state[superblock as usize];
        // What lies in a block with one bit a cell is folded before its time comes.
        matches!(state, SuperblockState::Open | SuperblockState::Closed)
            && !self.store.space.holds_one_bit(superblock as usize)
    }
}

/// Function of the FTL that asks the refresh-order policy `order` which of the superblocks in `due`, which wait on a die
/// to be relocated for refresh or scrub, is relocated next; returns the index of that superblock in `due`.
fn ask_order(
    order: &mut dyn RefreshOrder,
    due: &VecDeque<Due>,
    space: &mut Space,
    die: usize,
    now: SimTime,
) -> usize {
    let first = die as u32 * space.per_die;
    let candidates: Vec<SuperblockId> = due.iter().map(|due| SuperblockId(due.superblock - first)).collect();
    let due_since_ns: Vec<u64> = due.iter().map(|due| due.since.ns()).collect();
    let chosen = space.ask_order(order, die, &candidates, &due_since_ns, now.ns());
    let at = candidates.iter().position(|candidate| *candidate == chosen);
    at.unwrap_or_else(|| panic!("the refresh order chose {chosen} of die {die}, which does not wait"))
}
