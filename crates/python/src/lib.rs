//! The `floatgate._core` extension module: the only crate that knows Python.
//!
//! Everything crosses as JSON text or as Arrow tables, so that the Python side needs no mirror of
//! the core's types, and a new key in a result needs no change here.

mod ageing;
mod bus;
mod chip;
mod ecc_measure;
mod errors;
mod held;
mod kept;
mod lines;
mod listing;
mod live;
mod own;
mod session;
mod step;
mod stop;
mod tables;
mod trace;
mod voltages;

use pyo3::prelude::*;

#[cfg(target_endian = "big")]
compile_error!(
    "the Python package needs a little-endian processor: elsewhere Parquet's library writes files that no other reads"
);

/// Returns the version of the simulator core, such as `0.1.0`.
#[pyfunction]
fn version() -> &'static str {
    env!("CARGO_PKG_VERSION")
}

/// Returns the version number of the cell model's equations, by which characterization tables are derived; tables of
/// other versions are refused.
#[pyfunction]
fn cell_laws() -> u32 {
    nand::tables::CELL_LAWS
}

#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("InputError", module.py().get_type::<errors::InputError>())?;
    module.add("BrokenInvariant", module.py().get_type::<errors::BrokenInvariant>())?;
    module.add("PolicyTimeout", module.py().get_type::<own::PolicyTimeout>())?;
    module.add("Stopped", module.py().get_type::<stop::Stopped>())?;
    module.add_function(wrap_pyfunction!(stop::ask_to_stop, module)?)?;
    module.add_function(wrap_pyfunction!(stop::end_at_once, module)?)?;
    module.add_function(wrap_pyfunction!(stop::forget_stop, module)?)?;
    sim::embed(sim::Embedding { is_stopped: stop::is_stopped, is_kept: kept::is_kept });
    module.add_function(wrap_pyfunction!(version, module)?)?;
    module.add_function(wrap_pyfunction!(cell_laws, module)?)?;
    module.add_function(wrap_pyfunction!(listing::policies, module)?)?;
    module.add_function(wrap_pyfunction!(listing::result_schema, module)?)?;
    module.add_function(wrap_pyfunction!(own::check_policy, module)?)?;
    module.add_function(wrap_pyfunction!(own::policy_timeout, module)?)?;
    module.add_function(wrap_pyfunction!(own::compiled_is_asked, module)?)?;
    module.add_function(wrap_pyfunction!(own::compiled_watch, module)?)?;
    module.add_class::<session::PySession>()?;
    module.add_class::<live::PyServer>()?;
    module.add_class::<step::PySteppedDrive>()?;
    module.add_class::<step::PyCompletion>()?;
    module.add_function(wrap_pyfunction!(step::step_op, module)?)?;
    module.add_function(wrap_pyfunction!(step::step_words, module)?)?;
    module.add_class::<tables::ArrowTable>()?;
    module.add_class::<tables::Writer>()?;
    module.add_function(wrap_pyfunction!(tables::table_columns, module)?)?;
    module.add_function(wrap_pyfunction!(tables::read_parquet, module)?)?;
    module.add_class::<ageing::PyAgeing>()?;
    module.add_class::<chip::PyChip>()?;
    module.add_function(wrap_pyfunction!(bus::bus_waveform, module)?)?;
    module.add_function(wrap_pyfunction!(listing::drives, module)?)?;
    module.add_function(wrap_pyfunction!(listing::chips, module)?)?;
    module.add_function(wrap_pyfunction!(listing::explain_drive, module)?)?;
    module.add_function(wrap_pyfunction!(listing::page_errors, module)?)?;
    module.add_function(wrap_pyfunction!(listing::keys, module)?)?;
    module.add_function(wrap_pyfunction!(listing::explain_chip, module)?)?;
    module.add_function(wrap_pyfunction!(listing::memory_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(listing::free_memory_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(listing::generators, module)?)?;
    module.add_function(wrap_pyfunction!(listing::fio_jobs, module)?)?;
    module.add_function(wrap_pyfunction!(listing::fio_check, module)?)?;
    module.add_function(wrap_pyfunction!(listing::state_info, module)?)?;
    module.add_function(wrap_pyfunction!(listing::nanoseconds, module)?)?;
    module.add_function(wrap_pyfunction!(voltages::best_references, module)?)?;
    module.add_function(wrap_pyfunction!(voltages::page_error_rates, module)?)?;
    ecc_measure::register(module)?;
    module.add_class::<lines::LogRows>()?;
    module.add_function(wrap_pyfunction!(lines::plain_lines, module)?)?;
    module.add_function(wrap_pyfunction!(listing::size_bytes, module)?)?;
    module.add_function(wrap_pyfunction!(listing::student_t, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_formats, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_info, module)?)?;
    module.add_function(wrap_pyfunction!(trace::trace_convert, module)?)?;
    module.add_function(wrap_pyfunction!(trace::volumes, module)?)?;
    module.add_function(wrap_pyfunction!(trace::volume_info, module)?)?;
    module.add_function(wrap_pyfunction!(trace::volume_convert, module)?)?;
    Ok(())
}
