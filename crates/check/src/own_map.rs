//! Where everything is: the account's own map.
//!
//! It begins with what the drive's map held then and keeps what has changed since, as a short run on a drive of a terabyte
//! touches a few thousand of its units. Once that is a notable part of the drive, arrays take its place.

use crate::examined::{Examined, MapAtFirst};
use crate::past::EMPTY;
use crate::shape::FlashShape;
use engine::{ByNumber, large_array};
use std::cell::Cell;
use units::{Lpn, Ppa};

/// Constant: value in place of a logical unit's number, for a physical address that no logical unit has.
pub(crate) const NOTHING: u32 = u32::MAX;

/// Constant, a divisor: once more than one in this many physical units has changed, flat arrays replace the hash tables
/// of changes in the checker's own map, because the tables would need as much memory.
const CHANGED_PART: usize = 4;
/// Constant, a divisor: once the copy of the map from the start of the run was looked up more often than one time for
/// this many physical units, flat arrays replace it, because look-ups then cost less time.
const ASKED_PART: usize = 8;

/// State, in the checker's own map, of one logical unit: its physical address and version numbers, in one struct
/// because they are used together.
#[derive(Clone, Copy)]
pub(super) struct UnitState {
    pub home: Ppa,
    /// Version number of the newest write or trim of the unit.
    pub version: u32,
    /// Version number of the data that this logical unit holds by the checker's own map, or [`EMPTY`] if it holds no
    /// data or is a unit of the drive's own mapping table, which snapshots do not see.
    pub content: u32,
}

/// Record of one physical address (place of one mapping unit on flash) in the checker's own map: number of the logical
/// unit whose valid data lie at the address, and number and data version of the logical unit that was programmed last
/// at the address.
#[derive(Clone, Copy)]
pub(super) struct PlaceState {
    /// Number of the logical unit whose valid data lie at this physical address; `NOTHING` if the address is invalid or
    /// empty.
    pub holder: u32,
    /// Number of the logical unit that was programmed last at the physical address.
    pub stored: u32,
    /// Version number of the data that were programmed last at the physical address.
    pub version: u32,
}

impl UnitState {
    /// Makes the checker's state of unit `lpn` from its physical address when the run began; `logical` is the number of
    /// host units.
    fn of(lpn: Lpn, home: Ppa, logical: u32) -> Self {
        let holds = home != Ppa::NONE && lpn.0 < logical;
        Self { home, version: 0, content: if holds { 0 } else { EMPTY } }
    }
}

impl PlaceState {
    /// Makes the checker's state of a physical address from the logical unit that had valid data there when the run
    /// began.
    fn of(holder: Lpn) -> Self {
        Self { holder: holder.0, stored: holder.0, version: 0 }
    }
}

/// Record that is the compact form of the checker's own map: a copy of the drive's map from the start of the run, and
/// hash tables of the units and physical addresses that have changed since.
struct MapChanges<B> {
    beginning: B,
    /// Number of valid units in each superblock of the drive when the run began, from which the checker works out the
    /// present number.
    valid: Vec<u32>,
    units: ByNumber<u32, UnitState>,
    places: ByNumber<u64, PlaceState>,
    /// Number of look-ups so far in the copy of the map from the start of the run, for units and physical addresses
    /// that had not changed.
    asked: Cell<usize>,
}

enum Kept<B> {
    Changes(Box<MapChanges<B>>),
    All { units: Vec<UnitState>, places: Vec<PlaceState> },
}

/// Model that the checker keeps as its own map of the drive: the state of each logical unit and of each physical
/// address.
pub(super) struct OwnMap<B> {
    /// Number of logical units that can be written, including units of the mapping table.
    written: usize,
    logical: u32,
    physical: usize,
    superblock_units: u64,
    kept: Kept<B>,
}

