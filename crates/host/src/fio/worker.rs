//! One clone of a job: which request it makes next, and when.

use super::distribution::Sampler;
use super::job::{Access, Blocks, JobSpec};
use super::order::Passes;
use super::pace::Pace;
use super::region::Region;
use crate::{Op, WorkloadError};
use engine::RandomStream;

/// What a clone answers when asked for a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// This one.
    Issue {
        /// What it asks for.
        op: Op,
        /// First byte on the drive.
        offset: u64,
        /// Length.
        bytes: u32,
    },
    /// None before this instant, which is to come.
    Wait(u64),
    /// None until one of its own completes.
    Full,
    /// None ever again.
    Finished,
}

/// What holds a clone back besides its depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    Open,
    /// A flush is due once its own requests are answered.
    DrainToFlush,
    /// Its flush is under way.
    Flushing,
    /// It pauses once its own requests are answered.
    DrainToThink,
    /// It pauses until then.
    ThinkUntil(u64),
}

/// The sizes of a direction's requests, ready to draw from.
#[derive(Clone, Debug)]
enum Sizes {
    Fixed(u64),
    /// This times 1 to that.
    Multiple(u64, u64),
    /// One entry per percent.
    Table(Box<[u64; 100]>),
}

impl Sizes {
    fn new(blocks: &Blocks) -> Self {
        match blocks {
            Blocks::Fixed(bytes) => Self::Fixed(*bytes),
            Blocks::Range(least, most) => Self::Multiple(*least, most / least),
            Blocks::Split(parts) => {
                let mut sizes = parts.iter().flat_map(|(size, percent)| (0..*percent).map(|_| *size));
                Self::Table(Box::new(std::array::from_fn(|_| sizes.next().expect("parts add up to 100"))))
            }
        }
    }

    #[inline]
    fn draw(&self, random: &mut RandomStream) -> u64 {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Multiple(least, times) => least * (1 + random.below(*times)),
            Self::Table(table) => table[random.below(100) as usize],
        }
    }
}

/// What a clone keeps for each direction it uses.
#[derive(Clone, Debug)]
struct Stream {
    sizes: Sizes,
    align: u64,
    sampler: Sampler,
    random_percent: u64,
    /// Where its next sequential request starts, from the start of the region.
    position: u64,
    pace: Option<Pace>,
}

/// One clone of a job.
#[derive(Clone, Debug)]
pub struct Worker {
    random: RandomStream,
    access: Access,
    is_random: bool,
    read_percent: u64,
    streams: [Option<Stream>; 3],
    passes: Option<Passes>,
    region: Region,
    depth: u64,
    outstanding: u64,
    gate: Gate,
    /// The direction drawn for the next request, kept while it waits for its pace.
    drawn: Option<usize>,
    /// The trimmed block that is to be written next.
    trimmed: Option<(u64, u64)>,
    loop_bytes: u64,
    bytes_this_loop: u64,
    loops_left: u64,
    requests_total: u64,
    requests_left: u64,
    /// A flush when all is done, or time is over.
    end_fsync: bool,
    /// A flush after each loop; a job that goes on until time is over is one loop.
    loop_fsync: bool,
    /// Something was written since the last flush.
    unflushed: bool,
    flush_every: [u64; 2],
    writes_to_flush: [u64; 2],
    think_ns: u64,
    think_blocks: u64,
    blocks_to_think: u64,
    times: Times,
}

/// When a clone starts and ends; set when its group starts.
#[derive(Clone, Copy, Debug)]
struct Times {
    delay_ns: u64,
    ramp_ns: u64,
    runtime_ns: Option<u64>,
    start_ns: u64,
    end_ns: u64,
}

impl Worker {
    /// Clone number `clone` of `job` on a drive of `drive_bytes`.
    ///
    /// # Errors
    /// When the job does not fit the drive.
    pub fn new(
        job: &JobSpec,
        clone: u64,
        drive_bytes: u64,
        mut random: RandomStream,
    ) -> Result<Self, WorkloadError> {
        let region = Region::new(job, clone, drive_bytes)?;
        let mut streams = [None, None, None];
        // As in fio, whose distribution belongs to the file: what reads find popular, writes do too.
        let scatter = random.clone();
        for &direction in job.directions() {
            random = scatter.clone();
            streams[direction] = Some(stream(job, direction, region.bytes, &mut random)?);
        }
        let passes = region.pass_blocks(job).map(|blocks| Passes::new(blocks, &mut random));
        let forever = job.time_based;
        // For each loop, as in fio.
        let requests = job.number_ios.map_or(u64::MAX, |count| count.saturating_mul(job.loops));
        Ok(Self {
            random,
            access: job.access,
            is_random: job.random,
            read_percent: job.read_percent,
            streams,
            passes,
            depth: job.iodepth,
            outstanding: 0,
            gate: Gate::Open,
            drawn: None,
            trimmed: None,
            loop_bytes: region.loop_bytes(job),
            region,
            bytes_this_loop: 0,
            loops_left: if forever { u64::MAX } else { job.loops },
            requests_total: requests,
            requests_left: requests,
            end_fsync: job.end_fsync,
            loop_fsync: job.end_fsync && !job.time_based,
            unflushed: false,
            flush_every: job.flush_every,
            writes_to_flush: job.flush_every,
            think_ns: job.think_ns,
            think_blocks: job.think_blocks,
            blocks_to_think: job.think_blocks,
            times: Times {
                delay_ns: job.delay_ns,
                ramp_ns: job.ramp_ns,
                runtime_ns: job.runtime_ns,
                start_ns: 0,
                end_ns: u64::MAX,
            },
        })
    }

