//! The image: a sparse file with what the flash holds, unit by unit, each with its spare area.
//!
//! Layout: header, witness, what is said of superblocks, the spare areas of all units, their data. What is erased is a hole.
//! A program writes data first and spare areas after, so that a spare area never speaks of data that are not there. What is
//! written is the kernel's: it survives the end of the process at any moment, and not that of the machine.
//!
//! All of it is under checksums: a spare area under its own, data under the one that their spare area holds. A superblock
//! is written in order, so that no gap lies below anything that was programmed.

mod header;
mod spare;
mod superblocks;
mod witness;

pub use header::{Header, ImageLeft};
pub use spare::{SPARE, SpareArea};
pub use superblocks::{CellBits, ENTRY, SuperblockMark};
pub use witness::{WITNESS, Witness};

use ftl::Layout;
use header::HEADER;
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use serde_json::Value;
use sim::Error;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use units::{Lpn, Ppa};

/// Constant: byte offset, in an image file, of the entries for superblocks (erase counts, modes).
const MARKS: usize = HEADER + WITNESS;
/// Alignment in bytes of the beginning of the data in a drive's image file: 1 MiB.
const ALIGNED: u64 = 1 << 20;

/// Record of a flash program's contents: the spare areas and the data that it writes to consecutive units on flash.
#[derive(Clone, Debug, Default)]
pub struct ProgramImage {
    /// List of the spare areas of the units of a program, in order.
    pub spares: Vec<SpareArea>,
    /// Data of the units of a program, one after the other.
    pub data: Vec<u8>,
}

/// State of a drive's image file, locked while a server uses it: the data and spare areas of all units on flash.
pub struct Image {
    file: File,
    path: PathBuf,
    header: Header,
    is_new: bool,
    unit: u64,
    units: u64,
    superblock_units: u64,
    spares_at: u64,
    data_at: u64,
    /// List with an entry for each superblock: its erase count, and whether it is in SLC mode.
    marks: Vec<SuperblockMark>,
    /// Map of flash programs that the disk had no space for, by first unit; kept in memory until there is space.
    homeless: BTreeMap<u64, ProgramImage>,
    /// Text of the error message of the disk that last refused a write; none while all writes succeed.
    refused: Option<String>,
    /// Field: record of the numbers of unanswered requests and units not on flash, lost if the server is killed.
    witness: Witness,
    /// Number of reads of the image file that found damaged data or failed.
    damaged: Cell<u64>,
}

