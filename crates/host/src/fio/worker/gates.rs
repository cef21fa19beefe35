//! Flushes and pauses of a clone: what holds it back besides its depth.

use super::{CloneAnswer, Gate, Worker};
use crate::{Effect, Op};

impl Worker {
    /// Returns the last step of a fio job clone: a flush of a file where the flush at the end is still due, else that
    /// the clone has finished.
    pub(super) fn finish(&mut self) -> CloneAnswer {
        if self.owes_a_flush() {
            self.flush_a_file().unwrap_or(CloneAnswer::Finished)
        } else {
            CloneAnswer::Finished
        }
    }

    /// Returns true if a flush that fio's `end_fsync` asks for has not been issued yet, for all files of the clone or
    /// for some of them.
    pub(super) fn owes_a_flush(&self) -> bool {
        self.end_fsync && (self.unflushed || self.files_to_flush > 0)
    }

    /// Returns the next step of flushing all files of a fio job clone one after the other: a flush, or a wait for
    /// requests in flight; `None` when all files are flushed.
    pub(super) fn flush_a_file(&mut self) -> Option<CloneAnswer> {
        if self.outstanding > 0 {
            return Some(CloneAnswer::Full);
        }
        if self.unflushed {
            self.files_to_flush = self.tracks.len();
        }
        self.files_to_flush = self.files_to_flush.checked_sub(1)?;
        Some(self.flush())
    }

    pub(super) fn flush(&mut self) -> CloneAnswer {
        self.unflushed = false;
        self.outstanding += 1;
        CloneAnswer::Issue { op: Op::FLUSH, offset: 0, bytes: 0 }
    }

    /// Skips a flush that is due together with a round of reading back, as fio does, which reads first and then no
    /// longer sees that the last request was a write; only at queue depth 1, since otherwise fio finds that write still
    /// in flight.
    pub(super) fn leave_out_flush(&mut self) {
        let reads = || self.history.as_ref().is_some_and(|history| history.backlog_is_due());
        if self.gate == Gate::DrainToFlush && self.depth == 1 && self.outstanding == 0 && reads() {
            self.gate = Gate::Open;
        }
    }

    /// Returns the step (a flush, a wait, a question to its fio flow, the end) that a clone of a fio job must take in
    /// place of a request, because a flush, a pause or its flow (jobs whose requests are kept in proportion) forbids a
    /// request now; `None` when it may issue a request.
    pub(super) fn pass_gate(&mut self, now: u64) -> Option<CloneAnswer> {
        match self.gate {
            // fio looks for a flush that is due when it makes the next request: there is none after the last, but where it
            // looks for one more and finds that its files have none.
            Gate::DrainToFlush if self.is_done() && !self.due.ended_with_files() => Some(self.finish()),
            Gate::DrainToFlush if self.outstanding == 0 => {
                self.gate = Gate::Flushing;
                // As in fio, a flush takes the turn of a file.
                if self.tracks.len() > 1 {
                    let _ = self.picker.pick(&mut self.random);
                }
                Some(self.flush())
            }
            Gate::EndFlush if self.is_done() => Some(self.finish()),
            Gate::EndFlush => {
                let step = self.flush_a_file();
                if step.is_none() {
                    self.gate = Gate::Open;
                }
                step
            }
            Gate::ThinkUntil(then) if now < then && !self.is_done() => {
                Some(CloneAnswer::Wait(then.min(self.times.end_ns)))
            }
            Gate::Open | Gate::ThinkUntil(_) => {
                self.gate = Gate::Open;
                None
            }
            Gate::RestUntil(then) if now < then && !self.is_done() => {
                Some(CloneAnswer::Wait(then.min(self.times.end_ns)))
            }
            Gate::Ask | Gate::RestUntil(_) if self.is_done() => Some(self.finish()),
            Gate::Ask | Gate::RestUntil(_) => {
                self.gate = Gate::Ask;
                Some(if self.outstanding >= self.depth { CloneAnswer::Full } else { CloneAnswer::Ask })
            }
            Gate::DrainToThink if self.is_done() => Some(self.finish()),
            Gate::DrainToFlush | Gate::Flushing | Gate::DrainToThink | Gate::DrainToRest => {
                Some(CloneAnswer::Full)
            }
        }
    }

    /// Counts as in flight a request in addition to the fio job's own, such as the reset of a zone.
    pub fn note_extra(&mut self) {
        self.outstanding += 1;
    }

    /// Notes that the last request of a fio job clone, in its only file, went to another offset on the drive than
    /// drawn, because of the drive's zones.
    pub fn moved(&mut self, op: Op, offset: u64, bytes: u64) {
        let direction = usize::from(op.effect() == Effect::Write);
        self.tracks[0].moved(direction, offset, bytes);
    }

    /// Drops the fio job clone's last request, which waits for a zone of the drive and was not sent.
    pub fn drop_unsent(&mut self) {
        self.outstanding -= 1;
    }

    /// Withdraws the fio job clone's last request, which no zone of the drive can take, and ends the pass over the
    /// clone's files; returns true if the clone has no work left.
    pub fn withdraw(&mut self) -> bool {
        self.drop_unsent();
        self.end_pass();
        self.is_done()
    }

    /// Lets a clone of a fio job issue its next request, because its fio flow (jobs whose requests are kept in
    /// proportion) allows it.
    pub fn admit(&mut self) {
        self.gate = Gate::Open;
    }

    /// Begins the rest (`flow_sleep`, a time without requests) of a fio job clone whose fio flow refused the next
    /// request, and returns the clone's step meanwhile; `None` where no rest is set: the clone waits until its flow
    /// allows a request.
    pub fn stand_back(&mut self, now: u64) -> Option<CloneAnswer> {
        self.flow_rest_ns.filter(|rest| *rest > 0)?;
        self.gate = if self.outstanding > 0 { Gate::DrainToRest } else { self.rest(now) };
        self.pass_gate(now)
    }

    pub(super) fn rest(&self, now: u64) -> Gate {
        Gate::RestUntil(now.saturating_add(self.flow_rest_ns.unwrap_or(0)))
    }

    /// Returns the time in nanoseconds at which the fio job clone's run time ends, whether or not requests are then in
    /// flight.
    pub fn end_ns(&self) -> u64 {
        self.times.end_ns
    }

    /// Makes the fio job clone flush its files after a pass over them, where `end_fsync` asks for it and requests were
    /// issued since the last flush.
    pub(super) fn flush_after_pass(&mut self) {
        if self.loop_fsync && self.unflushed {
            self.gate = Gate::EndFlush;
        }
    }

    /// Notes that a fio job clone issued the request `op`, and decides what the clone must do before the next request:
    /// flush after enough writes, or ask its fio flow (jobs whose requests are kept in proportion).
    #[inline]
    pub(super) fn set_gate(&mut self, op: Op) {
        if let Some(think) = &mut self.think {
            think.note_made();
        }
        if self.flow_rest_ns.is_some() {
            self.gate = Gate::Ask;
        }
        self.unflushed = true;
        if op.effect() != Effect::Write {
            return;
        }
        for (left, every) in self.writes_to_flush.iter_mut().zip(self.flush_every) {
            if every > 0 {
                *left -= 1;
                if *left == 0 {
                    *left = every;
                    self.gate = Gate::DrainToFlush;
                }
            }
        }
    }
}
