//! The page map: where each logical unit lives, what each physical unit holds, which of them is valid.
//!
//! Per mapping unit: 4 bytes forward, 4 bytes backward (the copy of the spare area that garbage collection
//! reads), 1 bit of validity; one byte more forward where 32 bits do not number the units on flash. The arrays are made when so much was written that they pay; until then a map is what a
//! rule says ([`Ground`]), and what has changed since (`sparse`).

mod beginning;
mod places;
mod sparse;

use crate::Layout;
pub use beginning::Beginning;
use beginning::Held;
use engine::prefetch;
pub(crate) use places::Places;
use places::{Width, narrow};
pub(crate) use sparse::Ground;
use sparse::Sparse;
use std::ops::Range;
use std::time::{Duration, Instant};
use units::{Lpn, Ppa};

/// The map of the whole drive in three flat arrays.
pub struct Map {
    /// Empty where 32 bits do not number the units on flash.
    forward: Vec<u32>,
    backward: Vec<u32>,
    valid: Vec<u64>,
    /// The forward array with wider entries, in place of `forward`, where 32 bits are not enough.
    wide: Option<Box<Places>>,
    /// The map without arrays, until the arrays are made.
    sparse: Option<Box<Sparse>>,
    /// Time it took to make the arrays: a part of building the drive, even if they are made later.
    made_in: Duration,
}

/// Logical and physical units of a map, and words of its validity: one more than they need, so that a mask of 64 units
/// always lies in two words.
#[derive(Clone, Copy)]
struct Shape {
    logical: usize,
    physical: usize,
    words: usize,
    width: Width,
}

impl Shape {
    fn forward_bytes(&self) -> usize {
        self.logical * if self.width == Width::Wide { 5 } else { 4 }
    }
}

impl Map {
    /// Makes a map in which nothing is written.
    pub fn new(layout: &Layout) -> Self {
        let physical = layout.physical_units();
        let width = if layout.is_wide() { Width::Wide } else { Width::Narrow };
        let shape = Shape {
            logical: layout.written_units() as usize,
            physical,
            words: physical.div_ceil(64) + 1,
            width,
        };
        Self::of(shape)
    }

    fn of(shape: Shape) -> Self {
        let (forward, backward, valid) = (Vec::new(), Vec::new(), Vec::new());
        let sparse = Some(Box::new(Sparse::new(shape)));
        Self { forward, backward, valid, wide: None, sparse, made_in: Duration::ZERO }
    }

    /// Lays a rule under a map in which nothing is written.
    ///
    /// # Panics
    /// When something is written.
    pub fn lay(&mut self, ground: Box<dyn Ground>) {
        let sparse = self.sparse.as_mut().expect("a rule describes a map in which nothing is written");
        sparse.lay(ground);
    }

