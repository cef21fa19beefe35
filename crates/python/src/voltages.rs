//! What measured threshold voltages say about errors: `nand::cells::distribution` for Python.

use crate::errors::{guarded, input};
use nand::Cell;
use nand::cells::coding;
use nand::cells::distribution::{self, Spread};
use pyo3::prelude::*;

/// Makes, from the means and the standard deviations of the cell states, the list of the states' normal distributions
/// of threshold voltages; returns an error for values that no chip can have.
fn spreads(means: &[f64], deviations: &[f64]) -> Result<Vec<Spread>, String> {
    if means.len() != deviations.len() || means.len() < 2 {
        return Err(format!("{} means, {} deviations: expected two or more", means.len(), deviations.len()));
    }
    if let Some(pair) =
        means.windows(2).find(|pair| pair[0].partial_cmp(&pair[1]) != Some(std::cmp::Ordering::Less))
    {
        return Err(format!("means {} and {}: expected them to rise from state to state", pair[0], pair[1]));
    }
    if let Some(width) = deviations.iter().find(|width| !(width.is_finite() && **width > 0.0)) {
        return Err(format!("standard deviation {width}: expected a number above 0"));
    }
    let pairs = means.iter().zip(deviations);
    Ok(pairs.map(|(mean, deviation)| Spread { mean: *mean, deviation: *deviation }).collect())
}

/// Returns the read reference voltages between neighbouring states at which the fewest cells are misread, in the unit
/// of the means.
#[pyfunction]
pub fn best_references(py: Python<'_>, means: Vec<f64>, deviations: Vec<f64>) -> PyResult<Vec<f64>> {
    guarded(py, || Ok(distribution::best_references(&spreads(&means, &deviations).map_err(input)?)))
}

/// Returns the raw bit error rate of each page of a wordline, for cell states with these normal distributions that are
/// read with these references, by the assignment of bits to cell states of chips that program in two steps (`two_step`)
/// or all pages at once.
#[pyfunction]
pub fn page_error_rates(
    py: Python<'_>,
    means: Vec<f64>,
    deviations: Vec<f64>,
    references: Vec<f64>,
    two_step: bool,
) -> PyResult<Vec<f64>> {
    guarded(py, || {
        let states = spreads(&means, &deviations).map_err(input)?;
        if references.len() + 1 != states.len() {
            let wanted = states.len() - 1;
            return Err(input(format!("{} references: expected {wanted}", references.len())));
        }
        let cell = match states.len() {
            2 => Cell::Slc,
            4 => Cell::Mlc,
            8 => Cell::Tlc,
            16 => Cell::Qlc,
            other => return Err(input(format!("{other} states: expected 2, 4, 8 or 16"))),
        };
        let coding = if two_step { coding::two_step_states(cell) } else { coding::one_shot_states(cell) };
        Ok(distribution::page_error_rates(&states, &references, coding))
    })
}
