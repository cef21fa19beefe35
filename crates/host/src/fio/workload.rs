//! The jobs of a file as a source of requests for one drive.

use super::existing::{Use, existing};
use super::files::{CloneFiles, FileRegion, Files};
use super::flow::FioFlows;
use super::job::{ExitWhat, JobFile, JobSpec};
use super::limits::CloneLimits;
use super::pending::Pending;
use super::placement::ClonePlacer;
use super::steady::Watches;
use super::worker::{CloneAnswer, Worker};
use super::zbd::{self, FioZones, ZbdClone};
use crate::{Completion, Extent, HostRequest, HostSpace, Poll, Workload, WorkloadError, WorkloadReport};
use engine::RandomStream;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use units::SimTime;

mod ends;
mod flows;
mod zoned;

/// Kind of waiting state of a fio job clone in the workload: what the clone waits for before its next request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WaitingPlace {
    /// Waiting state: the fio job clone has not been started, since its turn has not come.
    Later,
    /// Waiting state: the fio job clone is in the queue of ready clones until its next turn to make a request.
    Ready,
    /// Waiting state: the fio job clone waits for a certain time, such as the end of a pause.
    Timed,
    /// Waiting state: the fio job clone waits for the completion of one of its requests.
    Full,
    /// Waiting state: the clone of a fio job waits until other clones of its fio flow have issued requests.
    Parked,
    /// Waiting state: none, since the fio job clone has finished and issues no more requests.
    Finished,
}

/// Record of one clone of a fio job in the workload: tag, group, placement chooser, zones and what the clone waits for.
#[derive(Debug)]
struct JobClone {
    worker: Worker,
    place: WaitingPlace,
    job: u32,
    tag: u16,
    /// True if several fio job clones, which are reported together, have the tag of this clone.
    shares_tag: bool,
    /// True if the writes of the fio job clone must be durable when the drive acknowledges them.
    fua: bool,
    /// Field: chooser of the placement identifiers of the fio job clone's writes; none where they carry no identifier.
    placer: Option<Box<ClonePlacer>>,
    /// Field: state of the fio job clone's zones of the drive (`zonemode=zbd`); none for other clones.
    zbd: Option<Box<ZbdClone>>,
    /// True if the fio job clone's writes are zone appends.
    appends: bool,
    /// Number of the fio job group of the clone; a job with `new_group` or `stonewall` begins a new group.
    group: u32,
    /// True if the fio job clone starts only when no other clone runs (`stonewall`).
    stonewall: bool,
}

/// Workload that plays the jobs of a fio job file on one drive. Each clone has its own queue. Clones are asked for
/// requests in turn; a clone that must wait is in a heap (priority queue) ordered by time or waits for its own
/// completion, so that a call costs the same however many clones there are.
#[derive(Debug)]
pub struct FioWorkload {
    file: JobFile,
    clones: Vec<JobClone>,
    ready: VecDeque<u32>,
    timers: BinaryHeap<Reverse<(u64, u32)>>,
    pending: Pending,
    /// List with, for each request tag (the number by which a completion is assigned), the number of the first clone of
    /// a fio job that has the tag.
    owners: Vec<u32>,
    tags: Vec<String>,
    /// Numbers of the clones of fio jobs that have not started, in order. The field after this one, `next_start`, is
    /// the time in ns when the next delay of one of them is over.
    unstarted: Vec<u32>,
    next_start: u64,
    /// Number of fio job clones that have started and are not done.
    running: u32,
    /// Number of fio job clones that wait for the completion of one of their requests.
    full: u32,
    ramp_until: SimTime,
    requests: u64,
    drive_bytes: u64,
    files: Vec<FileRegion>,
    /// List of records of how clones of fio jobs use the raw device, from which it follows which address ranges must
    /// hold data before the run.
    uses: Vec<Use>,
    /// Field: state of the steady-state detection of the fio job clones.
    watches: Watches,
    flows: FioFlows,
    limits: CloneLimits,
    /// Field: state of the zones of each zoned namespace as fio records it; empty where no job works in them
    /// (`zonemode=zbd`).
    zones: Vec<FioZones>,
}

