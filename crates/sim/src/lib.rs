//! A whole drive: assembled from its configuration, run against a workload, measured.
//!
//! The only crate that knows all the others. A [`Session`] is one run: it advances in slices, so that its
//! caller can show progress and stop it, and ends in a [`result`](Session::result) that embeds everything
//! needed to repeat it.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod drive;
mod embedding;
mod error;
mod life;
mod measure;
mod namespaces;
mod observe;
mod requests;
mod result;
mod run;
mod sampling;
mod sections;
mod session;
mod start;
mod translation;
mod version;
mod workload;

pub use drive::Drive;
pub use drive::catalogue::{Catalogue, DriveSummary};
pub use drive::chip::{BenchChip, ChipModel, chip_on_bench, explain_chip};
pub use drive::keys::{KeyOnDrive, in_words, keys, keys_on, needs_in_words, policies};
pub use drive::memory::{Checking, free_memory};
pub use drive::page_errors::{
    CodeLimits, ErrorGrid, PageErrors, PageRates, PageReadBack, chip_errors, drive_errors,
};
pub use embedding::{Embedding, embed};
pub use error::Error;
pub use life::limit::{DriveClass, Readability, Requirement, ServiceLife, WorstPage};
pub use life::options::AgeingOptions;
pub use life::window::Speed;
pub use life::{AgeFacts, AgeRow, Ageing, InUse};
pub use measure::spread::student_t;
pub use observe::answers::{STAGE_COUNT, STAGE_NAMES, SteppedCompletion, SteppedStatus};
pub use observe::timeline::TimelineDetail;
pub use observe::{holder, tables};
pub use result::{FORMAT as RESULT_FORMAT, schema as result_schema};
pub use run::stepped_host::NumberedRequest;
pub use session::options::RunOptions;
pub use session::{Progress, Session};
pub use start::precondition::{Copies, Pilots, PreconditionKind};
pub use start::state_file::{info as state_info, shape as drive_shape};
pub use version::version;
pub use workload::WorkloadSpec;
