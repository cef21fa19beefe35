//! One clone of a job: which request it makes next, and when.

use super::due::WorkDue;
use super::files::{CloneFiles, FileRegion};
use super::hold::{Refill, SerializedOverlap, Think};
use super::job::{JobAccess, JobSpec};
use super::pace::RatePace;
use super::pick::Picker;
use super::track::{AtEnd, FileTrack, RequestSizes, Way};
use super::verify::{History, VerifyRule};
use crate::{Effect, HostRequest, Op, WorkloadError};
use engine::RandomStream;

mod gates;
mod read_back;

/// Kind of next step that a fio job clone answers when it is asked for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CloneAnswer {
    /// Next step of a fio job clone: it issues a request now, with this operation, offset and length.
    Issue {
        /// Operation of the fio job clone's request, such as read, write, trim or flush.
        op: Op,
        /// Byte offset on the drive at which the fio job clone's request begins.
        offset: u64,
        /// Length in bytes of the request that the fio job clone issues.
        bytes: u32,
    },
    /// Next step of a fio job clone: it issues no request before this time in nanoseconds, which is in the future.
    Wait(u64),
    /// Next step of a fio job clone: it issues no request until one of its requests completes.
    Full,
    /// Next step of a fio job clone: the workload must first ask the clone's fio flow whether it may issue a request.
    Ask,
    /// Next step of a fio job clone: it has finished and issues no further request.
    Finished,
}

/// One of the reasons why a fio job clone issues no request of its job now, apart from its queue depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    Open,
    /// Reason for no request of the fio job clone now: a flush (`fsync`, `fdatasync`) is due after all completions.
    DrainToFlush,
    /// Reason for no request of the job clone now: after a pass, `end_fsync` flushes each file before the next pass.
    EndFlush,
    /// Reason for no request of the fio job clone now: its flush is in flight.
    Flushing,
    /// Reason for no request of the fio job clone now: a pause (`thinktime`) begins once no request is in flight.
    DrainToThink,
    /// Reason for no request of the fio job clone now: it pauses (`thinktime`) until this time in nanoseconds.
    ThinkUntil(u64),
    /// Reason for no request of the fio job clone now: it must first ask its fio flow for permission.
    Ask,
    /// Reason for no request of the fio job clone now: its fio flow refused a request; it rests after all completions.
    DrainToRest,
    /// Reason for no request of the fio job clone now: after its flow's refusal it rests until this time in ns.
    RestUntil(u64),
}

/// Set of a fio job clone's settings in a direction (read, write, trim): request sizes, random percentage, rate limit.
#[derive(Clone, Debug)]
struct CloneDirection {
    sizes: RequestSizes,
    random_percent: u64,
    pace: Option<RatePace>,
}

/// State of one clone of a fio job (one of its `numjobs` copies), from which the clone's requests are made.
#[derive(Clone, Debug)]
pub struct Worker {
    random: RandomStream,
    access: JobAccess,
    is_random: bool,
    read_percent: u64,
    streams: [Option<CloneDirection>; 3],
    tracks: Vec<FileTrack>,
    picker: Picker,
    /// Number of requests of a random fio job per random offset; the next field, `sequence_left`, counts them down.
    sequence: u64,
    sequence_left: u64,
    identical: bool,
    /// True if a file without further requests begins again without a wait for the fio job clone's other files.
    starts_over: bool,
    depth: u64,
    outstanding: u64,
    gate: Gate,
    /// Direction of the fio job clone's next request, stored while that request is not due by its rate.
    drawn: Option<usize>,
    /// List, by file, of offset and bytes of the block that a fio `trimwrite` job trimmed and writes next; else empty.
    trimmed: Vec<Option<(u64, u64)>>,
    due: WorkDue,
    /// Field: record of the blocks that the fio job clone must read back, where the job verifies its written data.
    history: Option<Box<History>>,
    loops: u64,
    /// True if the fio job clone issues a flush when all its work is done, or its run time is over.
    end_fsync: bool,
    /// True if the fio job clone issues a flush after each loop; false for a time-based job, whose passes are one loop.
    loop_fsync: bool,
    /// True if the fio job clone issued requests since its last flush.
    unflushed: bool,
    /// Number of the fio job clone's files that are still to be flushed after a pass, one after the other.
    files_to_flush: usize,
    flush_every: [u64; 2],
    writes_to_flush: [u64; 2],
    think: Option<Think>,
    /// Time in nanoseconds that the fio job clone rests when its fio flow refuses a request; none without a flow.
    flow_rest_ns: Option<u64>,
    overlap: Option<Box<SerializedOverlap>>,
    refill: Option<Refill>,
    times: CloneTimes,
}

