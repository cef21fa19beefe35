//! States as normal distributions: where references should lie, and how many bits they misread.
//!
//! Measured tables of threshold voltages give a mean and a standard deviation for each state; this is what such a
//! table says about errors, and what sampled cells are held against.

use super::normal::above;

/// Set of the parameters (mean and standard deviation) of the normal distribution of the threshold voltages of one cell
/// state, in volts or another unit of voltage that all states share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean threshold voltage of the state's cells, volts.
    pub mean: f64,
    /// Standard deviation of the threshold voltages of the state's cells, volts.
    pub deviation: f64,
}

impl Spread {
    /// Returns the fraction (0 to 1) of the state's cells with a threshold voltage at or above `level`.
    fn above(self, level: f64) -> f64 {
        above((level - self.mean) / self.deviation)
    }

    /// Returns the fraction (0 to 1) of the state's cells with a threshold voltage below `level`.
    pub fn below(self, level: f64) -> f64 {
        above((self.mean - level) / self.deviation)
    }

    /// Returns the probability density of the state's cells at threshold voltage `level`, up to a factor that all
    /// states share.
    fn density(self, level: f64) -> f64 {
        let z = (level - self.mean) / self.deviation;
        libm::exp(-0.5 * z * z) / self.deviation
    }
}

/// Returns the best read reference voltage between each two neighbouring states, at which fewest cells are misread:
/// where the densities of the two states cross.
///
/// # Panics
/// When the means do not rise or a deviation is not above zero.
pub fn best_references(states: &[Spread]) -> Vec<f64> {
    assert!(states.iter().all(|state| state.deviation > 0.0), "states have a width");
    states.windows(2).map(|pair| crossing(pair[0], pair[1])).collect()
}

/// Returns the voltage between the means of two neighbouring states at which the upper state's density begins to exceed
/// the lower state's, found by bisection.
fn crossing(lower: Spread, upper: Spread) -> f64 {
    assert!(lower.mean < upper.mean, "states rise");
    let (mut low, mut high) = (lower.mean, upper.mean);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if lower.density(middle) > upper.density(middle) { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Returns the raw bit error rate (0 to 1) over all pages: the cells on the wrong side of each read reference voltage,
/// divided by the numbers of states and of bits. All states are equally frequent, and neighbours differ in one bit.
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

/// Returns the raw bit error rate (0 to 1) of each page when all states are equally frequent; `coding` has the bits of
/// each state, one digit for each page. A cell may be misread as any other state, not only as a neighbour.
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

/// Returns the fraction (0 to 1) of the cells of state `meant` that are read as state `read`, computed from the nearer
/// tail of the distribution for accuracy.
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
