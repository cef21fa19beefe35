//! The map of a constructed state: which units of a superblock are valid, and what they hold, is drawn when it is asked for.
//!
//! Each superblock's draws begin where those of the one before end, and their number does not depend on what is drawn: so
//! a superblock can be drawn alone, and a drive of any size is constructed without drawing any.

use crate::Layout;
use crate::store::{Ground, NONE, Places};
use engine::{Leap, Permutation, RandomStream};
use std::ops::Range;
use std::sync::OnceLock;
use units::{Lpn, Ppa};

/// Draws at random which of the next `count` (at most 64) places of a superblock are valid, and returns one bit for
/// each. `left` valid places remain to be chosen uniformly among `units` remaining places; the function subtracts the
/// chosen ones from `left`.
#[inline]
fn sample_mask(units: u32, count: u32, left: &mut u32, random: &mut RandomStream) -> u64 {
    let mut mask = 0u64;
    let mut bits = 0u64;
    for place in 0..count {
        // Half a random word serves for one place: the bias is below 2^-32 times the superblock's size.
        bits = if place % 2 == 0 { random.bits() } else { bits >> 32 };
        let draw = ((bits & 0xFFFF_FFFF) * u64::from(units - place)) >> 32;
        let chosen = draw < u64::from(*left);
        mask |= u64::from(chosen) << place;
        *left -= u32::from(chosen);
    }
    mask
}

/// Returns the number of values that [`sample_mask`] takes from the random number stream for `places` places, in masks
/// of 64 places.
fn draws_of(places: u32) -> u64 {
    u64::from(places.div_ceil(2))
}

/// Record of a range of places in a superblock of a constructed state; randomly drawn places of the range hold the next
/// logical units of the permutation.
struct Piece {
    /// Physical address of the first place of the piece, a range of places in a superblock of a constructed drive
    /// state.
    first: u64,
    /// Number of places (mapping units) of the piece, a range of places in a superblock of a constructed drive state.
    places: u32,
    /// Number of valid places of the piece (a range of places in a superblock of a constructed drive state), which hold
    /// data of a logical unit.
    valid: u32,
    /// Number of logical units that were placed in earlier pieces (place ranges of superblocks) of the constructed
    /// state.
    before: u32,
    random: RandomStream,
    drawn: OnceLock<Vec<Chunk>>,
}

/// Record of up to 64 consecutive places of a range of a superblock in a constructed drive state: bit mask of the valid
/// places, and number of valid places of the range before them.
struct Chunk {
    mask: u64,
    /// Number of valid places of the piece (place range of a superblock) before this chunk.
    before: u32,
}

impl Piece {
    fn draw(&self) -> Vec<Chunk> {
        let (mut random, mut left) = (self.random.clone(), self.valid);
        let chunk = |start: u32| {
            let (units, before) = (self.places - start, self.valid - left);
            Chunk { mask: sample_mask(units, units.min(64), &mut left, &mut random), before }
        };
        (0..self.places).step_by(64).map(chunk).collect()
    }

    fn chunks(&self) -> &[Chunk] {
        self.drawn.get_or_init(|| self.draw())
    }

    /// Returns the physical place of the valid unit with rank `rank` (counted from 0) in the piece, a place range of a
    /// superblock.
    fn place(&self, rank: u32) -> u64 {
        let chunks = self.chunks();
        let at = chunks.partition_point(|chunk| chunk.before <= rank) - 1;
        let mut mask = chunks[at].mask;
        (chunks[at].before..rank).for_each(|_| mask &= mask - 1);
        self.first + 64 * at as u64 + u64::from(mask.trailing_zeros())
    }

    /// Returns the rank of physical place `place` among the valid places of the piece, a place range of a superblock;
    /// `None` if the place is not valid.
    fn rank(&self, place: u64) -> Option<u32> {
        let at = place.checked_sub(self.first).filter(|&at| at < u64::from(self.places))?;
        let (chunk, bit) = (&self.chunks()[(at / 64) as usize], at % 64);
        let below = chunk.mask & ((1 << bit) - 1);
        (chunk.mask >> bit & 1 == 1).then(|| chunk.before + below.count_ones())
    }
}

/// Type of the map of a constructed drive state as a rule in place of arrays: all ranges of places in superblocks, in
/// the order in which logical units were put there; which places are valid is drawn again, reproducibly, when they are
/// looked up.
pub(super) struct Drawn {
    permutation: Permutation,
    superblock_units: u32,
    pieces: Vec<Piece>,
    /// For each superblock of the constructed drive state: index, in the list of pieces (place ranges with data), of
    /// the superblock's piece, or `NONE` if it has none.
    of_superblock: Vec<u32>,
    /// Pair: number of mapping units for data of a superblock, and the jump that advances a random number stream past
    /// all random values that such a superblock takes, in one step.
    whole: (u32, Leap),
}

