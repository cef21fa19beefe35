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

/// Type of the map of the whole drive in three flat arrays: forward (place of each logical unit), backward (logical
/// unit at each physical place), and validity; in a compact form until the arrays are made.
pub struct Map {
    /// For each logical unit, the low 32 bits of its physical place; empty on a drive whose physical units 32 bits
    /// cannot number, and before the arrays are made.
    forward: Vec<u32>,
    backward: Vec<u32>,
    valid: Vec<u64>,
    /// Field of the map: forward map with entries of 40 bits, in place of `forward`, on a drive that 32 bits cannot
    /// number.
    wide: Option<Box<Places>>,
    /// Field of the map: its compact form (a rule and the changes since) until the flat arrays are made; `None`
    /// afterwards.
    sparse: Option<Box<Sparse>>,
    /// Wall-clock time in which the map's flat arrays were made, counted as time to build the simulated drive even
    /// where the arrays are made during the run.
    made_in: Duration,
}

/// Record of the sizes of the map's arrays: number of logical units, of physical units, and of 64-bit words of validity
/// bits. There is one word more than needed, so that a mask of 64 units that begins anywhere lies in two existing
/// words.
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
    /// Makes a map in which no logical unit is written.
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

    /// Sets the rule that computes the map's content after preconditioning, in place of stored arrays; the map must
    /// have no written unit.
    ///
    /// # Panics
    /// When a unit is written.
    pub fn lay(&mut self, ground: Box<dyn Ground>) {
        let sparse = self.sparse.as_mut().expect("a rule describes a map in which nothing is written");
        sparse.lay(ground);
    }

    /// Returns the physical place of logical unit `lpn`, or [`Ppa::NONE`].
    #[inline]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        match self.forward.get(lpn.index()) {
            Some(&place) => narrow(place),
            None => self.lookup_beyond(lpn),
        }
    }

    /// Returns the first logical unit from `from` on, below `end`, that has no physical place; `None` if all have one.
    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        match &self.sparse {
            None => (from..end).find(|&lpn| self.lookup(Lpn(lpn)) == Ppa::NONE),
            Some(sparse) => sparse.first_unwritten(from, end),
        }
    }

    /// Returns the runs of consecutive logical units of the range `units` that have a physical place, ascending.
    pub fn written(&self, units: Range<u32>) -> Vec<Range<u32>> {
        match &self.sparse {
            None => runs(units.filter(|&lpn| self.lookup(Lpn(lpn)) != Ppa::NONE)),
            Some(sparse) => runs(sparse.written(units).into_iter()),
        }
    }

    /// Prefetches into the processor's cache the map entry that a lookup of `lpn` will read.
    #[inline]
    pub fn prefetch_lookup(&self, lpn: Lpn) {
        prefetch(&self.forward, lpn.index());
    }

    /// Prefetches into the processor's cache the reverse map's entry for physical unit `ppa`.
    #[inline]
    pub fn prefetch_holder(&self, ppa: Ppa) {
        prefetch(&self.backward, ppa.index());
    }

    /// Prefetches into the processor's cache the validity bits that making `ppa` invalid will change.
    #[inline]
    fn prefetch_validity(&self, ppa: Ppa) {
        prefetch(&self.valid, ppa.index() / 64);
    }

    /// Prefetches into the processor's cache the validity bits of the present physical place of `lpn`, whose map entry
    /// should be in the processor's cache by then; does nothing while a rule tells where units lie.
    #[inline]
    pub fn prefetch_home(&self, lpn: Lpn) {
        if self.sparse.is_none() {
            self.prefetch_validity(self.lookup(lpn));
        }
    }

    /// Returns the logical unit that was last assigned to physical unit `ppa`, as its spare area names it, whether or
    /// not the data are still valid.
    #[inline]
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        match self.backward.get(ppa.index()) {
            Some(&lpn) => Lpn(lpn),
            None => self.rule().holder(ppa),
        }
    }

    /// Records in the reverse map (the logical unit numbers in spare areas) that physical unit `ppa` will hold logical
    /// unit `lpn`; the forward map does not change.
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

    /// Sets the physical place of logical unit `lpn` to `ppa`, and marks `ppa` valid.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, ppa: Ppa) {
        match self.forward.get_mut(lpn.index()) {
            Some(place) => *place = ppa.0 as u32,
            None => self.move_beyond(lpn, ppa),
        }
        self.validate(ppa);
    }

    /// Marks physical unit `ppa` valid without mapping a logical unit to it: a version that only snapshots refer to.
    #[inline]
    pub fn validate(&mut self, ppa: Ppa) {
        *self.word_mut(ppa) |= 1 << (ppa.0 % 64);
    }

    /// Removes the physical place of logical unit `lpn` from the forward map; the validity bit of that place does not
    /// change.
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

    /// Marks physical unit `ppa` invalid.
    #[inline]
    pub fn invalidate(&mut self, ppa: Ppa) {
        let bit = 1 << (ppa.0 % 64);
        let word = self.word_mut(ppa);
        debug_assert!(*word & bit != 0, "{ppa} is invalid already");
        *word &= !bit;
    }

    /// Returns true when physical unit `ppa` is valid: the map places its logical unit there, or a snapshot refers to
    /// it.
    #[inline]
    pub fn is_valid(&self, ppa: Ppa) -> bool {
        self.word(ppa.index() / 64) >> (ppa.0 % 64) & 1 == 1
    }

    /// Returns the validity of the `count` (at most 64) physical units from `first` on, one bit each; a set bit is a
    /// valid unit.
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

    /// Returns the physical place of logical unit `lpn` where the map's array of 4-byte entries has no entry for it:
    /// from the wider array, or from the compact form of the map.
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

    /// Returns the compact form of the map (a rule and tables of changes) while the flat arrays are not made. Only an
    /// access beyond the end of the empty arrays calls this function, so that a map with arrays needs no check except
    /// that of its bounds.
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

    /// Returns the number of physical mapping units of the drive.
    pub fn physical_units(&self) -> usize {
        self.sparse.as_ref().map_or(self.backward.len(), |sparse| sparse.shape.physical)
    }

    /// Returns the size of the map's flat arrays in bytes, whether or not the arrays are made yet.
    pub fn bytes(&self) -> usize {
        let forward = match (&self.sparse, &self.wide) {
            (Some(sparse), _) => sparse.shape.forward_bytes(),
            (None, Some(wide)) => 5 * wide.low.len(),
            (None, None) => 4 * self.forward.len(),
        };
        let words = self.sparse.as_ref().map_or(self.valid.len(), |sparse| sparse.shape.words);
        forward + 4 * self.physical_units() + 8 * words
    }

    /// Returns a copy of the map at this moment: the physical places of all logical units.
    pub fn beginning(&self) -> Beginning {
        match &self.sparse {
            Some(sparse) => sparse.beginning(),
            None => {
                let (forward, backward, _) = self.copied();
                Beginning(Held::Arrays { forward, backward })
            }
        }
    }

    /// Returns the logical units whose physical place may differ from `beginning`, an earlier copy of the map; `None`
    /// (not an empty list) where the changes are not recorded and the caller must compare every unit.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        self.sparse.as_ref()?.changed_since(beginning)
    }

    /// Returns copies of the forward, backward and validity arrays, for a saved state.
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

    /// Makes the flat arrays and returns them, to be filled from a saved state: the low 32 bits of the forward array
    /// with the backward array, the validity words, and the high bytes of the forward array, empty where the drive
    /// needs none.
    pub fn arrays_mut(&mut self) -> ([&mut [u32]; 2], &mut [u64], &mut [u8]) {
        self.make_arrays();
        let (low, high) = match &mut self.wide {
            Some(wide) => (&mut wide.low, &mut wide.high[..]),
            None => (&mut self.forward, &mut [][..]),
        };
        ([low, &mut self.backward], &mut self.valid, high)
    }

    /// Replaces the compact form of the map (a rule and tables of changes) by flat arrays once so many units have
    /// changed, or so many lookups were made, that arrays cost less time; else does nothing.
    #[inline]
    pub fn outgrow(&mut self) {
        if self.sparse.as_ref().is_some_and(|sparse| sparse.is_outgrown()) {
            self.make_arrays();
        }
    }

    /// Raises the number of lookups after which flat arrays replace the compact form of the map, where its rule is
    /// slow: the recorded changes, which arrays do not have, will be asked for at the end of the run.
    pub fn keep_rule(&mut self) {
        if let Some(sparse) = &mut self.sparse {
            sparse.keep_rule();
        }
    }

    /// Replaces the compact form of the map by flat arrays now, because the whole map is about to be looked up.
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

    /// Returns the wall-clock time that making the map's flat arrays took; zero while they are not made.
    pub fn made_in(&self) -> Duration {
        self.made_in
    }
}

/// Converts ascending numbers of logical units into runs of consecutive numbers.
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

    /// Checks that a map with 32-bit entries and a map with wider entries answer alike after the same calls, both with
    /// the rule and with flat arrays.
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

    /// Checks that a map of a drive with more than 2^32 physical units returns the places that were set; only few of
    /// its entries are touched.
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
