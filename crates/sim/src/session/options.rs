//! How a run is run.

use crate::Error;
use crate::TimelineDetail;
use crate::sampling::AskedErrors;
use crate::session::passes::WorkloadPasses;
use crate::start::precondition::{Pilots, PreconditionKind};
use serde::Deserialize;

/// Set of options of a run, read from JSON; unknown keys are refused.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RunOptions {
    /// Option of a run: seed from which all random choices in the run follow.
    pub seed: u64,
    /// True if observers check the consistency of the drive throughout the run.
    pub check: bool,
    /// True if the run records a row of `requests.parquet` for each request.
    pub requests: bool,
    /// True if the run records a timeline of the activity of channels and dies.
    pub timeline: bool,
    /// Option of a run: activity that the timeline recorded by the run contains: of the channels, of the dies, or of
    /// both.
    pub timeline_detail: TimelineDetail,
    /// Option that selects the kind of preconditioning, which writes to the drive before the workload begins.
    pub precondition: PreconditionKind,
    /// Option of a run: fraction (0 to 1) of the logical space that preconditioning fills.
    pub fill: f64,
    /// Option `loop`: rule, as text, for the passes of the workload, one after the other: a number, as `3`, or a
    /// condition, as `until=waf:5%`; none: one pass.
    #[serde(rename = "loop")]
    pub passes: Option<String>,
    /// Option `sample`: parts of the run are simulated in detail, and the rest is carried forward without simulated
    /// time; `auto`, or the errors that figures may have, as in `waf:1%,iops:2%`; none: all of the run is simulated
    /// in detail.
    pub sample: Option<String>,
    /// Option: true if the data that the workload expects on the drive are written, without simulated time, before the
    /// workload begins.
    pub layout: bool,
    /// Option of a run: number of requests of the workload after which the run stops; none without this limit.
    pub limit_requests: Option<u64>,
    /// Option of a run: simulated time, in nanoseconds, at which the run stops; none without this limit.
    pub limit_ns: Option<u64>,
    /// Option of a run: greatest number of bytes of memory that the drive may take; none: a share of the machine's
    /// memory.
    pub memory_limit: Option<u64>,
    /// Option of a run: path of a saved drive state to start from; none: a new drive without data.
    pub load_state: Option<String>,
    /// Option of a run: path at which the drive's state is saved after preconditioning; none: it is not saved.
    pub save_state: Option<String>,
    /// Option: folder that stores answers of preconditioning's pilots (small trial drives) between runs; none: they are
    /// not stored.
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
            sample: None,
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
    /// Parses the options of a run from JSON and checks them.
    ///
    /// # Errors
    /// When a key is unknown, a value is out of range, or options exclude each other.
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
        options.sample.as_deref().map(AskedErrors::parse).transpose()?;
        Ok(options)
    }
}
