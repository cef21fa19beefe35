//! How a run is run.

use crate::Error;
use crate::TimelineDetail;
use crate::session::passes::WorkloadPasses;
use crate::start::precondition::{Pilots, PreconditionKind};
use serde::Deserialize;

/// Options of a run; read from JSON, unknown keys refused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// Seed from which everything random in the run follows.
    pub seed: u64,
    /// True if observers check conservation throughout the run.
    pub check: bool,
    /// True if the run keeps rows for `requests.parquet`.
    pub requests: bool,
    /// True if the run writes a timeline.
    pub timeline: bool,
    /// Detail of the timeline.
    pub timeline_detail: TimelineDetail,
    /// What is done to the drive before.
    pub precondition: PreconditionKind,
    /// How much of the logical space preconditioning fills.
    pub fill: f64,
    /// Passes of the workload: a number, as `3`, or a condition, as `until=waf:5%`; none: one pass.
    #[serde(rename = "loop")]
    pub passes: Option<String>,
    /// True if the data that the workload expects on the drive are written before the workload begins.
    pub layout: bool,
    /// Number of requests after which the run stops.
    pub limit_requests: Option<u64>,
    /// Simulated time at which the run stops, in nanoseconds.
    pub limit_ns: Option<u64>,
    /// Bytes of memory that the drive may take; what the machine has, where this is not given.
    pub memory_limit: Option<u64>,
    /// A saved state to start from.
    pub load_state: Option<String>,
    /// Where to save the state after preconditioning.
    pub save_state: Option<String>,
    /// Where answers of preconditioning's pilots are kept between runs.
    pub pilots: Option<Pilots>,
}

impl Default for RunOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            check: false,
            requests: false,
            timeline: false,
            timeline_detail: TimelineDetail::All,
            precondition: PreconditionKind::None,
            fill: 1.0,
            passes: None,
            layout: true,
            limit_requests: None,
            limit_ns: None,
            memory_limit: None,
            load_state: None,
            save_state: None,
            pilots: None,
        }
    }
}

impl RunOptions {
    /// Reads the options.
    ///
    /// # Errors
    /// When a key is unknown or a value out of range.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let options: Self = serde_json::from_str(text).map_err(|error| Error(format!("options: {error}")))?;
        if !(options.fill > 0.0 && options.fill <= 1.0) {
            return Err(Error(format!("options: fill = {}: expected more than 0, at most 1", options.fill)));
        }
        if options.load_state.is_some() && options.precondition != PreconditionKind::None {
            return Err(Error(
                "options: expected either a saved state to load or preconditioning, not both".into(),
            ));
        }
        WorkloadPasses::new(options.passes.as_deref())?;
        Ok(options)
    }
}
