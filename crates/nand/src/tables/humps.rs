//! The threshold voltages of one state's sampled cells: what share of them lies beyond a reference.

use super::bins::{Bin, Bins};
use super::ranks::Ranks;
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
        let lowest = volts.iter().copied().fold(f32::INFINITY, f32::min);
        let highest = volts.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let low = f64::from(lowest);
        let bin_of = |volts: f32| {
            let place = f64::from(volts - lowest) / BIN_V;
            // Rounded; `round` is a function of the C library, and no value lies below zero.
            let below = place as usize;
            below + usize::from(place - below as f64 >= 0.5)
        };
        let ((erased, top), mut cells) = (range, vec![0u32; bin_of(highest) + 1]);
        for volts in volts {
            cells[bin_of(*volts)] += 1;
        }
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
        let bins = Bins::of(cells.iter().enumerate().filter(|(_, cells)| **cells > 0).map(of_bin), top);
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

    fn beyond(&self, reference: f64, side: Side) -> f64 {
        match self {
            Self::Read(volts) => beyond(volts, reference, side == Side::Above),
            Self::Noisy { bins, count, .. } => bins.beyond(reference, side) / count,
        }
    }
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