impl Drawn {
    /// Makes a map of a constructed state in which no unit is placed yet; `permutation` is the random order in which
    /// logical units are placed.
    pub fn new(permutation: Permutation, layout: &Layout) -> Self {
        let whole = (layout.data_units(), Leap::of(draws_of(layout.data_units())));
        let of_superblock = vec![NONE; layout.superblocks()];
        Self {
            permutation,
            superblock_units: layout.superblock_units,
            pieces: Vec::new(),
            of_superblock,
            whole,
        }
    }

    /// Maps the next logical units of the permutation to `valid` places in range `range` of a superblock, which will be
    /// drawn from the present state of `random`; advances `random` past these draws.
    pub fn place(&mut self, superblock: usize, range: Range<u32>, valid: u32, random: &mut RandomStream) {
        assert_eq!(self.of_superblock[superblock], NONE, "superblock {superblock} is filled once");
        assert!(valid as usize <= range.len(), "superblock {superblock} has no room for {valid} units");
        let before = self.placed();
        self.of_superblock[superblock] = self.pieces.len() as u32;
        self.pieces.push(Piece {
            first: superblock as u64 * u64::from(self.superblock_units) + u64::from(range.start),
            places: range.len() as u32,
            valid,
            before,
            random: random.clone(),
            drawn: OnceLock::new(),
        });
        if range.len() as u32 == self.whole.0 {
            random.leap(&self.whole.1);
        } else {
            (0..draws_of(range.len() as u32)).for_each(|_| _ = random.bits());
        }
    }

    /// Returns the number of logical units that already have a physical place in the map of the constructed drive
    /// state.
    fn placed(&self) -> u32 {
        self.pieces.last().map_or(0, |piece| piece.before + piece.valid)
    }

    /// Calls `visit` for each chunk of 64 places with the physical address of its first place, the bit mask of its
    /// valid places, and the position in the permutation of its first logical unit, in the order in which units were
    /// placed.
    fn go_through(&self, mut visit: impl FnMut(u64, u64, u32)) {
        for piece in &self.pieces {
            for (at, chunk) in piece.draw().iter().enumerate() {
                visit(piece.first + 64 * at as u64, chunk.mask, piece.before + chunk.before);
            }
        }
    }

    /// Calls `visit` for each logical unit of a chunk, as [`Self::go_through`] gives it, with the unit's physical
    /// place.
    #[inline(always)]
    fn in_chunk(&self, (first, mut mask, index): (u64, u64, u32), mut visit: impl FnMut(Lpn, Ppa)) {
        let mut index = u64::from(index);
        while mask != 0 {
            let ppa = first + u64::from(mask.trailing_zeros());
            mask &= mask - 1;
            visit(Lpn(self.permutation.at(index) as u32), Ppa(ppa));
            index += 1;
        }
    }

    fn piece(&self, superblock: u32) -> Option<&Piece> {
        let at = *self.of_superblock.get(superblock as usize)?;
        (at != NONE).then(|| &self.pieces[at as usize])
    }
}

impl Ground for Drawn {
    fn lookup(&self, lpn: Lpn) -> Ppa {
        if u64::from(lpn.0) >= self.permutation.count() {
            return Ppa::NONE;
        }
        let index = self.permutation.index_of(u64::from(lpn.0)) as u32;
        if index >= self.placed() {
            return Ppa::NONE;
        }
        // Pieces without valid units share their number with the next: the last of them is the one.
        let piece = &self.pieces[self.pieces.partition_point(|piece| piece.before <= index) - 1];
        Ppa(piece.place(index - piece.before))
    }

    fn holder(&self, ppa: Ppa) -> Lpn {
        let piece = self.piece((ppa.0 / u64::from(self.superblock_units)) as u32);
        let rank = piece.and_then(|piece| piece.rank(ppa.0).map(|rank| piece.before + rank));
        rank.map_or(Lpn::NONE, |index| Lpn(self.permutation.at(u64::from(index)) as u32))
    }

    fn word(&self, at: usize) -> u64 {
        let (begin, units) = (64 * at as u64, u64::from(self.superblock_units));
        let mut word = 0;
        for superblock in begin / units..=(begin + 63) / units {
            let Some(piece) = self.piece(superblock as u32) else { continue };
            let chunks = piece.chunks();
            // Chunks begin where their piece does, words do not.
            let mut skipped = begin.saturating_sub(piece.first);
            while let Some(chunk) = chunks.get((skipped / 64) as usize) {
                let place = piece.first + skipped;
                if place >= begin + 64 {
                    break;
                }
                word |= (chunk.mask >> (skipped % 64)) << (place - begin);
                skipped = (skipped / 64 + 1) * 64;
            }
        }
        word
    }

