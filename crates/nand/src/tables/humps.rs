//! The threshold voltages of one state's sampled cells: what share of them lies beyond a reference.

use super::bins::{Bin, Bins};
use super::ranks::{Ranks, extent};
use crate::cells::normal::{above, quantile};
use crate::cells::{Beyond, Noise, Side};

/// Fewer cells than this beyond a reference are not counted but extrapolated.
const COUNTED: usize = 100;
/// Where the line through the tail begins.
const INNER: usize = 10 * COUNTED;
/// Width of the bins in which cells with tails are counted, volts: a fraction of the tails that parts have.
const BIN_V: f64 = 0.004;

/// One state's cells.
pub(super) enum Hump {
    /// Cells as they are read: shares too small to count are carried on along a normal tail.
    Read(Ranks),
    /// Cells before the noise that has tails: the noise is added as a formula, so that small shares are exact.
    Noisy {
        /// Middle of the first bin, volts.
        low: f64,
        /// The bins that have cells.
        bins: Bins,
        /// Cells in all.
        count: f64,
        /// Share of its volts above the erased state that every cell loses.
        loss: f64,
        /// Threshold of the erased state, volts.
        erased: f64,
    },
}

impl Hump {
    /// Cells as they are read.
    pub fn read(volts: &[f32]) -> Self {
        Self::Read(Ranks::of(volts))
    }

    /// Cells that are still to be moved by `noise`, and by reads: `weak_v` over v is the share that rises by more than v
    /// at the erased threshold. `range`: thresholds of the erased and the highest state, volts.
    pub fn noisy(volts: &[f32], noise: Noise, weak_v: f64, range: (f64, f64)) -> Self {
        let (lowest, highest) = extent(volts);
        let low = f64::from(lowest);
        let bins_of: Vec<u32> = volts.iter().map(|volts| bin_of(volts - lowest)).collect();
        let ((erased, top), mut cells) = (range, vec![0u32; bin_of(highest - lowest) as usize + 1]);
        for bin in bins_of {
            cells[bin as usize] += 1;
        }
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
            Self::Read(volts) => volts.count() as f64,
            Self::Noisy { count, .. } => *count,
        }
    }

    /// Half of the cells lie below, but for those that tails carry away.
    pub fn middle(&self) -> f64 {
        match self {
            Self::Read(volts) => volts.at(volts.count() / 2),
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

    /// The share of cells at or above `reference`.
    pub fn above(&self, reference: f64) -> f64 {
        self.beyond(reference, Side::Above)
    }

    /// The share of cells below `reference`.
    pub fn below(&self, reference: f64) -> f64 {
        self.beyond(reference, Side::Below)
    }

    /// Whether reads count in [`Hump::above`] of this reference.
    pub fn is_lifted(&self, reference: f64) -> bool {
        matches!(self, Self::Noisy { bins, .. } if bins.are_lifted(reference))
    }

    /// What [`Hump::above`] would be if reads lifted no cell: never more than it, and falling with the reference.
    pub fn above_unread(&self, reference: f64) -> f64 {
        match self {
            Self::Read(_) => self.above(reference),
            Self::Noisy { bins, count, .. } => bins.above_unread(reference) / count,
        }
    }

    fn beyond(&self, reference: f64, side: Side) -> f64 {
        match self {
            Self::Read(volts) => beyond(volts, reference, side == Side::Above),
            Self::Noisy { bins, count, .. } => bins.beyond(reference, side) / count,
        }
    }
}

/// The bin whose middle is nearest to what lies so far above the middle of the first, volts.
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
        let volts = |count: u64| Hump::read(&(0..count).map(|i| stream.normal(i) as f32).collect::<Vec<_>>());
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