/// Record of a fio job clone's times in ns: delay, ramp and run time; start and end, set when the clone starts.
#[derive(Clone, Copy, Debug)]
struct CloneTimes {
    delay_ns: u64,
    ramp_ns: u64,
    runtime_ns: Option<u64>,
    start_ns: u64,
    end_ns: u64,
}

impl Worker {
    // Long: a value for each field.
    /// Makes the state of a clone of the fio job `job` with its `share` of `files`.
    ///
    /// # Errors
    /// When the zones of the job, or of its access distribution, do not fit its files.
    pub fn new(
        job: &JobSpec,
        share: &CloneFiles,
        files: &[FileRegion],
        mut random: RandomStream,
    ) -> Result<Self, WorkloadError> {
        // fio: a sequential direction begins again where time is not over, or a mix is asked for beyond a pass.
        let is_mix = job.access == JobAccess::ReadWrite;
        let beyond = share.io_bytes.is_some_and(|bytes| bytes > share.pass_bytes) && is_mix;
        let goes_round = (job.time_based && share.parts.len() == 1) || beyond;
        let at_end = if goes_round { AtEnd::GoesRound } else { AtEnd::Stops };
        let mut tracks = Vec::with_capacity(share.parts.len());
        for part in &share.parts {
            let offset = files[part.file as usize].offset;
            tracks.push(FileTrack::new(job, part, offset, at_end, &mut random)?);
        }
        let mut streams = [None, None, None];
        for &direction in job.directions() {
            let sizes = RequestSizes::new(&job.blocks[direction]);
            streams[direction] =
                Some(CloneDirection { sizes, random_percent: job.random_percent[direction], pace: None });
        }
        let flushes_last = job.end_fsync && job.writes() && !job.only_reads_back();
        let delay_ns = match job.delay_most_ns {
            Some(most) if most > job.delay_ns => job.delay_ns + random.below(most - job.delay_ns + 1),
            _ => job.delay_ns,
        };
        Ok(Self {
            random,
            access: job.access,
            is_random: job.random,
            read_percent: job.read_percent,
            streams,
            picker: Picker::new(&job.service, tracks.len(), job.openfiles),
            tracks,
            sequence: job.sequence,
            sequence_left: 1,
            identical: job.identical,
            starts_over: Picker::starts_over(job),
            depth: job.depth(),
            outstanding: 0,
            gate: if job.flow.weight > 0 { Gate::Ask } else { Gate::Open },
            drawn: None,
            trimmed: if job.access == JobAccess::TrimWrite {
                vec![None; share.parts.len()]
            } else {
                Vec::new()
            },
            due: WorkDue::new(job, share),
            history: VerifyRule::of(job).map(|rule| Box::new(History::new(rule))),
            loops: if job.time_based { u64::MAX } else { job.loops },
            end_fsync: flushes_last,
            loop_fsync: flushes_last && !job.time_based,
            unflushed: false,
            files_to_flush: 0,
            flush_every: job.flush_every,
            writes_to_flush: job.flush_every,
            think: Think::of(job),
            flow_rest_ns: (job.flow.weight > 0).then_some(job.flow.rest_ns),
            overlap: job.serialize_overlap.then(Box::default),
            refill: Refill::of(job),
            times: CloneTimes {
                delay_ns,
                ramp_ns: job.ramp_ns,
                runtime_ns: job.runtime_ns,
                start_ns: 0,
                end_ns: u64::MAX,
            },
        })
    }

