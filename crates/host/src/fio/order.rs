//! In which order random blocks come when none may repeat within a pass.

use super::distribution::Distribution;
use super::job::JobSpec;
use engine::{Permutation, RandomStream};

impl JobSpec {
    /// Returns true if the random accesses of the fio job take each block once per pass over the file, as with fio's
    /// map of accessed blocks: for uniform accesses, unless the job turns the map off or sets an alignment other than
    /// the block size. fio's shift register (`lfsr`) has this property without a map.
    pub fn has_map(&self) -> bool {
        let as_long = |direction: usize| {
            self.align[direction].is_none_or(|align| align == self.blocks[direction].least())
        };
        let uniform = |direction: usize| self.distribution[direction] == Distribution::Uniform;
        self.random
            && (!self.norandommap || self.lfsr)
            && self.directions().iter().all(|&direction| uniform(direction) && as_long(direction))
    }
}

/// Generator of random orders of the blocks of a fio job's file: each block comes once per pass over the file, and each
/// pass has a new order.
#[derive(Clone, Debug)]
pub struct Passes {
    permutation: Permutation,
    next: u64,
}

impl Passes {
    /// Makes a generator of random orders of `count` blocks of a fio job's file, and draws the order of the first pass
    /// over the file.
    pub fn new(count: u64, random: &mut RandomStream) -> Self {
        Self { permutation: Permutation::draw(count, random), next: 0 }
    }

    /// Draws a new random order of the blocks of a fio job's file, and begins a pass over the file in this order.
    pub fn draw_anew(&mut self, random: &mut RandomStream) {
        *self = Self::new(self.permutation.count(), random);
    }

    /// Begins a new pass over the blocks of a fio job's file in a new random order, unless no block of the present
    /// order was returned yet.
    pub fn restart(&mut self, random: &mut RandomStream) {
        if self.next > 0 {
            self.draw_anew(random);
        }
    }

    /// Returns the number of the next block of a fio job's file in the random order; `None` when all blocks were
    /// returned, at the end of the pass over the file.
    #[inline]
    pub fn next(&mut self) -> Option<u64> {
        if self.next == self.permutation.count() {
            return None;
        }
        let block = self.permutation.at(self.next);
        self.next += 1;
        Some(block)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_comes_once_per_pass() {
        let mut random = RandomStream::new(1, "test");
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 100, 1000, 1024, 1025, 65_537] {
            let mut passes = Passes::new(count, &mut random);
            let mut pass = || {
                passes.restart(&mut random);
                let order: Vec<u64> = std::iter::from_fn(|| passes.next()).collect();
                let mut sorted = order.clone();
                sorted.sort_unstable();
                assert!(sorted.iter().copied().eq(0..count), "{count}");
                order
            };
            let (first, second) = (pass(), pass());
            assert!(count < 9 || first != second, "each pass has its own order");
        }
    }

    #[test]
    fn the_order_looks_random() {
        // Of n positions, the share of blocks in the upper half among the first n/2 is hypergeometric: mean 1/2,
        // standard deviation 1 / (2 sqrt(n)) at most; ascending neighbours are half of all likewise.
        let (count, mut random) = (1_000_003u64, RandomStream::new(3, "test"));
        let mut passes = Passes::new(count, &mut random);
        let order: Vec<u64> = std::iter::from_fn(|| passes.next()).collect();
        let upper = order[..500_000].iter().filter(|block| **block >= count / 2).count() as f64 / 500_000.0;
        assert!((upper - 0.5).abs() < 0.005, "{upper}");
        let rising = order.windows(2).filter(|pair| pair[0] < pair[1]).count() as f64 / count as f64;
        assert!((rising - 0.5).abs() < 0.005, "{rising}");
        // Neighbours in time are far apart: the mean distance of two random points of a line is a third of it.
        let distance: f64 = order.windows(2).map(|pair| pair[0].abs_diff(pair[1]) as f64).sum();
        let mean = distance / count as f64 / count as f64;
        assert!((mean - 1.0 / 3.0).abs() < 0.01, "{mean}");
    }

    #[test]
    fn blocks_of_a_pass_are_independent_of_those_shortly_before() {
        // 16 parts of the range at two places of a pass: 256 pairs, each as likely. A whole pass visits each part
        // equally often, which leaves 15 * 15 degrees of freedom; the start of a long one up to 255. Three rounds of
        // mixing fail this, four do in places.
        for count in [1u64 << 12, 1 << 16, 1 << 20, 1 << 22, 3 << 15, 1_000_003, 65_537] {
            let (mut sum, mut most, mut rounds) = (0.0, 0.0f64, 0.0);
            for seed in 0..15 {
                let permutation = Permutation::draw(count, &mut RandomStream::new(seed, "test"));
                let used = count.min(1 << 16);
                for distance in 1..=8 {
                    let mut pairs = [0u32; 256];
                    for index in 0..used - distance {
                        let part =
                            |index| (u128::from(permutation.at(index)) * 16 / u128::from(count)) as usize;
                        pairs[part(index) * 16 + part(index + distance)] += 1;
                    }
                    let mean = (used - distance) as f64 / 256.0;
                    let chi: f64 = pairs.iter().map(|pair| (f64::from(*pair) - mean).powi(2) / mean).sum();
                    sum += chi;
                    most = most.max(chi);
                    rounds += 1.0;
                }
            }
            let freedom = 225.0 + 30.0 * (1.0 - count.min(1 << 16) as f64 / count as f64);
            let (mean, deviation) = (sum / rounds, (2.0f64 * freedom).sqrt());
            assert!(
                (mean - freedom).abs() < 4.0 * deviation / rounds.sqrt(),
                "{count}: {mean}, not {freedom}"
            );
            // Chi-square leans to the right: beyond five deviations once in some ten thousand draws.
            assert!(most < freedom + 5.0 * deviation, "{count}: {most}");
        }
    }
}
