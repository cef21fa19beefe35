//! Pages of an image file: which of them holds the newest data of which unit, and which are free.
//!
//! A drive writes each time elsewhere; its image does not. The data of a unit have a page of the file, which is free again
//! once a newer version of the unit is in the image: so the file takes the room of the data that can still be asked
//! for, and the next program writes to pages that the kernel has already. A unit that the drive moves keeps its page: both of
//! its spare areas name it. A unit whose last copy is erased is buried: no older version of it counts any more.

use std::collections::HashSet;
use std::ops::Range;
use units::{Lpn, Ppa};

/// Number that stands for no page, in an entry of a spare area whose unit has no data of its own in the image file.
pub const NO_PAGE: u64 = u64::MAX >> COPIES_BITS;
/// Number of low bits, of the word of a unit's version that has the page, that count the copies.
const COPIES_BITS: u32 = 24;
/// Number of units whose versions are in one block of the table of versions.
const BLOCK: usize = 1024;

/// Record of the newest version of a mapping unit in an image file: number, checksum and page of its data, and its place on
/// flash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitVersion {
    /// Sequence number (stamp) of the host's write that brought this version of the unit.
    pub stamp: u64,
    /// Checksum of the data of this version of the unit, together with unit and stamp.
    pub check: u64,
    /// Number of the page of the image file that holds the data of this version of the unit.
    pub page: u64,
    /// Physical address of the spare area that was written last for this version of the unit.
    pub home: Ppa,
}

/// Kind of contents that a page of an image file has: data, or those of a hole, which takes no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageFill {
    Data,
    Hole,
}

/// Table of the newest version of each mapping unit in an image file, with the list of free pages of the file.
#[derive(Default)]
pub struct PageTable {
    /// List of blocks of versions, by unit; only those of units that were written take memory. A version is four words:
    /// stamp (0: no version), checksum, page ([`NO_PAGE`]: buried) and number of copies, and home.
    blocks: Vec<Option<Box<[[u64; 4]; BLOCK]>>>,
    /// List of pages below `fresh` that hold no data that can be asked for; the last is used first.
    free: Vec<u64>,
    /// Number of the first page of the file that was never used.
    fresh: u64,
    /// List of words with a bit for each page: whether the page is known to be no hole of the file.
    filled: Vec<u64>,
}

impl PageTable {
    fn words(&self, lpn: Lpn) -> Option<&[u64; 4]> {
        let block = self.blocks.get(lpn.0 as usize / BLOCK)?.as_ref()?;
        Some(&block[lpn.0 as usize % BLOCK]).filter(|words| words[0] != 0)
    }

    fn words_mut(&mut self, lpn: Lpn) -> &mut [u64; 4] {
        let (block, at) = (lpn.0 as usize / BLOCK, lpn.0 as usize % BLOCK);
        if self.blocks.len() <= block {
            self.blocks.resize_with(block + 1, || None);
        }
        &mut self.blocks[block].get_or_insert_with(|| Box::new([[0; 4]; BLOCK]))[at]
    }

    /// Returns the newest version of unit `lpn` in the image file; none if the file has no data of the unit.
    pub fn newest(&self, lpn: Lpn) -> Option<UnitVersion> {
        let [stamp, check, place, home] = *self.words(lpn).filter(|words| !is_buried(words))?;
        Some(UnitVersion { stamp, check, page: place >> COPIES_BITS, home: Ppa(home) })
    }

    /// Takes `count` pages from the free ones, or from those never used, in ascending order.
    pub fn take(&mut self, count: usize) -> Vec<u64> {
        let mut taken = self.free.split_off(self.free.len() - count.min(self.free.len()));
        taken.sort_unstable();
        let fresh = self.fresh..self.fresh + (count - taken.len()) as u64;
        self.fresh = fresh.end;
        taken.extend(fresh);
        taken
    }

