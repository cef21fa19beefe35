//! A map without arrays: a rule that says what a whole drive holds, and what has changed since.
//!
//! A short run on a drive of a terabyte touches a few thousand entries of a map of gigabytes. Writing all of them first
//! took seconds; here it takes nothing, and looking one up costs a few divisions.

use super::beginning::{Beginning, Held};
use super::{Places, Shape};
use engine::{ByNumber, large_array};
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;
use units::{Lpn, Ppa};

/// Constant (divisor): the flat arrays of the simulator's map are made once more than one in this many physical units
/// have changed.
const CHANGED_PART: usize = 256;
/// Constant (divisor): the flat arrays of the simulator's map are made once lookups exceed one in this many physical
/// units; until then, lookups by the compact rule have cost a fraction of the time that making arrays takes.
const LOOKED_UP_PART: usize = 64;
/// Constant (divisor): the flat arrays of a map whose compact rule is slow are made once lookups exceed one in this
/// many physical units. On a drive of 1 TB, two million lookups take half as long as making the arrays.
const LOOKED_UP_SLOWLY_PART: usize = 128;

/// Trait of a rule that computes the logical-to-physical map as preconditioning left it, in place of stored arrays.
pub(crate) trait Ground: Send + Sync {
    /// Returns the physical place that the rule of the preconditioned map gives logical unit `lpn`, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;
    /// Returns the logical unit that the rule of the preconditioned map puts at physical place `ppa`, or [`Lpn::NONE`].
    fn holder(&self, ppa: Ppa) -> Lpn;
    /// Returns the validity of the 64 physical units from `64 * at` on in the preconditioned map, one bit each; a set
    /// bit is a valid unit.
    fn word(&self, at: usize) -> u64;
    /// Returns the first logical unit, from `from` on, that may have no physical place in the preconditioned map: all
    /// units between have one, and the caller must check the returned unit.
    fn first_unwritten(&self, from: u32) -> u32;
    /// Returns true when a lookup by the map's rule takes so much processor time that a run with many lookups is faster
    /// with flat arrays.
    fn is_slow(&self) -> bool {
        false
    }
    /// Calls `visit` for each logical unit that has a physical place in the preconditioned map, superblock by
    /// superblock.
    fn each(&self, visit: &mut dyn FnMut(Lpn, Ppa));
    /// Writes the preconditioned map, which the rule describes, into flat arrays in which no unit is written yet.
    fn write(&self, forward: &mut Places, backward: &mut [u32], valid: &mut [u64]);
}

/// Type of the compact form of the map without flat arrays: the rule that gives the preconditioned map, and tables of
/// the entries that changed since. No result depends on the order in which the changes are visited.
pub(super) struct Sparse {
    pub shape: Shape,
    ground: Option<Arc<dyn Ground>>,
    forward: ByNumber<u32, u64>,
    backward: ByNumber<u64, u32>,
    valid: ByNumber<u32, u64>,
    /// Number of lookups made so far in the compact form of the map (a rule and tables of changes, in place of flat
    /// arrays).
    lookups: Cell<usize>,
    /// Threshold stored with the compact form of the map (a rule and tables of changes): greatest number of lookups
    /// before flat arrays replace it, since with more lookups a run is faster with arrays.
    lookups_most: usize,
}

impl Sparse {
    /// Makes a compact map (a rule and tables of changes, in place of flat arrays) in which no logical unit is written.
    pub fn new(shape: Shape) -> Self {
        let (forward, backward, valid) = Default::default();
        let lookups_most = shape.physical / LOOKED_UP_PART;
        Self { shape, ground: None, forward, backward, valid, lookups: Cell::new(0), lookups_most }
    }

    pub fn lay(&mut self, ground: Box<dyn Ground>) {
        let is_fresh = self.ground.is_none() && self.forward.is_empty() && self.backward.is_empty();
        assert!(is_fresh, "a rule describes a map in which nothing is written");
        let part = if ground.is_slow() { LOOKED_UP_SLOWLY_PART } else { LOOKED_UP_PART };
        self.lookups_most = self.shape.physical / part;
        self.ground = Some(ground.into());
    }

    /// Raises the threshold of lookups above which flat arrays replace the compact form of the map: a map whose rule is
    /// slow gets the higher threshold of maps with a fast rule, and so stays compact for longer.
    pub fn keep_rule(&mut self) {
        self.lookups_most = self.shape.physical / LOOKED_UP_PART;
    }

    #[inline(never)]
    pub fn lookup(&self, lpn: Lpn) -> Ppa {
        assert!(lpn.index() < self.shape.logical, "{lpn} lies outside the map");
        self.lookups.set(self.lookups.get() + 1);
        match (self.forward.get(&lpn.0), &self.ground) {
            (Some(&place), _) => Ppa(place),
            (None, Some(ground)) => ground.lookup(lpn),
            (None, None) => Ppa::NONE,
        }
    }

    #[inline(never)]
    pub fn holder(&self, ppa: Ppa) -> Lpn {
        assert!(ppa.index() < self.shape.physical, "{ppa} lies outside the map");
        match (self.backward.get(&ppa.0), &self.ground) {
            (Some(&lpn), _) => Lpn(lpn),
            (None, Some(ground)) => ground.holder(ppa),
            (None, None) => Lpn::NONE,
        }
    }