    /// Returns the place of `lpn`, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        match self.forward.get(lpn.index()) {
            Some(&place) => narrow(place),
            None => self.lookup_beyond(lpn),
        }
    }

    /// Returns the first unit from `from` on, below `end`, that is not written.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        match &self.sparse {
            None => (from..end).find(|&lpn| self.lookup(Lpn(lpn)) == Ppa::NONE),
            Some(sparse) => sparse.first_unwritten(from, end),
        }
    }

    /// Returns the runs of units among these that are written, ascending.
    pub fn written(&self, units: Range<u32>) -> Vec<Range<u32>> {
        match &self.sparse {
            None => runs(units.filter(|&lpn| self.lookup(Lpn(lpn)) != Ppa::NONE)),
            Some(sparse) => runs(sparse.written(units).into_iter()),
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

    /// Returns the unit that was last assigned to `ppa`.
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
            Some(place) => *place = ppa.0 as u32,
            None => self.move_beyond(lpn, ppa),
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
            Some(place) => *place = Ppa::NONE.0 as u32,
            None => {
                self.move_beyond(lpn, Ppa::NONE);
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

    /// True when `ppa` is the home of its unit, or a snapshot sees it.
    #[inline]
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.word(ppa.index() / 64) >> (ppa.0 % 64) & 1 == 1
    }

    /// Returns the valid units among the `count` (at most 64) that begin at `first`, one bit each.
    #[inline]
    pub fn valid_mask(&self, first: u64, count: u32) -> u64 {
        let (word, shift) = ((first / 64) as usize, first % 64);
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

    /// Returns the place of a unit that has no entry of four bytes.
    #[cold]
    #[inline(never)]
    fn lookup_beyond(&self, lpn: Lpn) -> Ppa {
        match &self.wide {
            Some(places) => places.get(lpn),
            None => self.rule().lookup(lpn),
        }
    }

    #[cold]
    #[inline(never)]
    fn move_beyond(&mut self, lpn: Lpn, ppa: Ppa) {
        match &mut self.wide {
            Some(places) => places.set(lpn.0, ppa.0),
            None => self.rule_mut().move_to(lpn, ppa),
        }
    }

    /// Returns what stands for the arrays while they are empty: an access asks it where it lies behind their
    /// end, so that a map with arrays makes no check more than it would have to.
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

    /// Returns the number of physical units of the drive.
    pub fn physical_units(&self) -> usize {
        self.sparse.as_ref().map_or(self.backward.len(), |sparse| sparse.shape.physical)
    }

    /// Returns the number of bytes that the arrays take, whether or not they are made yet.
    pub fn bytes(&self) -> usize {
        let forward = match (&self.sparse, &self.wide) {
            (Some(sparse), _) => sparse.shape.forward_bytes(),
            (None, Some(wide)) => 5 * wide.low.len(),
            (None, None) => 4 * self.forward.len(),
        };
        let words = self.sparse.as_ref().map_or(self.valid.len(), |sparse| sparse.shape.words);
        forward + 4 * self.physical_units() + 8 * words
    }

    /// Returns the places on flash of all units now.
    pub fn beginning(&self) -> Beginning {
        match &self.sparse {
            Some(sparse) => sparse.beginning(),
            None => {
                let (forward, backward, _) = self.copied();
                Beginning(Held::Arrays { forward, backward })
            }
        }
    }

    /// Returns the units that may have another place than `beginning` gives; none where only asking for each
    /// unit would tell.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        self.sparse.as_ref()?.changed_since(beginning)
    }

    /// Copies of the three arrays, for a saved state.
    pub fn copied(&self) -> (Places, Vec<u32>, Vec<u64>) {
        match &self.sparse {
            None => {
                let narrow = || Places { low: self.forward.clone(), high: Vec::new() };
                let forward = self.wide.as_ref().map_or_else(narrow, |wide| Places::clone(wide));
                (forward, self.backward.clone(), self.valid.clone())
            }
            Some(sparse) => sparse.arrays(),
        }
    }

    /// Returns the three arrays, to be filled from a saved state: of the first, the high bytes as well, if
    /// there are any.
    pub fn arrays_mut(&mut self) -> ([&mut [u32]; 2], &mut [u64], &mut [u8]) {
        self.make_arrays();
        let (low, high) = match &mut self.wide {
            Some(wide) => (&mut wide.low, &mut wide.high[..]),
            None => (&mut self.forward, &mut [][..]),
        };
        ([low, &mut self.backward], &mut self.valid, high)
    }

    /// Changes over to arrays once so many units have changed, or are looked up so often, that arrays cost less.
    #[inline]
    pub fn outgrow(&mut self) {
        if self.sparse.as_ref().is_some_and(|sparse| sparse.is_outgrown()) {
            self.make_arrays();
        }
    }

    /// Keeps the rule for longer, where there is one, because the changes since then will be asked for at the end.
    pub fn keep_rule(&mut self) {
        if let Some(sparse) = &mut self.sparse {
            sparse.keep_rule();
        }
    }

    /// Changes over to arrays now, because the whole map is about to be looked up.
    #[cold]
    pub fn make_arrays(&mut self) {
        if let Some(sparse) = self.sparse.take() {
            let begin = Instant::now();
            let forward;
            (forward, self.backward, self.valid) = sparse.arrays();
            match sparse.shape.width {
                Width::Narrow => self.forward = forward.low,
                Width::Wide => self.wide = Some(Box::new(forward)),
            }
            self.made_in += begin.elapsed();
        }
    }

    /// Returns the time it took to make the arrays; zero while they are not made.
    pub fn made_in(&self) -> Duration {
        self.made_in
    }
}

/// Returns ascending numbers as runs.
fn runs(numbers: impl Iterator<Item = u32>) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    for number in numbers {
        match found.last_mut().filter(|last| last.end == number) {
            Some(last) => last.end += 1,
            None => found.push(number..number + 1),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Map, Shape, Width};
    use engine::RandomStream;
    use units::{Lpn, Ppa};

    /// One map as 32 bits number it, one as drives have it that need more: after the same calls they answer alike, with a rule
    /// for their arrays and with arrays.
    #[test]
    fn maps_of_both_widths_say_the_same() {
        let [logical, physical] = [5_000, 6_000];
        let shape = |width| Shape { logical, physical, words: physical.div_ceil(64) + 1, width };
        let (mut narrow, mut wide) = (Map::of(shape(Width::Narrow)), Map::of(shape(Width::Wide)));
        assert_eq!(wide.bytes(), narrow.bytes() + logical);
        let mut random = RandomStream::new(4, "map");
        for step in 0..20_000 {
            let (lpn, ppa) = (Lpn(random.below(5_000) as u32), Ppa(random.below(6_000)));
            for map in [&mut narrow, &mut wide] {
                match step % 4 {
                    0 => map.clear(lpn),
                    1 if map.is_valid(ppa) => map.invalidate(ppa),
                    _ => {
                        map.assign(ppa, lpn);
                        map.set(lpn, ppa);
                    }
                }
            }
            assert_eq!(wide.lookup(lpn), narrow.lookup(lpn));
            assert_eq!((wide.holder(ppa), wide.is_valid(ppa)), (narrow.holder(ppa), narrow.is_valid(ppa)));
        }
        assert!(wide.wide.is_some() && wide.forward.is_empty() && wide.sparse.is_none(), "it has arrays");
        assert_eq!(wide.bytes(), narrow.bytes() + logical);
        for lpn in (0..logical as u32).map(Lpn) {
            assert_eq!(wide.lookup(lpn), narrow.lookup(lpn));
            assert_eq!(wide.first_unwritten(lpn.0, 5_000), narrow.first_unwritten(lpn.0, 5_000));
            assert_eq!(wide.written(lpn.0..5_000), narrow.written(lpn.0..5_000));
        }
        let (mut again, (forward, backward, valid)) = (Map::of(shape(Width::Wide)), wide.copied());
        let ([low, holders], words, high) = again.arrays_mut();
        low.copy_from_slice(&forward.low);
        high.copy_from_slice(&forward.high);
        holders.copy_from_slice(&backward);
        words.copy_from_slice(&valid);
        assert!((0..logical as u32).all(|lpn| again.lookup(Lpn(lpn)) == narrow.lookup(Lpn(lpn))));
    }

    /// A drive of two terabytes more than 32 bits number, as far as it is touched.
    #[test]
    fn places_beyond_32_bits_come_back() {
        let physical = 5_000_000_000;
        let mut map =
            Map::of(Shape { logical: 1000, physical, words: physical.div_ceil(64) + 1, width: Width::Wide });
        let places = [0, u64::from(u32::MAX) - 1, u64::from(u32::MAX), 1 << 32, 4_999_999_999].map(Ppa);
        for (lpn, ppa) in (0..).map(Lpn).zip(places) {
            map.assign(ppa, lpn);
            map.set(lpn, ppa);
        }
        for (lpn, ppa) in (0..).map(Lpn).zip(places) {
            assert_eq!((map.lookup(lpn), map.holder(ppa), map.is_valid(ppa)), (ppa, lpn, true));
        }
    }
}
