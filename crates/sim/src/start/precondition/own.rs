//! The workload's own writes, without time: copies of the workload, one after the other, each drawn anew but for where its
//! popular data are.
//!
//! A request takes as long as the arrays of all dies together need for what it caused, and requests are answered in
//! order: by that clock rates, runtimes, think times and stonewalls decide how much of each job is written. Not
//! modelled here: queues, wires, flushes.

use crate::Error;
use host::place::Placer;
use host::{Completion, Effect, HostRequest, Poll, Workload, WorkloadError};
use std::collections::VecDeque;
use units::{Lpn, Nanos, SimTime};

/// Source of the copies of a workload that preconditioning writes one after the other: a stored function that opens the
/// copy of a given number, with a flag for recorded workloads.
pub struct Copies {
    open: OpenCopy,
    /// True if the workload is recorded, such as a trace, so that all copies that preconditioning writes one after the
    /// other have the same requests.
    recorded: bool,
}

type OpenCopy = Box<dyn FnMut(u64) -> Result<Box<dyn Workload>, Error> + Send>;

impl Copies {
    /// Makes a source of copies, for preconditioning, of a recorded workload, such as a trace; all copies have the same
    /// requests.
    pub fn recorded(open: impl FnMut(u64) -> Result<Box<dyn Workload>, Error> + Send + 'static) -> Self {
        Self { open: Box::new(open), recorded: true }
    }

    /// Makes a source of copies, for preconditioning, of a workload whose requests are drawn at random anew for each
    /// copy.
    pub fn drawn(open: impl FnMut(u64) -> Result<Box<dyn Workload>, Error> + Send + 'static) -> Self {
        Self { open: Box::new(open), recorded: false }
    }

    /// Opens the copy of the workload with the number `copy`.
    ///
    /// # Errors
    /// When the workload is faulty.
    pub(crate) fn open(&mut self, copy: u64) -> Result<Box<dyn Workload>, Error> {
        (self.open)(copy)
    }
}

/// Constant: greatest number of outstanding requests of a workload copy; beyond it, the oldest request of a trace that
/// is faster than the drive counts as answered.
const OUTSTANDING_MAX: usize = 1 << 16;
/// Constant: greatest number of steps (writes, trims, reads) of a trace that are stored in memory, so that the trace is
/// not read again for further copies.
const KEPT_MAX: usize = 1 << 22;
/// Constant: number of requests without a write after which an endless workload is refused for preconditioning, because
/// it writes nothing.
const READS_MAX: u64 = 1 << 22;
/// Constant: number of requests without a write after which a workload counts as one that does not write, so that it
/// finds the drive at rest (all garbage collection ended).
const READS_BEFORE: u32 = 1 << 16;

/// Kind of the next step of a copy of the workload in preconditioning: a write, a trim, a read, or the end.
#[derive(Clone, Copy, Debug)]
pub(super) enum CopyStep {
    /// Case of step of a workload copy: a write of units, with first unit, number of units, and the placement handle
    /// that the request names.
    Write(Lpn, u32, Option<u16>),
    /// Case of step of a workload copy: a trim of units, with first unit and number of units.
    Trim(Lpn, u32),
    /// Case of step of a workload copy: a read of units, with first unit and number of units; 0 units for a request
    /// that moves no data.
    Read(Lpn, u32),
    /// Case of step of a workload copy: the end, after which the copy has no more requests.
    End,
}

/// Record of the properties of the drive to which preconditioning writes copies of the workload: unit size, capacity,
/// placement handles and policy.
struct CopiedTo {
    unit: u64,
    capacity: u64,
    /// Host's policy that gives writes their placement handles; `None` where each write keeps the placement handle that
    /// its request names.
    placer: Option<Placer>,
    /// List, by logical unit, of the placement handle that the last write of the unit named; empty where the drive has
    /// no handles.
    named: Vec<Option<u16>>,
}

impl CopiedTo {
    fn note_named(&mut self, first: Lpn, units: u32, named: Option<u16>) {
        if let Some(of) = self.named.get_mut(first.index()..first.index() + units as usize) {
            of.fill(named);
        }
    }
}