/// Returns the number of times that fio surely has waited until all earlier jobs are done before the last of `jobs`
/// begins: once for each `stonewall`, except after a job with a delay, for which a `stonewall` does not wait.
fn phase(jobs: &[JobSpec]) -> usize {
    let is_late = |job: &JobSpec| job.delay_ns > 0 || job.delay_most_ns.is_some();
    let delayed = jobs.iter().position(is_late).map_or(jobs.len(), |first| first + 1);
    jobs[..delayed].iter().skip(1).filter(|job| job.stonewall).count()
}

impl FioWorkload {
    /// Makes the workload that plays the fio jobs of `file` on the drive or namespaces of `space`, with random streams
    /// of `seed`.
    ///
    /// # Errors
    /// When a job does not fit the drive.
    pub fn new(file: JobFile, space: impl Into<HostSpace>, seed: u64) -> Result<Self, WorkloadError> {
        let space = space.into();
        let Files { files, shares } = Files::new(&file, &space, seed)?;
        let mut shares = shares.into_iter();
        let mut workload = Self {
            clones: Vec::new(),
            ready: VecDeque::new(),
            timers: BinaryHeap::new(),
            pending: Pending::default(),
            owners: Vec::new(),
            tags: Vec::new(),
            unstarted: Vec::new(),
            next_start: u64::MAX,
            running: 0,
            full: 0,
            ramp_until: SimTime::ZERO,
            requests: 0,
            drive_bytes: space.bytes,
            files,
            file,
            uses: Vec::new(),
            watches: Watches::default(),
            flows: FioFlows::default(),
            limits: CloneLimits::default(),
            zones: Vec::new(),
        };
        workload.zones = Self::accounts_of(&workload.file.jobs, space.all_zones());
        let mut same_name: BTreeMap<String, u64> = BTreeMap::new();
        for index in 0..workload.file.jobs.len() {
            let job = workload.file.jobs[index].clone();
            let first = same_name.entry(job.name.clone()).or_insert(0);
            let shares = shares.by_ref().take(job.numjobs as usize);
            workload.add(index as u32, &job, (*first, seed), shares, &space)?;
            *first += job.numjobs;
        }
        workload.unstarted = (0..workload.clones.len() as u32).collect();
        let jobs = &workload.file.jobs;
        workload.watches =
            Watches::new(workload.clones.iter().map(|clone| (&jobs[clone.job as usize], clone.group)));
        workload.limits = CloneLimits::new(workload.clones.iter().map(|clone| &jobs[clone.job as usize]));
        let in_first =
            workload.clones.iter().enumerate().take_while(|(index, clone)| *index == 0 || !clone.stonewall);
        let in_first = in_first.map(|(_, clone)| clone);
        let ramp = |clone: &JobClone| {
            let job = &workload.file.jobs[clone.job as usize];
            if job.ramp_ns == 0 { 0 } else { job.delay_ns + job.ramp_ns }
        };
        workload.ramp_until = SimTime::from_ns(in_first.map(ramp).max().unwrap_or(0));
        workload.start_due(0);
        Ok(workload)
    }

    /// Returns this fio workload with its random numbers drawn anew from `seed`, for repetition number `pass` where the
    /// workload is played several times in a row, as for preconditioning; popular blocks and files' places stay.
    pub fn drawn_anew(mut self, seed: u64, pass: u32) -> Self {
        for (index, clone) in self.clones.iter_mut().enumerate() {
            let seed = self.file.jobs[clone.job as usize].seed.unwrap_or(seed);
            clone.worker.draw_anew(RandomStream::new(seed, &format!("fio.pass.{pass}.{index}")));
            if let Some(placer) = &mut clone.placer {
                placer.draw_anew(RandomStream::new(seed, &format!("fio.pass.{pass}.{index}.placement")));
            }
        }
        self
    }

