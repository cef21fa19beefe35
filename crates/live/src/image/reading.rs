//! Reads of the image file: data with their checks, spare areas, and, of an opened file, the places of all data.

use super::mapping::FileMapping;
use super::pages::{NO_PAGE, PageFill, UnitVersion};
use super::{Image, SPARE, SpareArea, UnitBrings};
use rustix::fs::{SeekFrom, seek};
use std::io;
use std::os::unix::fs::FileExt;
use units::{Lpn, Ppa};

/// Kind of place at which the data of a unit on flash are found: a page of the image file, or memory while the disk has no
/// space.
enum DataPlace<'a> {
    /// Case of place: the page with this number of the image file.
    Page(u64),
    /// Case of place: memory, which holds these data of a program that the disk had no space for.
    Memory(&'a [u8]),
}

impl Image {
    /// Reads data of consecutive logical units from `holder` on, which lie at the physical addresses `homes`, and checks
    /// the data against the spare areas of these units.
    ///
    /// # Errors
    /// When the disk cannot be read, or the data are not what was programmed there.
    pub fn read_of(&self, holder: Lpn, homes: &[Ppa], data: &mut [u8]) -> io::Result<()> {
        let read = self.read_checked(holder, homes, data);
        self.damaged.set(self.damaged.get() + u64::from(read.is_err()));
        read
    }

    fn read_checked(&self, holder: Lpn, homes: &[Ppa], data: &mut [u8]) -> io::Result<()> {
        let unit = self.places.unit as usize;
        let mut spares = Vec::with_capacity(homes.len());
        // Pages side by side are read at once.
        let (mut from, mut begun, mut next) = (0, 0, NO_PAGE);
        for (at, (&home, lpn)) in homes.iter().zip((holder.0..).map(Lpn)).enumerate() {
            let (spare, found) = self.locate(lpn, home)?;
            spares.push(spare);
            if !matches!(found, DataPlace::Page(page) if page == next) {
                self.read_pages(begun, &mut data[from * unit..at * unit])?;
                from = at;
            }
            match found {
                DataPlace::Page(page) => {
                    begun = if from == at { page } else { begun };
                    next = page + 1;
                }
                DataPlace::Memory(bytes) => {
                    data[at * unit..(at + 1) * unit].copy_from_slice(bytes);
                    (from, next) = (at + 1, NO_PAGE);
                }
            }
        }
        self.read_pages(begun, &mut data[from * unit..])?;
        let mut units = spares.iter().zip((holder.0..).map(Lpn)).zip(data.chunks(unit));
        if units.all(|((spare, lpn), unit)| spare.is_of(lpn, unit)) { Ok(()) } else { Err(damaged()) }
    }

    pub(super) fn read_pages(&self, first: u64, data: &mut [u8]) -> io::Result<()> {
        let count = data.len() as u64 / self.places.unit;
        match &self.mapping {
            _ if data.is_empty() => {}
            Some(mapping) if self.pages.are_filled(first..first + count) => {
                mapping.read(first * self.places.unit, data)
            }
            _ => self.file.read_exact_at(data, self.page_at(first))?,
        }
        Ok(())
    }

    /// Returns the spare area of unit `lpn` at `home`, and where its data are.
    fn locate(&self, lpn: Lpn, home: Ppa) -> io::Result<(SpareArea, DataPlace<'_>)> {
        let newest = self.pages.newest(lpn);
        if let Some(UnitVersion { stamp, check, page, .. }) = newest.filter(|newest| newest.home == home) {
            return Ok((SpareArea::Data { lpn, stamp, check }, DataPlace::Page(page)));
        }
        if let Some((programmed, at)) = self.homeless_of(home.0) {
            let (unit, spare) = (self.places.unit as usize, programmed.spares[at]);
            match programmed.brings[at] {
                UnitBrings::Data => {
                    return Ok((spare, DataPlace::Memory(&programmed.data[at * unit..(at + 1) * unit])));
                }
                UnitBrings::Laid(page) => return Ok((spare, DataPlace::Page(page))),
                UnitBrings::Page | UnitBrings::Nothing => {}
            }
        }
        // Another copy of the newest version, which the drive moved.
        let spare = self.spare(home)?;
        match (spare, newest) {
            (SpareArea::Data { lpn: own, stamp, .. }, Some(newest))
                if own == lpn && stamp == newest.stamp =>
            {
                Ok((spare, DataPlace::Page(newest.page)))
            }
            _ => Err(damaged()),
        }
    }

    /// Returns the number of reads of the image file so far that found damage or failed.
    pub fn damaged_reads(&self) -> u64 {
        self.damaged.get()
    }