    #[inline(never)]
    pub fn word(&self, at: usize) -> u64 {
        assert!(at < self.shape.words, "word {at} lies outside the map");
        match self.valid.get(&(at as u32)) {
            Some(word) => *word,
            None => self.ground_word(at),
        }
    }

    fn ground_word(&self, at: usize) -> u64 {
        self.ground.as_ref().map_or(0, |ground| ground.word(at))
    }

    #[inline(never)]
    pub fn word_mut(&mut self, at: usize) -> &mut u64 {
        assert!(at < self.shape.words, "word {at} lies outside the map");
        let before = if self.valid.contains_key(&(at as u32)) { 0 } else { self.ground_word(at) };
        self.valid.entry(at as u32).or_insert(before)
    }

    #[inline(never)]
    pub fn assign(&mut self, ppa: Ppa, lpn: Lpn) {
        assert!(ppa.index() < self.shape.physical, "{ppa} lies outside the map");
        self.backward.insert(ppa.0, lpn.0);
    }

    #[inline(never)]
    pub fn move_to(&mut self, lpn: Lpn, ppa: Ppa) {
        assert!(lpn.index() < self.shape.logical, "{lpn} lies outside the map");
        self.forward.insert(lpn.0, ppa.0);
    }

    pub fn first_unwritten(&self, from: u32, end: u32) -> Option<u32> {
        let cleared = self.forward.iter().filter(|(lpn, place)| **place == Ppa::NONE.0 && **lpn >= from);
        let first_cleared = cleared.map(|(lpn, _)| *lpn).min().unwrap_or(end);
        let mut lpn = from;
        loop {
            lpn = self.ground.as_ref().map_or(lpn, |ground| ground.first_unwritten(lpn)).min(first_cleared);
            if lpn >= end {
                return None;
            }
            if self.lookup(Lpn(lpn)) == Ppa::NONE {
                return Some(lpn);
            }
            lpn += 1;
        }
    }

    /// Returns the logical units of the range `units` that have a physical place, ascending. These lookups do not count
    /// towards the number after which flat arrays replace the compact map.
    pub fn written(&self, units: Range<u32>) -> Vec<u32> {
        let by_rule =
            |lpn: &u32| self.ground.as_ref().is_some_and(|ground| ground.lookup(Lpn(*lpn)) != Ppa::NONE);
        if self.ground.is_some() || units.len() < self.forward.len() {
            let place = |lpn: &u32| self.forward.get(lpn).map(|&place| place != Ppa::NONE.0);
            return units.filter(|lpn| place(lpn).unwrap_or_else(|| by_rule(lpn))).collect();
        }
        let changed =
            self.forward.iter().filter(|(lpn, place)| units.contains(lpn) && **place != Ppa::NONE.0);
        let mut found: Vec<u32> = changed.map(|(&lpn, _)| lpn).collect();
        found.sort_unstable();
        found
    }

    /// Returns true when so many units of the compact map have changed, or so many lookups were made, that flat arrays
    /// cost less time.
    #[inline]
    pub fn is_outgrown(&self) -> bool {
        let changes = self.forward.len().max(self.backward.len());
        changes > self.shape.physical / CHANGED_PART || self.lookups.get() > self.lookups_most
    }

    /// Returns a copy of the compact map (rule and changed entries) at this moment, which gives the physical place of
    /// each logical unit and is not affected by later changes.
    pub fn beginning(&self) -> Beginning {
        let (ground, forward) = (self.ground.clone(), self.forward.clone());
        Beginning(Held::Rule { ground, forward, backward: self.backward.clone() })
    }

    /// Returns the logical units whose physical place may differ from `beginning`, an earlier copy of the map; `None`
    /// (not an empty list) if that copy was based on another rule, or on flat arrays.
    pub fn changed_since(&self, beginning: &Beginning) -> Option<Vec<Lpn>> {
        let Held::Rule { ground, .. } = &beginning.0 else { return None };
        let is_same = match (ground, &self.ground) {
            (Some(before), Some(now)) => Arc::ptr_eq(before, now),
            (None, None) => true,
            _ => false,
        };
        is_same.then(|| self.forward.keys().copied().map(Lpn).collect())
    }

    /// Converts the compact map (a rule for the preconditioned map plus tables of changed entries) to three flat arrays
    /// of the same content, and returns them: physical place of each logical unit, logical unit at each physical place,
    /// and validity bits.
    pub fn arrays(&self) -> (Places, Vec<u32>, Vec<u64>) {
        let mut forward = Places::nowhere(self.shape.logical, self.shape.width);
        let mut backward = large_array(self.shape.physical, Lpn::NONE.0);
        let mut valid = large_array(self.shape.words, 0);
        if let Some(ground) = &self.ground {
            ground.write(&mut forward, &mut backward, &mut valid);
        }
        self.forward.iter().for_each(|(&at, &place)| forward.set(at, place));
        self.backward.iter().for_each(|(&at, &lpn)| backward[at as usize] = lpn);
        self.valid.iter().for_each(|(&at, &word)| valid[at as usize] = word);
        (forward, backward, valid)
    }
}
