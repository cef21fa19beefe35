//! The drive: requests in, time, answers out.

use crate::{StepError, StepRequest, StepSetup, SteppedCompletion};
use host::{Effect, Extent, HostRequest};
use serde_json::Value;
use sim::{Catalogue, NumberedRequest, Session};
use std::path::Path;
use std::time::Instant;
use units::SimTime;

/// Constant: latest simulated time in ns for which a request is accepted: half the range of the clock, so that no
/// operation begun before it overflows the clock.
const LATEST_NS: u64 = 1 << 63;
/// Constant: divisor of the calls that advance the stepped drive: one in this many is measured with the real clock, and
/// its duration times this number is added to the run's real time.
const TIMED: u64 = 32;
/// Constant: name, in error messages, of the origin of the requests: the caller's calls of `submit`.
const NAME: &str = "submit";

/// State of a simulated drive that its caller advances step by step: the caller submits requests and says up to which
/// simulated time the drive is to be simulated.
///
/// The drive's present is the time to which the caller has advanced it by [`Self::run_until`], [`Self::next`] or
/// [`Self::finish`]: all events up to the present have happened, and no request is accepted for an earlier time.
pub struct SteppedDrive {
    session: Session,
    /// List of the requests submitted since the stepped drive was last advanced.
    new: Vec<NumberedRequest>,
    /// Earliest time of the requests submitted since the stepped drive was last advanced; none without such a request.
    first_new: Option<SimTime>,
    /// Number of calls so far that advanced the stepped drive.
    calls: u64,
    namespaces: Vec<Extent>,
    is_parted: bool,
    handles: u16,
    title: String,
    capacity: u64,
    present_ns: u64,
    submitted: u64,
    taken: u64,
    /// Field: number of completions of the stepped drive that wait for the caller to take them.
    waiting: usize,
    /// Simulated time of the next event in the stepped drive, as it was when the drive was advanced last; `None` if no
    /// event was to come, or before the drive was advanced.
    next_event: Option<SimTime>,
    /// Result of the stepped drive after it was finished: everything that it measured, in JSON; `None` until then.
    result: Option<Value>,
}

impl SteppedDrive {
    /// Opens the drive that `setup` describes, at simulated time zero; its base drive and chip are looked up in
    /// `catalogue`.
    ///
    /// # Errors
    /// When the drive or an option is wrong, or an option is one that only a run of a workload has.
    pub fn open(setup: &StepSetup, catalogue: &Catalogue) -> Result<Self, StepError> {
        let drive = setup.drive(catalogue)?;
        let space = drive.space();
        let (title, capacity) = (drive.title.clone(), space.bytes);
        let session = Session::stepped(drive, setup.options.clone())?;
        Ok(Self {
            session,
            new: Vec::new(),
            first_new: None,
            calls: 0,
            namespaces: space.each().into_iter().map(|namespace| namespace.extent).collect(),
            is_parted: space.is_parted(),
            handles: space.handles,
            title,
            capacity,
            present_ns: 0,
            submitted: 0,
            taken: 0,
            waiting: 0,
            next_event: None,
            result: None,
        })
    }

    /// Returns the name of the stepped drive: the one that the caller gave, or the name, without folder and `.toml`, of the
    /// drive file that the caller gave.
    pub fn name(&self) -> &str {
        &self.session.drive().name
    }

