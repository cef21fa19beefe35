//! A synthetic volume looked at as if it were a trace: the same numbers, by the same code.

use super::access::AccessOptions;
use super::info::TraceInfo;
use super::record::{Record, RecordMark};
use super::source::{Located, Met};
use super::survey::{Footprint, Survey};
use crate::WorkloadError;
use crate::volume::{self, VolumeRequest, VolumeRequests};

/// Converts a request of a synthetic volume into a trace record of volume 0.
pub(super) fn record(request: &VolumeRequest) -> Record {
    let VolumeRequest { after_first_ns, op, offset, bytes } = *request;
    Record {
        time_ns: after_first_ns,
        offset,
        bytes,
        volume: 0,
        op,
        fua: false,
        mark: RecordMark::None,
        placement: None,
        process: None,
    }
}

/// Returns the name that the single volume has in a trace made of `requests`.
pub(super) fn volume_name(requests: &VolumeRequests) -> String {
    format!("synthetic-{}", requests.parameters().volume.name)
}

/// Describes the requests of the synthetic volume that `spec` names (see [`crate::volume`]) as those of a trace:
/// counts, sizes, footprint, intervals. With `access` the accesses to each page are counted, as with
/// [`super::TraceOptions::access`]; otherwise memory is constant and the footprint is an estimate.
///
/// # Errors
/// As [`crate::volume::requests`], and when a value of `access` is out of its range.
pub fn inspect_volume(
    spec: &str,
    seed: u64,
    access: Option<AccessOptions>,
) -> Result<TraceInfo, WorkloadError> {
    access.map_or(Ok(()), AccessOptions::check)?;
    let requests = volume::requests(spec, seed)?;
    let met = Met { volumes: vec![volume_name(&requests)], ..Met::default() };
    let mut survey =
        Survey::new(if access.is_some() { Footprint::Exact } else { Footprint::Estimated }, access);
    for (request, line) in requests.zip(1..) {
        survey.add(&Located { record: record(&request), line });
    }
    let head = TraceInfo {
        path: spec.to_owned(),
        format: volume::FORMAT,
        units: volume::SYNTHETIC,
        compression: "none".into(),
        laid_out_bytes: survey.volumes.first().map(|volume| volume.span),
        ..TraceInfo::default()
    };
    Ok(survey.info(head, &met, survey.disorder()))
}