    /// Takes the free page that is used next, if the file is known to have data there; none otherwise.
    pub fn take_one(&mut self) -> Option<u64> {
        let page = *self.free.last()?;
        self.are_filled(page..page + 1).then(|| self.free.pop())?
    }

    /// Gives pages back that were taken and are not used.
    pub fn give_back(&mut self, pages: impl IntoIterator<Item = u64>) {
        self.free.extend(pages);
    }

    /// Enters a version of unit `lpn` whose data and spare area were written. The page of the older one of two versions is
    /// free from now on; of one version, the spare areas are counted.
    pub fn enter(&mut self, lpn: Lpn, version: UnitVersion) {
        let words = self.words_mut(lpn);
        let [stamp, _, place, _] = *words;
        if stamp > version.stamp {
            return self.free.extend((version.page != NO_PAGE).then_some(version.page));
        }
        if stamp == version.stamp {
            (words[2], words[3]) = (place + 1, version.home.0);
            return;
        }
        let older = Some(place >> COPIES_BITS).filter(|_| stamp != 0 && !is_buried(words));
        *words = [version.stamp, version.check, version.page << COPIES_BITS | 1, version.home.0];
        self.free.extend(older);
    }

    /// Counts one more copy of version `stamp` of unit `lpn`, whose spare area will be written later, so that its page is
    /// kept until then. Returns false, and counts nothing, if this is not the newest version in the file.
    pub fn hold(&mut self, lpn: Lpn, stamp: u64) -> bool {
        let is_newest = self.newest(lpn).is_some_and(|newest| newest.stamp == stamp);
        if is_newest {
            self.words_mut(lpn)[2] += 1;
        }
        is_newest
    }

    /// Notes that the spare area at `home` was written for a copy of version `stamp` of unit `lpn` that was counted before.
    pub fn settle(&mut self, lpn: Lpn, stamp: u64, home: Ppa) {
        if self.words(lpn).is_some_and(|words| words[0] == stamp) {
            self.words_mut(lpn)[3] = home.0;
        }
    }

    /// Counts one copy less of version `stamp` of unit `lpn`. Returns the page of the version if this was the last copy: the
    /// page is free from now on, and the unit is buried.
    pub fn let_go(&mut self, lpn: Lpn, stamp: u64) -> Option<u64> {
        self.newest(lpn).filter(|newest| newest.stamp == stamp)?;
        let words = self.words_mut(lpn);
        words[2] -= 1;
        let (copies, page) = (words[2] & ((1 << COPIES_BITS) - 1), words[2] >> COPIES_BITS);
        if copies > 0 {
            return None;
        }
        self.bury(lpn, stamp);
        self.free.push(page);
        Some(page)
    }

    /// Notes that all versions of unit `lpn` up to `stamp` are gone: none of them that is found counts.
    pub fn bury(&mut self, lpn: Lpn, stamp: u64) {
        *self.words_mut(lpn) = [stamp, 0, NO_PAGE << COPIES_BITS, 0];
    }

    /// Returns true if all versions of unit `lpn` that the image file had are gone.
    pub fn is_buried(&self, lpn: Lpn) -> bool {
        self.words(lpn).is_some_and(is_buried)
    }

    /// Notes that the file has data for the pages `pages`, or that they became a hole.
    pub fn set_filled(&mut self, pages: Range<u64>, filled: PageFill) {
        let words = pages.end.div_ceil(64) as usize;
        if self.filled.len() < words {
            self.filled.resize(words, 0);
        }
        for page in pages {
            let bit = 1 << (page % 64);
            match filled {
                PageFill::Data => self.filled[page as usize / 64] |= bit,
                PageFill::Hole => self.filled[page as usize / 64] &= !bit,
            }
        }
    }

    /// Returns true if the file is known to have data for all of the pages `pages`.
    pub fn are_filled(&self, mut pages: Range<u64>) -> bool {
        pages.all(|page| self.filled.get(page as usize / 64).is_some_and(|word| word >> (page % 64) & 1 == 1))
    }

