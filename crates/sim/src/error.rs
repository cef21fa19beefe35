//! What the user can get wrong, in one line.

use std::fmt;

/// Type of the simulator's errors: message for the user, mostly about a fault in the input (configuration, workload,
/// options or files).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(pub String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('\n', " "))
    }
}

impl std::error::Error for Error {}

impl From<config::ConfigError> for Error {
    fn from(error: config::ConfigError) -> Self {
        Self(error.to_string())
    }
}

impl From<host::WorkloadError> for Error {
    fn from(error: host::WorkloadError) -> Self {
        Self(error.to_string())
    }
}
