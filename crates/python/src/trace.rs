//! Traces without a drive: list the formats, describe a file, rewrite it.

use crate::errors::{guarded, input};
use host::trace::{self, TraceOptions};
use pyo3::prelude::*;
use serde_json::json;
use std::path::Path;

/// Every trace format, as JSON.
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

/// What one pass over the trace tells, as JSON.
#[pyfunction]
pub fn trace_info(py: Python<'_>, path: &str, options: &str) -> PyResult<String> {
    let options = read_options(options)?;
    guarded(py, || {
        let info = trace::inspect(Path::new(path), &options).map_err(input)?;
        Ok(json!(info).to_string())
    })
}

/// Writes the trace in another format; returns the number of requests.
#[pyfunction]
pub fn trace_convert(py: Python<'_>, path: &str, options: &str, out: &str, to: &str) -> PyResult<u64> {
    let options = read_options(options)?;
    guarded(py, || trace::convert(Path::new(path), &options, Path::new(out), to).map_err(input))
}

/// Options as the Python side makes them; anything wrong with their shape is a fault of ours.
pub fn read_options(options: &str) -> PyResult<TraceOptions> {
    serde_json::from_str(options)
        .map_err(|error| pyo3::exceptions::PyTypeError::new_err(format!("trace options: {error}")))
}
