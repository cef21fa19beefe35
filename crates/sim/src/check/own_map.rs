//! Where everything is: the account's own map.
//!
//! It begins with what the drive's map held then and keeps what has changed since, as a short run on a drive of a terabyte
//! touches a few thousand of its units. Once that is a notable part of the drive, arrays take its place.

use super::NOTHING;
use crate::check::past::EMPTY;
use engine::{ByNumber, large_array};
use ftl::{Beginning, Ftl, Layout};
use std::cell::Cell;
use units::{Lpn, Ppa};

/// One of so many units may change before arrays are made: tables of more take as much memory.
const CHANGED_PART: usize = 4;
/// One of so many may be looked up in the beginning: by then that took longer than they take.
const ASKED_PART: usize = 8;

/// What is known of a logical unit: together, since they are asked for together.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    pub home: Ppa,
    /// Of the newest write.
    pub version: u32,
    /// The version that it holds, if it is the host's and holds any. Snapshots see these, and nothing of what the layer
    /// itself keeps on flash.
    pub content: u32,
}

/// What is known of a physical unit.
#[derive(Clone, Copy)]
pub(super) struct Place {
    /// Who lives there, while it is valid.
    pub holder: u32,
    /// What was programmed there last, and in which version.
    pub stored: u32,
    pub version: u32,
}

impl Unit {
    /// As the run found it.
    fn of(lpn: Lpn, home: Ppa, logical: u32) -> Self {
        let holds = home != Ppa::NONE && lpn.0 < logical;
        Self { home, version: 0, content: if holds { 0 } else { EMPTY } }
    }
}

impl Place {
    /// As the run found it.
    fn of(holder: Lpn) -> Self {
        Self { holder: holder.0, stored: holder.0, version: 0 }
    }
}

/// What has changed since the beginning.
struct Changes {
    beginning: Beginning,
    /// Valid units of each superblock at the beginning.
    valid: Vec<u32>,
    units: ByNumber<u32, Unit>,
    places: ByNumber<u64, Place>,
    /// Units and places asked for that had not changed.
    asked: Cell<usize>,
}

enum Kept {
    Changes(Box<Changes>),
    All { units: Vec<Unit>, places: Vec<Place> },
}

/// Each unit, and each place on flash.
pub(super) struct OwnMap {
    /// Logical units, those of the host among them, and places.
    written: usize,
    logical: u32,
    physical: usize,
    superblock_units: u64,
    kept: Kept,
}

impl OwnMap {
    /// What the drive holds now.
    pub fn of(ftl: &Ftl, layout: &Layout) -> Self {
        let changes = Changes {
            beginning: ftl.beginning(),
            valid: ftl.valid_units().to_vec(),
            units: ByNumber::default(),
            places: ByNumber::default(),
            asked: Cell::new(0),
        };
        Self {
            written: layout.written_units() as usize,
            logical: layout.logical_units,
            physical: layout.physical_units(),
            superblock_units: u64::from(layout.superblock_units),
            kept: Kept::Changes(Box::new(changes)),
        }
    }

    #[inline]
    pub fn unit(&self, lpn: Lpn) -> Unit {
        match &self.kept {
            Kept::All { units, .. } => units[lpn.index()],
            Kept::Changes(changes) => match changes.units.get(&lpn.0) {
                Some(unit) => *unit,
                None => Unit::of(lpn, changes.home_of(lpn), self.logical),
            },
        }
    }

    #[inline]
    pub fn unit_mut(&mut self, lpn: Lpn) -> &mut Unit {
        match &mut self.kept {
            Kept::All { units, .. } => &mut units[lpn.index()],
            Kept::Changes(changes) => {
                if !changes.units.contains_key(&lpn.0) {
                    let unit = Unit::of(lpn, changes.home_of(lpn), self.logical);
                    changes.units.insert(lpn.0, unit);
                }
                changes.units.get_mut(&lpn.0).expect("put there a line above")
            }
        }
    }

    #[inline]
    pub fn place(&self, ppa: Ppa) -> Place {
        match &self.kept {
            Kept::All { places, .. } => places[ppa.index()],
            Kept::Changes(changes) => match changes.places.get(&ppa.0) {
                Some(place) => *place,
                None => Place::of(changes.living_at(ppa)),
            },
        }
    }

    #[inline]
    pub fn place_mut(&mut self, ppa: Ppa) -> &mut Place {
        match &mut self.kept {
            Kept::All { places, .. } => &mut places[ppa.index()],
            Kept::Changes(changes) => {
                if !changes.places.contains_key(&ppa.0) {
                    let place = Place::of(changes.living_at(ppa));
                    changes.places.insert(ppa.0, place);
                }
                changes.places.get_mut(&ppa.0).expect("put there a line above")
            }
        }
    }

