//! Requests by where they go.
//!
//! Popular data lie where they happen to lie: in pages of one kind or another, on a busier die or an idler one. That is
//! the same all through a run and differs from one to the next, so no part of a run's time shows it. Parts of its
//! addresses do: each unit belongs to one of a few groups, drawn by its number, and where popular data happen to lie is
//! drawn for each group apart.

use crate::measure::levels::{FINE, level_of, levels};
use host::Effect;
use units::Lpn;

/// Constant: number of groups into which logical units are divided to estimate how latency varies by address; enough
/// for a good variance (Student quantile 2.04).
const GROUPS: usize = 32;
/// Constant: number of size classes of requests: 1 unit, 2 to 3, 4 to 7 and so on, and 128 or more. Groups of logical
/// units are compared within one size class: popular units are accessed with the same request sizes in every run, so a
/// difference in latency that is due to size is no variation between runs.
const SIZES: usize = 8;
/// Constant: multiplier, from the golden ratio, of the hash that spreads consecutive logical unit numbers over all
/// groups of logical units (Knuth's multiplicative hashing).
const HASH: u64 = 0x9E37_79B9_7F4A_7C15;

/// Type of a table with the numbers of requests of one size class, by latency level and, within a level, by group of
/// logical units; none until the first request.
type LevelCounts = Option<Box<[u32]>>;

/// Latency histograms of reads and writes, by size class of the request and by the group of logical units (out of a
/// fixed number of groups, by a hash of the unit number) to which the first unit that the request accesses belongs.
#[derive(Default)]
pub(crate) struct LatencyByPlace {
    counts: [[LevelCounts; SIZES]; 2],
}

/// Kind of edge of a latency level of a histogram, the lower or the upper one, from which on requests count as slow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LevelEdge {
    Lower,
    Upper,
}

/// Result of comparing groups of logical units by the fraction of their requests that take longer than a certain
/// latency.
pub(crate) struct GroupDifference {
    /// List of two numbers for each group of logical units: requests that took longer than the compared latency, minus
    /// the number expected from their sizes; and all requests.
    pub groups: Vec<[f64; 2]>,
    /// Fraction (0 to 1) of all requests, in all groups of logical units, that took longer than the compared latency.
    pub share: f64,
    /// Variance of the outcome of a single request (1 if it took longer than the compared latency, else 0), if all
    /// requests of a size class are alike and independent.
    pub variance: f64,
}

impl LatencyByPlace {
    #[inline]
    pub fn add(&mut self, effect: Effect, first: Lpn, units: u32, latency_ns: u64) {
        let Some(sizes) = self.counts.get_mut(effect as usize) else { return };
        let counts = &mut sizes[(units.max(1).ilog2() as usize).min(SIZES - 1)];
        let count =
            &mut counts.get_or_insert_with(none)[level_of(latency_ns, FINE) * GROUPS + group_of(first)];
        *count = count.saturating_add(1);
    }

    /// Compares the groups of logical units by their requests with latencies beyond the lower or upper edge of the
    /// level (a 16th of a power of two) that contains `latency_ns`.
    pub fn beyond(&self, effect: Effect, latency_ns: u64, edge: LevelEdge) -> GroupDifference {
        let first = level_of(latency_ns, FINE) + edge as usize;
        let mut cells = vec![[0.0; 2]; GROUPS * SIZES];
        let mut sizes = [[0.0; 2]; SIZES];
        for (size, counts) in self.counts[effect as usize].iter().enumerate() {
            for (index, count) in counts.iter().flatten().enumerate().filter(|(_, count)| **count > 0) {
                let (level, group) = (index / GROUPS, index % GROUPS);
                let more = [if level >= first { f64::from(*count) } else { 0.0 }, f64::from(*count)];
                for sum in [&mut cells[group * SIZES + size], &mut sizes[size]] {
                    *sum = [sum[0] + more[0], sum[1] + more[1]];
                }
            }
        }
        let shares = sizes.map(|[beyond, all]: [f64; 2]| if all > 0.0 { beyond / all } else { 0.0 });
        let unexpected = |group: &[[f64; 2]]| {
            group
                .iter()
                .zip(shares)
                .fold([0.0; 2], |sum, ([beyond, all], share)| [sum[0] + beyond - share * all, sum[1] + all])
        };
        let groups: Vec<[f64; 2]> = cells.chunks(SIZES).map(unexpected).collect();
        let all = sizes.iter().map(|size| size[1]).sum::<f64>().max(1.0);
        let variance = shares.iter().zip(sizes).map(|(share, size)| share * (1.0 - share) * size[1]);
        GroupDifference {
            groups,
            share: sizes.iter().map(|size| size[0]).sum::<f64>() / all,
            variance: variance.sum::<f64>() / all,
        }
    }
}

#[cold]
#[inline(never)]
fn none() -> Box<[u32]> {
    vec![0; levels(FINE) * GROUPS].into()
}

#[inline]
fn group_of(unit: Lpn) -> usize {
    (u64::from(unit.0).wrapping_mul(HASH) >> (64 - GROUPS.ilog2())) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;

    /// Returns, for a test, the variance between groups of logical units as a multiple of that of independent requests.
    /// The test accesses 200 popular units with requests of 2 sizes; `slow` decides whether a request is slow, given
    /// its size and whether the unit lies in a slow group.
    fn excess(seed: u64, slow: impl Fn(&mut RandomStream, u32, bool) -> bool) -> f64 {
        let mut random = RandomStream::new(seed, "test");
        let mut places = LatencyByPlace::default();
        let lies_slow: Vec<bool> = (0..200).map(|_| random.chance(0.5)).collect();
        for _ in 0..100_000 {
            let unit = random.below(200) as u32;
            let units = if unit.is_multiple_of(4) { 16 } else { 1 };
            let latency = if slow(&mut random, units, lies_slow[unit as usize]) { 70_000 } else { 66_000 };
            places.add(Effect::Read, Lpn(unit), units, latency);
        }
        let beyond = places.beyond(Effect::Read, 66_000, LevelEdge::Upper);
        let of = |sums: &[f64; 2]| Some(sums[0] / sums[1]);
        let (value, variance) = crate::measure::spread::jackknife(&beyond.groups, of).unwrap();
        assert!(value.abs() < 1e-9, "what is unexpected adds up to nothing");
        variance / (beyond.variance / 100_000.0)
    }

    #[test]
    fn where_popular_data_lie_shows_and_what_chance_and_size_do_does_not() {
        let mean = |slow: &dyn Fn(&mut RandomStream, u32, bool) -> bool| {
            (0..20).map(|seed| excess(seed, slow)).sum::<f64>() / 20.0
        };
        let by_chance = mean(&|random, _, _| random.chance(0.5));
        assert!((0.7..1.3).contains(&by_chance), "{by_chance}");
        let by_size = mean(&|random, units, _| random.chance(if units > 1 { 0.9 } else { 0.3 }));
        assert!((0.7..1.3).contains(&by_size), "{by_size}");
        // 200 draws decide, not 100,000.
        let by_place = mean(&|_, _, lies_slow| lies_slow);
        assert!((400.0..600.0).contains(&by_place), "{by_place}");
    }
}
