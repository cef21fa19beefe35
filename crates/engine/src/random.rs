//! Random streams, each named by its owner and derived from the run's one seed.
//!
//! A new consumer of randomness takes a new name and so disturbs no other stream.

use crate::{Leap, leap};
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Type of a random stream: a reproducible sequence of random numbers.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// Makes the random stream `name` of the run with `seed`; die 3 of `gc.victim` would be `"gc.victim.3"`.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a, so that the derivation is written down here and stays the same for ever.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        Self(Xoshiro256PlusPlus::seed_from_u64(seed ^ hash.rotate_left(32)))
    }

    /// Returns the next 64 random bits of the stream.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// Returns the state of the random stream, from which [`Self::at`] makes it again.
    pub fn state(&self) -> [u64; 4] {
        leap::state_of(&self.0)
    }

    /// Makes a random stream in this state; none for the state of zeros, which no stream ever has.
    pub fn at(state: [u64; 4]) -> Option<Self> {
        (state != [0; 4]).then(|| Self(leap::generator_at(state)))
    }

    /// Advances the stream by a jump over the number of draws for which `leap` was made.
    pub fn leap(&mut self, leap: &Leap) {
        leap.apply(&mut self.0);
    }

    /// Returns a random number, uniform in `0..bound` without bias.
    ///
    /// # Panics
    /// When `bound` is zero.
    #[inline]
    pub fn below(&mut self, bound: u64) -> u64 {
        assert!(bound > 0, "nothing lies below zero");
        // Lemire's method: one multiplication, a retry with probability bound / 2^64.
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            let low = product as u64;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 64) as u64;
            }
        }
    }

    /// Returns a random number, uniform in `[0, 1)`, that is a multiple of 2^-53.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns true with the given probability (0 to 1), drawn from the stream; draws nothing for a probability of 0.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && self.unit() < probability
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_repeat_and_differ_by_name() {
        let draw = |seed, name| RandomStream::new(seed, name).bits();
        assert_eq!(draw(1, "gc"), draw(1, "gc"));
        assert_ne!(draw(1, "gc"), draw(1, "host"));
        assert_ne!(draw(1, "gc"), draw(2, "gc"));
    }

    #[test]
    fn a_stream_goes_on_from_where_it_was() {
        let mut stream = RandomStream::new(3, "gc");
        for _ in 0..100 {
            stream.bits();
        }
        let mut again = RandomStream::at(stream.state()).expect("a state of a stream");
        assert!((0..100).all(|_| stream.bits() == again.bits()));
        assert!(RandomStream::at([0; 4]).is_none());
    }

    #[test]
    fn below_is_uniform() {
        let mut stream = RandomStream::new(7, "test");
        let mut counts = [0u32; 10];
        for _ in 0..100_000 {
            counts[stream.below(10) as usize] += 1;
        }
        assert!(counts.iter().all(|&count| (9_500..10_500).contains(&count)), "{counts:?}");
    }
}
