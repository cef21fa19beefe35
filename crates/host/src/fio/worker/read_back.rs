//! A clone reads back what it wrote.

use super::{CloneAnswer, Gate, Worker};
use crate::Op;

impl Worker {
    /// Returns the next step of reading back written data for verification after a pass of a fio job clone over its
    /// files: a read, a flush or a wait. `None`: nothing is to be read back now, and the job goes on with its own
    /// requests.
    pub(super) fn read_back(&mut self) -> Option<CloneAnswer> {
        let is_over = self.is_done();
        let history = self.history.as_mut()?;
        history.is_due |= is_over && !history.is_empty();
        if !history.is_due || self.gate == Gate::Flushing {
            return None;
        }
        // First the pass is answered as a whole, and its flush with it.
        if !history.is_reading && self.outstanding > 0 {
            return Some(CloneAnswer::Full);
        }
        if !history.is_reading && self.owes_a_flush() {
            return self.flush_a_file();
        }
        let history = self.history.as_mut()?;
        history.is_reading = true;
        if self.outstanding >= self.depth {
            return Some(CloneAnswer::Full);
        }
        if let Some(written) = history.next() {
            return Some(self.read_one_back(written));
        }
        if self.outstanding > 0 {
            return Some(CloneAnswer::Full);
        }
        (history.is_due, history.is_reading) = (false, false);
        self.gate = Gate::Open;
        None
    }

    /// Issues a read with which a fio job clone verifies one block that it wrote, given by its offset on the drive and
    /// its length in bytes.
    pub(super) fn read_one_back(&mut self, (offset, bytes): (u64, u64)) -> CloneAnswer {
        self.outstanding += 1;
        self.due.count_read_back(bytes);
        CloneAnswer::Issue { op: Op::READ, offset, bytes: bytes as u32 }
    }

    /// Computes the writes of one pass of a `verify_only` fio job over its files without issuing them, to learn which
    /// blocks to read back.
    pub(super) fn imagine(&mut self) {
        while !self.is_done() && self.history.as_ref().is_some_and(|history| !history.is_due) {
            let direction = self.direction(u64::MAX).unwrap_or(1);
            let _ = self.make(direction);
        }
    }
}
