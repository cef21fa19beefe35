//! The threshold voltages of one state's sampled cells: what share of them lies beyond a reference.

use super::bins::{Bin, Bins, VoltageGrid};
use super::ranks::{Ranks, extent};
use crate::cells::normal::{above, quantile};
use crate::cells::{Beyond, Noise, Side};

/// Constant: least number of cells beyond a read reference that are counted; in a large sample with fewer cells beyond,
/// their number is extrapolated from the tail of the state's distribution.
const COUNTED: usize = 100;
/// Constant: rank, counted from a state's outermost cell inwards, of the inner one of the two cells whose thresholds
/// give the straight line by which the tail is extrapolated.
const INNER: usize = 10 * COUNTED;
/// Constant: width of the histogram bins in which cells of noisy states are counted, volts: a fraction of the noise of
/// real flash parts.
const BIN_V: f64 = 0.004;

/// Type of the stored threshold voltages of the sampled cells of one state (a hump of the distribution), in one of two
/// forms: with the programming noise already added, or as a histogram before it.
pub(super) enum Hump {
    /// Case of the form of stored thresholds: sorted by voltage, with no heavy-tailed noise to be added. The strong
    /// read disturb is added by a formula, and fractions of cells too small to count are extrapolated by a normal tail.
    Read(Ranks, Lifted),
    /// Case of the form of stored thresholds: a histogram before the heavy-tailed noise. The noise is added by a
    /// formula, so that even small fractions of cells are exact.
    Noisy {
        /// Voltage in the middle of the first bin of the histogram, in volts.
        low: f64,
        /// Histogram of the state's cells by threshold voltage: only the bins that have cells.
        bins: Bins,
        /// Number of sampled cells of the state.
        count: f64,
        /// Fraction (0 to 1) of a cell's volts above the erased state that every cell loses by charge loss.
        loss: f64,
        /// Field of the noisy form: threshold voltage of the erased state, in volts, from which the height of the cells
        /// for charge loss is measured.
        erased: f64,
    },
}

/// Type of a histogram of the threshold voltages of one state's cells before the strong read disturb. A formula adds
/// the disturb, because the cells whose thresholds it raises far are too rare to be sampled.
pub(super) struct Lifted {
    /// Number of all cells of the state to which the histogram belongs.
    count: f64,
    /// For each bin of the histogram, the number of cells, the threshold voltage in volts, and the scale of the read
    /// disturb in volts: reads lift a fraction scale / v of the bin's cells by more than v.
    bins: Vec<[f64; 3]>,
    /// Voltage, in volts, up to which read disturb raises cells of the state (threshold of the highest state): only
    /// read references below it can count raised cells.
    top: f64,
}

impl Lifted {
    /// Makes the histogram to which the strong read disturb is added, from the threshold voltages of one state's
    /// sampled cells. `weak_v` is the scale of the disturb in volts; the range is that from the threshold of the erased
    /// state to that of the highest state, in volts.
    fn of(volts: &[f32], weak_v: f64, (erased, top): (f64, f64)) -> Self {
        let (low, cells) = if weak_v > 0.0 { binned(volts) } else { (0.0, Vec::new()) };
        let of_bin = |(bin, cells): (usize, &u32)| {
            let volts = low + BIN_V * bin as f64;
            [f64::from(*cells), volts, weak_v * ((top - volts) / (top - erased)).max(0.0)]
        };
        let held = cells.iter().enumerate().filter(|(_, cells)| **cells > 0);
        Self { count: volts.len() as f64, bins: held.map(of_bin).collect(), top }
    }

    fn is_beyond(&self, reference: f64) -> bool {
        !self.bins.is_empty() && reference < self.top
    }

    /// Returns the fraction (0 to 1) of the cells whose thresholds read disturb raises from below the reference to
    /// above it.
    fn above(&self, reference: f64) -> f64 {
        if !self.is_beyond(reference) {
            return 0.0;
        }
        let of_bin = |[cells, volts, lifted_v]: &[f64; 3]| {
            let way = reference - volts;
            if way > 0.0 { cells * (lifted_v / way).min(1.0) } else { 0.0 }
        };
        self.bins.iter().map(of_bin).sum::<f64>() / self.count
    }
}