    /// Its group starts at `now`; the answer is when it makes its first request.
    pub fn start(&mut self, job: &JobSpec, now: u64) -> u64 {
        let times = &mut self.times;
        times.start_ns = now.saturating_add(times.delay_ns);
        if let Some(runtime) = times.runtime_ns {
            times.end_ns = times.start_ns.saturating_add(times.ramp_ns).saturating_add(runtime);
        }
        for direction in 0..3 {
            let (Some(stream), Some(rate)) =
                (&mut self.streams[direction], job.rate[direction].or(job.rate_iops[direction]))
            else {
                continue;
            };
            stream.pace = Some(Pace::new(rate, job.poisson, times.start_ns, &mut self.random));
        }
        times.start_ns
    }

    /// Requests of its own that are not answered yet.
    pub fn outstanding(&self) -> u64 {
        self.outstanding
    }

    /// The next request, if there is one at `now`.
    #[inline]
    pub fn step(&mut self, now: u64) -> Step {
        if now >= self.times.end_ns {
            return self.finish();
        }
        if self.gate != Gate::Open
            && let Some(step) = self.pass_gate(now)
        {
            return step;
        }
        if self.is_done() {
            return self.finish();
        }
        if self.outstanding >= self.depth {
            return Step::Full;
        }
        let direction = match self.direction(now) {
            Ok(direction) => direction,
            Err(due) => return Step::Wait(due.min(self.times.end_ns)),
        };
        self.issue(direction)
    }

    /// One of its requests was answered at `now`.
    #[inline]
    pub fn complete(&mut self, now: u64) {
        self.outstanding -= 1;
        if self.outstanding == 0 && self.gate != Gate::Open {
            self.gate = match self.gate {
                Gate::Flushing if self.blocks_to_think == 0 => self.think(now),
                Gate::Flushing => Gate::Open,
                Gate::DrainToThink => self.think(now),
                other => other,
            };
        }
    }

    /// The fraction of its work that is handed out, where it has an end.
    pub fn fraction_done(&self, now: u64, loops: u64) -> f64 {
        let times = &self.times;
        let by_time = match times.end_ns {
            u64::MAX => 0.0,
            end => now.saturating_sub(times.start_ns) as f64 / (end - times.start_ns).max(1) as f64,
        };
        let in_loop = self.bytes_this_loop as f64 / self.loop_bytes as f64;
        let by_bytes = (loops.saturating_sub(self.loops_left) as f64 + in_loop) / loops as f64;
        let by_requests = 1.0 - self.requests_left as f64 / self.requests_total as f64;
        by_time.max(by_bytes).max(by_requests).min(1.0)
    }

    fn think(&mut self, now: u64) -> Gate {
        self.blocks_to_think = self.think_blocks;
        Gate::ThinkUntil(now.saturating_add(self.think_ns))
    }

    fn is_done(&self) -> bool {
        (self.loops_left == 0 || self.requests_left == 0) && self.trimmed.is_none()
    }

    /// The last flush, if one is asked for and due, and then nothing more.
    fn finish(&mut self) -> Step {
        match self.outstanding {
            _ if !self.end_fsync || !self.unflushed => Step::Finished,
            0 => self.flush(),
            _ => Step::Full,
        }
    }

    fn flush(&mut self) -> Step {
        self.unflushed = false;
        self.outstanding += 1;
        Step::Issue { op: Op::Flush, offset: 0, bytes: 0 }
    }

    /// What the gate answers; none when it has opened.
    fn pass_gate(&mut self, now: u64) -> Option<Step> {
        match self.gate {
            Gate::DrainToFlush if self.outstanding == 0 => {
                self.gate = Gate::Flushing;
                Some(self.flush())
            }
            Gate::ThinkUntil(then) if now < then && !self.is_done() => {
                Some(Step::Wait(then.min(self.times.end_ns)))
            }
            Gate::Open | Gate::ThinkUntil(_) => {
                self.gate = Gate::Open;
                None
            }
            Gate::DrainToThink if self.is_done() => Some(self.finish()),
            Gate::DrainToFlush | Gate::Flushing | Gate::DrainToThink => Some(Step::Full),
        }
    }

