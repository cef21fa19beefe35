//! A simulated chip on the bench: `floatgate._core.PyChip`.

use crate::ecc_measure::{EccPage, ones, soft_rates};
use crate::errors::{guarded, input};
use crate::lines::LogRows;
use ecc::sensing::Page;
use nand::chip::{Answer, ChipInterface, Pages, Pattern, SimulatedChip};
use nand::tables::{Rest, Spreads};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::json;
use sim::{BenchChip, ChipModel};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard};

/// Python class: flash chip on the simulated test bench; the chip is simulated by its cells or by its characterization
/// tables.
#[pyclass(name = "Chip", module = "floatgate._core", frozen)]
pub struct PyChip {
    inner: Mutex<BenchChip>,
}

/// Type of the exclusive access to a flash chip while a Python call holds the chip's lock; the chip is simulated by
/// cells or by tables.
struct Locked<'a>(MutexGuard<'a, BenchChip>);

impl Locked<'_> {
    fn cells(&mut self) -> PyResult<&mut SimulatedChip> {
        match &mut *self.0 {
            BenchChip::Cells(chip) => Ok(chip),
            BenchChip::Tables(_) => Err(input("a chip of tables has no cells: expected the model `cells`")),
        }
    }
}

impl Deref for Locked<'_> {
    type Target = dyn ChipInterface;

    fn deref(&self) -> &Self::Target {
        match &*self.0 {
            BenchChip::Cells(chip) => chip.as_ref(),
            BenchChip::Tables(chip) => chip.as_ref(),
        }
    }
}

impl DerefMut for Locked<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match &mut *self.0 {
            BenchChip::Cells(chip) => chip.as_mut(),
            BenchChip::Tables(chip) => chip.as_mut(),
        }
    }
}

impl PyChip {
    fn lock(&self) -> Locked<'_> {
        Locked(self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner))
    }
}

fn answered(answer: Answer) -> (&'static str, u64) {
    (answer.status.name(), answer.busy_ns)
}

#[pymethods]
impl PyChip {
    /// Loads the flash chip `name` (a name or a file) from the catalogue `folders`, with `key=value` overrides of its
    /// file; if `tables` is true, it is simulated by its characterization tables instead of its cells. `seed` seeds its
    /// random numbers.
    #[new]
    #[pyo3(signature = (name, folders, seed, overrides = Vec::new(), tables = false))]
    fn new(
        py: Python<'_>,
        name: &str,
        folders: Vec<String>,
        seed: u64,
        overrides: Vec<String>,
        tables: bool,
    ) -> PyResult<Self> {
        guarded(py, || {
            let catalogue = sim::Catalogue::new(folders);
            let model = if tables { ChipModel::Tables } else { ChipModel::Cells };
            let chip = sim::chip_on_bench(&catalogue, name, &overrides, model, seed).map_err(input)?;
            Ok(Self { inner: Mutex::new(chip) })
        })
    }

    /// Returns the identity of the chip as JSON: maker, geometry, states and rated times in ns.
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