impl Image {
    /// Opens the image at `path`, or makes a new one; `shape` is the drive's shape from [`sim::drive_shape`].
    ///
    /// # Errors
    /// When the file is in use, no image, damaged, or of a drive of another shape.
    pub fn open(path: &Path, layout: &Layout, shape: &Value) -> Result<Self, Error> {
        let fail = |error: io::Error| Error(format!("{}: {error}", path.display()));
        if path.exists() && !path.is_file() {
            return Err(Error(format!(
                "{}: is no regular file: expected an image, or a new file",
                path.display()
            )));
        }
        let is_new = !path.exists();
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fail)?;
        flock(&file, FlockOperation::NonBlockingLockExclusive).map_err(|_| {
            Error(format!(
                "{}: the image is in use: expected one that no other server has open",
                path.display()
            ))
        })?;
        let units = layout.physical_units() as u64;
        let marks = vec![SuperblockMark::default(); layout.superblocks()];
        let spares_at = (MARKS + marks.len() * ENTRY).next_multiple_of(SPARE) as u64;
        let spares_end = spares_at + units * SPARE as u64;
        let mut image = Self {
            file,
            path: path.to_owned(),
            header: Header {
                shape: shape.clone(),
                left: ImageLeft::AtWork,
                stamp: 1,
                state: 0,
                is_leaving: false,
            },
            is_new,
            unit: layout.unit.get(),
            units,
            superblock_units: u64::from(layout.superblock_units),
            spares_at,
            data_at: spares_end.next_multiple_of(ALIGNED),
            marks,
            homeless: BTreeMap::new(),
            refused: None,
            witness: Witness::default(),
            damaged: Cell::new(0),
        };
        if is_new {
            image.make().map_err(fail)?;
        } else {
            image.read_header(shape)?;
            image.read_marks()?;
            image.read_witness()?;
        }
        Ok(image)
    }

    /// Writes a new image file: zeros up to the spare areas, witness, then header; removes the file if a write fails.
    fn make(&mut self) -> io::Result<()> {
        // Room for all that is written in place: what is said of a superblock is never homeless.
        let beginning = vec![0; self.spares_at as usize];
        let made = self
            .file
            .set_len(self.length())
            .and_then(|()| self.file.write_all_at(&beginning, 0))
            .and_then(|()| self.file.write_all_at(&self.witness.to_bytes(), HEADER as u64))
            .and_then(|()| self.write_header());
        if made.is_err() {
            // What is not whole would be in the way of the next try.
            let _ = std::fs::remove_file(&self.path);
        }
        made
    }

    fn length(&self) -> u64 {
        self.data_at + self.units * self.unit
    }

    fn read_header(&mut self, shape: &Value) -> Result<(), Error> {
        let fail = |error: io::Error| Error(format!("{}: {error}", self.path.display()));
        let length = self.file.metadata().map_err(fail)?.len();
        let mut bytes = vec![0; (length as usize).min(HEADER)];
        self.file.read_exact_at(&mut bytes, 0).map_err(fail)?;
        self.header = Header::from_bytes(&bytes, &self.path)?;
        let there = &self.header.shape;
        let mut keys = [shape, there].into_iter().filter_map(Value::as_object).flat_map(|shape| shape.keys());
        if let Some(key) = keys.find(|key| there[key.as_str()] != shape[key.as_str()]) {
            let (path, there, here) = (self.path.display(), &there[key.as_str()], &shape[key.as_str()]);
            return Err(Error(format!(
                "{path}: the image is of another drive: {key} is {there} there and {here} here"
            )));
        }
        if length < self.length() {
            return Err(Error(format!(
                "{}: the image is cut off: it has {length} bytes, expected {}",
                self.path.display(),
                self.length()
            )));
        }
        Ok(())
    }

    /// Makes the error for a damaged image; `what` says what is damaged.
    pub fn damage(&self, what: &str) -> Error {
        Error(format!(
            "{}: the image is damaged: {what}: expected it as a server left it",
            self.path.display()
        ))
    }

    fn read_marks(&mut self) -> Result<(), Error> {
        let mut bytes = vec![0; self.marks.len() * ENTRY];
        let read = self.file.read_exact_at(&mut bytes, MARKS as u64);
        read.map_err(|error| Error(format!("{}: {error}", self.path.display())))?;
        for (superblock, entry) in bytes.as_chunks::<ENTRY>().0.iter().enumerate() {
            let Some(mark) = SuperblockMark::from_bytes(entry, superblock) else {
                return Err(
                    self.damage(&format!("the checksum of superblock {superblock}'s entry does not fit"))
                );
            };
            self.marks[superblock] = mark;
        }
        Ok(())
    }

    fn read_witness(&mut self) -> Result<(), Error> {
        let mut bytes = [0; WITNESS];
        let read = self.file.read_exact_at(&mut bytes, HEADER as u64);
        read.map_err(|error| Error(format!("{}: {error}", self.path.display())))?;
        let found = Witness::from_bytes(&bytes);
        self.witness = found.ok_or_else(|| self.damage("the checksum of its witness does not fit"))?;
        Ok(())
    }

    /// Returns the witness last recorded in the image file (after opening: by the last server): the numbers of
    /// unanswered requests and of acknowledged mapping units not on flash, lost if that server was killed.
    pub fn witness(&self) -> Witness {
        self.witness
    }

    /// Records in the image file the numbers of requests and units that would be lost if this server were killed now.
    pub fn note(&mut self, witness: Witness) {
        if witness != self.witness {
            self.witness = witness;
            // The place is there already, so that a full disk takes it; one that fails will say so of data.
            let _ = self.file.write_all_at(&witness.to_bytes(), HEADER as u64);
        }
    }

    fn write_mark(&mut self, superblock: usize) {
        let at = (MARKS + superblock * ENTRY) as u64;
        if let Err(error) = self.file.write_all_at(&self.marks[superblock].to_bytes(superblock), at) {
            self.refused = Some(error.to_string());
        }
    }

    /// Returns the erase count of a superblock, numbered over the drive, and whether it is in SLC mode.
    pub fn mark(&self, superblock: usize) -> SuperblockMark {
        self.marks[superblock]
    }

    /// Records in the image file whether a superblock is programmed in SLC mode.
    pub fn set_mode(&mut self, superblock: usize, bits: CellBits) {
        let one_bit = bits == CellBits::One;
        if std::mem::replace(&mut self.marks[superblock].one_bit, one_bit) != one_bit {
            self.write_mark(superblock);
        }
    }

    fn write_header(&self) -> io::Result<()> {
        self.file.write_all_at(&self.header.to_bytes(), 0)
    }

    /// Returns true if the image file was new: [`Self::open`] made it.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns whether the drive was at rest (image closed, state saved) or at work when its image was last used.
    pub fn left(&self) -> ImageLeft {
        self.header.left
    }

    /// Returns the sequence number (stamp) of the next write, as the image's header gives it.
    pub fn stamp(&self) -> u64 {
        self.header.stamp
    }

    /// Writes into the header whether the drive is left at rest or at work, and the stamp (number) of its next write.
    ///
    /// # Errors
    /// When the disk refuses a write, or has no space for the programs that are still in memory.
    pub fn leave(&mut self, left: ImageLeft, stamp: u64) -> Result<(), Error> {
        if left != ImageLeft::AtWork && !self.find_room() {
            return Err(Error(format!(
                "{}: {}",
                self.path.display(),
                self.refused().unwrap_or("the disk is full")
            )));
        }
        (self.header.left, self.header.stamp, self.header.is_leaving) = (left, stamp, false);
        if let ImageLeft::AtRest(state) = left {
            self.header.state = state;
        }
        self.write_header().map_err(|error| Error(format!("{}: {error}", self.path.display())))
    }

    /// Records in the image's header that a server is about to save the drive's state in the file beside the image.
    ///
    /// # Errors
    /// When the disk refuses the write.
    pub fn note_leaving(&mut self) -> Result<(), Error> {
        self.header.is_leaving = true;
        self.write_header().map_err(|error| Error(format!("{}: {error}", self.path.display())))
    }

    /// Returns true if a server of this image may have written a saved drive state with the checksum `state`. Also true
    /// if this cannot be told, because a server was about to save a state or the header knows no saved state.
    pub fn may_know(&self, state: u64) -> bool {
        self.header.state == state || self.header.is_leaving || (self.header.state == 0 && !self.is_new)
    }

    fn spare_at(&self, ppa: u64) -> u64 {
        self.spares_at + ppa * SPARE as u64
    }

    fn unit_at(&self, ppa: u64) -> u64 {
        self.data_at + ppa * self.unit
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

    fn write(&self, first: u64, programmed: &ProgramImage) -> io::Result<()> {
        self.file.write_all_at(&programmed.data, self.unit_at(first))?;
        let places = programmed.spares.iter().zip(first..);
        let spares: Vec<u8> = places.flat_map(|(spare, ppa)| spare.to_bytes(ppa)).collect();
        self.file.write_all_at(&spares, self.spare_at(first))
    }

    /// Tries again to write the programs that the disk had no space for; returns true if none is left in memory.
    pub fn find_room(&mut self) -> bool {
        while let Some((&first, programmed)) = self.homeless.first_key_value() {
            if let Err(error) = self.write(first, programmed) {
                self.refused = Some(error.to_string());
                return false;
            }
            self.homeless.remove(&first);
        }
        self.refused = None;
        true
    }

    /// Returns the error message of the disk that last refused a write; none while all writes succeed.
    pub fn refused(&self) -> Option<&str> {
        self.refused.as_deref()
    }

    /// Returns the program kept in memory that contains unit `ppa`, and the unit's index in it; `None` if none does.
    fn homeless_of(&self, ppa: u64) -> Option<(&ProgramImage, usize)> {
        let (first, programmed) = self.homeless.range(..=ppa).next_back()?;
        let at = (ppa - first) as usize;
        (at < programmed.spares.len()).then_some((programmed, at))
    }

    /// Reads host data of consecutive logical units from `holder` on, which lie on consecutive physical addresses from
    /// `first` on, and checks the data against the spare areas of these units.
    ///
    /// # Errors
    /// When the disk cannot be read, or the data are not what was programmed there.
    pub fn read_of(&self, holder: Lpn, first: Ppa, data: &mut [u8]) -> io::Result<()> {
        let read = self.read(first, data).and_then(|()| self.check(holder, first, data));
        self.damaged.set(self.damaged.get() + u64::from(read.is_err()));
        read
    }

    /// Checks `data`, read from address `first` on, against the spare areas there: units from `holder` on, checksums.
    fn check(&self, holder: Lpn, first: Ppa, data: &[u8]) -> io::Result<()> {
        let units = data.chunks(self.unit as usize);
        let spares = self.spares_from(first.0, units.len())?;
        let mut holders = (holder.0..).map(Lpn);
        let fits =
            |(spare, unit): (&SpareArea, &[u8])| holders.next().is_some_and(|lpn| spare.is_of(lpn, unit));
        if spares.iter().zip(units).all(fits) { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }

    /// Returns the number of reads of the image file so far that found damage or failed.
    pub fn damaged_reads(&self) -> u64 {
        self.damaged.get()
    }

    /// Reads the data of consecutive physical units from `first` on, without a check of their spare areas.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn read(&self, first: Ppa, data: &mut [u8]) -> io::Result<()> {
        if self.homeless.is_empty() {
            return self.file.read_exact_at(data, self.unit_at(first.0));
        }
        let unit = self.unit as usize;
        for (ppa, part) in (first.0..).zip(data.chunks_mut(unit)) {
            match self.homeless_of(ppa) {
                Some((programmed, at)) => part.copy_from_slice(&programmed.data[at * unit..][..part.len()]),
                None => self.file.read_exact_at(part, self.unit_at(ppa))?,
            }
        }
        Ok(())
    }

    /// Returns the spare area of the flash unit at physical address `ppa`.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn spare(&self, ppa: Ppa) -> io::Result<SpareArea> {
        Ok(self.spares_from(ppa.0, 1)?[0])
    }

    /// Returns the spare areas of `count` consecutive flash units from `first` on.
    fn spares_from(&self, first: u64, count: usize) -> io::Result<Vec<SpareArea>> {
        let mut bytes = vec![0; count * SPARE];
        self.file.read_exact_at(&mut bytes, self.spare_at(first))?;
        let places = bytes.as_chunks::<SPARE>().0.iter().zip(first..);
        let spare = |(bytes, ppa)| match self.homeless_of(ppa) {
            Some((programmed, at)) => programmed.spares[at],
            None => SpareArea::from_bytes(bytes, ppa),
        };
        Ok(places.map(spare).collect())
    }

    /// Returns, from the image, the spare areas of all units of a superblock, numbered over the drive.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn spares(&self, superblock: usize) -> io::Result<Vec<SpareArea>> {
        self.spares_from(superblock as u64 * self.superblock_units, self.superblock_units as usize)
    }

    /// Erases a superblock: its parts of the file become holes, and its erase count rises.
    pub fn erase(&mut self, superblock: usize) {
        self.marks[superblock].erases += 1;
        self.write_mark(superblock);
        let first = superblock as u64 * self.superblock_units;
        let end = first + self.superblock_units;
        self.homeless.retain(|&ppa, _| !(first..end).contains(&ppa));
        let spares = (self.spare_at(first), self.superblock_units * SPARE as u64);
        let data = (self.unit_at(first), self.superblock_units * self.unit);
        for (at, length) in [spares, data] {
            let flags = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
            if fallocate(&self.file, flags, at, length).is_err() && at == spares.0 {
                // A file system without holes: what counts is that nothing is found there.
                let written = self.file.write_all_at(&vec![0; length as usize], at);
                self.refused = written.err().map(|error| error.to_string()).or(self.refused.take());
            }
        }
        if self.refused.is_some() {
            self.find_room();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use units::Lpn;

    /// Test helper: makes an image file with two superblocks of eight units of 512 bytes.
    fn image(folder: &Path) -> Image {
        let path = folder.join("image");
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(&path).unwrap();
        let header =
            Header { shape: Value::Null, left: ImageLeft::AtWork, stamp: 1, state: 0, is_leaving: false };
        let mut image = Image {
            file,
            path,
            header,
            is_new: true,
            unit: 512,
            units: 16,
            superblock_units: 8,
            spares_at: (MARKS + 2 * ENTRY).next_multiple_of(SPARE) as u64,
            data_at: ALIGNED,
            marks: vec![SuperblockMark::default(); 2],
            homeless: BTreeMap::new(),
            refused: None,
            witness: Witness::default(),
            damaged: Cell::new(0),
        };
        image.make().unwrap();
        image
    }

    fn programmed(byte: u8) -> ProgramImage {
        let data = vec![byte; 1024];
        let spare = |lpn: u32| SpareArea::of(Lpn(lpn), 9, &data[..512]);
        ProgramImage { spares: vec![spare(3), spare(4)], data: data.clone() }
    }

    fn there(image: &Image, ppa: u64) -> (SpareArea, u8) {
        let mut data = [0; 512];
        image.read(Ppa(ppa), &mut data).unwrap();
        (image.spare(Ppa(ppa)).unwrap(), data[511])
    }

    #[test]
    fn what_is_programmed_is_there_until_it_is_erased() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        image.program(Ppa(2), programmed(7));
        image.program(Ppa(8), programmed(8));
        assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
        assert_eq!(there(&image, 4), (SpareArea::Blank, 0));
        image.erase(0);
        assert_eq!(there(&image, 3), (SpareArea::Blank, 0));
        assert_eq!(there(&image, 8), (programmed(8).spares[0], 8));
        assert_eq!(image.spares(1).unwrap()[..2], programmed(8).spares);
    }

    #[test]
    fn what_was_noted_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        let witness = Witness { requests: 1, units: 2 };
        image.note(witness);
        image.witness = Witness::default();
        image.read_witness().unwrap();
        assert_eq!(image.witness(), witness);
        image.file.write_all_at(&[7], HEADER as u64).unwrap();
        assert!(image.read_witness().unwrap_err().to_string().contains("the image is damaged"));
    }

    #[test]
    fn a_unit_is_read_as_what_it_is_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        image.program(Ppa(2), programmed(7));
        let mut data = [0; 512];
        image.read_of(Lpn(3), Ppa(2), &mut data).unwrap();
        image.read_of(Lpn(4), Ppa(2), &mut data).expect_err("another unit");
        image.read_of(Lpn(3), Ppa(4), &mut data).expect_err("nothing is there");
        image.file.write_all_at(&[8], image.unit_at(2) + 100).unwrap();
        image.read_of(Lpn(3), Ppa(2), &mut data).expect_err("a byte is another");
        image.file.write_all_at(&[8], image.spare_at(3) + 5).unwrap();
        image.read_of(Lpn(4), Ppa(3), &mut data).expect_err("its spare area is another");
        assert_eq!(image.damaged_reads(), 4);
    }

    #[test]
    fn what_is_said_of_superblocks_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        image.erase(1);
        image.set_mode(1, CellBits::One);
        image.marks.fill(SuperblockMark::default());
        image.read_marks().unwrap();
        assert_eq!(image.mark(1), SuperblockMark { erases: 1, one_bit: true });
        assert_eq!(image.mark(0), SuperblockMark::default());
    }

    #[test]
    fn what_the_disk_has_no_room_for_is_kept_until_there_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        image.program(Ppa(0), programmed(6));
        // A file that takes no writes stands for a full disk.
        let full = File::open(&image.path).unwrap();
        let writable = std::mem::replace(&mut image.file, full);
        image.program(Ppa(2), programmed(7));
        assert!(image.refused().is_some() && !image.find_room());
        assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
        assert_eq!(there(&image, 1), (programmed(6).spares[1], 6));
        image.leave(ImageLeft::AtRest(1), 5).expect_err("it is not all there");
        image.file = writable;
        assert!(image.find_room() && image.refused().is_none());
        assert_eq!(there(&image, 3), (programmed(7).spares[1], 7));
        image.leave(ImageLeft::AtRest(1), 5).unwrap();
    }

    #[test]
    fn what_is_erased_needs_no_room() {
        let folder = tempfile::tempdir().unwrap();
        let mut image = image(folder.path());
        let full = File::open(&image.path).unwrap();
        let writable = std::mem::replace(&mut image.file, full);
        image.program(Ppa(2), programmed(7));
        image.file = writable;
        image.erase(0);
        assert_eq!(there(&image, 2), (SpareArea::Blank, 0));
        assert!(image.refused().is_none());
    }
}
