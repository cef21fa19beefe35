//! Programs and erases, in the image file.

use super::pages::{NO_PAGE, PageFill, UnitVersion};
use super::{Image, SPARE, SpareArea};
use rustix::fs::{FallocateFlags, fallocate};
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use units::{Lpn, Ppa};

/// Kind of data that a unit of a flash program has in an image file: new ones, those of the unit's former place, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitBrings {
    /// Case of data: new ones, which are written to a free page of the image file.
    Data,
    /// Case of data: new ones, which are in this page of the image file already; no spare area names the page yet.
    Laid(u64),
    /// Case of data: those of the unit's former place on flash. The page is held, and named by the new spare area, too.
    Page,
    /// Case of data: none that can be asked for, as for padding, the drive's map, and units that were overtaken.
    Nothing,
}

/// Record of a flash program's contents: the spare areas and the data that it writes to consecutive units on flash.
#[derive(Clone, Debug, Default)]
pub struct ProgramImage {
    /// List of the spare areas of the units of a program, in order.
    pub spares: Vec<SpareArea>,
    /// List of what each unit of a program brings: new data, the page of its former place, or nothing.
    pub brings: Vec<UnitBrings>,
    /// Data of the units of a program, one after the other; undefined for units that bring no new data.
    pub data: Vec<u8>,
}

impl Image {
    pub(super) fn spare_at(&self, ppa: u64) -> u64 {
        self.places.spares_at + ppa * SPARE as u64
    }

    pub(super) fn page_at(&self, page: u64) -> u64 {
        self.places.data_at + page * self.places.unit
    }

    /// Writes a program of units from `first` on into the image, or, while the disk has no space, keeps it and later
    /// ones in memory. Returns the data buffer of a written program, for reuse; none if the program is kept.
    pub fn program(&mut self, first: Ppa, programmed: ProgramImage) -> Option<Vec<u8>> {
        if self.homeless.is_empty() || self.find_room() {
            match self.write(first.0, &programmed) {
                Ok(()) => return Some(programmed.data),
                Err(error) => self.refused = Some(error.to_string()),
            }
        }
        self.homeless.insert(first.0, programmed);
        None
    }

    /// Writes the data of a unit that is to be programmed to a free page already now, where that needs no system call; until
    /// the program has ended, nothing names the page. Returns what the unit brings; none if the data must be kept until then.
    pub fn lay(&mut self, data: &[u8]) -> Option<UnitBrings> {
        let mapping = self.mapping.as_mut()?;
        let page = self.pages.take_one()?;
        mapping.write(page * self.places.unit, data);
        Some(UnitBrings::Laid(page))
    }

    /// Writes a program of units from `first` on into the image: data to free pages, then spare areas. Only then the pages
    /// of older data are free.
    fn write(&mut self, first: u64, programmed: &ProgramImage) -> io::Result<()> {
        let places = self.places_of(programmed);
        let wanted = places.iter().filter(|&&place| place == UnitPlace::Free).count();
        let taken = self.pages.take(wanted);
        let mut free = taken.iter();
        let mut number = |place: &UnitPlace| match *place {
            UnitPlace::Free => free.next().copied().unwrap_or(NO_PAGE),
            UnitPlace::At(page) => page,
            UnitPlace::Nowhere => NO_PAGE,
        };
        let numbers: Vec<u64> = places.iter().map(&mut number).collect();
        let is_new = |at: usize| places[at] == UnitPlace::Free;
        let written = self.write_pages(&numbers, is_new, &programmed.data).and_then(|()| {
            let spares = programmed.spares.iter().zip(&numbers).zip(first..);
            let bytes: Vec<u8> = spares.flat_map(|((spare, &page), ppa)| spare.to_bytes(ppa, page)).collect();
            self.file.write_all_at(&bytes, self.spare_at(first))
        });
        if written.is_err() {
            self.pages.give_back(taken);
            return written;
        }
        self.enter(first, programmed, &numbers);
        Ok(())
    }