/// Counts cells in bins by threshold voltage: returns the middle of the first bin in volts, and the number of cells in
/// each bin.
fn binned(volts: &[f32]) -> (f64, Vec<u32>) {
    let (lowest, highest) = extent(volts);
    let bins_of: Vec<u32> = volts.iter().map(|volts| bin_of(volts - lowest)).collect();
    let mut cells = vec![0u32; bin_of(highest - lowest) as usize + 1];
    for bin in bins_of {
        cells[bin as usize] += 1;
    }
    (f64::from(lowest), cells)
}

impl Hump {
    /// Makes the record of one state's sampled cells (a hump of the threshold distribution) from threshold voltages
    /// that lack only the strong read disturb. A formula adds the disturb later: of cells at the erased threshold,
    /// reads raise a fraction `weak_v` / v by more than v. `range`: thresholds of the erased and of the highest state,
    /// volts.
    pub fn read(volts: &[f32], weak_v: f64, range: (f64, f64)) -> Self {
        Self::Read(Ranks::of(volts), Lifted::of(volts, weak_v, range))
    }

    /// Makes the record of one state's sampled cells (a hump of the threshold distribution) from threshold voltages
    /// that lack the heavy-tailed noise `noise` and the strong read disturb. Formulas add both later: of cells at the
    /// erased threshold, reads raise a fraction `weak_v` / v by more than v. `range`: thresholds of the erased and of
    /// the highest state, volts.
    pub fn noisy(volts: &[f32], noise: Noise, weak_v: f64, range: (f64, f64)) -> Self {
        let (low, cells) = binned(volts);
        let (erased, top) = range;
        let lifted_below = if weak_v > 0.0 { top } else { f64::NEG_INFINITY };
        let of_bin = |(bin, cells): (usize, &u32)| {
            let volts = low + BIN_V * bin as f64;
            let height = (volts - erased).max(0.0);
            Bin {
                cells: f64::from(*cells),
                volts,
                left: volts - noise.loss * height,
                beyond: Beyond::of(&noise, height),
                lifted_v: weak_v * ((top - volts) / (top - erased)).max(0.0),
            }
        };
        let bins =
            Bins::of(cells.iter().enumerate().filter(|(_, cells)| **cells > 0).map(of_bin), lifted_below);
        Self::Noisy { low, bins, count: volts.len() as f64, loss: noise.loss, erased }
    }

    pub fn count(&self) -> f64 {
        match self {
            Self::Read(volts, _) => volts.count() as f64,
            Self::Noisy { count, .. } => *count,
        }
    }

    /// Returns the median threshold voltage of the state's cells, without the heavy tails, in volts.
    pub fn middle(&self) -> f64 {
        match self {
            Self::Read(volts, _) => volts.at(volts.count() / 2),
            Self::Noisy { low, bins, count, loss, erased } => {
                let mut below = 0.0;
                let passes = |(cells, _): &(f64, f64)| {
                    below += cells;
                    below >= 0.5 * count
                };
                let volts = bins.cells().find(passes).map_or(*low, |(_, volts)| volts);
                volts - loss * (volts - erased).max(0.0)
            }
        }
    }

    /// Returns the fraction (0 to 1) of the state's cells at or above `reference`, volts.
    pub fn above(&self, reference: f64) -> f64 {
        self.beyond(reference, Side::Above)
    }

    /// Returns the fraction (0 to 1) of the state's cells below `reference`, volts, as if read disturb of weak cells
    /// raised none.
    pub fn below(&self, reference: f64) -> f64 {
        self.beyond(reference, Side::Below)
    }

    /// Adds `times` times the fraction of the state's cells below each reference of the grid to the entry of `below`
    /// for the reference; fractions under `least` are left out.
    pub fn add_below(&self, times: f64, grid: VoltageGrid, least: f64, below: &mut [f64]) {
        match self {
            Self::Noisy { bins, count, .. } if !bins.are_lifted(grid.low) => {
                bins.add_below(times / count, grid, least * count, below);
            }
            _ => self.add_each(times, grid, least, below),
        }
    }