    /// Returns the files of the fio jobs, with their address ranges on the drive.
    pub fn files(&self) -> &[FileRegion] {
        &self.files
    }

    /// Adds the clones of one fio job to the workload; `first` is the number of the job's first clone among all clones
    /// of jobs with this name.
    fn add(
        &mut self,
        index: u32,
        job: &JobSpec,
        (first, seed): (u64, u64),
        shares: impl Iterator<Item = CloneFiles>,
        space: &HostSpace,
    ) -> Result<(), WorkloadError> {
        let parts = (job.stonewall || job.new_group) && !self.clones.is_empty();
        let group = self.clones.last().map_or(0, |last| last.group + u32::from(parts));
        let shares_tag = job.reports_together();
        let phase = phase(&self.file.jobs[..=index as usize]);
        for (clone, share) in (0u64..).zip(shares) {
            let stream = format!("fio.{}.{}", job.name, first + clone);
            let random = RandomStream::new(job.seed.unwrap_or(seed), &stream);
            let on_drive = zbd::zones_on_drive(&share, &self.files, space);
            zbd::check_drive(job, on_drive, space)?;
            let zones = self.zones_of(job, on_drive);
            let share =
                zones.map_or_else(|| Ok(share.clone()), |(_, zones)| zbd::whole_zones(job, &share, zones))?;
            let own = zones.map(|zones| Box::new(ZbdClone::new(job, &share, &self.files, zones)));
            let worker = Worker::new(job, &share, &self.files, random)?;
            let random = RandomStream::new(job.seed.unwrap_or(seed), &format!("{stream}.placement"));
            let placer = ClonePlacer::of(job, (&share, &self.files), space, random)?;
            let on_drive = share.parts.iter().filter(|part| self.files[part.file as usize].is_drive);
            // What is not written yet a job that writes as well does not read.
            let on_drive = on_drive.filter(|_| zones.is_none() || !job.writes());
            self.uses.extend(on_drive.map(|part| Use::of(job, phase, &share, part, &self.files)));
            if clone == 0 || !shares_tag {
                self.tags.push(job.name.clone());
                self.owners.push(self.clones.len() as u32);
            }
            let tag = (self.tags.len() - 1) as u16;
            let fua = job.fua;
            self.flows.add(job.flow);
            let (place, stonewall) = (WaitingPlace::Later, job.stonewall && clone == 0);
            self.clones.push(JobClone {
                worker,
                place,
                job: index,
                tag,
                shares_tag,
                fua,
                placer,
                zbd: own,
                appends: job.appends,
                group,
                stonewall,
            });
        }
        Ok(())
    }

    /// Starts the clones whose turn it is at `now` ns, by fio's rule: in order, except for clones whose delay is not
    /// over or that wait for another job, up to a clone with `stonewall`, which waits for all that run.
    fn start_due(&mut self, now: u64) {
        self.next_start = u64::MAX;
        let mut is_walled = false;
        for index in std::mem::take(&mut self.unstarted) {
            let clone = &self.clones[index as usize];
            // As in fio, from the beginning of the run.
            let start = clone.worker.delay_ns();
            if !is_walled && start > now {
                self.next_start = self.next_start.min(start);
            } else if !is_walled {
                is_walled = clone.stonewall && self.running > 0;
            }
            if is_walled || start > now || self.awaits(index) {
                self.unstarted.push(index);
            } else {
                self.running += 1;
                self.start(index, now);
            }
        }
    }

    /// Returns true if fio job clone `index` waits for the end of a job (`wait_for`) that is not done.
    fn awaits(&self, index: u32) -> bool {
        let job = |clone: &JobClone| &self.file.jobs[clone.job as usize];
        let me = job(&self.clones[index as usize]);
        let Some(awaited) = &me.wait_for else { return false };
        let goes_on =
            |clone: &JobClone| clone.place != WaitingPlace::Finished || clone.worker.outstanding() > 0;
        self.clones.iter().any(|clone| job(clone).name == *awaited && goes_on(clone))
    }

