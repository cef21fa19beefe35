//! The page map: where each logical unit lives, what each physical unit holds, which of them is valid.
//!
//! Per mapping unit: 4 bytes forward, 4 bytes backward (the copy of the spare area that garbage collection
//! reads), 1 bit of validity. The arrays are made when so much was written that they pay; until then a map is what a
//! rule says ([`Ground`]), and what has changed since (`sparse`).

mod sparse;

use crate::Layout;
use engine::prefetch;
pub(crate) use sparse::Ground;
use sparse::Sparse;
use std::time::{Duration, Instant};
use units::{Lpn, Ppa};

/// The map of the whole drive in three flat arrays.
pub struct Map {
    forward: Vec<u32>,
    backward: Vec<u32>,
    valid: Vec<u64>,
    /// Stands for the arrays while they are not there.
    sparse: Option<Box<Sparse>>,
    /// How long it took to make the arrays: a part of building the drive, whenever it happens.
    made_in: Duration,
}

/// Logical and physical units of a map, and words of its validity: one more than they need, so that a mask of 64 units
/// always lies in two words.
#[derive(Clone, Copy)]
struct Shape {
    logical: usize,
    physical: usize,
    words: usize,
}

impl Map {
    /// A map in which nothing is written.
    pub fn new(layout: &Layout) -> Self {
        let physical = layout.physical_units();
        let shape =
            Shape { logical: layout.written_units() as usize, physical, words: physical.div_ceil(64) + 1 };
        let (forward, backward, valid) = (Vec::new(), Vec::new(), Vec::new());
        Self { forward, backward, valid, sparse: Some(Box::new(Sparse::new(shape))), made_in: Duration::ZERO }
    }

    /// Makes a map in which nothing is written one that a rule describes.
    ///
    /// # Panics
    /// When something is written.
    pub fn lay(&mut self, ground: Box<dyn Ground>) {
        let sparse = self.sparse.as_mut().expect("a rule describes a map in which nothing is written");
        sparse.lay(ground);
    }

    /// Where `lpn` lives, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        match self.forward.get(lpn.index()) {
            Some(&place) => Ppa(place),
            None => self.rule().lookup(lpn),
        }
    }

    /// The first unit from `from` on, below `end`, that is not written.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        match &self.sparse {
            None => (from..end).find(|&lpn| self.forward[lpn as usize] == Ppa::NONE.0),
            Some(sparse) => sparse.first_unwritten(from, end),
        }
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
        match self.backward.get(ppa.index()) {
            Some(&lpn) => Lpn(lpn),
            None => self.rule().holder(ppa),
        }
    }

    /// Notes in the spare area of `ppa` that it will hold `lpn`.
    #[inline]
    pub fn assign(&mut self, ppa: Ppa, lpn: Lpn) {
        match self.backward.get_mut(ppa.index()) {
            Some(holder) => *holder = lpn.0,
            None => {
                self.rule_mut().assign(ppa, lpn);
                self.outgrow();
            }
        }
    }

    /// Makes `ppa` the home of `lpn`.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, ppa: Ppa) {
        match self.forward.get_mut(lpn.index()) {
            Some(place) => *place = ppa.0,
            None => self.rule_mut().move_to(lpn, ppa),
        }
        self.validate(ppa);
    }

    /// Makes `ppa` valid without being the home of anything: a version that only snapshots see.
    #[inline]
    pub fn validate(&mut self, ppa: Ppa) {
        *self.word_mut(ppa) |= 1 << (ppa.0 % 64);
    }

    /// Takes the home of `lpn` away.
    #[inline]
    pub fn clear(&mut self, lpn: Lpn) {
        match self.forward.get_mut(lpn.index()) {
            Some(place) => *place = Ppa::NONE.0,
            None => {
                self.rule_mut().move_to(lpn, Ppa::NONE);
                self.outgrow();
            }
        }
    }

    /// Makes `ppa` invalid.
    #[inline]
    pub fn invalidate(&mut self, ppa: Ppa) {
        let bit = 1 << (ppa.0 % 64);
        let word = self.word_mut(ppa);
        debug_assert!(*word & bit != 0, "{ppa} is invalid already");
        *word &= !bit;
    }

    /// True when `ppa` is the home of what it holds, or a snapshot sees it.
    #[inline]
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.word(ppa.index() / 64) >> (ppa.0 % 64) & 1 == 1
    }

    /// The valid units among the `count` (at most 64) that begin at `first`, one bit each.
    #[inline]
    pub fn valid_mask(&self, first: u32, count: u32) -> u64 {
        let (word, shift) = (first as usize / 64, first % 64);
        let low = self.word(word) >> shift;
        // The array has one word more than it needs, so that `word + 1` always exists.
        let high = if shift == 0 { 0 } else { self.word(word + 1) << (64 - shift) };
        let mask = low | high;
        if count == 64 { mask } else { mask & ((1 << count) - 1) }
    }

    #[inline]
    fn word(&self, at: usize) -> u64 {
        match self.valid.get(at) {
            Some(word) => *word,
            None => self.rule().word(at),
        }
    }

    #[inline]
    fn word_mut(&mut self, ppa: Ppa) -> &mut u64 {
        let at = ppa.index() / 64;
        if at < self.valid.len() { &mut self.valid[at] } else { self.rule_mut().word_mut(at) }
    }

    /// What stands for the arrays while they are empty: an access asks it where it lies behind their end, so that a map
    /// with arrays makes no check more than it would have to.
    #[cold]
    #[inline(never)]
    fn rule(&self) -> &Sparse {
        self.sparse.as_ref().expect("the unit lies in the map")
    }

    #[cold]
    #[inline(never)]
    fn rule_mut(&mut self) -> &mut Sparse {
        self.sparse.as_mut().expect("the unit lies in the map")
    }

    /// Physical units of the drive.
    pub fn physical_units(&self) -> usize {
        self.sparse.as_ref().map_or(self.backward.len(), |sparse| sparse.shape.physical)
    }

    /// Bytes that the arrays take, whether they are there already or not.
    pub fn bytes(&self) -> usize {
        let Shape { logical, physical, words } = match &self.sparse {
            Some(sparse) => sparse.shape,
            None => {
                Shape { logical: self.forward.len(), physical: self.backward.len(), words: self.valid.len() }
            }
        };
        4 * logical + 4 * physical + 8 * words
    }

    /// Copies of the three arrays, for a saved state.
    pub fn copied(&self) -> (Vec<u32>, Vec<u32>, Vec<u64>) {
        match &self.sparse {
            None => (self.forward.clone(), self.backward.clone(), self.valid.clone()),
            Some(sparse) => sparse.arrays(),
        }
    }

    /// The three arrays, to be filled from a saved state or by construction.
    pub fn arrays_mut(&mut self) -> (&mut [u32], &mut [u32], &mut [u64]) {
        self.make_arrays();
        (&mut self.forward, &mut self.backward, &mut self.valid)
    }

    /// Goes over to arrays where so much has changed, or is looked up so often, that they pay.
    #[inline]
    pub fn outgrow(&mut self) {
        if self.sparse.as_ref().is_some_and(|sparse| sparse.is_outgrown()) {
            self.make_arrays();
        }
    }

    #[cold]
    fn make_arrays(&mut self) {
        if let Some(sparse) = self.sparse.take() {
            let begin = Instant::now();
            (self.forward, self.backward, self.valid) = sparse.arrays();
            self.made_in += begin.elapsed();
        }
    }

    /// How long it took to make the arrays; zero while they are not there.
    pub fn made_in(&self) -> Duration {
        self.made_in
    }
}