impl<B: MapAtFirst> OwnMap<B> {
    /// Makes the checker's own map from the map that `drive` has now.
    pub fn of(drive: &impl Examined<Beginning = B>, shape: &FlashShape) -> Self {
        let changes = MapChanges {
            beginning: drive.beginning(),
            valid: drive.valid_units().to_vec(),
            units: ByNumber::default(),
            places: ByNumber::default(),
            asked: Cell::new(0),
        };
        Self {
            written: shape.written_units() as usize,
            logical: shape.logical_units,
            physical: shape.physical_units(),
            superblock_units: u64::from(shape.superblock_units()),
            kept: Kept::Changes(Box::new(changes)),
        }
    }

    #[inline]
    pub fn unit(&self, lpn: Lpn) -> UnitState {
        match &self.kept {
            Kept::All { units, .. } => units[lpn.index()],
            Kept::Changes(changes) => match changes.units.get(&lpn.0) {
                Some(unit) => *unit,
                None => UnitState::of(lpn, changes.home_of(lpn), self.logical),
            },
        }
    }

    #[inline]
    pub fn unit_mut(&mut self, lpn: Lpn) -> &mut UnitState {
        match &mut self.kept {
            Kept::All { units, .. } => &mut units[lpn.index()],
            Kept::Changes(changes) => {
                if !changes.units.contains_key(&lpn.0) {
                    let unit = UnitState::of(lpn, changes.home_of(lpn), self.logical);
                    changes.units.insert(lpn.0, unit);
                }
                changes.units.get_mut(&lpn.0).expect("put there a line above")
            }
        }
    }

    #[inline]
    pub fn place(&self, ppa: Ppa) -> PlaceState {
        match &self.kept {
            Kept::All { places, .. } => places[ppa.index()],
            Kept::Changes(changes) => match changes.places.get(&ppa.0) {
                Some(place) => *place,
                None => PlaceState::of(changes.living_at(ppa)),
            },
        }
    }

    #[inline]
    pub fn place_mut(&mut self, ppa: Ppa) -> &mut PlaceState {
        match &mut self.kept {
            Kept::All { places, .. } => &mut places[ppa.index()],
            Kept::Changes(changes) => {
                if !changes.places.contains_key(&ppa.0) {
                    let place = PlaceState::of(changes.living_at(ppa));
                    changes.places.insert(ppa.0, place);
                }
                changes.places.get_mut(&ppa.0).expect("put there a line above")
            }
        }
    }

    /// Returns the state (physical address and version numbers) of each logical unit of the host, in the order of their
    /// numbers.
    pub fn hosts(&self) -> impl Iterator<Item = UnitState> {
        (0..self.logical).map(|lpn| self.unit(Lpn(lpn)))
    }

    /// Returns all physical addresses in order, each with its state: the valid unit there, and the unit and version
    /// programmed last.
    pub fn places(&self) -> impl Iterator<Item = (Ppa, PlaceState)> {
        (0..self.physical as u64).map(|ppa| (Ppa(ppa), self.place(Ppa(ppa))))
    }

    /// Replaces the hash tables of changes in the checker's own map by flat arrays once so many units have changed, or
    /// so many were looked up, that arrays need less memory or time.
    #[inline]
    pub fn outgrow(&mut self) {
        let Kept::Changes(changes) = &self.kept else { return };
        let changed = changes.units.len().max(changes.places.len());
        if changed > self.physical / CHANGED_PART || changes.asked.get() > self.physical / ASKED_PART {
            self.make_all();
        }
    }

    /// Replaces the hash tables of changes in the checker's own map by flat arrays, without waiting for a limit,
    /// because the whole map is about to be read.
    ///
    /// # Panics
    /// When two logical units have the same physical address.
    #[cold]
    pub fn make_all(&mut self) {
        let Kept::Changes(changes) = &self.kept else { return };
        let mut units = large_array(self.written, UnitState::of(Lpn::NONE, Ppa::NONE, self.logical));
        let mut places = large_array(self.physical, PlaceState::of(Lpn(NOTHING)));
        changes.beginning.each(|lpn, ppa| {
            let place = &mut places[ppa.index()];
            assert_eq!(place.holder, NOTHING, "two logical units live at {ppa}");
            *place = PlaceState::of(lpn);
            units[lpn.index()] = UnitState::of(lpn, ppa, self.logical);
        });
        changes.units.iter().for_each(|(&lpn, unit)| units[lpn as usize] = *unit);
        changes.places.iter().for_each(|(&ppa, place)| places[ppa as usize] = *place);
        self.kept = Kept::All { units, places };
    }

