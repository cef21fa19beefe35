//! How much a clone has to do, and how much of it is done.

use super::blocks::BlockSizes;
use super::files::CloneFiles;
use super::job::{JobAccess, JobSpec};

/// Record of counts of the work that one clone of a fio job still has to do: as in fio, passes through the clone's
/// files, and bytes and requests over all passes.
#[derive(Clone, Debug)]
pub struct WorkDue {
    /// Number of bytes after which a pass of a fio job clone over its files ends, if the files do not end first.
    pass_bytes: u64,
    bytes_this_pass: u64,
    requests_this_pass: u64,
    bytes: u64,
    bytes_read_back: u64,
    parts: u64,
    most_bytes: u64,
    /// Number of bytes that `io_size` asks for over all passes of the fio job clone over its files: after the last
    /// loop, passes go on until one more request of the longest size would exceed this number. 0 where no passes are
    /// added after the last loop.
    io_bytes: u64,
    longest: u64,
    passes_left: u64,
    requests_left: u64,
    requests: u64,
    is_over: bool,
}

impl WorkDue {
    /// Makes the counts of bytes, requests and passes still to do for a clone of the fio job `job` whose parts of the
    /// files are `share`.
    pub fn new(job: &JobSpec, share: &CloneFiles) -> Self {
        let mut asked = share.io_bytes.unwrap_or(share.pass_bytes);
        // fio opens files again only for another loop, or to read back; one that queues requests ends a pass before.
        let once = job.loops == 1 && !job.do_verify && job.is_synchronous();
        let in_order_mix = job.access == JobAccess::ReadWrite && !job.random;
        let repeats = job.writes() && job.random && !job.has_map();
        let verifies = job.verify.is_some() && !job.time_based;
        // Both halves of a trimmed and written block count for what was asked for beyond a pass.
        let parts = if job.access == JobAccess::TrimWrite { 2 } else { 1 };
        let mut pass_bytes = share.pass_bytes;
        if (in_order_mix && !verifies) || repeats {
            pass_bytes = pass_bytes.max(asked);
            // What tells fio that a pass has ended is counted for requests that are queued only: others end with the
            // files, or with all that is asked for.
            if job.is_synchronous() {
                pass_bytes = asked.saturating_mul(job.loops);
            }
        } else if job.hole != 0 && !job.random && job.is_synchronous() {
            // Over holes a file may begin again before its bytes were asked for, and never end.
            pass_bytes = asked.saturating_mul(job.loops);
        } else if once {
            asked = asked.min(pass_bytes);
        }
        let forever = if job.time_based { u64::MAX } else { 0 };
        // For each loop, as in fio; a job that goes on until its time is over does not count them.
        let number = job.number_ios.filter(|_| !job.time_based);
        let requests = number.map_or(u64::MAX, |count| count.saturating_mul(job.loops).saturating_mul(parts));
        Self {
            pass_bytes: pass_bytes.max(forever),
            bytes_this_pass: 0,
            requests_this_pass: 0,
            bytes: 0,
            bytes_read_back: 0,
            parts,
            most_bytes: asked.saturating_mul(job.loops).max(forever),
            io_bytes: if once { 0 } else { share.io_bytes.unwrap_or(0).min(asked) },
            longest: job.blocks.iter().map(BlockSizes::most).max().unwrap_or(512),
            passes_left: job.loops.max(forever),
            requests_left: requests,
            requests,
            is_over: false,
        }
    }

    /// Counts a read, write or trim of `bytes` that the fio job clone issues; returns true if the clone's pass over its
    /// files ends with this request.
    #[inline]
    pub fn count(&mut self, bytes: u64) -> bool {
        self.requests_left = self.requests_left.saturating_sub(1);
        self.requests_this_pass += 1;
        self.bytes_this_pass += bytes;
        self.bytes += bytes;
        self.bytes_this_pass >= self.pass_bytes || self.bytes >= self.most_bytes
    }

    /// Counts the trim of a block that the fio job clone writes next (`trimwrite`): it adds one request, and no bytes,
    /// to the clone's work done.
    #[inline]
    pub fn count_trim(&mut self) {
        self.requests_left = self.requests_left.saturating_sub(1);
    }

    /// Counts a request that reads back `bytes` of written data for verification, which fio counts as done, too.
    pub fn count_read_back(&mut self, bytes: u64) {
        self.bytes_read_back += bytes;
        self.requests_left = self.requests_left.saturating_sub(1);
    }

    /// Ends a pass of a fio job clone over its files, because the bytes of the pass are transferred or its files have
    /// ended; `to_read_back` is the number of bytes to be read back for verification before the next pass.
    pub fn end_pass(&mut self, to_read_back: u64) {
        self.passes_left = self.passes_left.saturating_sub(1);
        let done = self.parts * self.bytes + self.bytes_read_back + to_read_back;
        let wanted = self.io_bytes.saturating_sub(done) >= self.longest;
        self.is_over = self.bytes >= self.most_bytes
            || (self.passes_left == 0 && !wanted)
            || self.requests_this_pass == 0;
        (self.bytes_this_pass, self.requests_this_pass) = (0, 0);
    }

    /// Returns true when the fio job clone has no work left: its passes over its files are done, or all its requests
    /// are issued.
    pub fn is_done(&self) -> bool {
        self.is_over || self.requests_left == 0
    }

    /// Returns true if the fio job clone ended because its files ended, before the bytes and requests that the job asks
    /// for were done.
    pub fn ended_with_files(&self) -> bool {
        self.is_over && self.requests_left > 0 && self.bytes < self.most_bytes
    }

    /// Returns the fraction of the fio job clone's work over `loops` passes over its files that is done, by bytes or by
    /// requests, the larger of both.
    pub fn fraction(&self, loops: u64) -> f64 {
        let bytes = self.pass_bytes.saturating_mul(loops).max(self.io_bytes).min(self.most_bytes);
        let by_bytes = self.bytes as f64 / bytes.max(1) as f64;
        by_bytes.max(1.0 - self.requests_left as f64 / self.requests as f64)
    }
}
