//! The power fails: what the arrays were at, and a controller that knows of nothing any more.

use super::Controller;
use crate::channel::ChannelState;
use crate::die::{ArrayPhase, Die};
use crate::in_flight::Slab;
use crate::sharing::Sharing;
use crate::{Kind, Transaction};
use units::{DieId, SimTime};

/// Kind of progress that a program or erase had made when the power failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Case of progress: the flash array had completed the program or erase, but the completion was not yet reported.
    Done,
    /// Case of progress: the power failure stopped the flash array halfway through the program or erase.
    Halfway,
}

/// Record of a program or erase that had begun to change cells, and had not been reported as finished, when the power
/// failed.
#[derive(Clone, Copy, Debug)]
pub struct Interrupted {
    /// Field of the record: flash operation (transaction), a program or erase that had not been reported as finished
    /// when the power failed. The field `ending` says how far it had got.
    pub transaction: Transaction,
    /// Field of the record: progress of the unreported program or erase when the power failed: completed by the array,
    /// or stopped halfway.
    pub ending: Ending,
}

impl Controller {
    /// Cuts the power at `now`: empties queues and registers, and stops all arrays and channels. Returns the programs
    /// and erases that had begun to change cells. The time that an array spent on an unfinished operation does not
    /// count as busy.
    pub fn cut(&mut self, now: SimTime) -> Vec<Interrupted> {
        let mut interrupted = Vec::new();
        for die in &self.dies {
            // Its command or data may still be on the channel: the array's start then lies ahead.
            let begun = die.array.exists() && die.array_phase != ArrayPhase::Command && die.array_start < now;
            let of_array = match die.array_phase {
                ArrayPhase::Done => Ending::Done,
                _ if die.array_end <= now => Ending::Done,
                _ => Ending::Halfway,
            };
            let at_work = [
                (die.status, die.status.exists(), Ending::Done),
                (die.suspended, die.suspended.exists(), Ending::Halfway),
                (die.array, begun, of_array),
            ];
            for (id, _, ending) in at_work.into_iter().filter(|(_, begun, _)| *begun) {
                let transaction = self.slab.items[id.index()].transaction;
                if transaction.kind != Kind::Read {
                    interrupted.push(Interrupted { transaction, ending });
                }
            }
        }
        self.rest(now);
        interrupted
    }

    /// Marks the reads in flight at a die that failed as uncorrectable. Returns those of them whose data would still
    /// have been delivered.
    pub fn fail_reads(&mut self, die: DieId) -> Vec<Transaction> {
        let free = self.slab.free_places();
        let mut failed = Vec::new();
        for (at, item) in self.slab.items.iter_mut().enumerate() {
            let transaction = &mut item.transaction;
            let there = transaction.superblock != Transaction::NOWHERE && transaction.die == die;
            let is_read = transaction.kind == Kind::Read && there && !free.contains(&(at as u32));
            if is_read && !std::mem::replace(&mut transaction.reading.uncorrectable, true) {
                failed.push(*transaction);
            }
        }
        failed
    }

    /// Discards all operations of the controller that are in flight or wait, as at a power cut; the statistics stay.
    fn rest(&mut self, now: SimTime) {
        for (index, die) in self.dies.iter_mut().enumerate() {
            let array_busy = std::mem::take(&mut die.array_busy);
            *die = Die::new(index as u32, self.channel_count);
            die.array_busy = array_busy;
        }
        self.channels.iter_mut().for_each(|channel| channel.rest(now));
        self.slab = Slab::new();
        self.finished.clear();
        if self.sharing.is_some() {
            self.sharing = Some(Box::new(Sharing::new(self.dies.len())));
        }
        if let Some(chips) = &mut self.chips {
            chips.rest();
        }
    }
}

impl ChannelState {
    /// Removes all operations that wait for the channel, and stops the transfer in progress at time `now`.
    fn rest(&mut self, now: SimTime) {
        self.busy_ns -= self.free_at.ns().saturating_sub(now.ns()).min(self.busy_ns);
        self.free_at = self.free_at.min(now);
        self.forget_waiting();
    }
}