    /// Forgets the newest version of unit `lpn`, whose data are another unit's, without a change of the free pages.
    pub fn forget(&mut self, lpn: Lpn) {
        *self.words_mut(lpn) = [0; 4];
    }

    /// Notes a spare area that was found in an opened image file: of the versions of a unit the one with the highest stamp
    /// remains. The list of free pages is made at the end, by [`Self::find_free`].
    pub fn find(&mut self, lpn: Lpn, version: UnitVersion) {
        let words = self.words_mut(lpn);
        if words[0] == version.stamp {
            words[2] += u64::from(!is_buried(words));
        } else if words[0] < version.stamp {
            *words = [version.stamp, version.check, version.page << COPIES_BITS | 1, version.home.0];
        }
    }

    /// Returns the newest versions in the image file, with their units, in the order of the units.
    pub fn all(&self) -> impl Iterator<Item = (Lpn, UnitVersion)> + '_ {
        let blocks = self.blocks.iter().enumerate().filter(|(_, block)| block.is_some());
        let units =
            blocks.flat_map(|(block, _)| (block * BLOCK..(block + 1) * BLOCK).map(|unit| Lpn(unit as u32)));
        units.filter_map(|lpn| Some((lpn, self.newest(lpn)?)))
    }

    /// Makes the list of free pages of an opened image file: those below the last used one that no newest version has, the
    /// lowest to be used first. Returns the units whose page is also another unit's, which only damage of spare areas can
    /// bring about.
    pub fn find_free(&mut self) -> Vec<(Lpn, UnitVersion)> {
        let pages = || self.all().map(|(_, version)| version.page).filter(|&page| page != NO_PAGE);
        let fresh = pages().max().map_or(0, |last| last + 1);
        let (mut used, mut twice) = (vec![false; fresh as usize], HashSet::new());
        for page in pages() {
            if std::mem::replace(&mut used[page as usize], true) {
                twice.insert(page);
            }
        }
        let contested = self.all().filter(|(_, version)| twice.contains(&version.page)).collect();
        self.free = (0..fresh).rev().filter(|&page| !used[page as usize]).collect();
        self.fresh = fresh;
        contested
    }
}