    /// The direction of the next request, or when there may be one.
    #[inline]
    fn direction(&mut self, now: u64) -> Result<usize, u64> {
        let direction = match (self.access, self.drawn) {
            (Access::Read, _) => 0,
            (Access::Write, _) => 1,
            (Access::Trim, _) => 2,
            (Access::TrimWrite, _) => 2 - usize::from(self.trimmed.is_some()),
            (Access::ReadWrite, Some(drawn)) => drawn,
            (Access::ReadWrite, None) => usize::from(self.random.below(100) >= self.read_percent),
        };
        let due = |direction: usize| {
            let pace = self.streams[direction].as_ref().and_then(|stream| stream.pace.as_ref());
            pace.map(Pace::due_ns)
        };
        let Some(own) = due(direction).filter(|due| *due > now) else {
            self.drawn = None;
            return Ok(direction);
        };
        self.drawn = Some(direction);
        if self.access != Access::ReadWrite {
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

    /// The request itself, in `direction`.
    #[inline]
    fn issue(&mut self, direction: usize) -> Step {
        let (place, bytes) = match self.trimmed.take() {
            Some(block) => block,
            None => self.place(direction),
        };
        let random = &mut self.random;
        let stream = self.streams[direction].as_mut().expect("a direction of this job");
        if let Some(pace) = &mut stream.pace {
            pace.advance(bytes, random);
        }
        self.outstanding += 1;
        let op = [Op::Read, Op::Write, Op::Trim][direction];
        let mut loop_ends = false;
        if self.access == Access::TrimWrite && op == Op::Trim {
            self.trimmed = Some((place, bytes));
        } else {
            loop_ends = self.count(bytes);
        }
        self.set_gate(op, loop_ends);
        Step::Issue { op, offset: self.region.offset + place, bytes: bytes as u32 }
    }

    /// Where in the region the next request of `direction` lies, and how long it is.
    #[inline]
    fn place(&mut self, direction: usize) -> (u64, u64) {
        let random = &mut self.random;
        let stream = self.streams[direction].as_mut().expect("a direction of this job");
        let bytes = stream.sizes.draw(random);
        let at_random =
            self.is_random && (stream.random_percent == 100 || random.below(100) < stream.random_percent);
        let place = if !at_random {
            if stream.position + bytes > self.region.bytes { 0 } else { stream.position }
        } else if let Some(passes) = &mut self.passes {
            passes.next(random) * stream.align
        } else {
            let blocks = (self.region.bytes - bytes) / stream.align + 1;
            stream.sampler.draw(blocks, random) * stream.align
        };
        stream.position = place + bytes;
        (place, bytes)
    }

    /// Takes `bytes` off what is to be done; true when a loop ends. A new one starts at the beginning again.
    #[inline]
    fn count(&mut self, bytes: u64) -> bool {
        self.requests_left -= 1;
        self.bytes_this_loop += bytes;
        if self.bytes_this_loop < self.loop_bytes {
            return false;
        }
        self.bytes_this_loop = 0;
        self.loops_left -= 1;
        for stream in self.streams.iter_mut().flatten() {
            stream.position = 0;
        }
        if let Some(passes) = &mut self.passes {
            passes.restart(&mut self.random);
        }
        true
    }

    /// After a request: is it time for a flush or a pause?
    #[inline]
    fn set_gate(&mut self, op: Op, loop_ends: bool) {
        if self.think_ns > 0 {
            self.blocks_to_think = self.blocks_to_think.saturating_sub(1);
            if self.blocks_to_think == 0 {
                self.gate = Gate::DrainToThink;
            }
        }
        self.unflushed |= op == Op::Write;
        if loop_ends && self.loop_fsync && self.unflushed {
            self.gate = Gate::DrainToFlush;
        }
        if op != Op::Write {
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

fn stream(
    job: &JobSpec,
    direction: usize,
    region_bytes: u64,
    random: &mut RandomStream,
) -> Result<Stream, WorkloadError> {
    let blocks = &job.blocks[direction];
    let align = job.align[direction].unwrap_or_else(|| blocks.least());
    let count = (region_bytes - blocks.least()) / align + 1;
    let sampler = Sampler::new(&job.distribution, count, align, random).map_err(|expected| {
        job.place.error(format!("job {}: random_distribution over {region_bytes} bytes", job.name), expected)
    })?;
    Ok(Stream {
        sizes: Sizes::new(blocks),
        align,
        sampler,
        random_percent: job.random_percent[direction],
        position: 0,
        pace: None,
    })
}
