//! The drive: requests in, time, answers out.

use crate::source::{Incoming, StepSource, put};
use crate::{StepError, StepRequest, StepSetup, SteppedCompletion};
use host::{Extent, HostRequest};
use serde_json::Value;
use sim::{Catalogue, Session};
use std::path::Path;
use units::SimTime;

/// Latest time of a request: half of what the clock holds, so that nothing begun before overflows it.
const LATEST_NS: u64 = 1 << 63;
/// What messages call the requests of the caller.
const NAME: &str = "submit";

/// A drive that its caller steps.
///
/// Its present is where the caller brought it by [`Self::run_until`], [`Self::next`] or [`Self::finish`]: all that happens up
/// to it has happened, and no request is taken for an earlier time.
pub struct SteppedDrive {
    session: Session,
    incoming: Incoming,
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
        let incoming = Incoming::default();
        let source = Box::new(StepSource::new(incoming.clone()));
        let session = Session::stepped(drive, source, setup.options.clone())?;
        Ok(Self {
            session,
            incoming,
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
        let next = [next, self.incoming.first()].into_iter().flatten().min();
        Ok(next.map(|next| next.ns().max(self.present_ns)))
    }

    /// Submits a request; the number by which its completion is known.
    ///
    /// # Errors
    /// When it lies before the drive's present, beyond its namespace, or is no operation of it. It is then as if it had not
    /// been submitted.
    pub fn submit(&mut self, request: &StepRequest) -> Result<u64, StepError> {
        let request = self.placed(request)?;
        put(&mut self.incoming.lock(), self.submitted, request);
        self.submitted += 1;
        Ok(self.submitted - 1)
    }

    /// Submits requests; the number of the first, which the others follow.
    ///
    /// # Errors
    /// As for [`Self::submit`], with the place of the request, from 0; none of them is then submitted.
    pub fn submit_all(
        &mut self,
        requests: impl Iterator<Item = Result<StepRequest, StepError>>,
    ) -> Result<u64, StepError> {
        let first = self.submitted;
        let mut placed = Vec::with_capacity(requests.size_hint().0);
        for (at, request) in requests.enumerate() {
            let request = request.and_then(|request| self.placed(&request));
            placed.push(request.map_err(|error| error.at(at))?);
        }
        let mut incoming = self.incoming.lock();
        for request in placed {
            put(&mut incoming, self.submitted, request);
            self.submitted += 1;
        }
        Ok(first)
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
        let first = self.incoming.first();
        self.session.go_on(first, SimTime::from_ns(time_ns), usize::MAX)?;
        self.present_ns = time_ns;
        Ok(())
    }

    /// The next completion that was not taken; without one, brings the drive to the moment of it, and at the latest to
    /// `until_ns`. None where no request is outstanding, or none is answered until then.
    ///
    /// # Errors
    /// As for [`Self::run_until`].
    pub fn next(&mut self, until_ns: Option<u64>) -> Result<Option<SteppedCompletion>, StepError> {
        if let Some(found) = self.session.answers()?.pop_front() {
            self.taken += 1;
            return Ok(Some(found));
        }
        match until_ns {
            _ if self.result.is_some() => return Ok(None),
            Some(until) if until < self.present_ns => return Err(self.past("until_ns", until)),
            // Nothing will be answered: the drive's own work could go on for ever.
            None if self.outstanding() == 0 => return Ok(None),
            _ => {}
        }
        let first = self.incoming.first();
        self.session.go_on(first, SimTime::from_ns(until_ns.unwrap_or(u64::MAX)), 1)?;
        let found = self.session.answers()?.pop_front();
        match &found {
            Some(found) => {
                self.present_ns = self.present_ns.max(found.completed_ns);
                self.taken += 1;
            }
            None => self.present_ns = until_ns.unwrap_or(self.present_ns),
        }
        Ok(found)
    }

    /// Completions that were not taken, at most `most`, in the order of their times; they are taken.
    ///
    /// # Errors
    /// When the drive ended with an error.
    pub fn take(
        &mut self,
        most: usize,
    ) -> Result<impl ExactSizeIterator<Item = SteppedCompletion> + '_, StepError> {
        let answers = self.session.answers()?;
        let count = answers.len().min(most);
        self.taken += count as u64;
        Ok(answers.drain(..count))
    }

    /// Completions that were not taken.
    ///
    /// # Errors
    /// As for [`Self::take`].
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
            let first = self.incoming.first();
            self.session.go_on(first, SimTime::from_ns(u64::MAX), waiting)?;
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
