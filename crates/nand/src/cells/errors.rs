//! What was meant and what was read: errors by state and by page, histograms, and where references should lie.

/// Table of counts of cells by the state to which a cell was programmed and the state that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Confusion {
    states: usize,
    counts: Vec<u64>,
}

impl Confusion {
    /// Makes an empty table of counts for cells with `states` states.
    pub fn new(states: usize) -> Self {
        Self { states, counts: vec![0; states * states] }
    }

    /// Adds cells to this table of counts: cell i was programmed to state `meant[i]` and read as state `read[i]`.
    ///
    /// # Panics
    /// When there are not as many read as meant.
    pub fn add(&mut self, meant: &[u8], read: &[u8]) {
        assert_eq!(meant.len(), read.len(), "each cell was read once");
        for (meant, read) in meant.iter().zip(read) {
            self.counts[usize::from(*meant) * self.states + usize::from(*read)] += 1;
        }
    }

    /// Returns the number of cells that were programmed to state `meant` and read as state `read`.
    pub fn count(&self, meant: usize, read: usize) -> u64 {
        self.counts[meant * self.states + read]
    }

    /// Returns the number of cells in this table of counts that were programmed to state `meant`.
    pub fn cells(&self, meant: usize) -> u64 {
        (0..self.states).map(|read| self.count(meant, read)).sum()
    }

    /// Returns the number of cells in this table of counts that were programmed to state `meant` and read as another
    /// state.
    pub fn wrong(&self, meant: usize) -> u64 {
        self.cells(meant) - self.count(meant, meant)
    }

    /// Returns the fraction (0 to 1) of the cells of state `meant` in this table of counts that were read as another
    /// state; `None` without cells of the state.
    pub fn cell_error_rate(&self, meant: usize) -> Option<f64> {
        share(self.wrong(meant), self.cells(meant))
    }

    /// Returns the number of wrong bits of page `page` that follows from this table of counts of cells; `states` gives
    /// the bits of each state, one digit for each page.
    pub fn wrong_bits(&self, states: &[&str], page: usize) -> u64 {
        let bit = |state: usize| states[state].as_bytes()[page];
        let pairs = (0..self.states).flat_map(|meant| (0..self.states).map(move |read| (meant, read)));
        pairs
            .filter(|&(meant, read)| bit(meant) != bit(read))
            .map(|(meant, read)| self.count(meant, read))
            .sum()
    }

    /// Returns the raw bit error rate (0 to 1) of page `page`; `states` gives the bits of each state. `None` if no
    /// cells were counted.
    pub fn bit_error_rate(&self, states: &[&str], page: usize) -> Option<f64> {
        share(self.wrong_bits(states, page), self.counts.iter().sum())
    }

    /// Returns the raw bit error rate (0 to 1) over all pages; `states` gives the bits of each state. `None` if no
    /// cells were counted.
    pub fn raw_bit_error_rate(&self, states: &[&str]) -> Option<f64> {
        let pages = states[0].len();
        let wrong = (0..pages).map(|page| self.wrong_bits(states, page)).sum();
        share(wrong, self.counts.iter().sum::<u64>() * pages as u64)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Set of histograms of threshold voltages: for each state to which cells were programmed, the number of cells in each
/// bin, all bins of equal width.
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram {
    low: f64,
    width: f64,
    counts: Vec<Vec<u64>>,
}

impl Histogram {
    /// Makes empty histograms with `bins` bins from `low` to `high` volts for cells of `states` states.
    ///
    /// # Panics
    /// When there are no bins or `high` is not above `low`.
    pub fn new(states: usize, low: f64, high: f64, bins: usize) -> Self {
        assert!(bins > 0 && high > low, "bins need room");
        Self { low, width: (high - low) / bins as f64, counts: vec![vec![0; bins]; states] }
    }

    /// Adds cells to the histograms by state and threshold voltage (volts); a voltage outside the range counts in the
    /// first or last bin.
    pub fn add(&mut self, meant: &[u8], volts: &[f32]) {
        let last = self.counts[0].len() - 1;
        for (state, volts) in meant.iter().zip(volts) {
            let bin = ((f64::from(*volts) - self.low) / self.width).max(0.0) as usize;
            self.counts[usize::from(*state)][bin.min(last)] += 1;
        }
    }

    /// Returns the lower end of bin number `bin`, in volts.
    pub fn volts(&self, bin: usize) -> f64 {
        self.low + self.width * bin as f64
    }

    /// Returns the number of cells of a state in each bin.
    pub fn counts(&self, state: usize) -> &[u64] {
        &self.counts[state]
    }

    /// Returns the best read reference voltage between each two neighbouring states, at which fewest cells are misread,
    /// to the resolution of a bin: the middle where several borders of bins are equally good.
    pub fn best_references(&self) -> Vec<f64> {
        let pairs = self.counts.windows(2);
        pairs.map(|pair| self.volts(0) + self.width * best_cut(&pair[0], &pair[1])).collect()
    }
}

/// Returns the border between bins at which a read reference misreads fewest cells of two neighbouring states, as a
/// number of bins from the lower end; the middle of the best borders where several are equally good.
fn best_cut(lower: &[u64], upper: &[u64]) -> f64 {
    let mut wrong: u64 = lower.iter().sum();
    let (mut least, mut first, mut last) = (wrong, 0, 0);
    for (border, (low, high)) in lower.iter().zip(upper).enumerate() {
        wrong = wrong - low + high;
        if wrong < least {
            (least, first, last) = (wrong, border + 1, border + 1);
        } else if wrong == least && last == border {
            last = border + 1;
        }
    }
    0.5 * (first + last) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_apart_by_state_and_page() {
        let states = ["11", "10", "00", "01"];
        let mut seen = Confusion::new(4);
        seen.add(&[0, 0, 1, 1, 2, 2, 3, 3], &[0, 1, 1, 2, 2, 2, 3, 2]);
        assert_eq!((0..4).map(|state| seen.wrong(state)).collect::<Vec<_>>(), [1, 1, 0, 1]);
        assert_eq!(seen.cell_error_rate(1), Some(0.5));
        // 11 read as 10 and 01 read as 00 are wrong in the second page, 10 read as 00 in the first.
        assert_eq!((seen.wrong_bits(&states, 0), seen.wrong_bits(&states, 1)), (1, 2));
        assert_eq!(seen.bit_error_rate(&states, 1), Some(0.25));
        assert_eq!(seen.raw_bit_error_rate(&states), Some(3.0 / 16.0));
        assert_eq!(Confusion::new(4).cell_error_rate(0), None);
    }

    #[test]
    fn the_best_reference_lies_between_the_states() {
        let mut histogram = Histogram::new(2, 0.0, 1.0, 100);
        histogram.add(&[0, 0, 0, 1, 1, 1], &[0.105, 0.205, 0.305, 0.505, 0.605, 9.0]);
        assert_eq!(histogram.counts(1)[99], 1, "outside counts at the edge");
        // Every border from 0.31 to 0.50 misreads none.
        assert!((histogram.best_references()[0] - 0.405).abs() < 1e-9);
    }

    #[test]
    fn overlapping_states_are_cut_where_fewest_are_misread() {
        assert!((best_cut(&[5, 4, 1, 0], &[0, 1, 3, 5]) - 2.0).abs() < 1e-12);
        assert!((best_cut(&[0, 0, 0], &[1, 1, 1])).abs() < 1e-12, "no lower state: cut below everything");
    }
}
