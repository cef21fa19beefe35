//! Drives that are too large for a browser, and which size would do.

use sim::{Checking, Drive, Error};

/// Constant: greatest memory in bytes that the simulation of a drive may take in a browser: a tab can address 4 GiB,
/// and phones have far less.
pub(crate) const MEMORY_MOST: u64 = 1 << 30;
/// Constant: number of smaller drive sizes that are tried, one after the other, to find one that fits and can be named
/// in the error message.
const TRIES: u32 = 8;

/// Checks that the simulation of a drive fits into a browser's memory; `load` loads the same drive with one more
/// setting `key=value`.
///
/// # Errors
/// When the drive does not fit; the message names a number of blocks that fits, if one was found.
pub(crate) fn check(drive: &Drive, load: impl Fn(String) -> Result<Drive, Error>) -> Result<(), Error> {
    let bytes = drive.memory_bytes(Checking::Off);
    if bytes <= MEMORY_MOST {
        return Ok(());
    }
    let gib = |bytes: u64| bytes as f64 / f64::from(1 << 30);
    let blocks = drive.geometry().blocks_per_plane;
    let mut expected = "a smaller drive (nand.blocks_per_plane, ftl.user_capacity)".to_owned();
    for tried in 0..TRIES {
        // A little less each time: not all of a drive shrinks with its blocks.
        let share = MEMORY_MOST as f64 / bytes as f64 * (1.0 - 0.08 * f64::from(tried));
        let fewer = (f64::from(blocks) * share) as u32;
        let set = format!("nand.blocks_per_plane={fewer}");
        if load(set).is_ok_and(|smaller| smaller.memory_bytes(Checking::Off) <= MEMORY_MOST) {
            expected = format!("nand.blocks_per_plane = {fewer} fits");
            break;
        }
    }
    Err(Error(format!(
        "{}: nand.blocks_per_plane = {blocks}: the drive takes {:.2} GiB of memory, and a page in a browser has {:.2} GiB for it: {expected}",
        drive.name,
        gib(bytes),
        gib(MEMORY_MOST)
    )))
}