    fn first_unwritten(&self, from: u32) -> u32 {
        let is_full = u64::from(self.placed()) == self.permutation.count();
        if is_full { from.max(self.placed()) } else { from }
    }

    fn is_slow(&self) -> bool {
        true
    }

    fn each(&self, visit: &mut dyn FnMut(Lpn, Ppa)) {
        self.go_through(|first, mask, index| self.in_chunk((first, mask, index), &mut *visit));
    }

    fn write(&self, forward: &mut Places, backward: &mut [u32], valid: &mut [u64]) {
        self.go_through(|first, mask, index| {
            let (word, shift) = ((first / 64) as usize, first % 64);
            valid[word] |= mask << shift;
            if shift > 0 && mask >> (64 - shift) != 0 {
                valid[word + 1] |= mask >> (64 - shift);
            }
            self.in_chunk((first, mask, index), |lpn, ppa| {
                forward.set(lpn.0, ppa.0);
                backward[ppa.index()] = lpn.0;
            });
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Drawn, draws_of, sample_mask};
    use crate::Layout;
    use crate::store::{Ground, Places};
    use engine::{Permutation, RandomStream};
    use units::{Bytes, Lpn, Ppa};

    /// Makes the layout of the tests: superblocks of 99 units, so that chunks of a piece and words of 64 units begin at
    /// different places.
    fn layout() -> Layout {
        Layout {
            unit: Bytes::new(4096),
            dies: 2,
            shape: [1, 2, 1, 1],
            planes: 1,
            units_per_page: 1,
            row_units: 1,
            rows: 99,
            slc_rows: 33,
            program_rows: 1,
            program_units: 1,
            superblock_units: 99,
            superblocks_per_die: 5,
            logical_units: 400,
            translation_units: 0,
            summary_units: 0,
        }
    }

    fn drawn(last: u32) -> Drawn {
        let mut random = RandomStream::new(1, "drawn");
        let mut drawn = Drawn::new(Permutation::draw(300, &mut random), &layout());
        for (superblock, range, valid) in
            [(3, 0..99, 90), (0, 0..99, 0), (7, 13..99, 86), (4, 0..40, 1), (9, 0..99, 99), (8, 64..99, last)]
        {
            drawn.place(superblock, range, valid, &mut random);
        }
        drawn
    }

    #[test]
    fn a_rule_says_what_its_arrays_say() {
        for last in [24, 20] {
            let (drawn, layout) = (drawn(last), layout());
            let words = layout.physical_units().div_ceil(64) + 1;
            let mut forward = Places { low: vec![u32::MAX; 400], high: Vec::new() };
            let mut backward = vec![u32::MAX; layout.physical_units()];
            let mut valid = vec![0; words];
            drawn.write(&mut forward, &mut backward, &mut valid);
            assert_eq!(forward.low.iter().filter(|&&place| place != u32::MAX).count() as u32, 276 + last);
            for lpn in (0..400).map(Lpn) {
                assert_eq!(drawn.lookup(lpn), forward.get(lpn), "{lpn}");
            }
            for (ppa, &lpn) in (0..).zip(&backward) {
                assert_eq!(drawn.holder(Ppa(ppa)), Lpn(lpn), "place {ppa}");
            }
            for (at, &word) in valid.iter().enumerate() {
                assert_eq!(drawn.word(at), word, "word {at}");
            }
            for from in 0..400 {
                let found = drawn.first_unwritten(from);
                let unwritten = |lpn: &u32| forward.get(Lpn(*lpn)) == Ppa::NONE;
                assert!(!(from..found).any(|lpn| unwritten(&lpn)), "between {from} and {found}");
            }
        }
    }

    #[test]
    fn as_many_draws_are_skipped_as_would_be_made() {
        for places in [1, 2, 63, 64, 65, 99, 128, 1000] {
            let (mut made, mut skipped) = (RandomStream::new(2, "drawn"), RandomStream::new(2, "drawn"));
            let mut left = places / 2;
            for start in (0..places).step_by(64) {
                sample_mask(places - start, (places - start).min(64), &mut left, &mut made);
            }
            (0..draws_of(places)).for_each(|_| _ = skipped.bits());
            assert_eq!(made.bits(), skipped.bits(), "{places} places");
        }
    }
}