    /// Checks that the map of the drive under test, the logical units in the spare areas of its pages, and its counts
    /// of valid units agree with the checker's own map.
    ///
    /// # Panics
    /// When they do not agree.
    pub fn settle(&self, drive: &impl Examined<Beginning = B>) {
        let valid = match &self.kept {
            Kept::All { units, places } => {
                for (lpn, unit) in (0..).map(Lpn).zip(units) {
                    check_home(drive, lpn, unit.home);
                }
                let mut valid = vec![0; drive.valid_units().len()];
                for (ppa, _) in places.iter().enumerate().filter(|(_, place)| place.holder != NOTHING) {
                    valid[ppa / self.superblock_units as usize] += 1;
                }
                valid
            }
            Kept::Changes(changes) => match drive.changed_since(&changes.beginning) {
                Some(changed) => {
                    // All other units are where one rule, which never changes, says to both that they are.
                    for lpn in changed {
                        check_home(drive, lpn, self.unit(lpn).home);
                    }
                    changes.units.iter().for_each(|(&lpn, unit)| check_home(drive, Lpn(lpn), unit.home));
                    changes.valid_now(changes.valid.clone(), self.superblock_units)
                }
                None => self.settle_whole(drive, changes),
            },
        };
        assert_eq!(valid, drive.valid_units(), "valid counts equal the map");
    }

    /// Checks the whole map of a drive that has no list of changed units, and returns the number of valid units in each
    /// superblock. Hash sums over all units are compared, which need no random look-ups; only if they differ are units
    /// compared one by one.
    fn settle_whole(&self, drive: &impl Examined, changes: &MapChanges<B>) -> Vec<u32> {
        let mut valid = vec![0; drive.valid_units().len()];
        let mut sum = 0u64;
        changes.beginning.each(|lpn, ppa| {
            valid[(ppa.0 / self.superblock_units) as usize] += 1;
            sum = sum.wrapping_add(mark_of(lpn, ppa));
        });
        for (&lpn, unit) in &changes.units {
            check_home(drive, Lpn(lpn), unit.home);
            let before = mark_of(Lpn(lpn), changes.beginning.lookup(Lpn(lpn)));
            sum = sum.wrapping_sub(before).wrapping_add(mark_of(Lpn(lpn), unit.home));
        }
        let units = (0..self.written as u32).map(Lpn);
        let forward = units.map(|lpn| mark_of(lpn, drive.lookup(lpn))).fold(0, u64::wrapping_add);
        let places = (0..self.physical as u64).map(Ppa).filter(|ppa| drive.is_valid(*ppa));
        let backward = places.map(|ppa| mark_of(drive.holder(ppa), ppa)).fold(0, u64::wrapping_add);
        if [forward, backward] != [sum, sum] {
            changes.beginning.each(|lpn, ppa| {
                if !changes.units.contains_key(&lpn.0) {
                    check_home(drive, lpn, ppa);
                }
            });
            panic!("the map and the account differ on what lives anywhere");
        }
        changes.valid_now(valid, self.superblock_units)
    }
}

impl<B: MapAtFirst> MapChanges<B> {
    fn home_of(&self, lpn: Lpn) -> Ppa {
        self.asked.set(self.asked.get() + 1);
        self.beginning.lookup(lpn)
    }

    fn living_at(&self, ppa: Ppa) -> Lpn {
        self.asked.set(self.asked.get() + 1);
        self.beginning.living_at(ppa)
    }