    /// Reads the data of the unit at physical address `from`, without a check, and returns its spare area. Where the data cannot
    /// be read, they are zeros, and the returned spare area marks them as damaged.
    pub fn copy(&self, from: Ppa, data: &mut [u8]) -> SpareArea {
        let spare = self.spare(from).unwrap_or(SpareArea::Damaged);
        let read = match spare {
            SpareArea::Data { lpn, .. } => self.locate(lpn, from).and_then(|(_, found)| match found {
                DataPlace::Page(page) => self.read_pages(page, data),
                DataPlace::Memory(bytes) => {
                    data.copy_from_slice(bytes);
                    Ok(())
                }
            }),
            _ => Err(damaged()),
        };
        if read.is_ok() {
            return spare;
        }
        data.fill(0);
        spare.spoiled()
    }

    /// Returns the spare area of the flash unit at physical address `ppa`.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn spare(&self, ppa: Ppa) -> io::Result<SpareArea> {
        let mut bytes = [0; SPARE];
        if let Some((programmed, at)) = self.homeless_of(ppa.0) {
            return Ok(programmed.spares[at]);
        }
        self.file.read_exact_at(&mut bytes, self.spare_at(ppa.0))?;
        Ok(SpareArea::from_bytes(&bytes, ppa.0).0)
    }

    /// Returns, from the image, the spare areas of all units of a superblock, numbered over the drive. Those of versions
    /// that are gone count as spare areas without data.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn spares(&self, superblock: usize) -> io::Result<Vec<SpareArea>> {
        let first = superblock as u64 * self.places.superblock_units;
        let counts = |spare: SpareArea| match spare {
            SpareArea::Data { lpn, .. } if self.pages.is_buried(lpn) => SpareArea::Other,
            spare => spare,
        };
        Ok(self.entries(first)?.into_iter().map(|(spare, _)| counts(spare)).collect())
    }

    /// Returns the spare areas in the file of the superblock whose first unit is `first`, each with the page of its data.
    pub(super) fn entries(&self, first: u64) -> io::Result<Vec<(SpareArea, u64)>> {
        let mut bytes = vec![0; self.places.superblock_units as usize * SPARE];
        self.file.read_exact_at(&mut bytes, self.spare_at(first))?;
        let places = bytes.as_chunks::<SPARE>().0.iter().zip(first..);
        Ok(places.map(|(bytes, ppa)| SpareArea::from_bytes(bytes, ppa)).collect())
    }

    /// Finds, in an opened image file, the page of the newest data of each unit, and the free pages. Damaged spare areas are
    /// left out: a start after a power cut looks for them, and to readers their units are damaged.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub(super) fn find_pages(&mut self) -> io::Result<()> {
        let mut first = 0;
        while let Some(superblock) = self.next_written(first) {
            first = superblock * self.places.superblock_units;
            for ((spare, page), home) in self.entries(first)?.into_iter().zip((first..).map(Ppa)) {
                let SpareArea::Data { lpn, stamp, check } = spare else { continue };
                if stamp > 0 && page < self.places.units && u64::from(lpn.0) < self.places.logical_units {
                    self.pages.find(lpn, UnitVersion { stamp, check, page, home });
                }
            }
            first += self.places.superblock_units;
        }
        // Only where a newer spare area was lost two units have one page; it is that one's whose data it holds.
        let mut data = vec![0; self.places.unit as usize];
        for (lpn, UnitVersion { stamp, check, page, .. }) in self.pages.find_free() {
            let is_there = self.read_pages(page, &mut data).is_ok();
            if !(is_there && SpareArea::Data { lpn, stamp, check }.is_of(lpn, &data)) {
                self.pages.forget(lpn);
            }
        }
        Ok(())
    }

    /// Maps the pages of the file into memory where that is safe, and finds out which of them are no holes.
    pub(super) fn map_pages(&mut self) {
        let whole = self.places.units * self.places.unit;
        self.mapping = FileMapping::where_in_memory(&self.file, self.places.data_at, whole);
        let mut at = self.places.data_at;
        while self.mapping.is_some()
            && let Ok(start) = seek(&self.file, SeekFrom::Data(at))
            && let Ok(end) = seek(&self.file, SeekFrom::Hole(start))
        {
            let (start, end) = (start - self.places.data_at, (end - self.places.data_at).min(whole));
            self.pages.set_filled(start.div_ceil(self.places.unit)..end / self.places.unit, PageFill::Data);
            at = self.places.data_at + end.max(start + 1);
        }
    }

    /// Returns the next superblock, from the one with unit `first` on, whose spare areas are not all in a hole of the file.
    fn next_written(&self, first: u64) -> Option<u64> {
        if first >= self.places.units {
            return None;
        }
        let at = match seek(&self.file, SeekFrom::Data(self.spare_at(first))) {
            Ok(at) => at,
            Err(rustix::io::Errno::NXIO) => return None,
            // A file system that does not know holes.
            Err(_) => self.spare_at(first),
        };
        let unit = (at - self.places.spares_at) / SPARE as u64;
        (unit < self.places.units).then_some(unit / self.places.superblock_units)
    }
}

/// Returns the error of data, or of a spare area, that are not what was written.
fn damaged() -> io::Error {
    io::ErrorKind::InvalidData.into()
}
