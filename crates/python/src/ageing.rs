//! A drive worn to its end: `floatgate._core.PyAgeing`.

use crate::errors::{guarded, input};
use crate::held::Held;
use crate::listing::catalogue;
use pyo3::prelude::*;
use serde_json::json;
use sim::{AgeingOptions, Drive};
use std::path::PathBuf;

/// A drive that is aged until its end, for Python; values are passed as JSON.
#[pyclass(name = "Ageing", module = "floatgate._core", frozen)]
pub struct PyAgeing {
    inner: Held<sim::Ageing>,
    capacity_bytes: u64,
    unit_bytes: u64,
}

#[pymethods]
impl PyAgeing {
    /// Fills the drive `drive` (or in that file) of the catalogue `folders` once.
    #[new]
    fn new(
        py: Python<'_>,
        drive: &str,
        overrides: Vec<String>,
        folders: Vec<String>,
        options: &str,
    ) -> PyResult<Self> {
        let options = AgeingOptions::from_json(options).map_err(input)?;
        guarded(py, move || {
            let drive = Drive::load(&catalogue(folders), drive, &overrides).map_err(input)?;
            let capacity_bytes = drive.capacity().get();
            let ageing = sim::Ageing::new(drive, options).map_err(input)?;
            let unit_bytes = ageing.unit_bytes();
            Ok(Self { inner: Held::new(ageing), capacity_bytes, unit_bytes })
        })
    }

    /// Bytes the host sees.
    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// Bytes of a mapping unit; each write writes one unit.
    fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// What its end is judged by.
    fn facts(&self) -> PyResult<String> {
        Ok(json!(self.inner.lock()?.facts()).to_string())
    }

    /// How data read in use, were the years over now; null where nothing tells.
    fn in_use(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |ageing| Ok(json!(ageing.in_use()).to_string()))
    }

    /// Saves the state of the drive.
    fn save_state(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.inner.work(py, |ageing| ageing.save_state(&path).map_err(input))
    }

    /// True when work ended early, such as by a signal during a policy's call, and left the drive in a state that
    /// cannot be used.
    fn is_broken(&self) -> bool {
        self.inner.is_broken()
    }

    /// Goes on by a part of a window. Returns the drive's state after the last part and the jump, none before; and the
    /// share of a mean block's life that has passed.
    fn go_on(&self, py: Python<'_>) -> PyResult<(Option<String>, f64)> {
        self.inner.work(py, |ageing| {
            let row = ageing.go_on().map_err(input)?;
            Ok((row.map(|row| json!(row).to_string()), ageing.fraction()))
        })
    }
}
