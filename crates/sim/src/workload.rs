//! From a description to a source of requests.

use crate::Error;
use host::Workload;
use host::trace::{self, TraceOptions};
use serde::Deserialize;
use std::path::PathBuf;

/// What to run, as the caller gives it (JSON, `kind` says which).
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum WorkloadSpec {
    /// A fio job file.
    Fio {
        /// Its path.
        path: PathBuf,
    },
    /// A fio job, given as text.
    FioText {
        /// What to call it in messages.
        name: String,
        /// The job file's text.
        text: String,
    },
    /// A named generator.
    Generator {
        /// Its name.
        name: String,
    },
    /// A block trace.
    Trace {
        /// Its path.
        path: PathBuf,
        /// How to read and replay it.
        #[serde(default)]
        options: TraceOptions,
    },
}

impl WorkloadSpec {
    /// Reads the description.
    ///
    /// # Errors
    /// When a key is unknown.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        serde_json::from_str(text).map_err(|error| Error(format!("workload: {error}")))
    }

    /// Opens the source for a drive of `capacity` bytes.
    ///
    /// # Errors
    /// When the source is faulty or does not fit the drive.
    pub fn open(&self, capacity: u64, seed: u64) -> Result<Box<dyn Workload>, Error> {
        Ok(match self {
            Self::Fio { .. } | Self::FioText { .. } | Self::Generator { .. } => {
                let _ = seed;
                return Err(Error("not yet".into()));
            }
            Self::Trace { path, options } => Box::new(trace::open(path, options, capacity)?),
        })
    }
}