    /// Notes that the units of a program from `first` on are in the image, with their data in the pages `numbers`.
    fn enter(&mut self, first: u64, programmed: &ProgramImage, numbers: &[u64]) {
        let units = programmed.spares.iter().zip(&programmed.brings).zip(numbers).zip((first..).map(Ppa));
        for (((spare, brings), &page), home) in units {
            let SpareArea::Data { lpn, stamp, check } = *spare else { continue };
            match *brings {
                UnitBrings::Data | UnitBrings::Laid(_) => {
                    self.pages.enter(lpn, UnitVersion { stamp, check, page, home });
                }
                UnitBrings::Page => self.pages.settle(lpn, stamp, home),
                UnitBrings::Nothing => {}
            }
            if let UnitBrings::Laid(own) = *brings
                && own != page
            {
                self.pages.give_back([own]);
            }
        }
    }

    /// Returns where the data of each unit of a program belong: to a free page, to the page that holds this version already, or
    /// nowhere, as the image has a newer version.
    fn places_of(&self, programmed: &ProgramImage) -> Vec<UnitPlace> {
        let place = |(spare, brings): (&SpareArea, &UnitBrings)| match *spare {
            SpareArea::Data { lpn, stamp, .. } if *brings != UnitBrings::Nothing => {
                let newest = self.pages.newest(lpn);
                match newest.filter(|newest| newest.stamp >= stamp) {
                    None if *brings == UnitBrings::Data => UnitPlace::Free,
                    Some(newest) if newest.stamp == stamp => UnitPlace::At(newest.page),
                    _ => match *brings {
                        UnitBrings::Laid(page) => UnitPlace::At(page),
                        _ => UnitPlace::Nowhere,
                    },
                }
            }
            _ => UnitPlace::Nowhere,
        };
        programmed.spares.iter().zip(&programmed.brings).map(place).collect()
    }

    /// Writes the data of the units that are new to the pages `numbers`, each run of pages that lie side by side at once.
    fn write_pages(
        &mut self,
        numbers: &[u64],
        is_new: impl Fn(usize) -> bool,
        data: &[u8],
    ) -> io::Result<()> {
        let unit = self.places.unit as usize;
        let mut at = 0;
        while at < numbers.len() {
            let first = at;
            at += 1;
            if !is_new(first) {
                continue;
            }
            while at < numbers.len() && is_new(at) && numbers[at] == numbers[at - 1] + 1 {
                at += 1;
            }
            let pages = numbers[first]..numbers[at - 1] + 1;
            self.write_run(pages, &data[first * unit..at * unit])?;
        }
        Ok(())
    }

    fn write_run(&mut self, pages: Range<u64>, data: &[u8]) -> io::Result<()> {
        match &mut self.mapping {
            Some(mapping) if self.pages.are_filled(pages.clone()) => {
                mapping.write(pages.start * self.places.unit, data)
            }
            // A page without room is not touched in memory: a full disk is an error, and not the end of the process.
            mapping => {
                let at = self.places.data_at + pages.start * self.places.unit;
                self.file.write_all_at(data, at)?;
                if let Some(mapping) = mapping {
                    mapping.prepare(pages.start * self.places.unit, data.len());
                }
                self.pages.set_filled(pages, PageFill::Data);
            }
        }
        Ok(())
    }

    /// Tries again to write the programs that the disk had no space for; returns true if none is left in memory.
    pub fn find_room(&mut self) -> bool {
        while let Some((first, programmed)) = self.homeless.pop_first() {
            if let Err(error) = self.write(first, &programmed) {
                self.refused = Some(error.to_string());
                self.homeless.insert(first, programmed);
                return false;
            }
        }
        self.refused = None;
        if !self.gone_unwritten.is_empty() {
            self.note_gone(Vec::new());
        }
        self.refused.is_none()
    }

    /// Returns the error message of the disk that last refused a write; none while all writes succeed.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Returns the program kept in memory that contains unit `ppa`, and the unit's index in it; `None` if none does.
    pub(super) fn homeless_of(&self, ppa: u64) -> Option<(&ProgramImage, usize)> {
        let (first, programmed) = self.homeless.range(..=ppa).next_back()?;
        let at = (ppa - first) as usize;
        (at < programmed.spares.len()).then_some((programmed, at))
    }

