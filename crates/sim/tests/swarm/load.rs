//! The host of a seed: several jobs at once, each as fast as it is answered or at times of its own, with pauses in which
//! the drive is left alone.

use crate::deal::{Deal, choose};
use crate::features::RUN_FEATURES;
use engine::RandomStream;
use host::{
    Completion, Extent, HostRequest, HostSpace, Namespace, Op, Poll, Workload, WorkloadError, WorkloadReport,
};
use units::SimTime;

/// Kind of timing of a job's requests.
enum Pace {
    /// Case of timing: closed loop, with at most `depth` requests in flight.
    Closed { depth: u32, outstanding: u32 },
    /// Case of timing: open loop, with arrival times independent of completions, `mean_ns` apart in the mean.
    Open { mean_ns: f64, next: SimTime },
}

struct Job {
    pace: Pace,
    left: u64,
    done: u64,
    /// Pauses of the job: after the first number of requests none is made for the second number of ns; `None`: no
    /// pauses.
    pause: Option<(u64, u64)>,
    paused_until: SimTime,
    reads: f64,
    trims: f64,
    flushes: bool,
    forced: u64,
    hot: bool,
    sectors_max: u64,
    /// Number of placement identifiers that writes draw from: one more than the drive has, so that one is invalid; 0:
    /// writes name none.
    handles: u16,
    /// Number of requests from one reclaim unit handle update to the next; 0: no updates.
    updates: u64,
    sequential: f64,
    next_sector: u64,
    draws: RandomStream,
}

/// Host of a seed: workload of several jobs on a dealt drive.
pub struct Load {
    jobs: Vec<Job>,
    turn: usize,
    total: u64,
    sectors: u64,
    parts: Vec<Extent>,
    /// List of the namespaces of the drive; empty where the drive is one namespace.
    namespaces: Vec<Namespace>,
}

/// Returns the random stream of a feature of the run if the seed gets the feature, and notes it in the deal; `None` if
/// not.
pub fn run_feature(deal: &mut Deal, name: &'static str) -> Option<RandomStream> {
    let (_, chance) = RUN_FEATURES.iter().find(|(of, _)| *of == name).expect("a feature of the list");
    let mut random = RandomStream::new(deal.seed, &format!("swarm.run.{name}"));
    let on = random.chance(*chance);
    if on {
        deal.on.insert(name);
    }
    on.then_some(random)
}

impl Load {
    /// Makes the jobs of a seed for a drive of `span` bytes; `more` is the number of the load, since a seed can have
    /// several.
    pub fn new(deal: &mut Deal, span: u64, more: u64) -> Self {
        let seed = deal.seed.wrapping_add(more << 40);
        let count = run_feature(deal, "jobs").map_or(1, |mut random| 2 + random.below(2));
        let open = run_feature(deal, "open-loop");
        let mut pauses = run_feature(deal, "pauses");
        let trims = if run_feature(deal, "trims").is_some() { 0.05 } else { 0.0 };
        let flushes = run_feature(deal, "flushes").is_some();
        let forced = if run_feature(deal, "forced").is_some() { 3 } else { 0 };
        let mut goes_on = run_feature(deal, "sequences");
        let sectors = span / 512;
        let number = |key: &str| deal.get(key).and_then(|text| text.parse::<u16>().ok());
        let groups = number("ftl.streams.groups").unwrap_or(1);
        let handles = number("ftl.streams.handles").map_or(0, |count| count * groups + 1);
        let updates = if deal.has("updates") { 3 + deal.seed % 60 } else { 0 };
        let jobs: Vec<Job> = (0..count)
            .map(|job| {
                let mut random = RandomStream::new(seed, &format!("swarm.job.{job}"));
                let left = (1_000 + random.below(4_000)) / count;
                let pace = if open.is_some() && random.chance(0.7) {
                    let mean_ns = choose(&mut random, &[3e4, 3e5, 3e6]);
                    Pace::Open { mean_ns, next: SimTime::ZERO }
                } else {
                    Pace::Closed { depth: 1 + random.below(40) as u32, outstanding: 0 }
                };
                let pause = pauses.as_mut().map(|random| {
                    let ns = deal.scale_ns as f64 * choose(random, &[0.001, 0.1, 1.0]);
                    (left / (2 + random.below(6)) + 1, ns as u64)
                });
                Job {
                    pace,
                    left,
                    done: 0,
                    pause,
                    paused_until: SimTime::ZERO,
                    reads: random.unit() * 0.7,
                    trims,
                    flushes,
                    forced,
                    hot: random.chance(0.5),
                    sectors_max: 1 + random.below(128),
                    handles,
                    updates,
                    sequential: goes_on.as_mut().map_or(0.0, |random| choose(random, &[0.5, 0.97])),
                    next_sector: 0,
                    draws: RandomStream::new(seed, &format!("swarm.requests.{job}")),
                }
            })
            .collect();
        let mut lays = run_feature(deal, "layout");
        let parts = lays.as_mut().map_or(0, |random| 1 + random.below(3));
        let parts = (0..parts).map(|_| {
            let random = lays.as_mut().expect("there are parts");
            let offset = random.below(span);
            Extent { offset, bytes: random.below(span - offset) + 1 }
        });
        let parts = parts.collect();
        Self {
            total: jobs.iter().map(|job| job.left).sum(),
            jobs,
            turn: 0,
            sectors,
            parts,
            namespaces: Vec::new(),
        }
    }

