//! Block traces: read in any of the formats in use, described, converted, and replayed on a drive.
//!
//! - [`formats`]: which formats there are; one file each under `format/`.
//! - [`inspect`]: one pass over a trace, in constant memory: rate, span, footprint, sizes, volumes; on request,
//!   with memory in proportion to the footprint, which pages are only read or only written.
//! - [`open`]: a trace as a [`crate::Workload`].
//! - [`convert`]: the same requests in another text format.
//!
//! A trace is never read on a guess: its content decides where that is certain or where only one reading is
//! plausible, and then that is said; else its format must be named. What was decided beyond what the user said
//! stands in [`TraceInfo::notes`]. The first line that cannot be read is an error with its place, unless such lines
//! are skipped, which is counted and reported. Times are whole nanoseconds on the trace's own clock; addresses and
//! sizes are whole sectors of 512 bytes, anything else is an error unless [`Align`] says what becomes of it.
//!
//! Not here: pairing of issue and completion events (response times of old disks are no reference for an SSD).

mod access;
mod convert;
mod disorder;
mod field;
pub(crate) mod footprint;
mod format;
mod fuzz;
mod gaps;
mod generated;
mod info;
mod input;
mod opened;
mod options;
mod origin;
mod packing;
mod place;
mod recognize;
mod record;
mod replay;
mod requeued;
mod sizes;
mod sort;
mod source;
mod survey;
mod weigh;

pub use access::{AccessInfo, AccessOptions, ByCharacter, CharacterShares};
pub use convert::{convert, convert_volume};
pub use format::{FormatCard, formats};
pub use fuzz::{fuzz_columns, fuzz_one};
pub use generated::inspect_volume;
pub use info::{CountsByKind, GapInfo, OutOfOrder, SizeBin, SizeShare, SizeSummary, TraceInfo, VolumeInfo};
pub use options::{Addresses, Align, TraceOptions, format_named};
pub use replay::{TraceWorkload, open};

use crate::WorkloadError;
use std::path::Path;

/// Reads the trace at `path` to its end and describes its content. Times out of order are reported, not refused.
///
/// # Errors
/// When the options contradict themselves, the file cannot be read, its format is unknown or must be named, a line
/// cannot be parsed (unless such lines are skipped), a selected volume is missing, or no request is left.
pub fn inspect(path: &Path, options: &TraceOptions) -> Result<TraceInfo, WorkloadError> {
    let origin = origin::TraceOrigin::find(path, options.member.as_deref())?;
    opened::Opened::survey(origin, options, opened::TracePurpose::Look).map(|opened| opened.info)
}
