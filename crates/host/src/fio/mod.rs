//! fio job files and the generators behind them.
//!
//! - [`parse`], [`parse_text`]: from the text of a job file to a [`JobFile`].
//! - [`FioWorkload`]: its jobs as a source of requests for one drive.
//! - [`generators`]: named jobs that need no file.
//!
//! An option means what fio's manual says. Where a simulated drive asks for a decision, it is this:
//!
//! - **One drive.** Files lie side by side on it; a raw device is the drive itself (`files`).
//! - **Engines** that are synchronous keep one request outstanding; fio's default is one (`engines`).
//! - **Variables** (`${NAME}`) are those the caller gives; the environment is not read, so that a run repeats.
//! - **Pace.** A paced request goes out when it is due and the depth allows, with any number unanswered, as with
//!   fio's `io_submit_mode=offload`. What a rate is with blocks of several sizes, or with random gaps, is fio's
//!   arithmetic (`pace`), defects included, and a note says so.
//! - **Pauses.** `thinktime_blocks` counts answers, or requests made; the pause begins when all of them are answered.
//! - **Batches.** The host's software takes no time, so that all requests for which there is room go out at once.
//! - **Flushes** of `fsync`, `fdatasync` and `end_fsync` wait for the clone's own requests, and hold up new ones.
//! - **The random map**: each block once in a pass. Where all requests have one size it is a permutation, which needs no
//!   memory; else a map of blocks, and a request ends where a covered block begins.
//! - **Verification** reads back what was written, in fio's order (`verify`); contents are not compared.
//! - **Zipf** is exact, for every exponent; fio's is an approximation that leaves out the exponent 1.
//! - **Placement** identifiers are the numbers of the drive's handles (`placement`); which is next, fio's source says.
//! - **Seeds.** All follow from the run's seed, or from `randseed`; `randrepeat` changes nothing.

mod blockmap;
mod blocks;
mod check;
mod distribution;
mod due;
mod engines;
mod existing;
mod files;
mod flow;
mod fuzz;
mod generators;
mod hold;
mod job;
mod keys;
mod lexer;
mod limits;
mod notes;
mod order;
mod pace;
mod pending;
mod pick;
mod placement;
mod setting;
mod steady;
mod track;
mod value;
mod verify;
mod worker;
mod workload;
mod written;
mod zbd;
mod zones;

use crate::{WorkloadError, regular};
use std::io::Read;
use std::path::Path;

pub use crate::workload::SteadyState;
pub use blocks::{BlockSizes, SizeOptions};
pub(crate) use distribution::Zipf;
pub use distribution::{Distribution, Zone};
pub use engines::Engine;
pub use files::{FileRegion, is_device};
pub use flow::FlowOptions;
pub use fuzz::fuzz_one;
pub use generators::{Generator, generators};
pub use hold::RefillOptions;
pub use job::{JobAccess, JobFile, JobSpec};
pub use pace::Rate;
pub use pick::{FileOrder, Service};
pub use placement::{Directive, JobPlacement, Selection};
pub use steady::{Metric, Steady};
pub use value::Size;
pub use workload::FioWorkload;
pub use written::{JobPlace, Line};
pub use zones::JobZones;

/// Type of the map from the names of the variables (`${NAME}`) in a fio job file to their values.
pub type Variables = std::collections::BTreeMap<String, String>;

/// Constant: greatest length of a fio job file in bytes; a longer file is refused without reading it all, since a job
/// file is text written by hand.
const MOST_BYTES: u64 = 16 << 20;

/// Parses the fio job file at `path`, with `variables` for its `${NAME}`; included files are looked for by their path,
/// then beside the file that names them.
///
/// # Errors
/// When a file cannot be read, and at the first line that is wrong.
pub fn parse(path: &Path, variables: &Variables) -> Result<JobFile, WorkloadError> {
    let name = path.display().to_string();
    parse_text(&name, &read(path)?, variables, &|include| read(Path::new(include)))
}

fn read(path: &Path) -> Result<String, WorkloadError> {
    let wrong = |found: String| WorkloadError::of(path.display().to_string(), found, "a fio job file");
    let mut text = String::new();
    let file = regular::open(path).map_err(wrong)?;
    file.take(MOST_BYTES + 1).read_to_string(&mut text).map_err(|error| wrong(error.to_string()))?;
    if text.len() as u64 > MOST_BYTES {
        return Err(wrong(format!("longer than {} MiB", MOST_BYTES >> 20)));
    }
    Ok(text)
}

/// Parses the text of a fio job file called `name`, with `variables` for its `${NAME}`; `include` returns the text of
/// an included file by its path: as written, else relative to the folder of the including file.
///
/// # Errors
/// At the first line that is wrong.
pub fn parse_text(
    name: &str,
    text: &str,
    variables: &Variables,
    include: &dyn Fn(&str) -> Result<String, WorkloadError>,
) -> Result<JobFile, WorkloadError> {
    let mut items = lexer::lex(name, text, include)?;
    lexer::substitute(name, &mut items, variables)?;
    job::assemble(name, &items)
}

/// Parses a fio job called `name` from lines that were made from something else, such as a command line, with
/// `variables` for its `${NAME}`; errors show the words from which a line was made.
///
/// # Errors
/// At the first line that is wrong.
pub fn parse_lines(name: &str, lines: &[Line], variables: &Variables) -> Result<JobFile, WorkloadError> {
    let mut items = lexer::lex_lines(lines)?;
    lexer::substitute(name, &mut items, variables)?;
    job::assemble(name, &items)
}
