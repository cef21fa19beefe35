//! How the drive of an image is found again: at rest, with its state beside the image, or as a power cut left it.
//!
//! The server that was killed took the drive's RAM with it. What it had programmed is in the image, so that what is left to
//! do is a drive's: it reads the spare areas of its flash, in simulated time. A program may have been under way in each
//! superblock that was not full: its pages count as torn.

use crate::image::{Image, Left, Spare};
use ftl::{Layout, Medium, SuperblockFound};
use sim::Error;
use std::path::Path;
use units::Ppa;
use xxhash_rust::xxh3::xxh3_64;

/// How a drive begins.
#[derive(Debug, PartialEq, Eq)]
pub enum Begins {
    /// Nothing was ever written.
    Fresh,
    /// From the state in this file.
    AtRest(String),
    /// By looking for what its flash holds.
    AfterCut,
}

/// How the drive of an image begins; `state`: where that of a drive at rest is kept.
///
/// # Errors
/// When the state of a drive at rest is gone, or another.
pub fn begins(image: &Image, path: &Path, state: &Path) -> Result<Begins, Error> {
    match image.left() {
        Left::AtWork if image.is_new() => Ok(Begins::Fresh),
        Left::AtWork => Ok(Begins::AfterCut),
        Left::AtRest(expected) => {
            if checksum(state)? != expected {
                return Err(Error(format!(
                    "{}: not the state that belongs to {}: expected the one its server left",
                    state.display(),
                    path.display()
                )));
            }
            Ok(Begins::AtRest(state.display().to_string()))
        }
    }
}

/// The checksum of a state.
///
/// # Errors
/// When the file cannot be read.
pub fn checksum(state: &Path) -> Result<u64, Error> {
    let bytes = std::fs::read(state).map_err(|error| Error(format!("{}: {error}", state.display())))?;
    Ok(xxh3_64(&bytes))
}

/// Puts what an image holds on the flash of a fresh drive. Gives the highest number of a write that was found.
///
/// # Errors
/// When the disk does not give it.
pub fn put(image: &Image, layout: &Layout, medium: &mut Medium) -> std::io::Result<u64> {
    let mut newest = 0;
    for superblock in 0..layout.superblocks() {
        let spares = image.spares(superblock)?;
        let mark = image.mark(superblock);
        let first = layout.first_ppa(superblock as u32);
        let mut order = 0;
        for (ppa, spare) in (first..).map(Ppa).zip(&spares) {
            if let Spare::Data { lpn, stamp, .. } = *spare
                && is_whole(image, layout, ppa, spare)?
            {
                medium.put_unit(ppa, lpn, stamp);
                order = stamp.max(order);
            }
        }
        newest = newest.max(order);
        let rows_programmed = rows_programmed(&spares, layout, mark.one_bit);
        let found = SuperblockFound { rows_programmed, one_bit: mark.one_bit, erases: mark.erases, order };
        medium.put_superblock(superblock, found);
    }
    Ok(newest)
}

/// True when a unit's data are those that its spare area was written for.
fn is_whole(image: &Image, layout: &Layout, ppa: Ppa, spare: &Spare) -> std::io::Result<bool> {
    let mut data = vec![0; layout.unit.get() as usize];
    image.read(ppa, &mut data)?;
    Ok(spare.fits(&data))
}

/// Page rows of a superblock that were programmed, with what may have been under way behind them.
fn rows_programmed(spares: &[Spare], layout: &Layout, one_bit: bool) -> u32 {
    let (rows, step) = if one_bit { (layout.slc_rows, 1) } else { (layout.rows, layout.program_rows) };
    let Some(last) = spares.iter().rposition(|spare| *spare != Spare::Blank) else { return 0 };
    let there = (last as u32 / layout.row_units + 1).next_multiple_of(step);
    (there + step).min(rows)
}
