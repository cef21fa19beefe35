//! fio job files and the generators behind them.
//!
//! - [`parse`], [`parse_text`]: from the text of a job file to a [`JobFile`].
//! - [`FioWorkload`]: its jobs as a source of requests for one drive.
//! - [`generators`]: named jobs that need no file.

mod distribution;
mod fuzz;
mod generators;
mod job;
mod keys;
mod lexer;
mod notes;
mod order;
mod pace;
mod pending;
mod region;
mod setting;
mod value;
mod worker;
mod workload;

use crate::WorkloadError;
use std::path::Path;

pub use distribution::{Distribution, Zone};
pub use fuzz::fuzz_one;
pub use generators::{Generator, generators};
pub use job::{Access, Blocks, JobFile, JobSpec};
pub use lexer::Place;
pub use pace::Rate;
pub use value::Size;
pub use workload::FioWorkload;

/// Reads a job file; files it includes are looked for beside it.
///
/// # Errors
/// When a file cannot be read, and at the first line that is wrong.
pub fn parse(path: &Path) -> Result<JobFile, WorkloadError> {
    let read = |path: &Path| {
        std::fs::read_to_string(path).map_err(|error| {
            WorkloadError::of(path.display().to_string(), error.to_string(), "a fio job file")
        })
    };
    let beside = path.parent().unwrap_or(Path::new(""));
    parse_text(&path.display().to_string(), &read(path)?, &|include| read(&beside.join(include)))
}

/// Reads the text of a job file called `name`; `include` gives the text of the files it includes.
///
/// # Errors
/// At the first line that is wrong.
pub fn parse_text(
    name: &str,
    text: &str,
    include: &dyn Fn(&str) -> Result<String, WorkloadError>,
) -> Result<JobFile, WorkloadError> {
    job::assemble(name, &lexer::lex(name, text, include)?)
}
