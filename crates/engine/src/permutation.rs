//! A random order of numbers that needs no memory.

use crate::RandomStream;

/// Type of a random permutation of the numbers `0..count` that takes no memory per number. Five rounds of an odd
/// multiplication and a shifted exclusive or, each a bijection of the next power of two; a result beyond `count` is
/// mapped again until it falls inside, which takes fewer than two steps on average.
#[derive(Clone, Debug)]
pub struct Permutation {
    count: u64,
    mask: u64,
    shift: u32,
    factors: [u64; 5],
    summands: [u64; 5],
}

impl Permutation {
    /// Makes a permutation of the numbers `0..count`, drawn from `random`.
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

    /// Returns the number of permuted numbers, which are `0..count`.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the number at position `index` of the permuted order.
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

    /// Returns the position in the permuted order of the number `place`: the inverse of [`Self::at`].
    pub fn index_of(&self, place: u64) -> u64 {
        debug_assert!(place < self.count);
        let mut x = place;
        loop {
            for round in (0..5).rev() {
                // The shift is half the bits or one less: three steps bring back all of them.
                let mixed = x;
                x = mixed ^ (x >> self.shift);
                x = mixed ^ (x >> self.shift);
                x = x.wrapping_sub(self.summands[round]).wrapping_mul(inverse(self.factors[round]))
                    & self.mask;
            }
            if x < self.count {
                return x;
            }
        }
    }
}

/// Returns the inverse of an odd number modulo 2^64, by Newton's method: each step doubles the number of
/// correct bits, three of which are correct at first.
fn inverse(odd: u64) -> u64 {
    (0..5).fold(odd, |found, _| found.wrapping_mul(2u64.wrapping_sub(odd.wrapping_mul(found))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_knows_what_goes_to_it() {
        for count in [1, 2, 3, 4, 5, 7, 8, 9, 31, 100, 127, 128, 129, 1000, 70_000] {
            let order = Permutation::draw(count, &mut RandomStream::new(count, "permutation"));
            for index in 0..count {
                assert_eq!(order.index_of(order.at(index)), index, "of {count}");
            }
        }
    }
}
