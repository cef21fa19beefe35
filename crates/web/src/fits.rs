//! Drives that are too large for a browser, and which size would do.

use crate::lab::MEMORY_MOST;
use sim::{Checking, Drive, Error};

/// Sizes that are tried before none is named.
const TRIES: u32 = 8;

/// Whether a drive fits; `load` gives the same drive with one more `key=value`.
///
/// # Errors
/// When it does not; the text names a size that does, where one was found.
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