    /// Starts fio job clone `index` at `now` ns.
    fn start(&mut self, index: u32, now: u64) {
        let clone = &mut self.clones[index as usize];
        let job = &self.file.jobs[clone.job as usize];
        self.watches.start(index, now, job.ramp_ns);
        clone.worker.start(job, now);
        clone.place = WaitingPlace::Ready;
        self.ready.push_back(index);
    }

    /// Ends the other fio job clones that `exit_what` names, with `exitall`, since clone `index` is done.
    fn take_along(&mut self, index: u32, now: u64) {
        let (what, group) = {
            let clone = &self.clones[index as usize];
            (self.file.jobs[clone.job as usize].exit_what, clone.group)
        };
        let ends = |clone: &JobClone| match what {
            ExitWhat::Group => clone.group == group,
            ExitWhat::Stonewall => clone.place != WaitingPlace::Later,
            ExitWhat::All => true,
        };
        for other in 0..self.clones.len() as u32 {
            if ends(&self.clones[other as usize]) {
                self.end_early(other, now);
            }
        }
        self.unstarted.retain(|other| self.clones[*other as usize].place == WaitingPlace::Later);
    }

    /// Puts fio job clones whose time has come by `now` ns into the queue of ready clones, and starts clones whose
    /// delay is over.
    #[inline]
    fn wake(&mut self, now: u64) {
        if now >= self.watches.next_ns {
            self.look(now);
        }
        while let Some(&Reverse((time, index))) = self.timers.peek() {
            if time > now {
                break;
            }
            self.timers.pop();
            self.clones[index as usize].place = WaitingPlace::Ready;
            self.ready.push_back(index);
        }
        if now >= self.next_start {
            self.start_due(now);
        }
        if !self.flows.parked.is_empty() {
            self.end_parked(now);
        }
    }

    /// Makes the host request at `now` from the step (operation, offset, bytes) of clone `index` of the fio jobs.
    #[inline]
    fn request(&mut self, index: u32, step: (crate::Op, u64, u32), now: SimTime) -> HostRequest {
        let clone = &mut self.clones[index as usize];
        let (mut op, mut offset, bytes) = step;
        let writes = op.effect() == crate::Effect::Write;
        let fua = clone.fua && writes;
        let placement = clone.placer.as_mut().filter(|_| writes).and_then(|placer| placer.next(offset));
        if writes && clone.appends {
            let zones = clone.zbd.as_ref().map(|own| &self.zones[own.namespace]);
            (op, offset) = (crate::Op::APPEND, zones.map_or(offset, |zones| zones.start_of(offset)));
        }
        let request = HostRequest { arrive: now, op, offset, bytes, tag: clone.tag, fua, placement };
        if clone.shares_tag {
            self.pending.insert(&request, index);
        }
        self.requests += 1;
        request
    }

    /// Notes that fio job clone `index` is done, so that other clones may start, or end with it.
    fn one_done(&mut self, index: u32, now: u64) {
        self.running -= 1;
        self.watches.done(index);
        if !self.flows.is_empty() {
            self.flows.leave(index);
            self.unpark();
        }
        if self.file.exitall {
            self.take_along(index, now);
        }
        if !self.unstarted.is_empty() {
            self.start_due(now);
        }
    }

    /// Returns the workload's answer to a poll when no fio job clone has a request now: a time, that it is blocked, or
    /// that it is done.
    fn idle(&self) -> Poll {
        if !self.flows.parked.is_empty() {
            return self.idle_parked();
        }
        let next = self.next_time();
        if next < u64::MAX {
            return Poll::At(SimTime::from_ns(next));
        }
        // What is still out belongs to clones that have no more requests, unless one waits for it, or a job for its end.
        if self.full == 0 && self.unstarted.is_empty() { Poll::Done } else { Poll::Blocked }
    }

