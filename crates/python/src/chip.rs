//! A simulated chip on the bench: `floatgate._core.Chip`.

use crate::errors::{guarded, input};
use nand::chip::{Answer, ChipInterface, Operation, Pages, Pattern, SimulatedChip};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use std::sync::{Mutex, MutexGuard};

/// A chip made of the cell model. What crosses is JSON, numbers and bytes.
#[pyclass(module = "floatgate._core", frozen)]
pub struct Chip {
    inner: Mutex<SimulatedChip>,
}

impl Chip {
    fn lock(&self) -> MutexGuard<'_, SimulatedChip> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

fn answered(answer: Answer) -> (&'static str, u64) {
    (answer.status.name(), answer.busy_ns)
}

#[pymethods]
impl Chip {
    /// The chip `name` (or file) of the catalogue `folders`, with `key=value` of its file overridden.
    #[new]
    #[pyo3(signature = (name, folders, seed, overrides = Vec::new()))]
    fn new(
        py: Python<'_>,
        name: &str,
        folders: Vec<String>,
        seed: u64,
        overrides: Vec<String>,
    ) -> PyResult<Self> {
        guarded(py, || {
            let catalogue = sim::Catalogue::new(folders);
            let chip = sim::chip_on_bench(&catalogue, name, &overrides, seed).map_err(input)?;
            Ok(Self { inner: Mutex::new(chip) })
        })
    }

    /// What the part says about itself, as JSON.
    fn identify(&self) -> String {
        let chip = self.lock();
        let id = chip.identify();
        let known = |value: u64| (value > 0).then_some(value);
        json!({
            "title": id.title,
            "maker": id.maker,
            "device_id": id.device_id,
            "bits": id.geometry.cell.bits(),
            "page_bytes": id.geometry.page_size.get(),
            "oob_bytes": id.geometry.oob_size.get(),
            "pages_per_block": id.geometry.pages_per_block,
            "blocks": id.geometry.planes * id.geometry.blocks_per_plane,
            "planes": id.geometry.planes,
            "states": id.states,
            "rated": {
                "t_r_ns": known(id.rated.t_r_ns),
                "t_prog_ns": known(id.rated.t_prog_ns),
                "t_bers_ns": known(id.rated.t_bers_ns),
                "pe_cycles": known(id.rated.pe_cycles),
            },
        })
        .to_string()
    }

    /// Status, busy time in ns, and the page with its spare bytes.
    fn read<'py>(
        &self,
        py: Python<'py>,
        block: u32,
        page: u32,
    ) -> PyResult<(&'static str, u64, Bound<'py, PyBytes>)> {
        let read = guarded(py, || self.lock().read(block, page).map_err(input))?;
        Ok((read.status.name(), read.busy_ns, PyBytes::new(py, &read.data)))
    }

    /// Status and busy time in ns.
    fn program(&self, py: Python<'_>, block: u32, page: u32, data: Vec<u8>) -> PyResult<(&'static str, u64)> {
        guarded(py, || self.lock().program(block, page, &data).map(answered).map_err(input))
    }

    /// Status and busy time in ns.
    fn erase(&self, py: Python<'_>, block: u32) -> PyResult<(&'static str, u64)> {
        guarded(py, || self.lock().erase(block).map(answered).map_err(input))
    }

    /// Rows of (page or None, "program" or "erase", cycle, busy time in ns, pulses, status).
    #[allow(clippy::type_complexity)]
    fn cycle(
        &self,
        py: Python<'_>,
        block: u32,
        cycles: u64,
        pattern: &str,
        pages: &str,
    ) -> PyResult<Vec<(Option<u32>, &'static str, u64, u64, u32, &'static str)>> {
        guarded(py, || {
            let pattern = Pattern::parse(pattern).map_err(input)?;
            let pages = match pages {
                "first" => Pages::First,
                "all" => Pages::All,
                "none" => Pages::None,
                _ => return Err(input(format!("pages {pages:?}: expected first, all or none"))),
            };
            let rows = self.lock().cycle(block, cycles, &pattern, pages).map_err(input)?;
            let row = |row: nand::chip::LogRow| {
                let operation = match row.operation {
                    Operation::Program => "program",
                    Operation::Erase => "erase",
                };
                (row.page, operation, row.cycle, row.busy_ns, row.pulses, if row.ok { "ok" } else { "fail" })
            };
            Ok(rows.into_iter().map(row).collect())
        })
    }

    /// How the last operation ended.
    fn status(&self) -> &'static str {
        self.lock().status().name()
    }

    /// How long it took, ns.
    fn busy_time(&self) -> u64 {
        self.lock().busy_time_ns()
    }

    /// Brings the chip to a temperature, degrees Celsius.
    fn set_temperature(&self, celsius: f64) -> PyResult<()> {
        self.lock().set_temperature(celsius).map_err(input)
    }

    /// The chip's temperature, degrees Celsius.
    fn temperature(&self) -> f64 {
        self.lock().temperature()
    }

    /// Leaves the chip alone.
    fn let_time_pass(&self, seconds: f64) -> PyResult<()> {
        self.lock().let_time_pass(seconds).map_err(input)
    }

    /// The bench's clock, ns.
    fn now_ns(&self) -> u64 {
        self.lock().now_ns()
    }

    /// Names of the sets of voltages, the usual one first.
    fn voltage_plans(&self) -> Vec<String> {
        self.lock().plans().into_iter().map(ToOwned::to_owned).collect()
    }

    /// Writes and reads with this set of voltages from now on; returns it as JSON.
    fn use_voltage_plan(&self, name: &str) -> PyResult<String> {
        let mut chip = self.lock();
        let plan = chip.use_plan(name).map_err(input)?.clone();
        let physics = chip.physics();
        Ok(json!({
            "states": physics.states,
            "verify": plan.verify,
            "references": plan.references,
            "start": plan.start,
            "step": plan.step,
            "erase_verify": physics.erase.verify,
        })
        .to_string())
    }

    /// Threshold voltages of a wordline in volts: little-endian f32.
    fn threshold_voltages<'py>(
        &self,
        py: Python<'py>,
        block: u32,
        wordline: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let volts = guarded(py, || self.lock().threshold_voltages(block, wordline).map_err(input))?;
        let bytes: Vec<u8> = volts.iter().flat_map(|volts| volts.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// Target state and volts after each pulse of some cells.
    fn staircases(
        &self,
        py: Python<'_>,
        block: u32,
        wordline: u32,
        cells: u32,
    ) -> PyResult<Vec<(usize, Vec<f64>)>> {
        guarded(py, || self.lock().staircases(block, wordline, cells).map_err(input))
    }
}
