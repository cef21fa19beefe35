//! Synthetic volumes: requests made up from what is published about volumes of the MSR Cambridge traces.
//!
//! - [`volumes`]: the twelve there are, each number with its source.
//! - [`parameters`]: what may be set beside the name, with the defaults.
//! - [`VolumeWorkload`]: a volume on a drive. [`VolumeRequests`]: the same requests without one.
//!
//! They are no recordings. What is published (requests, share of reads, mean size, distinct addresses) goes in and
//! comes out; what is not (which pages are only read or only written, reuse, order, arrivals) is a parameter to be
//! varied, and a result that depends on it says nothing about the real volume.

mod arrivals;
mod layout;
mod parameters;
mod requests;
mod statistics;
mod workload;

pub use parameters::{Bursts, PREFIX, ParameterCard, Parameters, VolumeBursts, parameters};
pub use requests::{VolumeRequest, VolumeRequests};
pub use statistics::{SourcedNumber, Volume, volumes};
pub use workload::VolumeWorkload;

use crate::WorkloadError;

/// Constant: name of the trace format that results give for the requests of a synthetic volume, which come from no
/// trace file.
pub(crate) const FORMAT: &str = "synthetic";

/// Constant: text that marks a synthetic volume wherever it is listed, run or written to a file.
pub const SYNTHETIC: &str =
    "SYNTHETIC: made up from published statistics of the MSR Cambridge volume, not a recording of it";

/// Makes the requests of the synthetic volume that `spec` describes, without fitting the volume to a drive.
///
/// # Errors
/// When the volume or a parameter is unknown, a value is out of its range, or `fit` is given.
pub fn requests(spec: &str, seed: u64) -> Result<VolumeRequests, WorkloadError> {
    let parameters = Parameters::parse(spec)?;
    let layout = layout::VolumeLayout::new(&parameters, None)?;
    Ok(VolumeRequests::new(parameters, &layout, seed))
}
