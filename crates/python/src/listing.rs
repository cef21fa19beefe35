//! What there is to choose from: policies, drives, chips, generators.

use crate::errors::{guarded, input};
use crate::own;
use config::{Entry, Key, PolicyEntry};
use pyo3::prelude::*;
use serde_json::{Value, json};
use sim::{Catalogue, Drive, explain_chip as resolve_chip};
use std::path::Path;
use units::{Bytes, Nanos, Quantity};

/// Returns the JSON Schema of the result file `run.json`.
#[pyfunction]
pub fn result_schema() -> String {
    sim::result_schema().to_string()
}

/// Returns all policies for all seams (replaceable decisions of the simulated drive, such as the choice of garbage
/// collection victims), as JSON.
#[pyfunction]
pub fn policies() -> String {
    json!(sim::policies().iter().map(policy).collect::<Vec<_>>()).to_string()
}

fn policy(entry: &PolicyEntry) -> Value {
    let parameter = |parameter: &Key| {
        let mut card = key(parameter);
        card["expected"] = json!(parameter.asked.expected);
        card
    };
    let mut parameters: Vec<&Key> = entry.keys.iter().collect();
    let mut seen = Vec::new();
    // One whose default follows from another parameter is listed with each; here the first will do.
    parameters.retain(|key| {
        let again = seen.contains(&key.asked.key.as_str());
        seen.push(key.asked.key.as_str());
        !again
    });
    json!({
        "seam": entry.seam,
        "question": entry.question,
        "default": entry.default,
        "name": entry.card.name,
        "rule": entry.card.rule,
        "paper": entry.card.paper,
        "not_modelled": entry.card.not_modelled,
        "parameters": parameters.into_iter().map(parameter).collect::<Vec<_>>(),
    })
}

/// Returns all keys of a configuration, as JSON; if a drive is named, each key with its value on the drive, or with the
/// conditions for the key that the drive does not meet.
#[pyfunction]
#[pyo3(signature = (folders, drive = None, overrides = Vec::new()))]
pub fn keys(
    py: Python<'_>,
    folders: Vec<String>,
    drive: Option<&str>,
    overrides: Vec<String>,
) -> PyResult<String> {
    let Some(drive) = drive else {
        return Ok(json!(sim::keys().iter().map(key).collect::<Vec<_>>()).to_string());
    };
    let found = guarded(py, || sim::keys_on(&catalogue(folders), drive, &overrides).map_err(input))?;
    let on_drive = |on: &sim::KeyOnDrive| {
        let mut card = key(on.key);
        let lacks = on.lacks.iter().map(sim::in_words).collect::<Vec<_>>().join(" and ");
        card["off"] = json!((!lacks.is_empty()).then_some(lacks));
        card["value"] = json!(on.entry.as_ref().map(|entry| entry.value.to_string()));
        card["place"] = json!(on.entry.as_ref().map(|entry| entry.place.to_string()));
        card["source"] = json!(on.entry.as_ref().and_then(|entry| entry.source.clone()));
        card
    };
    Ok(json!(found.iter().map(on_drive).collect::<Vec<_>>()).to_string())
}

/// Returns the description of a configuration key as JSON, without its value on a drive.
fn key(key: &Key) -> Value {
    let asked = &key.asked;
    json!({
        "key": asked.key,
        "type": asked.kind,
        "unit": asked.unit,
        "range": asked.limits.to_string(),
        "names": asked.names,
        "default": asked.default.as_ref().map(ToString::to_string),
        "required": asked.required,
        "help": asked.help,
        "needs": sim::needs_in_words(key),
    })
}

/// Makes the catalogue of the drives and chips in `folders`, with the user's own Python policies.
pub fn catalogue(folders: Vec<String>) -> Catalogue {
    Catalogue::new(folders).with(own::bringer())
}

/// Returns, for Python, the name, title and path of each drive that the catalogue finds in `folders`, as JSON.
#[pyfunction]
pub fn drives(folders: Vec<String>) -> String {
    json!(catalogue(folders).drives()).to_string()
}

/// Returns, for Python, the name, title and path of each flash chip that the catalogue finds in `folders`, as JSON.
#[pyfunction]
pub fn chips(folders: Vec<String>) -> String {
    json!(catalogue(folders).chips()).to_string()
}

/// Returns the bytes of host memory that the simulation of a drive takes, including those of the invariant checker if
/// `check` is true; `settings` are changes of the drive's configuration or, where `folders` is None, the whole
/// configuration.
#[pyfunction]
#[pyo3(signature = (drive, settings, folders, check))]
pub fn memory_bytes(
    py: Python<'_>,
    drive: &str,
    settings: Vec<String>,
    folders: Option<Vec<String>>,
    check: bool,
) -> PyResult<u64> {
    guarded(py, || {
        let found = match folders {
            Some(folders) => Drive::load(&catalogue(folders), drive, &settings),
            None => Drive::from_resolved_with(drive, &settings, own::bringer()),
        };
        let checking = if check { sim::Checking::On } else { sim::Checking::Off };
        Ok(found.map_err(input)?.memory_bytes(checking))
    })
}

/// Returns the number of bytes of the computer's available memory that simulated drives may take, for Python; None
/// where unknown.
#[pyfunction]
pub fn free_memory_bytes() -> Option<u64> {
    sim::free_memory()
}