    /// Adds fractions of the state's cells to `below` as [`Self::add_below`] does, but computed for each reference
    /// separately: for cells stored one by one, and where read disturb raises cells.
    fn add_each(&self, times: f64, grid: VoltageGrid, least: f64, below: &mut [f64]) {
        let first = grid.first_from(self.middle(), below.len());
        // Away from the middle, until nothing is left.
        for at in (0..first).rev() {
            let found = self.below(grid.volts(at));
            below[at] += times * found;
            if found < least {
                break;
            }
        }
        let mut is_over = false;
        for (at, below) in below.iter_mut().enumerate().skip(first) {
            let above = if is_over { 0.0 } else { self.above(grid.volts(at)) };
            is_over |= above < least;
            *below += times * (1.0 - above);
        }
    }

    /// Returns true if read disturb raises cells of this state from below this reference to above it, so that such
    /// cells count in [`Hump::above`].
    pub fn is_lifted(&self, reference: f64) -> bool {
        match self {
            Self::Read(_, lifted) => lifted.is_beyond(reference),
            Self::Noisy { bins, .. } => bins.are_lifted(reference),
        }
    }

    /// Returns a lower bound of [`Hump::above`]: the fraction of cells at or above the reference if read disturb lifted
    /// no cell. The bound never rises with the reference.
    pub fn above_unread(&self, reference: f64) -> f64 {
        match self {
            Self::Read(volts, _) => beyond(volts, reference, true),
            Self::Noisy { bins, count, .. } => bins.above_unread(reference) / count,
        }
    }

    fn beyond(&self, reference: f64, side: Side) -> f64 {
        match self {
            Self::Read(volts, lifted) if side == Side::Above => {
                let unread = beyond(volts, reference, true);
                (unread + lifted.above(reference)).min(1.0)
            }
            Self::Read(volts, _) => beyond(volts, reference, false),
            Self::Noisy { bins, count, .. } => bins.beyond(reference, side) / count,
        }
    }
}

/// Returns the index of the bin whose middle is nearest to a voltage `above_first` volts above the middle of the first
/// bin.
#[inline(always)]
fn bin_of(above_first: f32) -> u32 {
    // Added to a number, it leaves that rounded in its last bits: vectors have no other way to all of them.
    const WHOLE: f64 = (1u64 << 52) as f64;
    let place = f64::from(above_first) / BIN_V;
    let nearest = (place + WHOLE) - WHOLE;
    // Halfway between two, the upper one.
    let below = if nearest > place { nearest - 1.0 } else { nearest };
    let bin = if place - below >= 0.5 { below + 1.0 } else { below };
    (bin + WHOLE).to_bits() as u32
}

fn beyond(volts: &Ranks, reference: f64, upwards: bool) -> f64 {
    let count = volts.count();
    let below = volts.below(reference);
    let counted = if upwards { count - below } else { below };
    if counted >= COUNTED || count <= 2 * INNER {
        return counted as f64 / count as f64;
    }
    // The n-th cell from the end, and the quantile of its rank.
    let at = |n: usize| {
        let volts = volts.at(if upwards { count - n } else { n - 1 });
        (volts, -quantile(n as f64 / count as f64))
    };
    let ((outer_v, outer_z), (inner_v, inner_z)) = (at(COUNTED), at(INNER));
    if outer_v == inner_v {
        return 0.0;
    }
    above(outer_z + (reference - outer_v) * (outer_z - inner_z) / (outer_v - inner_v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::normal::Stream;

    #[test]
    fn small_shares_follow_the_tail_of_a_normal_sample() {
        let stream = Stream::new(3);
        let draws = |count: u64| (0..count).map(|i| stream.normal(i) as f32).collect::<Vec<_>>();
        let volts = |count: u64| Hump::read(&draws(count), 0.0, (-6.0, 6.0));
        let sample = volts(200_000);
        for z in [2.0, 3.0, 4.0, 5.0] {
            for (share, upwards) in [(sample.above(z), true), (sample.below(-z), false)] {
                let ratio = share / above(z);
                assert!((0.6..1.6).contains(&ratio), "{z} {upwards}: {ratio}");
            }
        }
        // A short sample is counted and nothing else.
        assert!(volts(500).above(6.0).abs() < f64::EPSILON);
    }
}