    /// All units of the host's, in order.
    pub fn hosts(&self) -> impl Iterator<Item = Unit> {
        (0..self.logical).map(|lpn| self.unit(Lpn(lpn)))
    }

    /// All places, in order.
    pub fn places(&self) -> impl Iterator<Item = (Ppa, Place)> {
        (0..self.physical as u64).map(|ppa| (Ppa(ppa), self.place(Ppa(ppa))))
    }

    /// Goes over to arrays where so much has changed, or is asked for so often, that they pay.
    #[inline]
    pub fn outgrow(&mut self) {
        let Kept::Changes(changes) = &self.kept else { return };
        let changed = changes.units.len().max(changes.places.len());
        if changed > self.physical / CHANGED_PART || changes.asked.get() > self.physical / ASKED_PART {
            self.make_all();
        }
    }

    /// Goes over to arrays: all of it is about to be looked at.
    ///
    /// # Panics
    /// When two units live at one place.
    #[cold]
    pub fn make_all(&mut self) {
        let Kept::Changes(changes) = &self.kept else { return };
        let mut units = large_array(self.written, Unit::of(Lpn::NONE, Ppa::NONE, self.logical));
        let mut places = large_array(self.physical, Place::of(Lpn(NOTHING)));
        changes.beginning.each(|lpn, ppa| {
            let place = &mut places[ppa.index()];
            assert_eq!(place.holder, NOTHING, "two logical units live at {ppa}");
            *place = Place::of(lpn);
            units[lpn.index()] = Unit::of(lpn, ppa, self.logical);
        });
        changes.units.iter().for_each(|(&lpn, unit)| units[lpn as usize] = *unit);
        changes.places.iter().for_each(|(&ppa, place)| places[ppa as usize] = *place);
        self.kept = Kept::All { units, places };
    }

    /// The drive's map, its spare areas and its valid counts must say the same.
    ///
    /// # Panics
    /// When they do not.
    pub fn settle(&self, ftl: &Ftl) {
        let valid = match &self.kept {
            Kept::All { units, places } => {
                for (lpn, unit) in (0..).map(Lpn).zip(units) {
                    check_home(ftl, lpn, unit.home);
                }
                let mut valid = vec![0; ftl.valid_units().len()];
                for (ppa, _) in places.iter().enumerate().filter(|(_, place)| place.holder != NOTHING) {
                    valid[ppa / self.superblock_units as usize] += 1;
                }
                valid
            }
            Kept::Changes(changes) => match ftl.changed_since(&changes.beginning) {
                Some(changed) => {
                    // All other units are where one rule, which never changes, says to both that they are.
                    for lpn in changed {
                        check_home(ftl, lpn, self.unit(lpn).home);
                    }
                    changes.units.iter().for_each(|(&lpn, unit)| check_home(ftl, Lpn(lpn), unit.home));
                    changes.valid_now(changes.valid.clone(), self.superblock_units)
                }
                None => self.settle_whole(ftl, changes),
            },
        };
        assert_eq!(valid, ftl.valid_units(), "valid counts equal the map");
    }

    /// Compares with a map that does not know what has changed in it; gives the valid units of each superblock. Sums over all
    /// units do not depend on their order: none of them is asked for at random, unless one is to be found that differs.
    fn settle_whole(&self, ftl: &Ftl, changes: &Changes) -> Vec<u32> {
        let mut valid = vec![0; ftl.valid_units().len()];
        let mut sum = 0u64;
        changes.beginning.each(|lpn, ppa| {
            valid[(ppa.0 / self.superblock_units) as usize] += 1;
            sum = sum.wrapping_add(mark_of(lpn, ppa));
        });
        for (&lpn, unit) in &changes.units {
            check_home(ftl, Lpn(lpn), unit.home);
            let before = mark_of(Lpn(lpn), changes.beginning.lookup(Lpn(lpn)));
            sum = sum.wrapping_sub(before).wrapping_add(mark_of(Lpn(lpn), unit.home));
        }
        let units = (0..self.written as u32).map(Lpn);
        let forward = units.map(|lpn| mark_of(lpn, ftl.lookup(lpn))).fold(0, u64::wrapping_add);
        let places = (0..self.physical as u64).map(Ppa).filter(|ppa| ftl.is_valid(*ppa));
        let backward = places.map(|ppa| mark_of(ftl.holder(ppa), ppa)).fold(0, u64::wrapping_add);
        if [forward, backward] != [sum, sum] {
            changes.beginning.each(|lpn, ppa| {
                if !changes.units.contains_key(&lpn.0) {
                    check_home(ftl, lpn, ppa);
                }
            });
            panic!("the map and the account differ on what lives anywhere");
        }
        changes.valid_now(valid, self.superblock_units)
    }
}

