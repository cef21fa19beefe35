//! How the drive of an image is found again: at rest, with its state beside the image, or as a power cut left it.
//!
//! The server that was killed took the drive's RAM with it. What it had programmed is in the image, so that what is left to
//! do is a drive's: it reads the spare areas of its flash, in simulated time. A program may have been in flight in each
//! superblock that was not full: its pages count as torn.

use crate::image::{Image, ImageLeft, SpareArea};
use ftl::{Layout, Medium, SuperblockFound};
use sim::Error;
use std::fs::File;
use std::io::ErrorKind::NotFound;
use std::io::Read;
use std::path::Path;
use units::Ppa;
use xxhash_rust::xxh3::Xxh3;

/// Bytes of a file that are read together.
const PART: usize = 1 << 20;

/// Programs that may have been in flight when the image was last used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfinishedPrograms {
    /// One program may have been in flight in each superblock that was not full.
    UnderWay,
    /// None, because the drive was at rest.
    Over,
}

/// How a drive begins when it is served.
#[derive(Debug, PartialEq, Eq)]
pub enum Begins {
    /// As a fresh drive: nothing was ever written.
    Fresh,
    /// Start from the saved state in this file.
    AtRest(String),
    /// Start after a power cut: the drive recovers its map from its flash.
    AfterCut,
    /// As after a power cut, although the drive was left at rest, because its saved state is lost.
    WithoutState,
}

/// Returns how the drive of an image begins; `state`: path of the saved state of a drive at rest.
///
/// # Errors
/// When the state of a drive at rest is another, or a file is there that no server of this image wrote.
pub fn begins(image: &Image, path: &Path, state: &Path) -> Result<Begins, Error> {
    match image.left() {
        ImageLeft::AtRest(_)
            if std::fs::symlink_metadata(state).is_err_and(|error| error.kind() == NotFound) =>
        {
            Ok(Begins::WithoutState)
        }
        ImageLeft::AtRest(expected) => {
            if checksum(state)? != expected {
                return Err(Error(format!(
                    "{}: not the state that belongs to {}: expected the one its server left, or none: then the \
                     drive starts as after a power cut",
                    state.display(),
                    path.display()
                )));
            }
            Ok(Begins::AtRest(state.display().to_string()))
        }
        ImageLeft::AtWork => {
            check_replaceable(image, path, state)?;
            Ok(if image.is_new() { Begins::Fresh } else { Begins::AfterCut })
        }
    }
}

/// Checks that a saved state may replace the file at `state`: only a state written by a server of this image may be
/// replaced.
///
/// # Errors
/// When such a file is there, or cannot be read.
pub fn check_replaceable(image: &Image, path: &Path, state: &Path) -> Result<(), Error> {
    let Ok(about) = std::fs::symlink_metadata(state) else { return Ok(()) };
    if about.is_file() && image.may_know(checksum(state)?) && sim::state_info(state).is_ok() {
        return Ok(());
    }
    Err(refused(path, state))
}

/// Refuses where a file is in the way of the state of an image that is still to be made.
///
/// # Errors
/// When one is.
pub fn check_new(path: &Path, state: &Path) -> Result<(), Error> {
    if path.exists() || std::fs::symlink_metadata(state).is_err() {
        Ok(())
    } else {
        Err(refused(path, state))
    }
}

fn refused(path: &Path, state: &Path) -> Error {
    Error(format!(
        "{}: exists, and no server of {} wrote it: expected it elsewhere, since the drive's state goes there",
        state.display(),
        path.display()
    ))
}

/// Returns the checksum of a saved state.
///
/// # Errors
/// When the file cannot be read.
pub fn checksum(state: &Path) -> Result<u64, Error> {
    let fail = |error| Error(format!("{}: {error}", state.display()));
    let mut file = File::open(state).map_err(fail)?;
    let (mut hash, mut part) = (Xxh3::new(), vec![0; PART]);
    loop {
        match file.read(&mut part).map_err(fail)? {
            0 => return Ok(hash.digest()),
            count => hash.update(&part[..count]),
        }
    }
}

/// Contents of an image: the newest stamp, and rows torn by a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Highest number of a write that was found.
    pub newest: u64,
    /// Page rows that count as torn.
    pub torn_rows: u64,
}

/// Puts what an image holds on the flash of a fresh drive. Data are not looked at: what their spare areas say is where they
/// are, and who reads them finds out whether they are whole.
///
/// # Errors
/// When the disk does not give it, or a spare area is not what was written there: which unit it was of, and which version,
/// no record says, so that no unit could be trusted.
pub fn put(
    image: &Image,
    layout: &Layout,
    programs: UnfinishedPrograms,
    medium: &mut Medium,
) -> Result<Holds, Error> {
    let mut holds = Holds::default();
    for superblock in 0..layout.superblocks() {
        let spares = image.spares(superblock).map_err(|error| image.damage(&error.to_string()))?;
        let mark = image.mark(superblock);
        let first = layout.first_ppa(superblock as u32);
        let written = rows_written(&spares, layout, mark.one_bit);
        let mut order = 0;
        for (ppa, spare) in (first..).map(Ppa).zip(&spares) {
            match *spare {
                SpareArea::Data { lpn, stamp, .. } => {
                    medium.put_unit(ppa, lpn, stamp);
                    order = stamp.max(order);
                }
                SpareArea::Damaged => {
                    return Err(damage(image, superblock, ppa, "is not what was written there"));
                }
                SpareArea::Blank if ppa.0 < first + u64::from(written * layout.row_units) => {
                    return Err(damage(image, superblock, ppa, "is blank, and one behind it is not"));
                }
                SpareArea::Blank | SpareArea::Other => {}
            }
        }
        holds.newest = holds.newest.max(order);
        let rows_programmed = match programs {
            UnfinishedPrograms::UnderWay => with_torn(written, layout, mark.one_bit),
            UnfinishedPrograms::Over => written,
        };
        holds.torn_rows += u64::from(rows_programmed - written);
        let found = SuperblockFound { rows_programmed, one_bit: mark.one_bit, erases: mark.erases, order };
        medium.put_superblock(superblock, found);
    }
    Ok(holds)
}

fn damage(image: &Image, superblock: usize, ppa: Ppa, what: &str) -> Error {
    image.damage(&format!("the spare area of unit {} (superblock {superblock}) {what}", ppa.0))
}

/// Returns the page rows and rows of a program of a superblock.
fn rows_of(layout: &Layout, one_bit: bool) -> (u32, u32) {
    if one_bit { (layout.slc_rows, 1) } else { (layout.rows, layout.program_rows) }
}

/// Returns the number of page rows of a superblock that were programmed.
fn rows_written(spares: &[SpareArea], layout: &Layout, one_bit: bool) -> u32 {
    let (rows, step) = rows_of(layout, one_bit);
    let last = spares.iter().rposition(|spare| *spare != SpareArea::Blank);
    last.map_or(0, |last| (last as u32 / layout.row_units + 1).next_multiple_of(step).min(rows))
}

/// Returns the number of written rows plus the rows after them whose programs may have been in flight.
fn with_torn(written: u32, layout: &Layout, one_bit: bool) -> u32 {
    let (rows, step) = rows_of(layout, one_bit);
    if written == 0 { 0 } else { (written + step).min(rows) }
}
