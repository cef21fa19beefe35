//! How the drive of an image is found again: at rest, with its state beside the image, or as a power cut left it.
//!
//! The server that was killed took the drive's RAM with it. What it had programmed is in the image, so that what is left to
//! do is a drive's: it reads the spare areas of its flash, in simulated time. A program may have been in flight in each
//! superblock that was not full: its pages count as torn.

use crate::image::{Image, ImageLeft, SpareArea};
use ftl::{FlashContents, Layout, SuperblockFound};
use sim::Error;
use std::fs::File;
use std::io::ErrorKind::NotFound;
use std::io::Read;
use std::path::Path;
use units::Ppa;
use xxhash_rust::xxh3::Xxh3;

/// Number of bytes of a saved state that are read at a time for its checksum.
const PART: usize = 1 << 20;

/// Kind of end that the last use of a drive's image file had: flash programs may have been in flight, or none was in
/// flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnfinishedPrograms {
    /// Case of end: the server did not close the image, for example because it was killed: one program may have been in
    /// flight in each superblock that was partly written.
    UnderWay,
    /// Case of end: no flash program was in flight when the image file was last used, because the live server had
    /// completed all requests and programs and closed the image.
    Over,
}

/// Kind of state in which the simulated drive of an image file can start: fresh (never written), saved by the last
/// server, or after a power cut.
#[derive(Debug, PartialEq, Eq)]
pub enum Begins {
    /// Case of starting state: that of a fresh drive, to which nothing was ever written.
    Fresh,
    /// Case of starting state: at rest, with the drive's state that the last server saved in the file at this path when
    /// it closed the image.
    AtRest(String),
    /// Case of starting state: after a power cut; the drive recovers its map from the data on its flash.
    AfterCut,
    /// Case of starting state: as after a power cut, although the last server closed the image, because the file of the
    /// saved state is missing.
    WithoutState,
}

/// Decides in which state the drive of an image starts; `state` is the path of the file with the drive's state that a
/// server saves when it closes the image.
///
/// # Errors
/// When the file at `state` is not the saved state that belongs to the image, or no server of this image wrote it.
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

/// Checks that a saved state may replace the file at `state`, if there is one: only a state that a server of this image
/// wrote may be replaced.
///
/// # Errors
/// When another file is there, or the file cannot be read.
pub fn check_replaceable(image: &Image, path: &Path, state: &Path) -> Result<(), Error> {
    let Ok(about) = std::fs::symlink_metadata(state) else { return Ok(()) };
    if about.is_file() && image.may_know(checksum(state)?) && sim::state_info(state).is_ok() {
        return Ok(());
    }
    Err(refused(path, state))
}

/// Checks, for an image that does not exist yet, that there is no file at the path of its saved state.
///
/// # Errors
/// When there is one.
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

/// Returns the checksum of the file `state`, which contains a saved state of the drive.
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

/// Record of the findings in a drive's image file: the highest stamp (sequence number of a host's write), and the
/// number of page rows (pages of one index in all planes of a superblock) that may be torn, that is, partly programmed
/// at a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// Highest stamp (sequence number of a host's write) that was found in the drive's image file; 0 without data of
    /// the host.
    pub newest: u64,
    /// Number of page rows (pages of one index in all planes of a superblock) that count as torn by the power cut
    /// (partly programmed), over the whole drive.
    pub torn_rows: u64,
}

/// Enters the contents of an image into the flash of a fresh simulated drive. Only spare areas are read, which say
/// where each unit's data are; whether the data are intact is checked when they are read.
///
/// # Errors
/// When the disk cannot be read, or a spare area is damaged: since its unit and version are then unknown, no unit could
/// be trusted.
pub fn put(
    image: &Image,
    layout: &Layout,
    programs: UnfinishedPrograms,
    contents: &mut FlashContents,
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
                    contents.put_unit(ppa, lpn, stamp);
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
        contents.put_superblock(superblock, found);
    }
    Ok(holds)
}

fn damage(image: &Image, superblock: usize, ppa: Ppa, what: &str) -> Error {
    image.damage(&format!("the spare area of unit {} (superblock {superblock}) {what}", ppa.0))
}

/// Returns two numbers: the page rows (pages of one index in all planes) of a superblock, and the page rows that one
/// program writes. `one_bit` selects a superblock in SLC mode.
fn rows_of(layout: &Layout, one_bit: bool) -> (u32, u32) {
    if one_bit { (layout.slc_rows, 1) } else { (layout.rows, layout.program_rows) }
}

/// Returns the number of page rows (pages of one index in all planes) of a superblock that were programmed, judged by
/// the last spare area that is not blank.
fn rows_written(spares: &[SpareArea], layout: &Layout, one_bit: bool) -> u32 {
    let (rows, step) = rows_of(layout, one_bit);
    let last = spares.iter().rposition(|spare| *spare != SpareArea::Blank);
    last.map_or(0, |last| (last as u32 / layout.row_units + 1).next_multiple_of(step).min(rows))
}

/// Returns the number of page rows of a superblock that count as programmed after a power cut: the `written` rows and
/// the rows of the next program, which may have been in flight; 0 if no row was written.
fn with_torn(written: u32, layout: &Layout, one_bit: bool) -> u32 {
    let (rows, step) = rows_of(layout, one_bit);
    if written == 0 { 0 } else { (written + step).min(rows) }
}
