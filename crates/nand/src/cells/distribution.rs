//! States as normal distributions: where references should lie, and how many bits they misread.
//!
//! Measured tables of threshold voltages give a mean and a standard deviation for each state; this is what such a
//! table says about errors, and what sampled cells are held against.

use super::normal::above;

/// Normal distribution of one state's threshold voltages, in a unit shared by all states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean threshold voltage of the cells, volts.
    pub mean: f64,
    /// Standard deviation of the threshold voltage, volts.
    pub deviation: f64,
}

impl Spread {
    /// Returns the share of cells at or above `level`.
    fn above(self, level: f64) -> f64 {
        above((level - self.mean) / self.deviation)
    }

    /// Returns the share of cells below `level`.
    pub fn below(self, level: f64) -> f64 {
        above((self.mean - level) / self.deviation)
    }

    /// Returns the density of cells at `level`.
    fn density(self, level: f64) -> f64 {
        let z = (level - self.mean) / self.deviation;
        libm::exp(-0.5 * z * z) / self.deviation
    }
}

/// Returns the references between neighbouring states at which fewest cells are misread: where the densities
/// cross.
///
/// # Panics
/// When the means do not rise or a deviation is not above zero.
pub fn best_references(states: &[Spread]) -> Vec<f64> {
    assert!(states.iter().all(|state| state.deviation > 0.0), "states have a width");
    states.windows(2).map(|pair| crossing(pair[0], pair[1])).collect()
}

/// Returns the voltage at which the upper state's density exceeds the lower state's, found by bisection
/// between the means.
fn crossing(lower: Spread, upper: Spread) -> f64 {
    assert!(lower.mean < upper.mean, "states rise");
    let (mut low, mut high) = (lower.mean, upper.mean);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if lower.density(middle) > upper.density(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the share of wrong bits when every state is alike often and neighbours differ in one bit: the
/// cells on the wrong side of each reference, over states and bits.
///
/// # Panics
/// When there is not one reference between each two neighbours.
pub fn bit_error_rate(states: &[Spread], references: &[f64]) -> f64 {
    assert_eq!(references.len() + 1, states.len(), "a reference between neighbours");
    let wrong: f64 = states
        .windows(2)
        .zip(references)
        .map(|(pair, reference)| pair[0].above(*reference) + 1.0 - pair[1].above(*reference))
        .sum();
    let bits = (usize::BITS - 1 - states.len().leading_zeros()) as f64;
    wrong / states.len() as f64 / bits
}

/// Returns the share of wrong bits of each page when every state is alike often; `coding` has the bits of
/// each state, digit by digit of its pages. A cell may be read as any other state, not only as its neighbour.
///
/// # Panics
/// When there is not one reference between each two neighbours, or not one name for each state.
pub fn page_error_rates(states: &[Spread], references: &[f64], coding: &[&str]) -> Vec<f64> {
    assert_eq!(references.len() + 1, states.len(), "a reference between neighbours");
    assert_eq!(coding.len(), states.len(), "a name for each state");
    let wrong = |page: usize| -> f64 {
        let bit = |state: usize| coding[state].as_bytes()[page];
        let pairs = (0..states.len()).flat_map(|meant| (0..states.len()).map(move |read| (meant, read)));
        pairs
            .filter(|&(meant, read)| bit(meant) != bit(read))
            .map(|(meant, read)| misread(states[meant], meant, read, references))
            .sum()
    };
    (0..coding[0].len()).map(|page| wrong(page) / states.len() as f64).collect()
}

/// Returns the share of the cells of state `meant` that are read as state `read`, computed from the nearer
/// tail for accuracy.
fn misread(cells: Spread, meant: usize, read: usize, references: &[f64]) -> f64 {
    if read > meant {
        let farther = references.get(read).map_or(0.0, |level| cells.above(*level));
        cells.above(references[read - 1]) - farther
    } else {
        let farther = if read == 0 { 0.0 } else { cells.below(references[read - 1]) };
        cells.below(references[read]) - farther
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_widths_cross_in_the_middle() {
        let states = [Spread { mean: 0.0, deviation: 1.0 }, Spread { mean: 6.0, deviation: 1.0 }];
        let references = best_references(&states);
        assert!((references[0] - 3.0).abs() < 1e-9);
        assert!((bit_error_rate(&states, &references) / above(3.0) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn other_references_misread_more() {
        let states = [Spread { mean: -110.0, deviation: 45.9 }, Spread { mean: 65.9, deviation: 9.0 }];
        let best = best_references(&states)[0];
        let least = bit_error_rate(&states, &[best]);
        for moved in [-4.0, -1.0, 1.0, 4.0] {
            assert!(bit_error_rate(&states, &[best + moved]) > least);
        }
    }

    #[test]
    fn pages_share_the_errors_of_the_borders_that_they_sense() {
        let states: Vec<Spread> =
            (0..4).map(|at| Spread { mean: f64::from(at) * 8.0, deviation: 1.0 }).collect();
        let references = best_references(&states);
        let pages = page_error_rates(&states, &references, &["11", "10", "00", "01"]);
        // The first page senses one border, the second two; each border misreads the tails beyond four deviations.
        let border = 2.0 * above(4.0) / 4.0;
        assert!((pages[0] / border - 1.0).abs() < 1e-3 && (pages[1] / (2.0 * border) - 1.0).abs() < 1e-3);
        // Neighbours alone make the mean, as far states are hardly ever reached.
        let mean = pages.iter().sum::<f64>() / 2.0;
        assert!((mean / bit_error_rate(&states, &references) - 1.0).abs() < 1e-3);
    }
}