    /// Returns the spare area of the unit at `from`, which the drive moves elsewhere, and what the unit brings there: its
    /// page, which is held until the program is written; or, where the file has no page of it yet, data, copied into `data`.
    pub fn move_from(&mut self, from: Ppa, data: &mut [u8]) -> (SpareArea, UnitBrings) {
        let spare = self.spare(from).unwrap_or(SpareArea::Damaged);
        let SpareArea::Data { lpn, stamp, .. } = spare else { return (spare, UnitBrings::Nothing) };
        if self.pages.hold(lpn, stamp) {
            return (spare, UnitBrings::Page);
        }
        match self.homeless_of(from.0) {
            Some((programmed, at)) => match programmed.brings[at] {
                UnitBrings::Data => {
                    data.copy_from_slice(&programmed.data[at * data.len()..][..data.len()]);
                    (spare, UnitBrings::Data)
                }
                UnitBrings::Laid(page) if self.read_pages(page, data).is_ok() => (spare, UnitBrings::Data),
                _ => (spare, UnitBrings::Nothing),
            },
            None => (spare, UnitBrings::Nothing),
        }
    }

    /// Erases a superblock: its spare areas become a hole, pages that only it named become holes, too, and its erase count rises.
    pub fn erase(&mut self, superblock: usize) {
        self.marks[superblock].erases += 1;
        self.write_mark(superblock);
        let first = superblock as u64 * self.places.superblock_units;
        let range = first..first + self.places.superblock_units;
        let (gone, emptied) = self.let_go_of(range.clone());
        // First: an older spare area of a trimmed unit must not count once the newest is erased.
        self.note_gone(gone);
        self.homeless.retain(|ppa, _| !range.contains(ppa));
        let (at, length) = (self.spare_at(first), self.places.superblock_units * SPARE as u64);
        if self.punch(at, length).is_err() {
            // A file system without holes: what counts is that nothing is found there.
            let written = self.file.write_all_at(&vec![0; length as usize], at);
            self.refused = written.err().map(|error| error.to_string()).or(self.refused.take());
        }
        for run in emptied.chunk_by(|before, after| before + 1 == *after) {
            self.pages.set_filled(run[0]..run[0] + run.len() as u64, PageFill::Hole);
            let _ = self.punch(self.page_at(run[0]), run.len() as u64 * self.places.unit);
        }
        if self.refused.is_some() {
            self.find_room();
        }
    }

    fn punch(&self, at: u64, length: u64) -> io::Result<()> {
        let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
        Ok(fallocate(&self.file, flags, at, length)?)
    }

    /// Counts, for the units of a superblock that is erased, a copy of their data less. Returns the units that have no copy
    /// any more, each with its last version, and their pages, in ascending order.
    fn let_go_of(&mut self, superblock: Range<u64>) -> (Vec<(Lpn, u64)>, Vec<u64>) {
        let written = self.entries(superblock.start).unwrap_or_default();
        let mut copies: Vec<SpareArea> = written.into_iter().map(|(spare, _)| spare).collect();
        for (_, programmed) in self.homeless.range(superblock) {
            for (spare, brings) in programmed.spares.iter().zip(&programmed.brings) {
                match *brings {
                    UnitBrings::Page => copies.push(*spare),
                    UnitBrings::Laid(page) => self.pages.give_back([page]),
                    UnitBrings::Data | UnitBrings::Nothing => {}
                }
            }
        }
        let (mut gone, mut emptied) = (Vec::new(), Vec::new());
        for spare in copies {
            let SpareArea::Data { lpn, stamp, .. } = spare else { continue };
            if let Some(page) = self.pages.let_go(lpn, stamp) {
                gone.push((lpn, stamp));
                emptied.push(page);
            }
        }
        emptied.sort_unstable();
        (gone, emptied)
    }
}

/// Kind of place in an image file that a unit of a flash program has for its data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum UnitPlace {
    /// Case of place: a page that is free so far.
    Free,
    /// Case of place: the page with this number, which holds the unit's data already.
    At(u64),
    /// Case of place: none; the unit has no data, or the image has newer ones.
    Nowhere,
}