    /// Returns the title of the stepped drive, as given in the drive file.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Returns the capacity of the stepped drive for the host, in bytes.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// Returns the size in bytes of each namespace of the stepped drive.
    pub fn namespaces(&self) -> impl Iterator<Item = u64> + '_ {
        self.namespaces.iter().map(|extent| extent.bytes)
    }

    /// Returns the number, from 1, of the namespace that a host calls `name`.
    ///
    /// # Errors
    /// When the drive has no such namespace; the message names the nearest.
    pub fn namespace_named(&self, name: &str) -> Result<u32, StepError> {
        let space = self.session.drive().space();
        let found = space.device(name).map(|found| found.name.clone());
        let at = space.namespaces.iter().position(|other| Some(&other.name) == found.as_ref());
        at.map(|at| at as u32 + 1).ok_or_else(|| {
            let expected = match space.is_parted() {
                true => space.expected(name),
                false => "none: the drive is one namespace".to_owned(),
            };
            StepError::Input(format!("namespace = {name:?}: expected {expected}"))
        })
    }

    /// Returns the present of the stepped drive in ns: the simulated time to which the caller has advanced it.
    pub fn now_ns(&self) -> u64 {
        self.present_ns
    }

    /// Returns the number of requests that the caller has submitted to the stepped drive so far.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Returns the number of requests submitted to the stepped drive whose completions the caller has not taken yet.
    pub fn outstanding(&self) -> u64 {
        self.submitted - self.taken
    }

    /// Returns the simulated time in ns of the next event in the stepped drive (arrivals of submitted requests and
    /// internal work such as garbage collection included); `None` if no event is to come, or the drive was finished.
    pub fn next_event_ns(&mut self) -> Result<Option<u64>, StepError> {
        if self.result.is_some() {
            return Ok(None);
        }
        let (_, next) = self.session.times()?;
        let next = [next, self.first_new].into_iter().flatten().min();
        Ok(next.map(|next| next.ns().max(self.present_ns)))
    }

    /// Submits a request to the stepped drive and returns the number that its completion will have.
    ///
    /// # Errors
    /// When the request is for a time before the drive's present, reaches beyond its namespace, or is an operation that
    /// the drive lacks. The request is then not submitted.
    pub fn submit(&mut self, request: &StepRequest) -> Result<u64, StepError> {
        let request = self.placed(request)?;
        Ok(self.accept(request))
    }

    /// Submits several requests to the stepped drive and returns the number of the first; the numbers of further
    /// requests follow.
    ///
    /// # Errors
    /// As for [`Self::submit`]; the message gives the index of the wrong request, from 0. No request is then submitted.
    pub fn submit_all(
        &mut self,
        requests: impl Iterator<Item = Result<StepRequest, StepError>>,
    ) -> Result<u64, StepError> {
        let (first, held) = (self.submitted, (self.new.len(), self.first_new));
        for (at, request) in requests.enumerate() {
            match request.and_then(|request| self.placed(&request)) {
                Ok(request) => _ = self.accept(request),
                Err(error) => {
                    self.new.truncate(held.0);
                    (self.submitted, self.first_new) = (first, held.1);
                    return Err(error.at(at));
                }
            }
        }
        Ok(first)
    }

    #[inline]
    fn accept(&mut self, request: HostRequest) -> u64 {
        let number = self.submitted;
        self.new.push((number, request));
        self.first_new = Some(self.first_new.map_or(request.arrive, |first| first.min(request.arrive)));
        self.submitted += 1;
        number
    }

    /// Passes the requests submitted since the last call to the drive and advances simulated time until `until_ns`, or
    /// until `answers` completions wait for the caller to take them. Returns the time in ns of the first completion
    /// that waits; `None` if none waits.
    fn go_on(&mut self, until_ns: u64, answers: usize) -> Result<Option<u64>, StepError> {
        self.calls += 1;
        // The clock on the wall is asked about one call in many: it takes as long as a part of an event.
        let begun = self.calls.is_multiple_of(TIMED).then(Instant::now);
        let first = self.first_new.take();
        let done = self.session.go_on(&mut self.new, first, SimTime::from_ns(until_ns), answers);
        let done = done
            .map(|(answers, next)| (answers.len(), answers.front().map(|first| first.completed_ns), next));
        if let Some(begun) = begun {
            self.session.spend(begun.elapsed() * TIMED as u32);
        }
        let first_ns;
        (self.waiting, first_ns, self.next_event) = match done {
            Ok(done) => done,
            Err(error) => {
                self.waiting = self.session.answers().map_or(0, |answers| answers.len());
                self.next_event = None;
                return Err(error.into());
            }
        };
        Ok(first_ns)
    }

    /// Returns true if the stepped drive has nothing to do until `until_ns`: no request is new, and its next event, of
    /// which there is one, comes later.
    #[inline]
    fn is_idle_until(&self, until_ns: u64) -> bool {
        self.new.is_empty() && self.next_event.is_some_and(|next| next.ns() > until_ns)
    }

    /// Checks a request of the caller and converts it to a host request, with its offset on the whole drive instead of
    /// in its namespace.
    fn placed(&mut self, request: &StepRequest) -> Result<HostRequest, StepError> {
        let StepRequest { time_ns, op, offset, bytes, namespace, fua, placement } = *request;
        if self.result.is_some() || !(self.present_ns..=LATEST_NS).contains(&time_ns) {
            return Err(self.refusal_of_time(time_ns));
        }
        if let Some(placement) = placement.filter(|_| self.handles == 0) {
            return Err(unknown_handle(placement));
        }
        let offset = if self.is_parted || namespace > 1 { self.on_drive(request)? } else { offset };
        let arrive = SimTime::from_ns(time_ns);
        let request = HostRequest { fua, placement, ..HostRequest::plain(arrive, op, offset, bytes) };
        self.session.admit(&request, NAME)?;
        Ok(request)
    }

    /// Returns the byte address on the whole drive at which a request, given by its namespace and the offset therein,
    /// begins; 0 for a flush without offset and length.
    fn on_drive(&self, request: &StepRequest) -> Result<u64, StepError> {
        let (count, number) = (self.namespaces.len(), request.namespace);
        let Some(extent) = (number as usize).checked_sub(1).and_then(|at| self.namespaces.get(at)) else {
            let expected = if self.is_parted { format!("1 to {count}") } else { "0 or 1".to_owned() };
            return Err(StepError::Input(format!(
                "namespace = {number}: expected {expected}: the drive has {count}"
            )));
        };
        let end = request.offset.checked_add(u64::from(request.bytes));
        if end.is_none_or(|end| end > extent.bytes) {
            return Err(StepError::Input(format!(
                "{NAME}: a request of {} bytes at {}; expected requests within the namespace's {} bytes",
                request.bytes, request.offset, extent.bytes
            )));
        }
        let is_whole = request.op.effect() == Effect::Flush && request.bytes == 0 && request.offset == 0;
        Ok(if is_whole { 0 } else { extent.on_drive(request.offset) })
    }

    /// Returns the error of a request at the time `time_ns` to a stepped drive that cannot take a request of that time.
    #[cold]
    fn refusal_of_time(&self, time_ns: u64) -> StepError {
        match self.check_open() {
            Err(error) => error,
            Ok(()) if time_ns < self.present_ns => self.past("time_ns", time_ns),
            Ok(()) => StepError::Input(format!("time_ns = {time_ns}: expected at most {LATEST_NS}")),
        }
    }

    #[cold]
    fn past(&self, what: &str, ns: u64) -> StepError {
        StepError::Past(format!(
            "{what} = {ns}: before the drive's present: expected at least {}",
            self.present_ns
        ))
    }

    fn check_open(&self) -> Result<(), StepError> {
        match self.result {
            Some(_) => Err(StepError::Over("the drive was finished: expected calls before that".into())),
            None => Ok(()),
        }
    }

    /// Advances the drive to `time_ns`: all events up to and including this time have then happened.
    ///
    /// # Errors
    /// When the drive was finished, `time_ns` is before the drive's present, or the drive can complete no further
    /// request.
    pub fn run_until(&mut self, time_ns: u64) -> Result<(), StepError> {
        self.check_open()?;
        if time_ns < self.present_ns {
            return Err(self.past("time_ns", time_ns));
        }
        if !self.is_idle_until(time_ns) {
            self.go_on(time_ns, usize::MAX)?;
        }
        self.present_ns = time_ns;
        Ok(())
    }

    /// Takes the next completion. If none waits to be taken, advances the drive to its next completion, but at most to
    /// `until_ns` (`None` for no limit). Returns `None` if no request is outstanding, or none is completed by
    /// `until_ns`.
    ///
    /// # Errors
    /// As for [`Self::run_until`], but a finished drive is no error.
    pub fn next(&mut self, until_ns: Option<u64>) -> Result<Option<SteppedCompletion>, StepError> {
        let mut found = None;
        self.next_with(until_ns, |next| found = Some(*next))?;
        Ok(found)
    }

    /// Takes the next completion as [`Self::next`] does, but passes it to `look` instead of copying it. Returns false
    /// if there is none.
    ///
    /// # Errors
    /// As for [`Self::run_until`], but a finished drive is no error.
    #[inline]
    pub fn next_with(
        &mut self,
        until_ns: Option<u64>,
        look: impl FnOnce(&SteppedCompletion),
    ) -> Result<bool, StepError> {
        if self.waiting == 0 {
            self.reach(until_ns)?;
        }
        if self.waiting == 0 {
            return Ok(false);
        }
        let answers = self.session.answers()?;
        let Some(found) = answers.front() else { return Ok(false) };
        look(found);
        answers.pop_front();
        self.waiting -= 1;
        self.taken += 1;
        Ok(true)
    }

    /// Advances the drive until a completion waits for the caller, but at most to `until_ns` (`None` for no limit).
    fn reach(&mut self, until_ns: Option<u64>) -> Result<(), StepError> {
        match until_ns {
            _ if self.result.is_some() => return Ok(()),
            Some(until) if until < self.present_ns => return Err(self.past("until_ns", until)),
            // Nothing will be answered: the drive's own work could go on for ever.
            None if self.outstanding() == 0 => return Ok(()),
            Some(until) if self.is_idle_until(until) => {
                self.present_ns = until;
                return Ok(());
            }
            _ => {}
        }
        self.present_ns = match self.go_on(until_ns.unwrap_or(u64::MAX), 1)? {
            Some(completed_ns) => self.present_ns.max(completed_ns),
            None => until_ns.unwrap_or(self.present_ns),
        };
        Ok(())
    }

    /// Takes at most `most` of the completions that wait for the caller, in the order of their times, passes each to
    /// `look`, and returns their number. Simulated time does not advance.
    ///
    /// # Errors
    /// When the drive ended with an error.
    pub fn take_with(
        &mut self,
        most: usize,
        look: impl FnMut(&SteppedCompletion),
    ) -> Result<usize, StepError> {
        let answers = self.session.answers()?;
        let count = answers.len().min(most);
        answers.range(..count).for_each(look);
        answers.drain(..count);
        self.waiting -= count;
        self.taken += count as u64;
        Ok(count)
    }

    /// Takes at most `most` of the completions that wait for the caller, in the order of their times, and returns them;
    /// simulated time does not advance.
    ///
    /// # Errors
    /// As for [`Self::take_with`].
    pub fn take(&mut self, most: usize) -> Result<Vec<SteppedCompletion>, StepError> {
        let mut found = Vec::new();
        self.take_with(most, |one| found.push(*one))?;
        Ok(found)
    }

    /// Returns the number of completions that wait for the caller to take them.
    ///
    /// # Errors
    /// As for [`Self::take_with`].
    pub fn untaken(&mut self) -> Result<usize, StepError> {
        Ok(self.session.answers()?.len())
    }

    /// Finishes the stepped drive: no request may follow, and simulated time advances to the last completion.
    /// Completions that wait can still be taken.
    ///
    /// # Errors
    /// When the drive can complete no further request.
    pub fn finish(&mut self) -> Result<(), StepError> {
        if self.result.is_some() {
            return Ok(());
        }
        let waiting = self.outstanding() as usize;
        if waiting > self.untaken()? {
            self.go_on(u64::MAX, waiting)?;
        }
        self.session.end()?;
        self.present_ns = self.present_ns.max(self.session.times()?.0.ns());
        self.result = Some(self.session.result()?);
        Ok(())
    }

    /// Returns everything that the stepped drive has measured, in JSON: the measurements so far, or, after
    /// [`Self::finish`], the result that a run would have.
    ///
    /// # Errors
    /// When the drive ended with an error.
    pub fn statistics(&mut self) -> Result<Value, StepError> {
        match &self.result {
            Some(result) => Ok(result.clone()),
            None => Ok(self.session.glance()?),
        }
    }

    /// Finishes the stepped drive, waits until its internal work has ended, and saves its state to `path`, from which
    /// another drive can start.
    ///
    /// # Errors
    /// When the state of this drive cannot be saved, or the file cannot be written.
    pub fn save(&mut self, path: &Path) -> Result<(), StepError> {
        self.finish()?;
        Ok(self.session.save_state(path)?)
    }
}

#[cold]
fn unknown_handle(placement: u16) -> StepError {
    StepError::Input(format!("placement = {placement}: expected none: the drive has no placement handles"))
}