/// State of preconditioning's writing of copies of a workload one after the other, without simulated time.
pub(super) struct WorkloadCopies {
    open: OpenCopy,
    /// True while all copies of the workload are the same and the steps (writes, trims, reads) of the first copy are
    /// stored for the others.
    recorded: bool,
    /// True if the read steps of the first copy of a recorded workload are stored and repeated in later copies, like
    /// its writes and trims.
    keeps_reads: bool,
    kept: Vec<CopyStep>,
    at: usize,
    source: Option<Box<dyn Workload>>,
    request: Option<HostRequest>,
    outstanding: VecDeque<(HostRequest, SimTime)>,
    now: SimTime,
    idle_from: SimTime,
    /// True once a request of the workload came at a time of its own, not as soon as the drive could take it.
    pauses: bool,
    drive: CopiedTo,
    /// Counter of the workload's copies: number, from 1, of the copy that preconditioning writes now or next; 0 before
    /// the first copy.
    copies: u64,
    /// Counter: number of logical units that preconditioning has written so far in the present repetition (copy) of the
    /// workload; 0 again when the repetition ends.
    pub written: u64,
    /// Number of requests so far in the present copy of the workload.
    requests: u64,
}

impl WorkloadCopies {
    pub fn new(copies: Copies, unit: u64, capacity: u64) -> Self {
        let Copies { open, recorded } = copies;
        Self {
            open,
            recorded,
            keeps_reads: false,
            kept: Vec::new(),
            at: 0,
            source: None,
            request: None,
            outstanding: VecDeque::new(),
            now: SimTime::ZERO,
            idle_from: SimTime::ZERO,
            pauses: false,
            drive: CopiedTo { unit, capacity, placer: None, named: Vec::new() },
            copies: 0,
            written: 0,
            requests: 0,
        }
    }

    /// Sets, for the preconditioning that writes copies of the workload before the run, the drive's number of placement
    /// handles `handles` and the host's policy `placer` that assigns placement handles to writes (`None`: each write
    /// keeps the placement handle that its request names). Returns the changed preconditioning state.
    pub fn with_handles(mut self, handles: u16, placer: Option<Placer>) -> Self {
        let CopiedTo { unit, capacity, .. } = self.drive;
        let units = if handles > 0 { capacity.div_ceil(unit) } else { 0 };
        (self.drive.placer, self.drive.named) = (placer, vec![None; units as usize]);
        self
    }

    /// Returns the placement handle that the last write of the unit `lpn` by preconditioning's workload copies named;
    /// `None` if it named none, or no copy wrote the unit.
    pub fn named_with(&self, lpn: Lpn) -> Option<u16> {
        self.drive.named.get(lpn.index()).copied().flatten()
    }

    /// Returns the workload copies for preconditioning with the host's read requests included in the memory of the
    /// first copy of a recorded workload, so that later copies repeat reads as well as writes and trims. Needed where
    /// the write buffer is also a read cache, because there reads change the contents of the buffer.
    pub fn with_reads(self) -> Self {
        Self { keeps_reads: true, ..self }
    }

    /// Returns true if a copy of the workload writes within its first requests; a workload that reads for longer finds
    /// a drive at rest (all garbage collection ended). A faulty workload also gives true, and its error when it is run.
    pub fn writes(&mut self) -> bool {
        for _ in 0..READS_BEFORE {
            match self.ask() {
                Ok(CopyStep::Write(..)) | Err(_) => return true,
                Ok(CopyStep::End) => return false,
                Ok(_) => self.served(Nanos::ZERO),
            }
        }
        false
    }

    /// Returns the next step (write, trim, read or end) of the copies of the workload that preconditioning writes; the
    /// caller then calls [`Self::served`] with the time that the step took.
    ///
    /// # Errors
    /// When the workload is faulty, requests addresses that the drive does not have, or never writes.
    pub fn next(&mut self) -> Result<CopyStep, Error> {
        let step = if self.copies > 1 && self.recorded { self.repeat() } else { self.ask()? };
        match step {
            CopyStep::Write(first, units, named) => {
                self.written += u64::from(units);
                self.drive.note_named(first, units, named);
            }
            CopyStep::End if self.written == 0 => return Err(self.idle()),
            CopyStep::End => (self.written, self.requests) = (0, 0),
            _ if self.written == 0 && self.requests > READS_MAX => return Err(self.idle()),
            _ => {}
        }
        if self.recorded && self.copies == 1 && (self.keeps_reads || !matches!(step, CopyStep::Read(..))) {
            self.kept.push(step);
            self.recorded = self.kept.len() < KEPT_MAX;
            if !self.recorded {
                self.kept = Vec::new();
            }
        }
        if matches!(step, CopyStep::End) {
            self.copies += 1;
        }
        Ok(step)
    }

