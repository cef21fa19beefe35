//! A session whose requests come from outside, while it goes on.

use super::{Session, SessionPhase};
use crate::observe::holder::{Holder, Lost};
use crate::run::{OutsideRun, SourceHolds};
use crate::start::state_file;
use crate::{Drive, Error, RunOptions};
use ftl::compatibility::{Feature, check_asked};
use ftl::{FlashContents, Ftl};
use host::Workload;
use serde_json::{Value, json};
use std::time::Duration;
use units::SimTime;

/// Kind of source of a session's requests: a workload within the simulator, clients of a served drive, or a caller that
/// submits them one by one. Set before the run begins.
#[derive(Default)]
pub(super) enum OutsideHost {
    /// Case of source: none outside the simulator; the requests come from a workload within.
    #[default]
    None,
    /// Case of source: clients of a served drive; the holder, such as a drive image, stores the data of the clients.
    Held(Box<dyn Holder>),
    /// Case of source: a caller that submits requests one by one and takes the completions.
    Stepped,
}

impl Session {
    /// Makes a session for a served drive: requests come from outside by way of `source`, `holder` (such as a drive
    /// image) stores the data, and simulated time begins. For a drive whose power was cut at work, `found` restores the
    /// contents of the flash and returns the losses; the drive then recovers its logical-to-physical map.
    ///
    /// # Errors
    /// As for [`Self::new`].
    pub fn live(
        drive: Drive,
        source: Box<dyn Workload>,
        options: RunOptions,
        holder: Box<dyn Holder>,
        found: Option<&mut dyn FnMut(&mut FlashContents) -> Lost>,
    ) -> Result<Self, Error> {
        Self::check_live(&drive)?;
        let mut session = Self::with_workload(drive, source, RunOptions { layout: false, ..options })?;
        while !session.preconditioned {
            session.advance(1 << 20)?;
        }
        session.outside = OutsideHost::Held(holder);
        if session.ftl().is_some_and(|ftl| ftl.buffer().is_protected()) {
            return Err(Error(
                "ftl.buffer.power_loss_protection = true: nothing writes the buffer out when a server is killed: expected false"
                    .into(),
            ));
        }
        let mut lost = None;
        if let (Some(put), SessionPhase::Precondition(parts)) = (found, &mut session.phase) {
            let fresh = session.drive.make(session.options.seed)?;
            let (mut contents, _) = std::mem::replace(&mut parts.0, fresh).cut(SimTime::ZERO);
            lost = Some(put(&mut contents));
            parts.0.take_over(contents);
        }
        if let SessionPhase::Precondition(parts) = &mut session.phase {
            parts.0.make_arrays();
            session.begin_run()?;
        }
        if let (Some(lost), SessionPhase::Observed(run)) = (lost, &mut session.phase) {
            session.cuts.begin_finding(run, &lost);
        }
        session.outside()?.wake();
        Ok(session)
    }

    /// Returns the shape of a served drive for its image: the sizes that must be equal to open the image, and the
    /// namespaces.
    pub fn live_shape(drive: &Drive, ftl: &Ftl) -> Value {
        let mut shape = state_file::shape(ftl);
        if let Some(parts) = drive.namespaces().described() {
            shape["namespaces"] = json!(parts);
        }
        shape
    }

    /// Checks that a drive can be served: its image must contain enough to find the data again.
    ///
    /// # Errors
    /// When the drive cannot be served; the text names the key that prevents it.
    pub fn check_live(drive: &Drive) -> Result<(), Error> {
        if drive.has(Feature::Zones) {
            let text = "ftl.mapping.name: a served drive is blocks, and the protocol of network block devices knows no zones: \
                        expected page";
            return Err(Error(text.into()));
        }
        // At rest, such a drive is kept in a file.
        check_asked(Feature::SavedState, &drive.features)?;
        if drive.has(Feature::DeterministicTrim) {
            return Err(Error(
                "ftl.trim = deterministic: a served drive keeps no records of trims: expected not".into(),
            ));
        }
        if drive.cuts.has_cuts() || !drive.has_power_cuts() {
            return Err(Error(
                "power.cut: a served drive loses its power when its server is killed: expected power.cut.drawn = 0".into(),
            ));
        }
        let text = "an image holds units, and says neither which block is whose log, nor which superblocks protect each other, \
                    nor which versions snapshots see, nor which dies have failed: expected a map of units, and none of these";
        let kept = [Feature::BlockMap, Feature::Parity, Feature::Snapshots, Feature::DieFault];
        if let Some(found) = drive.features.iter().find(|found| kept.contains(&found.feature)) {
            let entry = &found.entry;
            return Err(Error(format!("{}: {} = {}: {text}", entry.place, entry.key, entry.value)));
        }
        Ok(())
    }

    pub(super) fn outside(&mut self) -> Result<&mut dyn OutsideRun, Error> {
        match &mut self.phase {
            SessionPhase::Plain(run) => Ok(&mut **run),
            SessionPhase::Observed(run) => Ok(&mut **run),
            _ => Err(Error("the run ended with an error before".into())),
        }
    }

    /// Announces that the source has a request that arrives at `at`.
    ///
    /// # Errors
    /// When the run ended before.
    pub fn offer(&mut self, at: SimTime) -> Result<(), Error> {
        self.outside()?.offer(at, SourceHolds::Nothing);
        Ok(())
    }

    /// Processes the next simulation event, if its time is not after `until`; returns false if there is none.
    ///
    /// # Errors
    /// When the source turns out to be faulty.
    pub fn step(&mut self, until: SimTime) -> Result<bool, Error> {
        self.outside()?.step(until)
    }

    /// Returns the simulated time of the event handled last, and of the next event; `None` without a next one.
    ///
    /// # Errors
    /// When the run ended before.
    pub fn times(&mut self) -> Result<(SimTime, Option<SimTime>), Error> {
        Ok(self.outside()?.times())
    }

    /// Adds wall-clock time that was spent on this run outside [`Self::advance`].
    pub fn spend(&mut self, wall: Duration) {
        self.wall += wall;
    }

    /// Ends the requests of the source: requests in flight are answered, then the run is over.
    ///
    /// # Errors
    /// As for [`Self::advance`].
    pub fn end(&mut self) -> Result<(), Error> {
        self.outside()?.end();
        self.finish()
    }
}
