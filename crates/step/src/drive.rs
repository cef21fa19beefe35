//! The drive: requests in, time, answers out.

use crate::source::{NumberedRequest, StepInbox, StepSource};
use crate::{StepError, StepRequest, StepSetup, SteppedCompletion};
use host::{Extent, HostRequest};
use serde_json::Value;
use sim::{Catalogue, Session};
use std::path::Path;
use std::time::Instant;
use units::SimTime;

/// Latest time of a request: half of what the clock holds, so that nothing begun before overflows it.
const LATEST_NS: u64 = 1 << 63;
/// One call in so many is timed.
const TIMED: u64 = 32;
/// What messages call the requests of the caller.
const NAME: &str = "submit";

/// A drive that its caller steps.
///
/// Its present is where the caller brought it by [`Self::run_until`], [`Self::next`] or [`Self::finish`]: all that happens up
/// to it has happened, and no request is taken for an earlier time.
pub struct SteppedDrive {
    session: Session,
    inbox: StepInbox,
    /// Requests submitted since time went on last, and the time of the first of them.
    new: Vec<NumberedRequest>,
    first_new: Option<SimTime>,
    /// Times that the drive was told to go on.
    calls: u64,
    namespaces: Vec<Extent>,
    is_parted: bool,
    handles: u16,
    title: String,
    capacity: u64,
    present_ns: u64,
    submitted: u64,
    taken: u64,
    /// The result, once the drive was finished.
    result: Option<Value>,
}

impl SteppedDrive {
    /// Opens the drive that `setup` describes; its base and chip are found in `catalogue`. Its time begins at zero.
    ///
    /// # Errors
    /// When the drive or an option is wrong, or asks for what only a run has.
    pub fn open(setup: &StepSetup, catalogue: &Catalogue) -> Result<Self, StepError> {
        let drive = setup.drive(catalogue)?;
        let space = drive.space();
        let (title, capacity) = (drive.title.clone(), space.bytes);
        let inbox = StepInbox::default();
        let source = Box::new(StepSource::new(inbox.clone()));
        let session = Session::stepped(drive, source, setup.options.clone())?;
        Ok(Self {
            session,
            inbox,
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
            result: None,
        })
    }

    /// Name of the drive, as it was asked for.
    pub fn name(&self) -> &str {
        &self.session.drive().name
    }

    /// Title of the drive, as its file gives it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// Bytes the host sees.
    pub fn capacity_bytes(&self) -> u64 {
        self.capacity
    }