    /// Reads a page of the flash chip on the simulated test bench; returns the status of the operation, the busy time
    /// in ns, and the bytes of the page with those of its spare (out-of-band) area.
    fn read<'py>(
        &self,
        py: Python<'py>,
        block: u32,
        page: u32,
    ) -> PyResult<(&'static str, u64, Bound<'py, PyBytes>)> {
        let read = guarded(py, || self.lock().read(block, page).map_err(input))?;
        Ok((read.status.name(), read.busy_ns, PyBytes::new(py, &read.data)))
    }

    /// Programs a page of the flash chip on the simulated test bench; returns the status of the operation and the busy
    /// time in ns.
    fn program(&self, py: Python<'_>, block: u32, page: u32, data: &[u8]) -> PyResult<(&'static str, u64)> {
        guarded(py, || self.lock().program(block, page, data).map(answered).map_err(input))
    }

    /// Erases a block of the flash chip on the simulated test bench; returns the status of the operation and the busy
    /// time in ns.
    fn erase(&self, py: Python<'_>, block: u32) -> PyResult<(&'static str, u64)> {
        guarded(py, || self.lock().erase(block).map(answered).map_err(input))
    }

    /// Runs program/erase cycles on a block with a data pattern, programming the pages that `pages` names (first, all
    /// or none) in each cycle, until the block fails at the latest; returns the test rig's log, one row for each
    /// recorded program or erase.
    fn cycle(
        &self,
        py: Python<'_>,
        block: u32,
        cycles: u64,
        pattern: &str,
        pages: &str,
    ) -> PyResult<LogRows> {
        guarded(py, || {
            let pattern = Pattern::parse(pattern).map_err(input)?;
            let pages = match pages {
                "first" => Pages::First,
                "all" => Pages::All,
                "none" => Pages::None,
                _ => return Err(input(format!("pages {pages:?}: expected first, all or none"))),
            };
            let rows = self.lock().cycle(block, cycles, &pattern, pages).map_err(input)?;
            Ok(LogRows::new(block, rows))
        })
    }

    /// Returns the status (`ok`, `fail` or `protected`) of the last operation of the flash chip on the simulated test
    /// bench.
    fn status(&self) -> &'static str {
        self.lock().status().name()
    }

    /// Returns the busy time, in ns, of the last operation of the flash chip on the simulated test bench.
    fn busy_time(&self) -> u64 {
        self.lock().busy_time_ns()
    }

    /// Sets the temperature of the flash chip on the simulated test bench, in degrees Celsius.
    fn set_temperature(&self, celsius: f64) -> PyResult<()> {
        self.lock().set_temperature(celsius).map_err(input)
    }

    /// Returns the temperature of the flash chip on the simulated test bench, in degrees Celsius.
    fn temperature(&self) -> f64 {
        self.lock().temperature()
    }

    /// Lets `seconds` of simulated time pass on the test bench without an operation on the chip.
    fn let_time_pass(&self, seconds: f64) -> PyResult<()> {
        self.lock().let_time_pass(seconds).map_err(input)
    }

    /// Returns the simulated time of the test bench in ns.
    fn now_ns(&self) -> u64 {
        self.lock().now_ns()
    }

    /// Returns the names of the chip's voltage sets (program-verify and read reference voltages), the default set
    /// first.
    fn voltage_plans(&self) -> PyResult<Vec<String>> {
        Ok(self.lock().cells()?.plans().into_iter().map(ToOwned::to_owned).collect())
    }

    /// Makes the chip program and read with the voltage set `name` (program-verify and read reference voltages) from
    /// now on; returns the set as JSON, voltages in volts.
    fn use_voltage_plan(&self, name: &str) -> PyResult<String> {
        let mut lock = self.lock();
        let chip = lock.cells()?;
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

    /// Makes the chip program, from now on, with an ISPP step (rise of the program voltage from pulse to pulse) of
    /// `times` the step of the voltage set in use.
    fn use_program_step(&self, times: f64) -> PyResult<()> {
        self.lock().cells()?.use_step(times).map_err(input)
    }

    /// Returns the mean raw bit error rates of blocks with this wear (program/erase cycles) at the voltage set and ISPP
    /// step in use, one tuple for each rest (retention time in seconds at the reference temperature, or at `celsius`,
    /// and number of reads) in `rests`: the rate of each page type with the default read references, and with the best;
    /// the fraction of misread cells of each state; and the greatest distance of the best references below the default,
    /// in volts. `layer` selects the wordline layer of this rank by error rate, above 0 (best) and below 1 (worst).
    #[allow(clippy::type_complexity)]
    #[pyo3(signature = (pe_cycles, rests, cells, celsius = None, layer = None))]
    fn error_rates(
        &self,
        py: Python<'_>,
        pe_cycles: f64,
        rests: Vec<(f64, u64)>,
        cells: usize,
        celsius: Option<f64>,
        layer: Option<f64>,
    ) -> PyResult<Vec<(Vec<f64>, Vec<f64>, Vec<f64>, f64)>> {
        guarded(py, || {
            let mut lock = self.lock();
            let chip = lock.cells()?;
            let rests = rests_of(chip, &rests, celsius);
            let rates = chip.error_rates(pe_cycles, &rests, cells, layer).map_err(input)?;
            Ok(rates.into_iter().map(|rates| (rates.usual, rates.best, rates.misread, rates.shift)).collect())
        })
    }

    /// Returns, for each rest in `rests` (retention time in seconds and number of reads), a page of type `page` in
    /// blocks with this wear (program/erase cycles), at the voltage set and ISPP step in use, as a channel for error
    /// correction: the mean of all blocks, or the block with the rank `block` by oxide trapping, above 0 (traps least)
    /// and below 1 (traps most).
    #[pyo3(signature = (pe_cycles, rests, cells, page, celsius = None, block = None))]
    #[allow(clippy::too_many_arguments)]
    fn pages(
        &self,
        py: Python<'_>,
        pe_cycles: f64,
        rests: Vec<(f64, u64)>,
        cells: usize,
        page: usize,
        celsius: Option<f64>,
        block: Option<f64>,
    ) -> PyResult<Vec<EccPage>> {
        guarded(py, || {
            let mut lock = self.lock();
            let chip = lock.cells()?;
            let rests = rests_of(chip, &rests, celsius);
            let ones = ones(&chip.physics().states, page);
            let spreads = chip.spreads(pe_cycles, &rests, cells, block).map_err(input)?;
            let page = |spreads| Page::new(spreads, ones.clone()).map(|page| EccPage { page });
            spreads
                .into_iter()
                .map(|spreads| page(spreads).ok_or_else(|| input("a page whose bits never change")))
                .collect()
        })
    }

    /// Returns, for each rest in `rests` (retention time in seconds and number of reads) and each page type, the raw
    /// bit error rate of the Gaussian noise with which decoding fails as often as with the page's soft reads: with two
    /// and with three soft bits.
    fn soft_rates(
        &self,
        py: Python<'_>,
        pe_cycles: f64,
        rests: Vec<(f64, u64)>,
        cells: usize,
    ) -> PyResult<Vec<(Vec<f64>, Vec<f64>)>> {
        guarded(py, || {
            let mut lock = self.lock();
            let chip = lock.cells()?;
            let rests = rests_of(chip, &rests, None);
            let states = &chip.physics().states;
            let bits = states[0].len();
            let spreads = chip.spreads(pe_cycles, &rests, cells, None).map_err(input)?;
            let of_rest = |spreads: Spreads| {
                let rates = (0..bits).map(|page| {
                    let page = Page::new(spreads.clone(), ones(states, page));
                    page.map(|page| soft_rates(&page)).ok_or_else(|| input("a page whose bits never change"))
                });
                let rates = rates.collect::<PyResult<Vec<_>>>()?;
                Ok((rates.iter().map(|of| of[0]).collect(), rates.iter().map(|of| of[1]).collect()))
            };
            spreads.into_iter().map(of_rest).collect()
        })
    }

    /// Returns, for each rest in `rests` (retention time in seconds and number of reads), the raw bit error rate of a
    /// page type with the best read references, by the chip's tables.
    #[pyo3(signature = (pe_cycles, rests, page, celsius = None))]
    fn table_rates(
        &self,
        pe_cycles: u32,
        rests: Vec<(f64, u32)>,
        page: usize,
        celsius: Option<f64>,
    ) -> PyResult<Vec<f64>> {
        let chip = self.lock();
        let BenchChip::Tables(chip) = &*chip.0 else {
            return Err(input("a chip of cells has no tables: expected the model `tables`"));
        };
        let rate = |(seconds, reads): &(f64, u32)| chip.best_rate(page, pe_cycles, *seconds, *reads, celsius);
        Ok(rests.iter().map(rate).collect())
    }

    /// Returns two constants of the simulated chip's cells: the activation energy of charge loss in eV, and the
    /// temperature in degrees Celsius at which the constants of charge loss hold.
    fn retention(&self) -> PyResult<(f64, f64)> {
        let mut lock = self.lock();
        let retention = &lock.cells()?.physics().retention;
        Ok((retention.activation_ev, retention.reference_celsius))
    }

    /// Returns the array read time (tR) of each page of a wordline of the chip, in ns.
    fn read_times(&self) -> PyResult<Vec<u64>> {
        let mut lock = self.lock();
        let physics = lock.cells()?.physics();
        Ok((0..physics.cell.bits()).map(|bit| physics.t_read(bit).ns()).collect())
    }

    /// Returns the threshold voltages of the cells of a wordline in volts: little-endian f32.
    fn threshold_voltages<'py>(
        &self,
        py: Python<'py>,
        block: u32,
        wordline: u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let volts = guarded(py, || self.lock().cells()?.threshold_voltages(block, wordline).map_err(input))?;
        let bytes: Vec<u8> = volts.iter().flat_map(|volts| volts.to_le_bytes()).collect();
        Ok(PyBytes::new(py, &bytes))
    }

    /// Returns the course of programming for `cells` cells of a wordline: of each cell the target state, and the
    /// threshold voltage in volts before the first program pulse and after each pulse.
    fn staircases(
        &self,
        py: Python<'_>,
        block: u32,
        wordline: u32,
        cells: u32,
    ) -> PyResult<Vec<(usize, Vec<f64>)>> {
        guarded(py, || self.lock().cells()?.staircases(block, wordline, cells).map_err(input))
    }
}

/// Makes the rests of a block (retention time after the program, and number of reads) from pairs of `seconds`, at
/// `celsius` or else at the reference temperature, and number of reads.
fn rests_of(chip: &SimulatedChip, rests: &[(f64, u64)], celsius: Option<f64>) -> Vec<Rest> {
    let rest =
        |(seconds, reads): &(f64, u64)| Rest { elapsed: chip.elapsed(*seconds, celsius), reads: *reads };
    rests.iter().map(rest).collect()
}