    /// Replaces the fio job clone's random stream, before its first request, and draws random orders of blocks anew;
    /// the popular blocks of its distributions stay the same.
    pub fn draw_anew(&mut self, random: RandomStream) {
        self.random = random;
        for track in &mut self.tracks {
            track.draw_anew(&mut self.random);
        }
    }

    /// Returns the delay of the fio job clone: time in ns from the start of the run before which it does not start.
    pub fn delay_ns(&self) -> u64 {
        self.times.delay_ns
    }

    /// Starts the fio job clone at `now` ns: sets its end, and the schedules of directions with a rate.
    pub fn start(&mut self, job: &JobSpec, now: u64) {
        let times = &mut self.times;
        times.start_ns = now;
        if let Some(runtime) = times.runtime_ns {
            times.end_ns = times.start_ns.saturating_add(times.ramp_ns).saturating_add(runtime);
        }
        for (direction, stream) in self.streams.iter_mut().enumerate() {
            if let Some(stream) = stream {
                stream.pace = RatePace::of(job, direction, times.start_ns);
            }
        }
    }

    /// Returns the number of requests of the fio job clone that are in flight.
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// Returns the fio job clone's next step at `now` ns: a request, a wait, or the end.
    #[inline]
    pub fn step(&mut self, now: u64) -> CloneAnswer {
        if now >= self.times.end_ns {
            return self.finish();
        }
        if self.history.is_some()
            && let Some(step) = self.read_back()
        {
            return step;
        }
        if let Some(request) = self.overlap.as_mut().and_then(|overlap| overlap.take()) {
            return self.send(request);
        }
        if self.gate != Gate::Open {
            self.leave_out_flush();
            if let Some(step) = self.pass_gate(now) {
                return step;
            }
        }
        if self.is_done() {
            return self.finish();
        }
        if let Some(refill) = &mut self.refill
            && !refill.admits(self.outstanding, self.depth)
        {
            return CloneAnswer::Full;
        }
        if self.outstanding >= self.depth {
            return CloneAnswer::Full;
        }
        if let Some(think) = &mut self.think
            && think.is_due()
        {
            self.gate =
                if self.outstanding > 0 { Gate::DrainToThink } else { Gate::ThinkUntil(think.until(now)) };
            return self.pass_gate(now).unwrap_or(CloneAnswer::Full);
        }
        if let Some(history) = &mut self.history {
            if history.reads_only() {
                self.imagine();
                return self.read_back().unwrap_or_else(|| self.finish());
            }
            if let Some(written) = history.next_of_backlog() {
                return self.read_one_back(written);
            }
        }
        let direction = match self.direction(now) {
            Ok(direction) => direction,
            Err(due) => return CloneAnswer::Wait(due.min(self.times.end_ns)),
        };
        self.issue(direction)
    }

    /// Stops the fio job clone: it issues no more requests of its job from `now` ns on.
    pub fn stop(&mut self, now: u64) {
        self.times.end_ns = self.times.end_ns.min(now);
    }

    /// Stops the fio job clone after an error: from `now` ns on it issues no request and no last flush, as in fio.
    pub fn fail(&mut self, now: u64) {
        self.stop(now);
        self.end_fsync = false;
    }

    /// Notes that `request`, one of the fio job clone's own, completed at `now` ns.
    #[inline]
    pub fn complete(&mut self, request: &HostRequest, now: u64) {
        self.outstanding -= 1;
        if !matches!(request.op.effect(), Effect::Flush | Effect::Manage) {
            self.answered(request);
        }
        if self.outstanding == 0 && self.gate != Gate::Open {
            self.gate = match self.gate {
                Gate::Flushing => Gate::Open,
                Gate::DrainToThink => self.think(now),
                Gate::DrainToRest => self.rest(now),
                other => other,
            };
        }
    }

