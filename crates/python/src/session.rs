//! One run, as Python drives it: slices without the interpreter lock, results as JSON and columns.

use crate::errors::{guarded, input};
use crate::held::Held;
use crate::listing::catalogue;
use crate::own;
use crate::tables::{ArrowTable, schema};
use host::trace::{self, TraceInfo};
use host::volume::{SYNTHETIC, VolumeWorkload};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::{Value, json};
use sim::{Drive, RunOptions, WorkloadSpec};

/// Python class: simulation run of a drive with a workload and options, which is advanced in slices (some number of
/// events per call) until it has a result.
#[pyclass(name = "Session")]
pub struct PySession {
    inner: Held<sim::Session>,
    description: String,
}

#[pymethods]
impl PySession {
    /// Makes the session of a new run: loads the drive `drive` (a name or a file) from the catalogue `folders`, with
    /// `key=value` overrides, and opens the workload; `workload` and `options` are JSON.
    #[new]
    fn new(
        py: Python<'_>,
        drive: &str,
        overrides: Vec<String>,
        folders: Vec<String>,
        workload: &str,
        options: &str,
    ) -> PyResult<Self> {
        let (spec, options) = read(workload, options)?;
        guarded(py, move || {
            open(Drive::load(&catalogue(folders), drive, &overrides).map_err(input)?, spec, options)
        })
    }

    /// Makes the session of a drive from the resolved configuration of an earlier run: `assignments` of the form
    /// `key=value`, each value written as TOML.
    #[staticmethod]
    fn resolved(
        py: Python<'_>,
        name: &str,
        assignments: Vec<String>,
        workload: &str,
        options: &str,
    ) -> PyResult<Self> {
        let (spec, options) = read(workload, options)?;
        guarded(py, move || {
            open(Drive::from_resolved_with(name, &assignments, own::bringer()).map_err(input)?, spec, options)
        })
    }

    /// Returns a description of the run before it begins, as JSON: the drive and, for a trace, its time span, request
    /// rate and footprint (bytes of the distinct 4 KiB pages that requests access), or, for a synthetic volume, its
    /// parameters.
    fn describe(&self) -> String {
        self.description.clone()
    }

    /// Simulates about `events` events of the run; returns the progress of the run as JSON.
    fn advance(&self, py: Python<'_>, events: u64) -> PyResult<String> {
        self.inner.work(py, |run| Ok(json!(run.advance(events).map_err(input)?).to_string()))
    }

    /// Returns true when a signal during a policy's call, or a broken invariant, ended the work and left a run that
    /// cannot go on.
    fn is_broken(&self) -> bool {
        self.inner.is_broken()
    }

    /// Ends the run early: it takes no more requests from the workload, and requests in flight are still completed.
    fn interrupt(&self, py: Python<'_>) -> PyResult<()> {
        self.inner.work(py, |run| run.interrupt().map_err(input))
    }

    /// Returns all results that the simulation run has measured so far, as JSON; the run can go on afterwards.
    fn glance(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |run| Ok(run.glance().map_err(input)?.to_string()))
    }

    /// Returns all results of the finished simulation run, as JSON.
    fn result(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |run| Ok(run.result().map_err(input)?.to_string()))
    }

    /// Returns the host requests that the simulated drive completed since the last call as a table, and removes them
    /// from the session of the run.
    fn requests(&self) -> PyResult<ArrowTable> {
        Ok(ArrowTable::of_bytes(schema(&sim::tables::REQUESTS), self.inner.lock()?.take_requests()))
    }

    /// Returns the bytes that were added to the timeline file since the last call, and removes them from the session.
    fn timeline<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.inner.lock()?.take_timeline()))
    }
}

/// Parses the workload and the options that the Python package passes as JSON. A workload of a wrong form is a fault of
/// the package and raises TypeError; wrong options raise InputError.
fn read(workload: &str, options: &str) -> PyResult<(WorkloadSpec, RunOptions)> {
    let spec = WorkloadSpec::from_json(workload).map_err(|error| PyTypeError::new_err(error.to_string()))?;
    Ok((spec, RunOptions::from_json(options).map_err(input)?))
}

fn open(drive: Drive, spec: WorkloadSpec, options: RunOptions) -> PyResult<PySession> {
    let capacity = drive.capacity().get();
    let head = json!({ "name": drive.name, "title": drive.title, "capacity_bytes": capacity });
    let mut description = json!({ "drive": head });
    // A trace is opened here and not by the run, because the run does not hand on what was seen in it.
    let inner = match &spec {
        WorkloadSpec::Trace { path, options: how } => {
            let workload = trace::open(path, how, drive.space()).map_err(input)?;
            description["trace"] = outline(workload.info());
            sim::Session::with_source(drive, &spec, Box::new(workload), options)
        }
        WorkloadSpec::Volume { spec: named }
            if !drive.space().is_parted() && drive.space().zones.is_none() =>
        {
            let workload = VolumeWorkload::new(named, capacity, options.seed).map_err(input)?;
            description["volume"] = outline_volume(&workload);
            sim::Session::with_source(drive, &spec, Box::new(workload), options)
        }
        _ => sim::Session::new(drive, &spec, options),
    };
    Ok(PySession { inner: Held::new(inner.map_err(input)?), description: description.to_string() })
}

/// Returns the facts about a trace that a user checks before a run, as JSON: format, number of requests, time span,
/// request rate, footprint (bytes of the distinct 4 KiB pages that requests access).
fn outline(info: &TraceInfo) -> Value {
    json!({
        "format": info.format,
        "units": info.units,
        "requests": info.requests.total(),
        "read_fraction": info.read_fraction,
        "span_ns": info.span_ns,
        "requests_per_s": info.requests_per_s,
        "laid_out_bytes": info.laid_out_bytes,
        "footprint_bytes": info.footprint_bytes,
        "footprint_exact": info.footprint_exact,
        "volumes": info.volumes.len(),
        "skipped_lines": info.skipped_lines,
        "notes": info.notes,
    })
}

/// Returns the facts about a synthetic volume (a random workload modelled on published statistics of a traced volume)
/// that a user checks before a run, as JSON.
fn outline_volume(workload: &VolumeWorkload) -> Value {
    let parameters = workload.parameters();
    json!({
        "synthetic": SYNTHETIC,
        "spec": parameters.spec,
        "requests": parameters.requests,
        "read_fraction": parameters.reads,
        "requests_per_s": parameters.depth.is_none().then_some(parameters.requests_per_s),
        "depth": parameters.depth,
        "bytes": workload.bytes(),
        "fitted": workload.fitted(),
    })
}