    /// Returns the load with namespaces: each request is cut off at the end of the namespace in which it begins.
    pub fn within(self, space: HostSpace) -> Self {
        Self { namespaces: space.namespaces, ..self }
    }

    fn cut_off(&self, request: HostRequest) -> HostRequest {
        let holds = |extent: &Extent| extent.offset <= request.offset;
        let extent = self.namespaces.iter().map(|one| one.extent).take_while(holds).last();
        let has_place = request.bytes > 0 || request.op == Op::HANDLE_UPDATE;
        let Some(extent) = extent.filter(|_| has_place) else { return request };
        let end = extent.offset + extent.bytes;
        // What rounding leaves over belongs to none.
        let offset = request.offset.min(end - 512);
        HostRequest { offset, bytes: u64::from(request.bytes).min(end - offset) as u32, ..request }
    }

    /// Returns the number of requests that the load makes in all.
    pub fn requests(&self) -> u64 {
        self.total
    }
}

impl Job {
    /// Returns the time at which the job's next request is due; `None` while it waits for a completion, or has no
    /// request left.
    fn due(&self, now: SimTime) -> Option<SimTime> {
        let at = match &self.pace {
            Pace::Closed { depth, outstanding } => (outstanding < depth).then_some(now),
            Pace::Open { next, .. } => Some(*next),
        };
        at.filter(|_| self.left > 0).map(|at| at.max(self.paused_until))
    }

    fn ask(&mut self, tag: u16, sectors: u64, now: SimTime) -> HostRequest {
        self.left -= 1;
        self.done += 1;
        let mut arrive = now;
        match &mut self.pace {
            Pace::Closed { outstanding, .. } => *outstanding += 1,
            Pace::Open { mean_ns, next } => {
                arrive = (*next).max(self.paused_until);
                let gap = -*mean_ns * (1.0 - self.draws.unit()).ln();
                *next = SimTime::from_ns(arrive.ns() + gap as u64);
            }
        }
        if let Some((every, ns)) = self.pause
            && self.done.is_multiple_of(every)
        {
            self.paused_until = SimTime::from_ns(now.ns() + ns);
        }
        let request =
            |op, offset, bytes, fua| HostRequest { arrive, op, offset, bytes, tag, fua, placement: None };
        if self.updates > 0 && self.done.is_multiple_of(self.updates) {
            // Of the first identifier, which every namespace has: of a wrong one the drive answers with an error.
            let offset = self.draws.below(sectors) * 512;
            let placement = Some(0).filter(|_| self.done.is_multiple_of(2));
            return HostRequest { placement, ..request(Op::HANDLE_UPDATE, offset, 0, false) };
        }
        if self.flushes && self.done % 97 == 96 {
            return request(Op::FLUSH, 0, 0, false);
        }
        let kind = self.draws.unit();
        let op = match kind {
            _ if kind < self.reads => Op::READ,
            _ if kind < self.reads + self.trims => Op::TRIM,
            _ => Op::WRITE,
        };
        let space = if self.hot && self.draws.chance(0.8) { (sectors / 5).max(1) } else { sectors };
        let length = (1 + self.draws.below(self.sectors_max)).min(sectors);
        let mut start = self.draws.below(space).min(sectors - length);
        // Some requests go on where the last one ended, as sequences do that others break into.
        if self.draws.chance(self.sequential) {
            start = self.next_sector.min(sectors - length);
        }
        self.next_sector = start + length;
        let fua = op == Op::WRITE && self.forced > 0 && self.done.is_multiple_of(self.forced);
        // Without a draw: drives without handles are asked the same.
        let named = (start / 64 + self.done / 16 % 2) as u16 % self.handles.max(1);
        let placement =
            Some(named).filter(|_| op == Op::WRITE && self.handles > 0 && !self.done.is_multiple_of(7));
        HostRequest { placement, ..request(op, start * 512, length as u32 * 512, fua) }
    }
}

impl Workload for Load {
    /// Names one of the address ranges that the load expects to hold data, in each call; returns `None` when none is
    /// left.
    fn lay_out(&mut self, _: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        Ok(self.parts.pop().map(|part| {
            name(part);
            0.5
        }))
    }

    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.jobs.iter().all(|job| job.left == 0) {
            return Ok(Poll::Done);
        }
        let (count, sectors) = (self.jobs.len(), self.sectors);
        let mut turns = (0..count).map(|step| (self.turn + step) % count);
        let ready = turns.find(|&job| self.jobs[job].due(now).is_some_and(|at| at <= now));
        if let Some(job) = ready {
            self.turn = (job + 1) % count;
            let request = self.jobs[job].ask(job as u16, sectors, now);
            return Ok(Poll::Ready(self.cut_off(request)));
        }
        let next = self.jobs.iter().filter_map(|job| job.due(now)).min();
        Ok(next.map_or(Poll::Blocked, Poll::At))
    }

    fn complete(&mut self, request: &HostRequest, _: &Completion) {
        if let Pace::Closed { outstanding, .. } = &mut self.jobs[usize::from(request.tag)].pace {
            *outstanding -= 1;
        }
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        let left: u64 = self.jobs.iter().map(|job| job.left).sum();
        Some(1.0 - left as f64 / self.total.max(1) as f64)
    }

    fn report(&self) -> WorkloadReport {
        let tags = (0..self.jobs.len()).map(|job| format!("job {job}")).collect();
        WorkloadReport { name: "swarm".into(), format: "test".into(), tags, ..WorkloadReport::default() }
    }
}
