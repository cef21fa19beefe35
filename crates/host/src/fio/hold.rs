//! What keeps a request back besides the depth: another that it overlaps, a queue that drains before it is refilled,
//! and pauses.

use super::job::JobSpec;
use crate::Op;

/// State of `serialize_overlap` in one fio job clone: a request is issued only when it overlaps no request of the same
/// clone that is in flight.
#[derive(Clone, Debug, Default)]
pub struct SerializedOverlap {
    in_flight: Vec<(u64, u64)>,
    held: Option<(Op, u64, u64)>,
}

impl SerializedOverlap {
    /// Returns true, for fio's `serialize_overlap`, if `request` (operation, offset, bytes) of a fio job clone overlaps
    /// no request of the clone in flight and may be issued, and then adds it to the list of requests in flight;
    /// otherwise stores it as the request to be tried next.
    pub fn admits(&mut self, request: (Op, u64, u64)) -> bool {
        let (offset, end) = (request.1, request.1 + request.2);
        let free = !self.in_flight.iter().any(|other| other.0 < end && offset < other.1);
        match free {
            true => self.in_flight.push((offset, end)),
            false => self.held = Some(request),
        }
        free
    }

    /// Takes out the request of a fio job clone that was stored because it overlapped requests in flight, if there is
    /// one.
    pub fn take(&mut self) -> Option<(Op, u64, u64)> {
        self.held.take()
    }

    /// Removes a completed request from the fio job clone's list of requests in flight, so that an overlapping request
    /// may be issued.
    pub fn answered(&mut self, offset: u64, bytes: u64) {
        let of = (offset, offset + bytes);
        if let Some(index) = self.in_flight.iter().position(|other| *other == of) {
            self.in_flight.swap_remove(index);
        }
    }
}

/// Set of a fio job's options that say when a queue that was full is refilled (`iodepth_batch_complete_min`,
/// `iodepth_low`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefillOptions {
    /// Number of completions that a clone of a fio job waits for before it refills a queue that was full
    /// (`iodepth_batch_complete_min`).
    pub complete_min: u64,
    /// Greatest number of requests in flight at which a clone of a fio job refills a queue that was full
    /// (`iodepth_low`); 0 stands for the queue depth, which sets no limit.
    pub depth_low: u64,
}

impl Default for RefillOptions {
    fn default() -> Self {
        Self { complete_min: 1, depth_low: 0 }
    }
}

/// State of the options `iodepth_batch_complete_min` and `iodepth_low` in one clone of a fio job: once its queue was
/// full, the clone issues no request until enough of its requests have completed and few enough are in flight.
#[derive(Clone, Copy, Debug)]
pub struct Refill {
    answers: u64,
    low: u64,
    is_draining: bool,
    answered: u64,
}

impl Refill {
    /// Makes the state of queue refilling for a clone of the fio job `job`; `None` where the queue is refilled after
    /// each completion.
    pub fn of(job: &JobSpec) -> Option<Self> {
        let depth = job.depth();
        let low = if job.refill.depth_low == 0 { depth } else { job.refill.depth_low.min(depth) };
        let answers = job.refill.complete_min.clamp(1, depth);
        (answers > 1 || low < depth).then_some(Self { answers, low, is_draining: false, answered: 0 })
    }

    /// Returns true if the fio job clone may issue another request while `outstanding` requests are in flight at queue
    /// depth `depth`: once the queue was full, only when enough requests have completed and few enough are in flight.
    pub fn admits(&mut self, outstanding: u64, depth: u64) -> bool {
        if outstanding >= depth && !self.is_draining {
            (self.is_draining, self.answered) = (true, 0);
        }
        self.is_draining &= outstanding > 0 && (self.answered < self.answers || outstanding > self.low);
        !self.is_draining
    }

    /// Counts a completion of one request of a fio job clone towards the number of completions after which a queue that
    /// was full is refilled (`iodepth_batch_complete_min`).
    pub fn answered(&mut self) {
        self.answered += 1;
    }
}

/// State of `thinktime` (pauses between requests) in one fio job clone: counts requests to find when the next pause is
/// due.
#[derive(Clone, Copy, Debug)]
pub struct Think {
    pause_ns: u64,
    blocks: u64,
    /// True if fio's `thinktime` counts requests when they are issued; false if it counts them when they complete.
    by_issue: bool,
    counted: u64,
    last: u64,
    /// True if the fio job clone issued a request since its last pause (`thinktime`); fio checks for a pause only then.
    has_made: bool,
}

impl Think {
    /// Makes the pause state of a clone of the fio job `job`; `None` where the job never pauses.
    pub fn of(job: &JobSpec) -> Option<Self> {
        let (pause_ns, blocks, by_issue) = (job.think_ns, job.think_blocks, job.think_by_issue);
        (pause_ns > 0).then_some(Self { pause_ns, blocks, by_issue, counted: 0, last: 0, has_made: false })
    }

    /// Counts, towards the next pause of fio's `thinktime`, a request that the job's clone issued, where the pauses are
    /// counted by issue, and notes that the clone issued a request since its last pause.
    pub fn note_made(&mut self) {
        self.counted += u64::from(self.by_issue);
        self.has_made = true;
    }

    /// Counts, towards the next pause of fio's `thinktime`, a completed request of the job's clone, where the pauses
    /// are counted by completion.
    pub fn note_answered(&mut self) {
        self.counted += u64::from(!self.by_issue);
    }

    /// Returns true if a pause of fio's `thinktime` is due now, and then begins to count the requests up to the pause
    /// after it.
    pub fn is_due(&mut self) -> bool {
        let is_due = self.has_made && self.counted - self.last >= self.blocks;
        if is_due {
            (self.last, self.has_made) = (self.counted, false);
        }
        is_due
    }

    /// Returns the time in nanoseconds at which a pause of fio's `thinktime` that begins at `now` ends.
    pub fn until(&self, now: u64) -> u64 {
        now.saturating_add(self.pause_ns)
    }
}