    /// Namespaces of the drive: bytes of each.
    pub fn namespaces(&self) -> impl Iterator<Item = u64> + '_ {
        self.namespaces.iter().map(|extent| extent.bytes)
    }

    /// Number of the namespace that a host calls `name`.
    ///
    /// # Errors
    /// When there is none; the text names the nearest.
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

    /// The drive's present.
    pub fn now_ns(&self) -> u64 {
        self.present_ns
    }

    /// Requests submitted so far.
    pub fn submitted(&self) -> u64 {
        self.submitted
    }

    /// Requests submitted whose completions were not taken.
    pub fn outstanding(&self) -> u64 {
        self.submitted - self.taken
    }

    /// When something happens next in the drive, if anything will: work of its own, too.
    pub fn next_event_ns(&mut self) -> Result<Option<u64>, StepError> {
        if self.result.is_some() {
            return Ok(None);
        }
        let (_, next) = self.session.times()?;
        let next = [next, self.first_new].into_iter().flatten().min();
        Ok(next.map(|next| next.ns().max(self.present_ns)))
    }

    /// Submits a request; the number by which its completion is known.
    ///
    /// # Errors
    /// When it lies before the drive's present, beyond its namespace, or is no operation of it. It is then as if it had not
    /// been submitted.
    pub fn submit(&mut self, request: &StepRequest) -> Result<u64, StepError> {
        let request = self.placed(request)?;
        Ok(self.accept(request))
    }

    /// Submits requests; the number of the first, which the others follow.
    ///
    /// # Errors
    /// As for [`Self::submit`], with the place of the request, from 0; none of them is then submitted.
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

    /// Lets time go on, and the drive know of the requests that are new.
    fn go_on(&mut self, until_ns: u64, answers: usize) -> Result<(), StepError> {
        if !self.new.is_empty() {
            self.inbox.give(&mut self.new);
        }
        let first = self.first_new.take().map(|first| (first, self.inbox.held()));
        self.calls += 1;
        // The clock on the wall is asked about one call in many: it takes as long as a part of an event.
        let begun = self.calls.is_multiple_of(TIMED).then(Instant::now);
        self.session.go_on(first, SimTime::from_ns(until_ns), answers)?;
        if let Some(begun) = begun {
            self.session.spend(begun.elapsed() * TIMED as u32);
        }
        Ok(())
    }

    /// The request on the drive's own bytes, found right.
    fn placed(&mut self, request: &StepRequest) -> Result<HostRequest, StepError> {
        let StepRequest { time_ns, op, offset, bytes, namespace, fua, placement } = *request;
        self.check_open()?;
        if time_ns < self.present_ns {
            return Err(self.past("time_ns", time_ns));
        }
        if time_ns > LATEST_NS {
            return Err(StepError::Input(format!("time_ns = {time_ns}: expected at most {LATEST_NS}")));
        }
        if let Some(placement) = placement.filter(|_| self.handles == 0) {
            return Err(StepError::Input(format!(
                "placement = {placement}: expected none: the drive has no placement handles"
            )));
        }
        let offset = if self.is_parted || namespace > 1 { self.on_drive(request)? } else { offset };
        let arrive = SimTime::from_ns(time_ns);
        let request = HostRequest { fua, placement, ..HostRequest::plain(arrive, op, offset, bytes) };
        self.session.admit(&request, NAME)?;
        Ok(request)
    }

    /// The byte of the drive at which a request to one of several namespaces begins.
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
        let is_whole = request.bytes == 0 && request.offset == 0;
        Ok(if is_whole { 0 } else { extent.on_drive(request.offset) })
    }

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

    /// Brings the drive to `time_ns`: all that happens up to then, that moment included, has happened.
    ///
    /// # Errors
    /// When that is before the drive's present, or no request of the host's gets on any more.
    pub fn run_until(&mut self, time_ns: u64) -> Result<(), StepError> {
        self.check_open()?;
        if time_ns < self.present_ns {
            return Err(self.past("time_ns", time_ns));
        }
        self.go_on(time_ns, usize::MAX)?;
        self.present_ns = time_ns;
        Ok(())
    }

    /// The next completion that was not taken; without one, brings the drive to the moment of it, and at the latest to
    /// `until_ns`. None where no request is outstanding, or none is answered until then.
    ///
    /// # Errors
    /// As for [`Self::run_until`].
    pub fn next(&mut self, until_ns: Option<u64>) -> Result<Option<SteppedCompletion>, StepError> {
        let mut found = None;
        self.next_with(until_ns, |next| found = Some(*next))?;
        Ok(found)
    }

    /// As [`Self::next`], for a caller who looks at the completion where it lies; false where there is none.
    ///
    /// # Errors
    /// As for [`Self::run_until`].
    #[inline]
    pub fn next_with(
        &mut self,
        until_ns: Option<u64>,
        look: impl FnOnce(&SteppedCompletion),
    ) -> Result<bool, StepError> {
        if self.session.answers()?.is_empty() {
            self.reach(until_ns)?;
        }
        let answers = self.session.answers()?;
        let Some(found) = answers.front() else { return Ok(false) };
        look(found);
        answers.pop_front();
        self.taken += 1;
        Ok(true)
    }

    /// Brings the drive to its next completion, and at the latest to `until_ns`.
    fn reach(&mut self, until_ns: Option<u64>) -> Result<(), StepError> {
        match until_ns {
            _ if self.result.is_some() => return Ok(()),
            Some(until) if until < self.present_ns => return Err(self.past("until_ns", until)),
            // Nothing will be answered: the drive's own work could go on for ever.
            None if self.outstanding() == 0 => return Ok(()),
            _ => {}
        }
        self.go_on(until_ns.unwrap_or(u64::MAX), 1)?;
        self.present_ns = match self.session.answers()?.front() {
            Some(found) => self.present_ns.max(found.completed_ns),
            None => until_ns.unwrap_or(self.present_ns),
        };
        Ok(())
    }

    /// Takes the completions that wait, at most `most`, in the order of their times: each is looked at where it lies. How many
    /// there were.
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
        self.taken += count as u64;
        Ok(count)
    }

    /// As [`Self::take_with`]: the completions themselves.
    ///
    /// # Errors
    /// As there.
    pub fn take(&mut self, most: usize) -> Result<Vec<SteppedCompletion>, StepError> {
        let mut found = Vec::new();
        self.take_with(most, |one| found.push(*one))?;
        Ok(found)
    }

    /// Completions that were not taken.
    ///
    /// # Errors
    /// As for [`Self::take_with`].
    pub fn untaken(&mut self) -> Result<usize, StepError> {
        Ok(self.session.answers()?.len())
    }

    /// No request follows: brings the drive to the moment of its last completion. What was answered can still be taken.
    ///
    /// # Errors
    /// When no request of the host's gets on any more.
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

    /// Everything measured: so far, or, after [`Self::finish`], what a run would have as its result.
    ///
    /// # Errors
    /// When the drive ended with an error.
    pub fn statistics(&mut self) -> Result<Value, StepError> {
        match &self.result {
            Some(result) => Ok(result.clone()),
            None => Ok(self.session.glance()?),
        }
    }

    /// Finishes the drive, brings it to rest and saves its state, from which another can begin.
    ///
    /// # Errors
    /// When the drive is none that can be saved, or the file cannot be written.
    pub fn save(&mut self, path: &Path) -> Result<(), StepError> {
        self.finish()?;
        Ok(self.session.save_state(path)?)
    }
}