    /// Returns the fraction of a fio job clone's work or run time done, from 0 to 1; 0 where its end is unknown.
    pub fn fraction_done(&self, now: u64) -> f64 {
        let times = &self.times;
        let by_time = match times.end_ns {
            u64::MAX => 0.0,
            end => now.saturating_sub(times.start_ns) as f64 / (end - times.start_ns).max(1) as f64,
        };
        by_time.max(self.due.fraction(self.loops)).min(1.0)
    }

    fn think(&self, now: u64) -> Gate {
        Gate::ThinkUntil(self.think.as_ref().map_or(now, |think| think.until(now)))
    }

    /// Passes the completion of a fio job's request on to verification, overlap check, refill rule and pauses.
    #[inline]
    fn answered(&mut self, request: &HostRequest) {
        if let Some(history) = &mut self.history {
            history.answered(request.op, request.offset);
        }
        if let Some(overlap) = &mut self.overlap {
            overlap.answered(request.offset, u64::from(request.bytes));
        }
        if let Some(refill) = &mut self.refill {
            refill.answered();
        }
        if let Some(think) = &mut self.think {
            think.note_answered();
        }
    }

    fn is_done(&self) -> bool {
        self.due.is_done()
    }

    /// Returns the direction (0 read, 1 write, 2 trim) of a fio job clone's next request, or the ns at which it is due.
    #[inline]
    fn direction(&mut self, now: u64) -> Result<usize, u64> {
        let direction = match (self.access, self.drawn) {
            (JobAccess::Read, _) => 0,
            (JobAccess::Write, _) => 1,
            (JobAccess::Trim, _) => 2,
            // Whether it is written the file says that is served (`place`).
            (JobAccess::TrimWrite, _) => 2,
            (JobAccess::ReadWrite, Some(drawn)) => drawn,
            (JobAccess::ReadWrite, None) => usize::from(self.random.below(100) >= self.read_percent),
        };
        // As in fio, a block is trimmed when it may be written.
        let paced = if self.access == JobAccess::TrimWrite { 1 } else { direction };
        let due = |direction: usize| {
            let pace = self.streams[direction].as_ref().and_then(|stream| stream.pace.as_ref());
            pace.map(RatePace::due_ns)
        };
        let Some(own) = due(paced).filter(|due| *due > now) else {
            self.drawn = None;
            return Ok(direction);
        };
        self.drawn = Some(direction);
        if self.access != JobAccess::ReadWrite {
            return Err(own);
        }
        // The other direction goes when it is due, or when nothing holds it back; but not in a mix without it.
        let other_percent = if direction == 0 { 100 - self.read_percent } else { self.read_percent };
        match due(1 - direction) {
            _ if other_percent == 0 => Err(own),
            Some(other) if other > now => Err(own.min(other)),
            _ => Ok(1 - direction),
        }
    }

    /// Makes and issues the next request of a fio job clone, or ends, flushes or reads back when its files are done.
    #[inline]
    fn issue(&mut self, direction: usize) -> CloneAnswer {
        let Some(request) = self.make(direction) else { return self.finish_or_flush() };
        self.send(request)
    }

    /// Issues `request` of a fio job clone, unless it must wait for a request in flight that it overlaps.
    #[inline]
    fn send(&mut self, request: (Op, u64, u64)) -> CloneAnswer {
        if let Some(overlap) = &mut self.overlap
            && !overlap.admits(request)
        {
            return CloneAnswer::Full;
        }
        self.outstanding += 1;
        let (op, offset, bytes) = request;
        CloneAnswer::Issue { op, offset, bytes: bytes as u32 }
    }

