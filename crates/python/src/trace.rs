//! Traces and synthetic volumes without a drive: list, describe, rewrite them.

use crate::errors::{guarded, input};
use host::trace::{self, TraceOptions};
use host::volume;
use pyo3::prelude::*;
use serde_json::json;
use std::path::Path;

/// Returns all trace formats, as JSON: name, units, and whether they are recognised and can be written.
#[pyfunction]
pub fn trace_formats() -> String {
    let card = |card: &trace::FormatCard| {
        json!({
            "name": card.name,
            "title": card.title,
            "units": card.units,
            "recognised": card.certain,
            "writable": card.writable(),
        })
    };
    json!(trace::formats().iter().map(card).collect::<Vec<_>>()).to_string()
}

/// Reads the whole trace in the file `path` once, and returns statistics of its requests, as JSON; `options` is JSON.
#[pyfunction]
pub fn trace_info(py: Python<'_>, path: &str, options: &str) -> PyResult<String> {
    let options = read_options(options)?;
    guarded(py, || {
        let info = trace::inspect(Path::new(path), &options).map_err(input)?;
        Ok(json!(info).to_string())
    })
}

/// Converts, for Python, the trace in the file `path` to the format `to`, and writes it to the file `out`; returns the
/// number of requests.
#[pyfunction]
pub fn trace_convert(py: Python<'_>, path: &str, options: &str, out: &str, to: &str) -> PyResult<u64> {
    let options = read_options(options)?;
    guarded(py, || trace::convert(Path::new(path), &options, Path::new(out), to).map_err(input))
}

/// Returns all synthetic volumes (random workloads modelled on published statistics of traced volumes) with the source
/// of each number, and all their parameters, as JSON.
#[pyfunction]
pub fn volumes() -> String {
    let known = |known: volume::SourcedNumber| json!({ "value": known.value, "source": known.source });
    let one = |volume: &volume::Volume| {
        json!({
            "name": volume.name,
            "server": volume.server,
            "requests": known(volume.requests),
            "reads": known(volume.reads),
            "mean_bytes": known(volume.mean_bytes),
            "distinct": known(volume.distinct),
        })
    };
    let parameter = |card: &volume::ParameterCard| json!({ "name": card.name, "help": card.help, "expected": card.expected, "default": card.default });
    json!({
        "synthetic": volume::SYNTHETIC,
        "volumes": volume::volumes().iter().map(one).collect::<Vec<_>>(),
        "parameters": volume::parameters().iter().map(parameter).collect::<Vec<_>>(),
    })
    .to_string()
}

/// Generates the requests of a synthetic volume (a random workload modelled on published statistics) once, and returns
/// statistics of the requests, as JSON; `access` is JSON with options, or `null`.
#[pyfunction]
pub fn volume_info(py: Python<'_>, spec: &str, seed: u64, access: &str) -> PyResult<String> {
    let access = serde_json::from_str(access)
        .map_err(|error| pyo3::exceptions::PyTypeError::new_err(format!("access options: {error}")))?;
    guarded(py, || {
        let info = trace::inspect_volume(spec, seed, access).map_err(input)?;
        Ok(json!(info).to_string())
    })
}

/// Generates the requests of a synthetic volume (a random workload modelled on published statistics) and writes them to
/// the trace file `out` in the format `to`; returns the number of requests.
#[pyfunction]
pub fn volume_convert(py: Python<'_>, spec: &str, seed: u64, out: &str, to: &str) -> PyResult<u64> {
    guarded(py, || trace::convert_volume(spec, seed, Path::new(out), to).map_err(input))
}

/// Parses trace options from the JSON that the Python package makes; a wrong form is a fault of the package and raises
/// TypeError.
pub fn read_options(options: &str) -> PyResult<TraceOptions> {
    serde_json::from_str(options)
        .map_err(|error| pyo3::exceptions::PyTypeError::new_err(format!("trace options: {error}")))
}