/// Returns the name, title and capacity of a drive, all its configuration values in force, and notes on how the failure
/// rates of its error correcting code were counted, as JSON.
#[pyfunction]
pub fn explain_drive(
    py: Python<'_>,
    drive: &str,
    overrides: Vec<String>,
    folders: Vec<String>,
) -> PyResult<String> {
    guarded(py, || {
        let drive = Drive::load(&catalogue(folders), drive, &overrides).map_err(input)?;
        Ok(json!({
            "name": drive.name,
            "title": drive.title,
            "capacity_bytes": drive.capacity().get(),
            "entries": entries(drive.entries()),
            "counted": drive.counted(),
        })
        .to_string())
    })
}

/// Returns the raw bit error rates of the pages of a drive, or of the chip `name` if `overrides` is None, as JSON: for
/// each wear in program/erase cycles, age in ns and number of reads, and each page type, with the read that corrects
/// the page.
#[pyfunction]
pub fn page_errors(
    py: Python<'_>,
    name: &str,
    overrides: Option<Vec<String>>,
    folders: Vec<String>,
    conditions: (Vec<u32>, Vec<u64>, Vec<u32>),
) -> PyResult<String> {
    let (pe_cycles, ages_ns, reads) = conditions;
    let ages_s = ages_ns.into_iter().map(|ns| ns as f64 / 1e9).collect();
    let grid = sim::ErrorGrid { pe_cycles, ages_s, reads };
    guarded(py, || {
        let catalogue = catalogue(folders);
        let found = match overrides {
            None => sim::chip_errors(&catalogue, name, &grid),
            Some(set) => {
                let drive = Drive::load(&catalogue, name, &set).map_err(input)?;
                sim::drive_errors(&drive, &grid)
            }
        };
        Ok(json!(found.map_err(input)?).to_string())
    })
}

/// Returns the name and title of a flash chip, and all its configuration values in force, as JSON.
#[pyfunction]
pub fn explain_chip(chip: &str, folders: Vec<String>) -> PyResult<String> {
    let (title, resolved) = resolve_chip(&catalogue(folders), chip).map_err(input)?;
    Ok(json!({ "name": chip, "title": title, "entries": entries(&resolved) }).to_string())
}

/// Returns the names and titles of all built-in workloads (fio jobs), as JSON.
#[pyfunction]
pub fn generators() -> String {
    let generator =
        |generator: &host::fio::Generator| json!({ "name": generator.name, "title": generator.title });
    json!(host::fio::generators().iter().map(generator).collect::<Vec<_>>()).to_string()
}

/// Returns the fio jobs of a workload, as JSON: name, number of clones (`numjobs`), whether the clones are reported
/// together, and all options as written; null where the workload has no fio jobs.
#[pyfunction]
pub fn fio_jobs(workload: &str) -> PyResult<String> {
    let spec = sim::WorkloadSpec::from_json(workload).map_err(input)?;
    let Some(file) = spec.jobs().map_err(input)? else { return Ok(Value::Null.to_string()) };
    let job = |job: &host::fio::JobSpec| {
        json!({
            "name": job.name,
            "clones": job.numjobs,
            "together": job.reports_together(),
            "options": job.options,
        })
    };
    Ok(json!(file.jobs.iter().map(job).collect::<Vec<_>>()).to_string())
}

/// Checks that the fio jobs of a workload can run on a drive of `capacity` bytes. Raises InputError with the reason if
/// they cannot.
#[pyfunction]
pub fn fio_check(workload: &str, capacity: u64) -> PyResult<()> {
    let spec = sim::WorkloadSpec::from_json(workload).map_err(input)?;
    spec.open(capacity, 1).map(drop).map_err(input)
}

/// Returns, for Python, the origin and the geometry of the saved drive state in the file `path`, as JSON.
#[pyfunction]
pub fn state_info(path: &str) -> PyResult<String> {
    Ok(sim::state_info(Path::new(path)).map_err(input)?.to_string())
}

/// Returns a resolved configuration as JSON: each key with its value, place, source and help.
fn entries(entries: &[Entry]) -> Value {
    let entry = |entry: &Entry| {
        json!({
            "key": entry.key,
            "value": entry.value.to_string(),
            "place": entry.place.to_string(),
            "source": entry.source,
            "help": entry.help,
            "expected": entry.expected,
        })
    };
    json!(entries.iter().map(entry).collect::<Vec<_>>())
}

/// Parses a time with its unit, such as `10s`, into nanoseconds.
#[pyfunction]
pub fn nanoseconds(text: &str) -> PyResult<u64> {
    let time = Nanos::parse(text).map_err(|error| input(format!("{error}: expected {}", Nanos::EXPECTED)))?;
    Ok(time.ns())
}

/// Parses a size with its unit, such as `16KiB`, into bytes.
#[pyfunction]
pub fn size_bytes(text: &str) -> PyResult<u64> {
    let size = Bytes::parse(text).map_err(|error| input(format!("{error}: expected {}", Bytes::EXPECTED)))?;
    Ok(size.get())
}

/// Returns the quantile of Student's t distribution with `freedom` degrees of freedom, for a probability from 0.5 to 1.
#[pyfunction]
pub fn student_t(probability: f64, freedom: usize) -> f64 {
    sim::student_t(probability, freedom)
}