    /// Returns the next time in ns at which a fio job clone goes on, a clone starts, or a steady state is checked.
    fn next_time(&self) -> u64 {
        let timer = self.timers.peek().map_or(u64::MAX, |Reverse((time, _))| *time);
        timer.min(self.next_start).min(self.watches.next_ns)
    }
}

impl Workload for FioWorkload {
    fn lay_out(&mut self, _count: u64, name: &mut dyn FnMut(Extent)) -> Result<Option<f64>, WorkloadError> {
        existing(&self.uses, &self.files).into_iter().for_each(name);
        Ok(None)
    }

    #[inline]
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        self.wake(now.ns());
        while let Some(&index) = self.ready.front() {
            let clone = &mut self.clones[index as usize];
            let step = if clone.zbd.is_none() {
                clone.worker.step(now.ns())
            } else {
                self.step_in_zones(index, now.ns())
            };
            let clone = &mut self.clones[index as usize];
            if !matches!(step, CloneAnswer::Issue { .. }) {
                self.ready.pop_front();
            }
            match step {
                CloneAnswer::Issue { op, offset, bytes } => {
                    // The next clone is asked next; most runs have one, which stays where it is.
                    if self.ready.len() > 1 {
                        self.ready.rotate_left(1);
                    }
                    return Ok(Poll::Ready(self.request(index, (op, offset, bytes), now)));
                }
                CloneAnswer::Wait(then) => {
                    clone.place = WaitingPlace::Timed;
                    self.timers.push(Reverse((then, index)));
                }
                CloneAnswer::Full => {
                    clone.place = WaitingPlace::Full;
                    self.full += 1;
                }
                CloneAnswer::Ask => self.ask(index, now.ns()),
                CloneAnswer::Finished => {
                    clone.place = WaitingPlace::Finished;
                    if clone.worker.outstanding() == 0 {
                        self.one_done(index, now.ns());
                        self.wake(now.ns());
                    }
                }
            }
        }
        Ok(self.idle())
    }

    #[inline]
    fn complete(&mut self, request: &HostRequest, completion: &Completion) {
        let now = completion.at.ns();
        let mut index = self.owners[usize::from(request.tag)];
        if self.clones[index as usize].shares_tag {
            index = self.pending.remove(request);
        }
        if !self.watches.is_empty() {
            self.settle(index, request, now);
        }
        if !self.limits.is_empty() {
            self.limit(index, request, now);
        }
        if !self.zones.is_empty() {
            self.end_in_zones(index, request, completion);
        }
        let clone = &mut self.clones[index as usize];
        clone.worker.complete(request, now);
        match clone.place {
            WaitingPlace::Full => {
                clone.place = WaitingPlace::Ready;
                self.full -= 1;
                self.ready.push_back(index);
            }
            WaitingPlace::Finished if clone.worker.outstanding() == 0 => self.one_done(index, now),
            _ => {}
        }
    }

    fn learn_zones(&mut self, zones: &[(u64, bool)]) {
        self.learn(zones);
    }

    fn in_ramp(&self, now: SimTime) -> bool {
        now < self.ramp_until
    }

    fn fraction_done(&self, now: SimTime) -> Option<f64> {
        let part = |clone: &JobClone| match clone.place {
            WaitingPlace::Later => 0.0,
            WaitingPlace::Finished => 1.0,
            _ => clone.worker.fraction_done(now.ns()),
        };
        Some(self.clones.iter().map(part).sum::<f64>() / self.clones.len() as f64)
    }

    fn report(&self) -> WorkloadReport {
        let mut notes = super::notes::notes(&self.file, &self.files, self.drive_bytes);
        if !self.limits.said.is_empty() {
            notes.push(("max_latency".to_owned(), self.limits.said.join(", ")));
        }
        WorkloadReport {
            name: self.file.name.clone(),
            format: "fio".to_owned(),
            requests: self.requests,
            skipped_lines: 0,
            notes,
            tags: self.tags.clone(),
            steady_states: self
                .watches
                .report(&|clone| &self.file.jobs[self.clones[clone as usize].job as usize].name),
        }
    }
}