impl Changes {
    fn home_of(&self, lpn: Lpn) -> Ppa {
        self.asked.set(self.asked.get() + 1);
        self.beginning.lookup(lpn)
    }

    fn living_at(&self, ppa: Ppa) -> Lpn {
        self.asked.set(self.asked.get() + 1);
        self.beginning.living_at(ppa)
    }

    /// Valid units of each superblock, of which there were so many.
    fn valid_now(&self, mut valid: Vec<u32>, superblock_units: u64) -> Vec<u32> {
        for (&ppa, place) in &self.places {
            let count = &mut valid[(ppa / superblock_units) as usize];
            *count += u32::from(place.holder != NOTHING);
            *count -= u32::from(self.beginning.living_at(Ppa(ppa)) != Lpn::NONE);
        }
        valid
    }
}

/// A number for a unit and its place, whose sums over many tell sets of them apart; none for one that lives nowhere.
#[inline]
fn mark_of(lpn: Lpn, ppa: Ppa) -> u64 {
    if ppa == Ppa::NONE {
        return 0;
    }
    let mixed =
        (ppa.0 ^ u64::from(lpn.0).wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    (mixed ^ (mixed >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93)
}

/// # Panics
/// When a unit does not live where the account says.
fn check_home(ftl: &Ftl, lpn: Lpn, home: Ppa) {
    assert_eq!(ftl.lookup(lpn), home, "the map and the account differ on unit {}", lpn.0);
    if home != Ppa::NONE {
        assert!(ftl.is_valid(home), "unit {} lives at {home}, which counts as invalid", lpn.0);
        assert_eq!(ftl.holder(home), lpn, "the spare area of {home} names another unit");
    }
}

#[cfg(test)]
mod tests {
    use super::OwnMap;
    use crate::{Catalogue, Drive};
    use ftl::Ftl;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use units::{Lpn, Ppa};

    /// A drive that was filled in order, which a rule says, and of which some units were written again.
    fn filled() -> Ftl {
        let settings = ["nand.blocks_per_plane=64", "ftl.op_ratio=0.5"].map(str::to_owned);
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
        let drive =
            Drive::load(&Catalogue::new([root]), "mlc", &settings).unwrap_or_else(|error| panic!("{error}"));
        let mut ftl = drive.build(1).expect("the drive can be built");
        assert!(ftl.write_in_order(Lpn(0), 1 << 20) > 10_000);
        assert!((0..20).all(|lpn| ftl.try_write_untimed(Lpn(lpn * 7))));
        ftl
    }

    fn own(ftl: &Ftl) -> OwnMap {
        OwnMap::of(ftl, ftl.layout())
    }

    #[test]
    fn what_has_changed_and_arrays_say_the_same() {
        let mut ftl = filled();
        let by_rule = own(&ftl);
        ftl.make_arrays();
        let (by_arrays, mut all) = (own(&ftl), own(&ftl));
        all.make_all();
        for map in [&by_rule, &by_arrays] {
            for lpn in (0..ftl.layout().logical_units).map(Lpn) {
                let (unit, expected) = (map.unit(lpn), all.unit(lpn));
                assert_eq!((unit.home, unit.content), (expected.home, expected.content), "{lpn}");
            }
            for ((ppa, place), (_, expected)) in map.places().zip(all.places()) {
                assert_eq!((place.holder, place.stored), (expected.holder, expected.stored), "{ppa}");
            }
            map.settle(&ftl);
        }
        all.settle(&ftl);
    }

    #[test]
    fn a_map_that_changes_unseen_is_found_out() {
        for (ftl_has_arrays, has_arrays) in [(false, false), (true, false), (false, true), (true, true)] {
            let mut ftl = filled();
            let mut map = own(&ftl);
            let home = ftl.lookup(Lpn(3));
            map.unit_mut(Lpn(5)).version = 1;
            map.place_mut(home).version = 1;
            if ftl_has_arrays {
                ftl.make_arrays();
            }
            if has_arrays {
                map.make_all();
            }
            map.settle(&ftl);
            let mut is_found = |change: &mut dyn FnMut(&mut Ftl, &mut OwnMap)| {
                change(&mut ftl, &mut map);
                catch_unwind(AssertUnwindSafe(|| map.settle(&ftl))).is_err()
            };
            assert!(is_found(&mut |ftl, _| ftl.trim_untimed(Lpn(3))));
            assert!(is_found(&mut |_, map| map.unit_mut(Lpn(3)).home = Ppa::NONE), "it counts one too many");
            assert!(!is_found(&mut |_, map| map.place_mut(home).holder = super::NOTHING));
            assert!(is_found(&mut |ftl, _| assert!(ftl.try_write_untimed(Lpn(3)))));
        }
    }
}
