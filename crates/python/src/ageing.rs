//! A drive worn to its end: `floatgate._core.PyAgeing`.

use crate::errors::{guarded, input};
use crate::held::Held;
use crate::listing::catalogue;
use pyo3::prelude::*;
use serde_json::json;
use sim::{AgeingOptions, Drive};
use std::path::PathBuf;

/// Python class: ageing run: a drive that is overwritten until the end of its life. Windows, in which each write is
/// simulated, alternate with jumps, which raise the wear (erase counts) without simulated writes. Structured values are
/// passed as JSON.
#[pyclass(name = "Ageing", module = "floatgate._core", frozen)]
pub struct PyAgeing {
    inner: Held<sim::Ageing>,
    capacity_bytes: u64,
    unit_bytes: u64,
}

#[pymethods]
impl PyAgeing {
    /// Makes an ageing run: loads the drive `drive` (a name or a file) from the catalogue `folders`, with `key=value`
    /// overrides, and fills it once with data; `options` is JSON.
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

    /// Returns, for Python, the capacity in bytes, as the host sees it, of the drive in the ageing run.
    fn capacity_bytes(&self) -> u64 {
        self.capacity_bytes
    }

    /// Returns, for Python, the size in bytes of a mapping unit, the unit of the logical-to-physical map; each write of
    /// the ageing run, which overwrites a drive until the end of its life, writes one unit.
    fn unit_bytes(&self) -> u64 {
        self.unit_bytes
    }

    /// Returns the requirements and limits by which the ageing run decides that the drive's life has ended, as JSON.
    fn facts(&self) -> PyResult<String> {
        Ok(json!(self.inner.lock()?.facts()).to_string())
    }

    /// Returns, for Python, how well the drive of the ageing run could read its data in use, if the years of service
    /// were over now, as JSON; null where that is unknown.
    fn in_use(&self, py: Python<'_>) -> PyResult<String> {
        self.inner.work(py, |ageing| Ok(json!(ageing.in_use()).to_string()))
    }

    /// Saves the state of the drive of the ageing run in the file `path`, with data as old as at the end of the years
    /// of service.
    fn save_state(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.inner.work(py, |ageing| ageing.save_state(&path).map_err(input))
    }

    /// Returns true when a panic during earlier work on the ageing run (such as by a signal during a policy's call)
    /// left its drive in a state that cannot be used.
    fn is_broken(&self) -> bool {
        self.inner.is_broken()
    }

    /// Simulates the next writes of the present window of the ageing run (a stretch of the drive's life that is
    /// simulated write by write). Returns two values: where the window ends with this call, the state of the drive as
    /// JSON after the jump that raises the wear without simulated writes, else None; and the fraction, 0 to 1, of the
    /// mean block's life that has passed.
    fn go_on(&self, py: Python<'_>) -> PyResult<(Option<String>, f64)> {
        self.inner.work(py, |ageing| {
            let row = ageing.go_on().map_err(input)?;
            Ok((row.map(|row| json!(row).to_string()), ageing.fraction()))
        })
    }
}
