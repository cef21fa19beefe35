//! A random order of numbers that needs no memory.

use crate::RandomStream;

/// A random one-to-one map of `0..count` onto itself.
///
/// Five rounds of an odd multiplication and a shifted exclusive or, each a bijection of the next power of two;
/// a result beyond `count` is mapped again until it falls inside, which takes fewer than two steps on average.
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 5],
    summands: [u64; 5],
}

impl Permutation {
    /// A permutation of `0..count` drawn from `random`.
    ///
    /// # Panics
    /// When `count` is zero.
    pub fn draw(count: u64, random: &mut RandomStream) -> Self {
        assert!(count > 0, "nothing to permute");
        let bits = 64 - (count - 1).leading_zeros();
        let mask = if bits == 0 { 0 } else { u64::MAX >> (64 - bits) };
        let mut draw = |odd: u64| std::array::from_fn(|_| random.bits() | odd);
        Self { count, mask, shift: (bits / 2).max(1), factors: draw(1), summands: draw(0) }
    }

    /// How many numbers it permutes.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Where `index` goes.
    #[inline]
    pub fn at(&self, index: u64) -> u64 {
        debug_assert!(index < self.count);
        let mut x = index;
        loop {
            for round in 0..5 {
                x = x.wrapping_mul(self.factors[round]).wrapping_add(self.summands[round]) & self.mask;
                x ^= x >> self.shift;
            }
            if x < self.count {
                return x;
            }
        }
    }
}