    /// Returns the number of copies of the workload of which at least one step was taken.
    pub fn begun(&self) -> u64 {
        let is_between = if self.recorded { self.copies > 1 && self.at == 0 } else { self.source.is_none() };
        if is_between { self.copies.saturating_sub(1) } else { self.copies }
    }

    fn idle(&self) -> Error {
        Error(
            "precondition = workload: the workload writes nothing, so that it has no steady state: expected none, fill, \
             instant or steady"
                .into(),
        )
    }

    fn repeat(&mut self) -> CopyStep {
        let step = self.kept[self.at];
        self.at = if self.at + 1 == self.kept.len() { 0 } else { self.at + 1 };
        step
    }

    /// Polls the present copy of the workload, or a newly opened one, for its next step.
    fn ask(&mut self) -> Result<CopyStep, Error> {
        self.copies = self.copies.max(1);
        loop {
            if self.source.is_none() {
                self.source = Some((self.open)(self.copies)?);
                (self.now, self.idle_from) = (SimTime::ZERO, SimTime::ZERO);
            }
            let source = self.source.as_mut().expect("opened above");
            match source.poll(self.now)? {
                Poll::Ready(request) => {
                    let placer = self.drive.placer.as_mut();
                    let request = placer.map_or(request, |placer| placer.place(request, source.background()));
                    self.requests += 1;
                    self.request = Some(request);
                    return self.step_of(&request);
                }
                Poll::At(time) => match self.outstanding.front() {
                    Some((_, due)) if *due <= time || self.outstanding.len() > OUTSTANDING_MAX => {
                        self.answer();
                    }
                    _ => (self.now, self.pauses) = (time, true),
                },
                Poll::Blocked if self.outstanding.is_empty() => {
                    return Err(Error(format!(
                        "precondition = workload: {} waits for something that will never happen",
                        source.report().name
                    )));
                }
                Poll::Blocked => self.answer(),
                Poll::Done if self.outstanding.is_empty() => {
                    self.source = None;
                    return Ok(CopyStep::End);
                }
                Poll::Done => self.answer(),
            }
        }
    }

    fn answer(&mut self) {
        let (request, due) = self.outstanding.pop_front().expect("the caller saw one");
        self.now = self.now.max(due);
        if let Some(source) = &mut self.source {
            source.complete(&request, &Completion::success(self.now));
        }
    }

    fn step_of(&self, request: &HostRequest) -> Result<CopyStep, Error> {
        let end =
            request.offset.checked_add(u64::from(request.bytes)).filter(|end| *end <= self.drive.capacity);
        let Some(end) = end else {
            let name = self.source.as_ref().map_or_else(String::new, |source| source.report().name);
            let what = format!("a request of {} bytes at {}", request.bytes, request.offset);
            let expected = format!("requests within the drive's {} bytes", self.drive.capacity);
            return Err(WorkloadError::of(name, what, expected).into());
        };
        let (first, behind) = match request.op.effect() {
            Effect::Trim => (request.offset.div_ceil(self.drive.unit), end / self.drive.unit),
            _ => (request.offset / self.drive.unit, end.div_ceil(self.drive.unit)),
        };
        let (first, units) = (Lpn(first as u32), behind.saturating_sub(first) as u32);
        Ok(match request.op.effect() {
            Effect::Write => CopyStep::Write(first, units, request.placement),
            Effect::Trim => CopyStep::Trim(first, units),
            Effect::Read => CopyStep::Read(first, units),
            Effect::Flush | Effect::Manage => CopyStep::Read(first, 0),
        })
    }

    /// Returns true if at least one request of the workload came at an arrival time of its own instead of as fast as
    /// the drive accepts requests, so that the drive has pauses.
    pub fn has_pauses(&self) -> bool {
        self.pauses
    }

    /// Records that the last step of this copy of the workload, which preconditioning writes, kept the flash arrays busy
    /// for the time `busy`; the step's request counts as answered when that time has passed.
    pub fn served(&mut self, busy: Nanos) {
        let Some(request) = self.request.take() else { return };
        self.idle_from = self.idle_from.max(self.now) + busy;
        self.outstanding.push_back((request, self.idle_from));
    }
}
