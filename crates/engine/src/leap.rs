//! Skipping many draws of a random stream at once.
//!
//! What a draw does to the 256 bits of the generator's state is linear over single bits: so is what many draws do, and
//! one table of 256 states says all of it.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

type LeapState = [u64; 4];

/// Type of a jump of a random stream over a fixed number of draws, as a linear map of the generator's state (over
/// single bits).
#[derive(Clone, Debug)]
pub struct Leap {
    /// Table of the jump: for each single bit of the random generator's state, the state after the jump if only this
    /// bit was set before.
    images: Vec<LeapState>,
}

impl Leap {
    /// Makes the jump that has the effect of `draws` draws from a random stream.
    pub fn of(draws: u64) -> Self {
        let bits = |image: fn(LeapState) -> LeapState| (0..256).map(|bit| image(single(bit))).collect();
        let mut power = Self { images: bits(step) };
        let mut leap = Self { images: bits(|state| state) };
        let mut rest = draws;
        while rest > 0 {
            if rest & 1 == 1 {
                leap = leap.then(&power);
            }
            rest >>= 1;
            if rest > 0 {
                power = power.then(&power);
            }
        }
        leap
    }

    /// Returns the jump of a random stream that has the effect of this jump followed by `next`.
    fn then(&self, next: &Self) -> Self {
        Self { images: self.images.iter().map(|&image| next.image(image)).collect() }
    }

    fn image(&self, state: LeapState) -> LeapState {
        let mut out = [0; 4];
        for (word, &bits) in state.iter().enumerate() {
            let mut rest = bits;
            while rest != 0 {
                let image = &self.images[64 * word + rest.trailing_zeros() as usize];
                out.iter_mut().zip(image).for_each(|(out, image)| *out ^= image);
                rest &= rest - 1;
            }
        }
        out
    }

    pub(crate) fn apply(&self, generator: &mut Xoshiro256PlusPlus) {
        *generator = generator_at(self.image(state_of(generator)));
    }
}

fn single(bit: usize) -> LeapState {
    let mut state = [0; 4];
    state[bit / 64] = 1 << (bit % 64);
    state
}

fn step(state: LeapState) -> LeapState {
    let mut generator = generator_at(state);
    generator.next_u64();
    state_of(&generator)
}

pub(crate) fn state_of(generator: &Xoshiro256PlusPlus) -> LeapState {
    let bytes = generator.state();
    std::array::from_fn(|word| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * word + byte])))
}

/// Makes a random generator in this state. No state that a draw can lead to is all zeros, which the library would
/// replace by another.
pub(crate) fn generator_at(state: LeapState) -> Xoshiro256PlusPlus {
    let mut bytes = [0; 32];
    for (part, word) in bytes.chunks_mut(8).zip(state) {
        part.copy_from_slice(&word.to_le_bytes());
    }
    Xoshiro256PlusPlus::from_seed(bytes)
}

#[cfg(test)]
mod tests {
    use super::Leap;
    use crate::RandomStream;

    #[test]
    fn a_leap_is_as_many_draws() {
        for draws in [0, 1, 2, 3, 64, 1000, 11_264] {
            let (mut drawn, mut leapt) = (RandomStream::new(5, "leap"), RandomStream::new(5, "leap"));
            (0..draws).for_each(|_| _ = drawn.bits());
            leapt.leap(&Leap::of(draws));
            assert_eq!(leapt.bits(), drawn.bits(), "after {draws} draws");
        }
    }
}
