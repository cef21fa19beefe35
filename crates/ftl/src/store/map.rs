//! The page map: where each logical unit lives, what each physical unit holds, which of them is valid.
//!
//! Per mapping unit: 4 bytes forward, 4 bytes backward (the copy of the spare area that garbage collection
//! reads), 1 bit of validity.

use crate::Layout;
use engine::{large_array, prefetch};
use units::{Lpn, Ppa};

/// The map of the whole drive in three flat arrays.
pub struct Map {
    forward: Vec<u32>,
    backward: Vec<u32>,
    valid: Vec<u64>,
}

impl Map {
    /// A map in which nothing is written.
    pub fn new(layout: &Layout) -> Self {
        Self {
            forward: large_array(layout.written_units() as usize, Ppa::NONE.0),
            backward: large_array(layout.physical_units(), Lpn::NONE.0),
            valid: large_array(layout.physical_units().div_ceil(64) + 1, 0),
        }
    }

    /// Where `lpn` lives, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        Ppa(self.forward[lpn.index()])
    }

    /// Asks for the cache lines that a lookup of `lpn` will need.
    #[inline]
    pub fn prefetch_lookup(&self, lpn: Lpn) {
        prefetch(&self.forward, lpn.index());
    }

    /// Asks for the cache line that making `ppa` invalid will need.
    #[inline]
    pub fn prefetch_validity(&self, ppa: Ppa) {
        prefetch(&self.valid, ppa.index() / 64);
    }

    /// What was last assigned to `ppa`.
    #[inline]
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        Lpn(self.backward[ppa.index()])
    }

    /// Notes in the spare area of `ppa` that it will hold `lpn`.
    #[inline]
    pub fn assign(&mut self, ppa: Ppa, lpn: Lpn) {
        self.backward[ppa.index()] = lpn.0;
    }

    /// Makes `ppa` the home of `lpn`.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, ppa: Ppa) {
        self.forward[lpn.index()] = ppa.0;
        self.valid[ppa.index() / 64] |= 1 << (ppa.0 % 64);
    }

    /// Makes `ppa` valid without being the home of anything: a version that only snapshots see.
    #[inline]
    pub fn validate(&mut self, ppa: Ppa) {
        self.valid[ppa.index() / 64] |= 1 << (ppa.0 % 64);
    }

    /// Takes the home of `lpn` away.
    #[inline]
    pub fn clear(&mut self, lpn: Lpn) {
        self.forward[lpn.index()] = Ppa::NONE.0;
    }

    /// Makes `ppa` invalid.
    #[inline]
    pub fn invalidate(&mut self, ppa: Ppa) {
        let bit = 1 << (ppa.0 % 64);
        let word = &mut self.valid[ppa.index() / 64];
        debug_assert!(*word & bit != 0, "{ppa} is invalid already");
        *word &= !bit;
    }

    /// True when `ppa` is the home of what it holds, or a snapshot sees it.
    #[inline]
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.valid[ppa.index() / 64] >> (ppa.0 % 64) & 1 == 1
    }

    /// The valid units among the `count` (at most 64) that begin at `first`, one bit each.
    #[inline]
    pub fn valid_mask(&self, first: u32, count: u32) -> u64 {
        let (word, shift) = (first as usize / 64, first % 64);
        let low = self.valid[word] >> shift;
        // The array has one word more than it needs, so that `word + 1` always exists.
        let high = if shift == 0 { 0 } else { self.valid[word + 1] << (64 - shift) };
        let mask = low | high;
        if count == 64 { mask } else { mask & ((1 << count) - 1) }
    }

    /// Bytes this map takes.
    pub fn bytes(&self) -> usize {
        4 * self.forward.len() + 4 * self.backward.len() + 8 * self.valid.len()
    }

    /// The three arrays, for a saved state.
    pub fn arrays(&self) -> (&[u32], &[u32], &[u64]) {
        (&self.forward, &self.backward, &self.valid)
    }

    /// The three arrays, to be filled from a saved state or by construction.
    pub fn arrays_mut(&mut self) -> (&mut [u32], &mut [u32], &mut [u64]) {
        (&mut self.forward, &mut self.backward, &mut self.valid)
    }
}
