//! What keeps a request back besides the depth: another that it overlaps, a queue that drains before it is refilled,
//! and pauses.

use super::job::JobSpec;
use crate::Op;

/// `serialize_overlap`: a request waits for requests of the same clone that it overlaps.
#[derive(Clone, Debug, Default)]
pub struct SerializedOverlap {
    in_flight: Vec<(u64, u64)>,
    held: Option<(Op, u64, u64)>,
}

impl SerializedOverlap {
    /// True if this request may be issued; else it is kept, and the next attempt must be with it.
    pub fn admits(&mut self, request: (Op, u64, u64)) -> bool {
        let (offset, end) = (request.1, request.1 + request.2);
        let free = !self.in_flight.iter().any(|other| other.0 < end && offset < other.1);
        match free {
            true => self.in_flight.push((offset, end)),
            false => self.held = Some(request),
        }
        free
    }

    /// Takes the request that was kept because it overlaps others.
    pub fn take(&mut self) -> Option<(Op, u64, u64)> {
        self.held.take()
    }

    /// Removes an answered request from the requests in flight, so that the next one may overlap it.
    pub fn answered(&mut self, offset: u64, bytes: u64) {
        let of = (offset, offset + bytes);
        if let Some(index) = self.in_flight.iter().position(|other| *other == of) {
            self.in_flight.swap_remove(index);
        }
    }
}

/// Options for refilling a full queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefillOptions {
    /// Answers to wait for before the queue is refilled.
    pub complete_min: u64,
    /// The queue is refilled when at most this number of requests is outstanding; 0: one less than full.
    pub depth_low: u64,
}

impl Default for RefillOptions {
    fn default() -> Self {
        Self { complete_min: 1, depth_low: 0 }
    }
}

/// `iodepth_batch_complete_min` and `iodepth_low`: once the queue was full, the clone waits for a number of answers and
/// until few enough requests are outstanding.
#[derive(Clone, Copy, Debug)]
pub struct Refill {
    answers: u64,
    low: u64,
    is_draining: bool,
    answered: u64,
}

impl Refill {
    /// Returns the refill rule of the job; none where the queue is refilled after each answer.
    pub fn of(job: &JobSpec) -> Option<Self> {
        let depth = job.depth();
        let low = if job.refill.depth_low == 0 { depth } else { job.refill.depth_low.min(depth) };
        let answers = job.refill.complete_min.clamp(1, depth);
        (answers > 1 || low < depth).then_some(Self { answers, low, is_draining: false, answered: 0 })
    }

    /// True if another request may be issued while `outstanding` are outstanding.
    pub fn admits(&mut self, outstanding: u64, depth: u64) -> bool {
        if outstanding >= depth && !self.is_draining {
            (self.is_draining, self.answered) = (true, 0);
        }
        self.is_draining &= outstanding > 0 && (self.answered < self.answers || outstanding > self.low);
        !self.is_draining
    }

    /// Notes that a request was answered.
    pub fn answered(&mut self) {
        self.answered += 1;
    }
}

/// `thinktime`: when a pause is due.
#[derive(Clone, Copy, Debug)]
pub struct Think {
    pause_ns: u64,
    blocks: u64,
    /// True if pauses are counted by issued requests; false if by answered requests.
    by_issue: bool,
    counted: u64,
    last: u64,
    /// True if the job issued a request since its last pause; fio checks for a pause only then.
    has_made: bool,
}

impl Think {
    /// Returns the pauses of the job; none where it never pauses.
    pub fn of(job: &JobSpec) -> Option<Self> {
        let (pause_ns, blocks, by_issue) = (job.think_ns, job.think_blocks, job.think_by_issue);
        (pause_ns > 0).then_some(Self { pause_ns, blocks, by_issue, counted: 0, last: 0, has_made: false })
    }

    /// Notes that a request was made.
    pub fn note_made(&mut self) {
        self.counted += u64::from(self.by_issue);
        self.has_made = true;
    }

    /// Notes that a request was answered.
    pub fn note_answered(&mut self) {
        self.counted += u64::from(!self.by_issue);
    }

    /// True if a pause is due, which then begins.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.has_made && self.counted - self.last >= self.blocks;
        if is_due {
            (self.last, self.has_made) = (self.counted, false);
        }
        is_due
    }

    /// Returns the end of a pause that begins at `now`, nanoseconds.
    pub fn until(&self, now: u64) -> u64 {
        now.saturating_add(self.pause_ns)
    }
}