fn is_buried(words: &[u64; 4]) -> bool {
    words[2] >> COPIES_BITS == NO_PAGE
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(stamp: u64, page: u64, home: u64) -> UnitVersion {
        UnitVersion { stamp, check: stamp + 100, page, home: Ppa(home) }
    }

    #[test]
    fn a_page_is_free_once_a_newer_version_is_there() {
        let mut pages = PageTable::default();
        assert_eq!(pages.take(2), [0, 1]);
        pages.enter(Lpn(7), version(1, 0, 10));
        pages.enter(Lpn(5000), version(2, 1, 11));
        assert_eq!(pages.take(1), [2], "both are in use");
        pages.enter(Lpn(7), version(3, 2, 12));
        assert_eq!(pages.newest(Lpn(7)), Some(version(3, 2, 12)));
        assert_eq!(pages.take(2), [0, 3], "the older version's, and one never used");
        pages.give_back([0, 3]);
        // An older version that comes late is none.
        pages.take(1);
        pages.enter(Lpn(7), version(2, 3, 13));
        assert_eq!(pages.newest(Lpn(7)), Some(version(3, 2, 12)));
        assert_eq!(pages.take(2), [0, 3]);
        assert_eq!(pages.all().map(|(lpn, _)| lpn.0).collect::<Vec<_>>(), [7, 5000]);
    }

    #[test]
    fn a_page_is_kept_while_a_copy_of_its_version_is_somewhere() {
        let mut pages = PageTable::default();
        pages.take(1);
        pages.enter(Lpn(7), version(1, 0, 10));
        assert!(!pages.hold(Lpn(7), 2) && !pages.hold(Lpn(8), 0), "there is no such version");
        assert!(pages.hold(Lpn(7), 1));
        // It was erased before the copy is written.
        assert_eq!(pages.let_go(Lpn(7), 1), None);
        pages.settle(Lpn(7), 1, Ppa(20));
        assert_eq!(pages.newest(Lpn(7)), Some(version(1, 0, 20)));
        assert_eq!(pages.let_go(Lpn(7), 4), None, "another version's copy");
        assert_eq!(pages.let_go(Lpn(7), 1), Some(0));
        assert_eq!((pages.newest(Lpn(7)), pages.let_go(Lpn(7), 1)), (None, None));
        assert_eq!(pages.take(1), [0]);
    }

    #[test]
    fn a_page_has_data_until_it_is_a_hole() {
        let mut pages = PageTable::default();
        pages.set_filled(60..130, PageFill::Data);
        assert!(pages.are_filled(60..130) && !pages.are_filled(59..61) && !pages.are_filled(129..131));
        pages.set_filled(64..65, PageFill::Hole);
        assert!(pages.are_filled(60..64) && pages.are_filled(65..130) && !pages.are_filled(63..66));
        assert!(!pages.are_filled(1000..1001));
        assert_eq!(pages.take_one(), None, "none is free");
        pages.give_back([60, 64]);
        assert_eq!(pages.take_one(), None, "the next one is a hole");
        assert_eq!((pages.take(1), pages.take_one(), pages.take_one()), (vec![64], Some(60), None));
    }

    #[test]
    fn an_older_version_of_a_unit_that_was_erased_does_not_count() {
        let mut pages = PageTable::default();
        pages.take(1);
        pages.enter(Lpn(7), version(5, 0, 10));
        assert!(!pages.is_buried(Lpn(7)));
        assert_eq!(pages.let_go(Lpn(7), 5), Some(0));
        for _ in 0..2 {
            assert!(pages.is_buried(Lpn(7)));
            assert_eq!((pages.newest(Lpn(7)), pages.let_go(Lpn(7), 5)), (None, None));
            // As the next server finds it, which was killed before it erased the spare area, too.
            pages = PageTable::default();
            pages.bury(Lpn(7), 5);
            pages.find(Lpn(7), version(5, 0, 10));
            pages.find(Lpn(7), version(4, 1, 11));
            assert_eq!(pages.find_free(), []);
        }
        assert_eq!(pages.take(1), [0]);
        pages.enter(Lpn(7), version(6, 0, 12));
        assert_eq!((pages.newest(Lpn(7)), pages.take(1)), (Some(version(6, 0, 12)), vec![1]));
    }

    #[test]
    fn the_newest_of_what_is_found_counts_and_other_pages_are_free() {
        let mut pages = PageTable::default();
        // Unit 8 was written to the page that version 5 of unit 7 had, with a lower stamp.
        for (lpn, found) in
            [(7, version(5, 1, 0)), (7, version(9, 3, 1)), (8, version(4, 1, 2)), (7, version(2, 0, 3))]
        {
            pages.find(Lpn(lpn), found);
        }
        pages.find(Lpn(8), version(4, 1, 30));
        assert_eq!(pages.find_free(), []);
        assert_eq!(pages.newest(Lpn(7)), Some(version(9, 3, 1)));
        assert_eq!((pages.let_go(Lpn(8), 4), pages.let_go(Lpn(8), 4)), (None, Some(1)));
        assert_eq!(pages.take(4), [0, 1, 2, 4]);
        // Where the newest spare area is lost, an older one may name the page of another unit.
        let mut pages = PageTable::default();
        pages.find(Lpn(7), version(5, 1, 0));
        pages.find(Lpn(8), version(4, 1, 2));
        assert_eq!(pages.find_free(), [(Lpn(7), version(5, 1, 0)), (Lpn(8), version(4, 1, 2))]);
        pages.forget(Lpn(7));
        assert_eq!((pages.newest(Lpn(7)), pages.take(1)), (None, vec![0]));
    }
}
