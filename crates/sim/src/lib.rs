//! A whole drive: assembled from its configuration, run against a workload, measured.
//!
//! The only crate that knows all the others. A [`Session`] is one run: it advances in slices, so that its
//! caller can show progress and stop it, and ends in a [`result`](Session::result) that embeds everything
//! needed to repeat it.

mod ageing;
mod ageing_limit;
mod ageing_options;
mod ageing_window;
mod ahead;
mod check;
mod drive;
mod durability;
mod embedding;
mod error;
mod failures;
mod filled;
mod keys;
mod latencies;
mod layout;
mod levels;
mod limits;
mod link;
pub mod live;
mod measure;
mod memory;
mod memory_limit;
mod namespaces;
mod observers;
mod options;
mod passes;
mod past;
mod places;
mod power;
mod precondition;
mod queues;
mod requests;
mod result;
mod run;
mod saturating;
mod session;
mod spread;
mod state_file;
mod stripes;
pub mod tables;
mod tags;
mod timeline;
mod warm_up;
mod workload;

pub use ageing::{AgeFacts, AgeRow, Ageing, InUse};
pub use ageing_limit::{DriveClass, Readability, Requirement, Service, WorstPage};
pub use ageing_options::AgeingOptions;
pub use ageing_window::Speed;
pub use drive::{BenchChip, Catalogue, ChipModel, Drive, DriveSummary, chip_on_bench, explain_chip};
pub use embedding::{Embedding, embed};
pub use error::Error;
pub use keys::{KeyOnDrive, in_words, keys, keys_on, needs_in_words};
pub use memory_limit::{Checking, free_memory};
pub use options::{PreconditionKind, RunOptions};
pub use precondition::{Copies, Pilots};
pub use result::{FORMAT as RESULT_FORMAT, schema as result_schema};
pub use session::{Progress, Session};
pub use spread::student_t;
pub use state_file::{info as state_info, shape as drive_shape};
pub use timeline::TimelineDetail;
pub use workload::WorkloadSpec;

/// The version of Floatgate.
pub fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Every policy of every seam.
pub fn policies() -> Vec<config::PolicyEntry> {
    let interfaces = bus::interface::catalogue();
    interfaces.into_iter().chain(ftl::policies()).chain(host::link::catalogue()).collect()
}
