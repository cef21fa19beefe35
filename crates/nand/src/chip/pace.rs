//! How fast a block wears from cycle to cycle.
//!
//! Each cycle's wear is drawn about the mean (`cells.wear.cycle_spread`). With an independent draw for each cycle, a
//! life of a million cycles would average the noise down to a thousandth. A draw therefore holds while the block's
//! cycles grow by a share (`cells.wear.cycle_memory`), at first for a single cycle.

use super::bench::CYCLES_MOST;
use super::block::MICRO;
use crate::cells::normal::Stream;

/// Returns a rising series of program/erase cycle numbers that begins with 1: each number is greater than the one
/// before by the fraction `share` of it, at least by one. At these cycles a block's random wear changes, or a test rig
/// with noise logs.
pub(super) fn growing(share: f64) -> impl Iterator<Item = u64> {
    std::iter::successors(Some(1u64), move |cycle| Some(cycle + ((*cycle as f64 * share) as u64).max(1)))
}

/// Record of a stretch of successive program/erase cycles of a block that all cause the same wear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Even {
    /// Number of cycles of the block before the stretch.
    before: u64,
    /// Wear by all cycles of the block before the stretch, in millionths of a mean cycle.
    worn: u64,
    /// Wear by each cycle of the stretch, in millionths of a mean cycle.
    each: u64,
}

/// Record of the function that gives the wear of a block by its number of program/erase cycles, as a list of stretches
/// of cycles; in whole millionths of a mean cycle, so that sums do not depend on their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// List of stretches of cycles that cause equal wear; empty if every cycle wears as much as the mean cycle.
    stretches: Vec<Even>,
}

impl Pace {
    /// Makes the function that gives the wear of a block by its number of cycles, from values drawn from the block's
    /// random stream. The logarithm of a cycle's wear has the standard deviation `spread`; one drawn value holds until
    /// the number of cycles has grown by the fraction `memory`.
    pub fn new(spread: f64, memory: f64, stream: Stream) -> Self {
        let mut stretches: Vec<Even> = Vec::new();
        if spread > 0.0 {
            let mut worn = 0u64;
            let starts = growing(memory).take_while(|cycle| *cycle <= CYCLES_MOST);
            for (index, first) in starts.enumerate() {
                if let Some(last) = stretches.last() {
                    worn = last.worn.saturating_add(last.each.saturating_mul(first - 1 - last.before));
                }
                let log = spread * stream.normal(index as u64);
                // A lognormal factor whose mean is one.
                let factor = libm::exp(log - 0.5 * spread * spread);
                let each = ((factor * MICRO).round() as u64).max(1);
                stretches.push(Even { before: first - 1, worn, each });
            }
        }
        Self { stretches }
    }

    /// Returns the wear by the first `cycles` cycles of the block, in millionths of a mean cycle.
    fn worn(&self, cycles: u64) -> u64 {
        let after = self.stretches.partition_point(|stretch| stretch.before <= cycles);
        match after.checked_sub(1) {
            None => cycles * MICRO as u64,
            Some(index) => {
                let Even { before, worn, each } = self.stretches[index];
                worn.saturating_add(each.saturating_mul(cycles - before))
            }
        }
    }

    /// Returns the wear by the first `cycles` cycles of the block, in mean cycles.
    #[inline]
    pub fn cycles(&self, cycles: u64) -> f64 {
        if self.stretches.is_empty() { cycles as f64 } else { self.worn(cycles) as f64 / MICRO }
    }

    /// Returns the wear by the `count` cycles that follow the first `before` cycles; `rate` is the wear of a mean
    /// cycle, in any unit, and the result is in the same unit.
    #[inline]
    pub fn stress(&self, rate: u64, before: u64, count: u64) -> u64 {
        if self.stretches.is_empty() {
            return rate * count;
        }
        // Rounded from the first cycle on: n cycles are n times one. Where the product is small, a division is, too.
        let upto = |cycles: u64| {
            let worn = self.worn(cycles);
            rate.checked_mul(worn).map_or_else(
                || u128::from(rate) * u128::from(worn) / MICRO as u128,
                |product| u128::from(product / MICRO as u64),
            )
        };
        u64::try_from(upto(before + count) - upto(before)).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_noise_every_cycle_is_one() {
        let even = Pace::new(0.0, 0.5, Stream::new(1));
        assert_eq!((even.cycles(0), even.cycles(1_000_003)), (0.0, 1_000_003.0));
        assert_eq!(even.stress(350_000, 17, 5), 5 * 350_000);
    }

    #[test]
    fn wear_spreads_by_what_the_keys_say_about_the_same_mean() {
        let (blocks, cycles) = (4000, 1_000_000);
        for (spread, memory) in [(0.1f64, 0.5f64), (0.3, 0.5), (0.3, 0.1)] {
            let worn: Vec<f64> = (0..blocks)
                .map(|block| Pace::new(spread, memory, Stream::new(block)).cycles(cycles) / cycles as f64)
                .collect();
            let mean = worn.iter().sum::<f64>() / blocks as f64;
            let variance = worn.iter().map(|one| (one - mean) * (one - mean)).sum::<f64>() / blocks as f64;
            // Stretches that each are longer by `memory` than the one before weigh as a geometric row.
            let of_one = libm::sqrt(libm::expm1(spread * spread));
            let expected = of_one * libm::sqrt(memory / (2.0 + memory));
            let close = (variance.sqrt() / expected - 1.0).abs();
            assert!(close < 0.1, "{spread}, {memory}: {} instead of {expected}", variance.sqrt());
            assert!((mean - 1.0).abs() < 4.0 * expected / (blocks as f64).sqrt(), "{spread}: mean {mean}");
        }
    }

    #[test]
    fn stress_adds_up_whatever_the_parts() {
        let pace = Pace::new(0.4, 0.5, Stream::new(3));
        let (rate, whole) = (123_457, 10_007);
        let parts: u64 = (0..whole).map(|cycle| pace.stress(rate, cycle, 1)).sum();
        assert_eq!(parts, pace.stress(rate, 0, whole));
        assert!((1..whole).all(|cycle| pace.cycles(cycle) > pace.cycles(cycle - 1)), "wear only grows");
    }
}