    /// Makes a fio job clone's next request in `direction`, counted as issued; `None` when the files have no more.
    #[inline]
    fn make(&mut self, direction: usize) -> Option<(Op, u64, u64)> {
        let (direction, offset, bytes) = self.place(direction)?;
        let stream = self.streams[direction].as_mut().expect("a direction of this job");
        if let Some(pace) = &mut stream.pace {
            pace.advance(bytes, &mut self.random);
        }
        let op = [Op::READ, Op::WRITE, Op::TRIM][direction];
        if let Some(history) = &mut self.history {
            history.asked(op, offset, bytes);
        }
        let mut pass_ends = false;
        if self.access == JobAccess::TrimWrite && op.effect() == Effect::Trim {
            self.due.count_trim();
        } else if self.due.count(bytes) {
            self.end_pass();
            pass_ends = true;
        }
        self.set_gate(op);
        if pass_ends {
            self.flush_after_pass();
        }
        Some((op, offset, bytes))
    }

    /// Returns the fio job clone's next step where its pass over its files has ended, so that no request was made.
    fn finish_or_flush(&mut self) -> CloneAnswer {
        if self.history.is_some()
            && let Some(step) = self.read_back()
        {
            return step;
        }
        if self.due.is_done() {
            return self.finish();
        }
        // Only a flush between two passes keeps requests back here; it is due now.
        self.gate = Gate::EndFlush;
        self.flush_a_file().unwrap_or(CloneAnswer::Full)
    }

    /// Returns direction, offset on the drive and bytes of the fio job clone's next request, drawn for `direction`;
    /// where the last request to the file was a trim (`trimwrite`), the write of the same block.
    #[inline]
    fn place(&mut self, direction: usize) -> Option<(usize, u64, u64)> {
        let way = self.way(direction);
        loop {
            let Some(file) = self.picker.pick(&mut self.random) else {
                self.end_pass();
                let reads_back = self.history.as_ref().is_some_and(|history| history.is_due);
                if self.due.is_done() || reads_back || (self.loop_fsync && self.unflushed) {
                    return None;
                }
                continue;
            };
            if let Some((offset, bytes)) = self.trimmed.get_mut(file as usize).and_then(Option::take) {
                return Some((1, offset, bytes));
            }
            let stream = self.streams[direction].as_ref().expect("a direction of this job");
            let track = &mut self.tracks[file as usize];
            let mut found = track.next(direction, way, &stream.sizes, &mut self.random);
            if found.is_none() && self.starts_over {
                track.restart(&mut self.random);
                found = track.next(direction, way, &stream.sizes, &mut self.random);
            }
            match found {
                Some((offset, bytes)) => {
                    if let Some(trimmed) = self.trimmed.get_mut(file as usize) {
                        *trimmed = Some((offset, bytes));
                    }
                    return Some((direction, offset, bytes));
                }
                None => self.picker.done(file),
            }
        }
    }

    /// Returns the way in which the offset of the fio job clone's next request in `direction` is chosen.
    #[inline]
    fn way(&mut self, direction: usize) -> Way {
        if !self.is_random {
            return Way::Onward;
        }
        self.sequence_left -= 1;
        if self.sequence_left > 0 {
            return if self.identical { Way::Again } else { Way::Onward };
        }
        self.sequence_left = self.sequence;
        let percent = self.streams[direction].as_ref().map_or(100, |stream| stream.random_percent);
        if percent == 100 || self.random.below(100) < percent { Way::Anywhere } else { Way::Onward }
    }

    /// Ends a fio job clone's pass over its files, which all begin again then unless the clone has no work left.
    fn end_pass(&mut self) {
        let mut to_read_back = 0;
        if let Some(history) = &mut self.history {
            to_read_back = history.bytes();
            history.is_due = !history.is_empty();
        }
        self.due.end_pass(to_read_back);
        if !self.due.is_done() {
            self.picker.restart();
            self.trimmed.fill(None);
            self.tracks.iter_mut().for_each(|track| track.restart(&mut self.random));
        }
    }
}
