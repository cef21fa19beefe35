//! The image: a sparse file with what the flash holds, unit by unit, each with its spare area.
//!
//! Layout: header, witness, entries of superblocks, spare areas of all units, entries of gone versions, pages with data. A spare area names the
//! page of its unit's data; spare areas that are erased are holes. A program writes data first, to pages that were free, and spare
//! areas after, so that a spare area never speaks of data that are not there; the pages of older versions are free only then.
//! Written bytes are the kernel's: they survive the end of the process at any moment, and not that of the machine.
//!
//! All of it is under checksums: a spare area under its own, data under the one that their spare area holds. A superblock
//! is written in order, so that no gap lies below anything that was programmed.

mod gone;
mod header;
mod mapping;
mod pages;
mod programs;
mod reading;
mod spare;
mod superblocks;
#[cfg(test)]
mod tests;
mod witness;

pub use header::{Header, ImageLeft};
pub use programs::{ProgramImage, UnitBrings};
pub use spare::{SPARE, SpareArea};
pub use superblocks::{CellBits, ENTRY, SuperblockMark};
pub use witness::{WITNESS, Witness};

use ftl::Layout;
use header::HEADER;
use mapping::FileMapping;
use pages::PageTable;
use rustix::fs::{FlockOperation, flock};
use serde_json::Value;
use sim::Error;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use units::Lpn;

/// Constant: byte offset, in an image file, of the entries for superblocks (erase counts, modes).
const MARKS: usize = HEADER + WITNESS;
/// Alignment in bytes of the beginning of the data in a drive's image file: 1 MiB.
const ALIGNED: u64 = 1 << 20;

/// State of a drive's image file, locked while a server uses it: the data and spare areas of all units on flash.
pub struct Image {
    file: File,
    path: PathBuf,
    header: Header,
    is_new: bool,
    places: FilePlaces,
    /// List with an entry for each superblock: its erase count, and whether it is in SLC mode.
    marks: Vec<SuperblockMark>,
    /// Table of the pages of the file that hold the newest data of each unit, and list of the free pages.
    pages: PageTable,
    /// Memory of this process that is the part of the file with its pages; none where that is not safe.
    mapping: Option<FileMapping>,
    /// List of units, each with its last version, whose entries of gone versions the disk had no space for.
    gone_unwritten: Vec<(Lpn, u64)>,
    /// Map of flash programs that the disk had no space for, by first unit; kept in memory until there is space.
    homeless: BTreeMap<u64, ProgramImage>,
    /// Text of the error message of the disk that last refused a write; none while all writes succeed.
    refused: Option<String>,
    /// Field: record of the numbers of unanswered requests and units not on flash, lost if the server is killed.
    witness: Witness,
    /// Number of reads of the image file that found damaged data or failed.
    damaged: Cell<u64>,
}

/// Record of the places of an image file: sizes of the drive, in units, and the addresses in the file that follow.
struct FilePlaces {
    unit: u64,
    units: u64,
    /// Number of logical units of the drive whose image file this is.
    logical_units: u64,
    superblock_units: u64,
    spares_at: u64,
    gone_at: u64,
    data_at: u64,
}

impl FilePlaces {
    fn of(layout: &Layout) -> Self {
        let (units, logical_units) = (layout.physical_units() as u64, u64::from(layout.logical_units));
        let spares_at = (MARKS + layout.superblocks() * ENTRY).next_multiple_of(SPARE) as u64;
        let gone_at = spares_at + units * SPARE as u64;
        let gone_end = gone_at + logical_units * gone::ENTRY as u64;
        Self {
            unit: layout.unit.get(),
            units,
            logical_units,
            superblock_units: u64::from(layout.superblock_units),
            spares_at,
            gone_at,
            data_at: gone_end.next_multiple_of(ALIGNED),
        }
    }
}

/// Opens the file of an image, or makes an empty one, and locks it; returns the file, and true if it is new.
fn open_file(path: &Path) -> Result<(File, bool), Error> {
    let fail = |text: &str| Error(format!("{}: {text}", path.display()));
    if path.exists() && !path.is_file() {
        return Err(fail("is no regular file: expected an image, or a new file"));
    }
    let is_new = !path.exists();
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = options.open(path).map_err(|error| fail(&error.to_string()))?;
    flock(&file, FlockOperation::NonBlockingLockExclusive)
        .map_err(|_| fail("the image is in use: expected one that no other server has open"))?;
    Ok((file, is_new))
}

impl Image {
    /// Opens the image at `path`, or makes a new one; `shape` is the drive's shape from [`sim::drive_shape`].
    ///
    /// # Errors
    /// When the file is in use, no image, damaged, or of a drive of another shape.
    pub fn open(path: &Path, layout: &Layout, shape: &Value) -> Result<Self, Error> {
        let fail = |error: io::Error| Error(format!("{}: {error}", path.display()));
        let (file, is_new) = open_file(path)?;
        let superblocks = layout.superblocks();
        let mut image =
            Self::unread(file, path.to_owned(), shape.clone(), FilePlaces::of(layout), superblocks);
        image.is_new = is_new;
        if is_new {
            image.make().map_err(fail)?;
        } else {
            image.read_header(shape)?;
            image.read_marks()?;
            image.read_witness()?;
            image.find_gone()?;
            image.find_pages().map_err(fail)?;
        }
        image.map_pages();
        Ok(image)
    }

    /// Makes the state of the image in `file`, before any of it is written or read; new, and of `superblocks` superblocks.
    fn unread(file: File, path: PathBuf, shape: Value, places: FilePlaces, superblocks: usize) -> Self {
        Self {
            file,
            path,
            header: Header { shape, left: ImageLeft::AtWork, stamp: 1, state: 0, is_leaving: false },
            is_new: true,
            places,
            marks: vec![SuperblockMark::default(); superblocks],
            pages: PageTable::default(),
            mapping: None,
            gone_unwritten: Vec::new(),
            homeless: BTreeMap::new(),
            refused: None,
            witness: Witness::default(),
            damaged: Cell::new(0),
        }
    }

    /// Writes a new image file: zeros up to the spare areas, witness, then header; removes the file if a write fails.
    fn make(&mut self) -> io::Result<()> {
        // Room for all that is written in place: what is said of a superblock is never homeless.
        let beginning = vec![0; self.places.spares_at as usize];
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
        self.places.data_at + self.places.units * self.places.unit
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
}