    /// Returns the present number of valid units in each superblock, by the checker's own map; `valid` is their number
    /// when the run began.
    fn valid_now(&self, mut valid: Vec<u32>, superblock_units: u64) -> Vec<u32> {
        for (&ppa, place) in &self.places {
            let count = &mut valid[(ppa / superblock_units) as usize];
            *count += u32::from(place.holder != NOTHING);
            *count -= u32::from(self.beginning.living_at(Ppa(ppa)) != Lpn::NONE);
        }
        valid
    }
}

/// Returns a hash of a logical unit and its physical address, such that sums of these hashes differ between different
/// maps; 0 for a unit without an address.
#[inline]
fn mark_of(lpn: Lpn, ppa: Ppa) -> u64 {
    if ppa == Ppa::NONE {
        return 0;
    }
    let mixed =
        (ppa.0 ^ u64::from(lpn.0).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// Compares one unit of the drive under test with the checker's own map, by which the unit lies at physical address
/// `home`: the drive's map must agree, the spare area of the page there must name the unit, and the drive must count
/// that address as valid.
///
/// # Panics
/// When the drive differs from the checker's map.
fn check_home(drive: &impl Examined, lpn: Lpn, home: Ppa) {
    assert_eq!(drive.lookup(lpn), home, "the map and the account differ on unit {}", lpn.0);
    if home != Ppa::NONE {
        assert!(drive.is_valid(home), "unit {} lives at {home}, which counts as invalid", lpn.0);
        assert_eq!(drive.holder(home), lpn, "the spare area of {home} names another unit");
    }
}

#[cfg(test)]
mod tests {
    use super::OwnMap;
    use crate::examined::Examined;
    use crate::made_up::{MadeUp, shape};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use units::{Lpn, Ppa};

    fn own(drive: &MadeUp) -> OwnMap<<MadeUp as Examined>::Beginning> {
        OwnMap::of(drive, &shape())
    }

    #[test]
    fn what_has_changed_and_arrays_say_the_same() {
        let drive = MadeUp::filled(900);
        let (changes, mut all) = (own(&drive), own(&drive));
        all.make_all();
        for lpn in (0..shape().logical_units).map(Lpn) {
            let (unit, expected) = (changes.unit(lpn), all.unit(lpn));
            assert_eq!((unit.home, unit.content), (expected.home, expected.content), "{lpn}");
        }
        for ((ppa, place), (_, expected)) in changes.places().zip(all.places()) {
            assert_eq!((place.holder, place.stored), (expected.holder, expected.stored), "{ppa}");
        }
        changes.settle(&drive);
        all.settle(&drive);
    }

    /// Test: a difference between the drive's map and the checker's own map is found, whether or not the drive has a
    /// list of changed units and whether the checker stores hash tables of changes or flat arrays.
    #[test]
    fn a_map_that_changes_unseen_is_found_out() {
        for (knows, has_arrays) in [(true, false), (false, false), (true, true), (false, true)] {
            let mut drive = MadeUp::filled(900);
            let mut map = own(&drive);
            let home = drive.lookup(Lpn(3));
            map.unit_mut(Lpn(5)).version = 1;
            map.place_mut(home).version = 1;
            drive.changed = knows.then(Vec::new);
            if has_arrays {
                map.make_all();
            }
            map.settle(&drive);
            let mut is_found = |change: &mut dyn FnMut(&mut MadeUp, &mut OwnMap<_>)| {
                change(&mut drive, &mut map);
                catch_unwind(AssertUnwindSafe(|| map.settle(&drive))).is_err()
            };
            assert!(is_found(&mut |drive, _| drive.valid[0] += 1), "it counts one too many");
            assert!(!is_found(&mut |drive, _| drive.valid[0] -= 1));
            assert!(is_found(&mut |drive, _| drive.trim(Lpn(3))));
            assert!(is_found(&mut |_, map| map.unit_mut(Lpn(3)).home = Ppa::NONE), "it counts one too many");
            assert!(!is_found(&mut |_, map| map.place_mut(home).holder = super::NOTHING));
            assert!(is_found(&mut |drive, _| drive.write(Lpn(3), Ppa(1000))));
        }
    }
}
