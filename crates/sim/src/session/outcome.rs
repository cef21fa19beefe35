//! What a session comes to: the result, the final account, rows and timeline.

use super::{SHORT_REST, Session, SessionPhase, WALKED_TWICE, run_progress};
use crate::observe::account::Shown;
use crate::observe::{Observers, RequestRows};
use crate::run::Run;
use crate::start::report::Preconditioning;
use crate::start::warm_up::WarmUp;
use crate::{Error, result};
use serde_json::{Value, json};
use std::time::Duration;

impl Session {
    /// Returns the result as far as measured, as JSON, while the run goes on; values known only at the end are null.
    ///
    /// # Errors
    /// When the run did not get as far as its workload.
    pub fn glance(&mut self) -> Result<Value, Error> {
        self.account_risk();
        match &self.phase {
            SessionPhase::Plain(run) => Ok(json!(result::of(run, self.provenance()))),
            SessionPhase::Observed(run) => Ok(json!(result::of(run, self.provenance()))),
            SessionPhase::Precondition(_) | SessionPhase::Broken => {
                Err(Error("the run did not begin".into()))
            }
        }
    }

    /// Returns the whole result of the run as JSON. With the option `check` the checker also compares its own record
    /// (account) of the drive's contents with the drive.
    ///
    /// # Errors
    /// When the run did not get as far as its workload.
    pub fn result(&mut self) -> Result<Value, Error> {
        self.telling_cut(Self::settle)
    }

    fn settle(&mut self) -> Result<Value, Error> {
        if let (Some(sampling), SessionPhase::Plain(run)) = (&mut self.passes.sampling, &mut self.phase) {
            sampling.finish(run);
        }
        let mut value = self.glance()?;
        match &mut self.phase {
            SessionPhase::Plain(run) => value["recovery"] = json!(run.recover()),
            SessionPhase::Observed(run) => {
                if let Some(check) = &run.ctx.probe.check {
                    check.compare(&value, run.ctx.calendar.now());
                }
                if run.ftl.layout().physical_units() <= WALKED_TWICE {
                    settle_account(run);
                }
                if run.ctx.probe.timeline.is_some() {
                    // The timeline shows how the drive comes to rest, whether it recovers or not.
                    run.drain();
                    run.come_to_rest();
                }
                value["recovery"] = json!(run.recover());
                if run.ctx.probe.check.is_some() {
                    run.come_to_rest_within(run.operations().max(SHORT_REST));
                    settle_account(run);
                    check_shares("utilisation", &value["utilisation"]);
                }
            }
            SessionPhase::Precondition(_) | SessionPhase::Broken => {}
        }
        Ok(value)
    }

    fn account_risk(&mut self) {
        match &mut self.phase {
            SessionPhase::Plain(run) => run.ftl.account_risk(run.ctx.calendar.now()),
            SessionPhase::Observed(run) => run.ftl.account_risk(run.ctx.calendar.now()),
            SessionPhase::Precondition(_) | SessionPhase::Broken => {}
        }
    }

    /// Returns the wall-clock time that making the flat arrays of the logical-to-physical map, in place of a compact
    /// rule, took since the run began.
    fn map_made_since(&self) -> Duration {
        let made = match &self.phase {
            SessionPhase::Plain(run) => run.ftl.map_made_in(),
            SessionPhase::Observed(run) => run.ftl.map_made_in(),
            SessionPhase::Precondition(_) | SessionPhase::Broken => self.map_made_before,
        };
        made.saturating_sub(self.map_made_before)
    }

    fn provenance(&self) -> result::Provenance<'_> {
        let made = self.map_made_since();
        result::Provenance {
            drive: &self.drive,
            seed: self.options.seed,
            interrupted: self.interrupted,
            precondition: Preconditioning {
                warm_up: self.warm_up.as_ref().and_then(WarmUp::report),
                ..self.precondition.report()
            },
            passes: self.passes.report(),
            sample: match (&self.passes.sampling, &self.phase) {
                (Some(sampling), SessionPhase::Plain(_)) => Some(sampling.report()),
                _ => None,
            },
            is_loaded: self.options.load_state.is_some(),
            layout: &self.layout,
            cuts: &self.cuts,
            failures: &self.failures,
            walls: result::Walls {
                run_s: self.wall.saturating_sub(made).as_secs_f64(),
                precondition_s: self.precondition_wall.as_secs_f64(),
                build_s: (self.build_wall + made).as_secs_f64(),
            },
        }
    }

    /// Returns the rows of `requests.parquet` that were added since the last call, as columns of little-endian numbers,
    /// and removes them.
    pub fn take_requests(&mut self) -> Vec<Vec<u8>> {
        match &mut self.phase {
            SessionPhase::Observed(run) => {
                run.ctx.probe.rows.as_mut().map(RequestRows::take).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the bytes of the timeline's file that were added since the last call, and removes them.
    pub fn take_timeline(&mut self) -> Vec<u8> {
        match &mut self.phase {
            SessionPhase::Observed(run) => {
                let is_over = run_progress(run, &self.passes, self.waiting.is_some()).done;
                let Some(timeline) = &mut run.ctx.probe.timeline else { return Vec::new() };
                if is_over { timeline.take_rest() } else { timeline.take() }
            }
            _ => Vec::new(),
        }
    }
}

/// Compares the checker's own record (account) of a drive's contents, at the end of the run, with the drive itself;
/// panics if they differ.
fn settle_account(run: &Run<Observers>) {
    if let Some(check) = &run.ctx.probe.check {
        check.settle(&Shown::later(&run.ftl), run.outstanding(), run.ctx.calendar.now());
    }
}

/// Checks that all shares of busy time in `value` (an item of the result's utilisation) are at most 1; panics otherwise
/// with the part's name `name`.
fn check_shares(name: &str, value: &Value) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| check_shares(name, item)),
        Value::Object(items) => items.iter().for_each(|(key, item)| check_shares(key, item)),
        value => assert!(
            value.as_f64().is_some_and(|share| share <= 1.0 + 1e-9),
            "{name} is busy {value} of the time"
        ),
    }
}
