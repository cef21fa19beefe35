//! Which versions of a unit are gone from an image file, though older spare areas may still name them.
//!
//! A trimmed unit is erased without a copy of it elsewhere. Spare areas of older versions may lie in other superblocks,
//! with pages that hold other data by now: no start may take them for the newest version of the unit. So, before the last copy is
//! erased, the file has an entry for the unit: all versions up to this stamp are gone.

use super::Image;
use rustix::fs::{SeekFrom, seek};
use sim::Error;
use std::os::unix::fs::FileExt;
use units::Lpn;
use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Length in bytes of the entry of a unit in an image file that says which versions of the unit are gone.
pub const ENTRY: usize = 8;
/// Byte offset, in the entry of a unit's gone versions, of the checksum: 16 bits of it behind 48 bits of the stamp.
const CHECK: usize = 6;
/// Number of entries of gone versions that are read at a time from an opened image file.
const TOGETHER: u64 = 1 << 16;

/// Returns the entry that says that all versions of unit `lpn` up to `stamp` are gone, in the format of the image file.
fn to_bytes(lpn: Lpn, stamp: u64) -> [u8; ENTRY] {
    let mut bytes = stamp.to_le_bytes();
    let check = xxh3_64_with_seed(&bytes[..CHECK], lpn.0.into()).to_le_bytes();
    bytes[CHECK..].copy_from_slice(&check[..ENTRY - CHECK]);
    bytes
}

impl Image {
    fn gone_at(&self, unit: u64) -> u64 {
        self.places.gone_at + unit * ENTRY as u64
    }

    /// Writes, for units whose last copy is to be erased, that their versions up to the given stamps are gone. What the disk has no
    /// space for is written later.
    pub(super) fn note_gone(&mut self, mut units: Vec<(Lpn, u64)>) {
        units.append(&mut self.gone_unwritten);
        units.sort_unstable();
        let mut runs = units.chunk_by(|before, after| before.0.0 + 1 == after.0.0);
        let unwritten = runs.try_for_each(|run| {
            let bytes: Vec<u8> = run.iter().flat_map(|&(lpn, stamp)| to_bytes(lpn, stamp)).collect();
            self.file.write_all_at(&bytes, self.gone_at(run[0].0.0.into()))
        });
        if let Err(error) = unwritten {
            self.refused = Some(error.to_string());
            self.gone_unwritten = units;
        }
    }

    /// Reads, of an opened image file, which versions of units are gone.
    ///
    /// # Errors
    /// When the disk cannot be read, or an entry is damaged.
    pub(super) fn find_gone(&mut self) -> Result<(), Error> {
        let fail = |image: &Self, error: std::io::Error| Error(format!("{}: {error}", image.path.display()));
        let mut first = 0;
        while first < self.places.logical_units {
            let at = match seek(&self.file, SeekFrom::Data(self.gone_at(first))) {
                Ok(at) => at,
                Err(rustix::io::Errno::NXIO) => break,
                // A file system that does not know holes.
                Err(_) => self.gone_at(first),
            };
            first = (at - self.places.gone_at) / ENTRY as u64;
            let count = TOGETHER.min(self.places.logical_units.saturating_sub(first));
            let mut bytes = vec![0; count as usize * ENTRY];
            self.file.read_exact_at(&mut bytes, self.gone_at(first)).map_err(|error| fail(self, error))?;
            for (entry, unit) in bytes.as_chunks::<ENTRY>().0.iter().zip(first..) {
                let lpn = Lpn(unit as u32);
                let stamp = u64::from_le_bytes(*entry) & ((1 << (8 * CHECK)) - 1);
                if *entry == [0; ENTRY] {
                    continue;
                }
                if *entry != to_bytes(lpn, stamp) {
                    return Err(
                        self.damage(&format!("the checksum of the entry of unit {unit} does not fit"))
                    );
                }
                self.pages.bury(lpn, stamp);
            }
            first += count;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_of_its_unit_and_stamp() {
        let entry = to_bytes(Lpn(3), 70_000);
        assert_eq!(entry[..CHECK], 70_000u64.to_le_bytes()[..CHECK]);
        assert_ne!(entry, to_bytes(Lpn(4), 70_000));
        assert_ne!(entry[CHECK..], to_bytes(Lpn(3), 70_001)[CHECK..]);
    }
}
