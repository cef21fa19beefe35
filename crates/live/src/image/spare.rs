//! The spare area of a unit: what the drive writes beside the data, and finds again at power-up.

use super::pages::NO_PAGE;
use units::Lpn;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Length in bytes of the spare area (metadata) of a flash unit in an image file.
// A divisor of the page sizes of all machines: a server that is killed while it writes spare areas leaves each of them whole.
pub const SPARE: usize = 32;
/// Byte offset, in the spare area of a flash unit, of the logical unit; before it lies the page of the image file.
const UNIT: usize = 6;
/// Byte offset, in the spare area of a flash unit, of the stamp, of which 48 bits are stored.
const STAMP: usize = 10;
/// Byte offset, in the spare area of a flash unit, of the checksum of the data.
const CHECK: usize = 16;
/// Byte offset, in the spare area of a flash unit, of the checksum of the spare area itself.
const OWN: usize = 24;

/// Kind of spare area (metadata on flash) of a unit in a drive's image file, with its contents: blank, host data, other
/// data, or damaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpareArea {
    /// Case of spare area: blank. Nothing was completely programmed in the flash unit since the last erase.
    Blank,
    /// Case of spare area: that of a flash unit with data of the host, with the data's logical unit, stamp and
    /// checksum.
    Data {
        /// Logical unit (LPN) whose data the flash unit contains.
        lpn: Lpn,
        /// Sequence number of the host's write: of two versions of a logical unit the one with the higher stamp is
        /// newer.
        stamp: u64,
        /// Checksum, stored in the spare area, of the flash unit's data, its logical unit and its stamp.
        check: u64,
    },
    /// Case of spare area: that of a flash unit that contains data of the drive itself, such as its map, or padding.
    Other,
    /// Case of spare area: that of a flash unit that is damaged: its checksum is wrong.
    Damaged,
}

impl SpareArea {
    /// Makes the spare area of a flash unit for `data` that the host's write with number `stamp` wrote to logical unit
    /// `lpn`.
    pub fn of(lpn: Lpn, stamp: u64, data: &[u8]) -> Self {
        Self::Data { lpn, stamp, check: checksum(lpn, stamp, data) }
    }

    /// Returns true if this spare area belongs to `data` and says that the data are of logical unit `holder`.
    pub fn is_of(&self, holder: Lpn, data: &[u8]) -> bool {
        match *self {
            Self::Data { lpn, stamp, check } => lpn == holder && check == checksum(lpn, stamp, data),
            Self::Blank | Self::Other | Self::Damaged => false,
        }
    }

    /// Returns a copy of this spare area with a wrong checksum of the data, so that the data, which are unknown, count
    /// as damaged when they are read.
    pub fn spoiled(self) -> Self {
        match self {
            Self::Data { lpn, stamp, check } => Self::Data { lpn, stamp, check: !check },
            other => other,
        }
    }

    /// Returns the spare area of the unit at physical address `ppa`, whose data are in page `page` of the image file, as
    /// bytes in the format of the file.
    pub fn to_bytes(self, ppa: u64, page: u64) -> [u8; SPARE] {
        let mut bytes = [0; SPARE];
        match self {
            Self::Blank => return bytes,
            Self::Other => bytes[0] = 2,
            Self::Damaged => return [u8::MAX; SPARE],
            Self::Data { lpn, stamp, check } => {
                bytes[0] = 1;
                debug_assert!(page <= NO_PAGE && stamp < 1 << 48);
                bytes[1..UNIT].copy_from_slice(&page.to_le_bytes()[..UNIT - 1]);
                bytes[UNIT..STAMP].copy_from_slice(&lpn.0.to_le_bytes());
                bytes[STAMP..CHECK].copy_from_slice(&stamp.to_le_bytes()[..CHECK - STAMP]);
                bytes[CHECK..OWN].copy_from_slice(&check.to_le_bytes());
            }
        }
        let own = own_checksum(&bytes, ppa);
        bytes[OWN..].copy_from_slice(&own.to_le_bytes());
        bytes
    }

    /// Parses the spare area of the unit at physical address `ppa` from the format of the image file. Returns the page
    /// of the file with the unit's data, too, or [`NO_PAGE`].
    pub fn from_bytes(bytes: &[u8; SPARE], ppa: u64) -> (Self, u64) {
        if *bytes == [0; SPARE] {
            return (Self::Blank, NO_PAGE);
        }
        let part = |from: usize, to: usize| {
            u64::from_le_bytes(std::array::from_fn(
                |byte| if from + byte < to { bytes[from + byte] } else { 0 },
            ))
        };
        match bytes[0] {
            _ if part(OWN, SPARE) != own_checksum(bytes, ppa) => (Self::Damaged, NO_PAGE),
            1 => {
                let lpn = Lpn(part(UNIT, STAMP) as u32);
                (Self::Data { lpn, stamp: part(STAMP, CHECK), check: part(CHECK, OWN) }, part(1, UNIT))
            }
            2 => (Self::Other, NO_PAGE),
            _ => (Self::Damaged, NO_PAGE),
        }
    }
}

/// Returns the checksum of a spare area together with its physical address, so that the spare area of another place is
/// not accepted.
fn own_checksum(bytes: &[u8; SPARE], ppa: u64) -> u64 {
    xxh3_64_with_seed(&bytes[..OWN], ppa)
}

fn checksum(lpn: Lpn, stamp: u64, data: &[u8]) -> u64 {
    let mut whole = [0; 20];
    whole[..8].copy_from_slice(&xxh3_64(data).to_le_bytes());
    whole[8..12].copy_from_slice(&lpn.0.to_le_bytes());
    whole[12..].copy_from_slice(&stamp.to_le_bytes());
    xxh3_64(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_area_is_read_as_it_was_written() {
        for spare in [SpareArea::Blank, SpareArea::Other, SpareArea::Damaged] {
            assert_eq!(SpareArea::from_bytes(&spare.to_bytes(5, NO_PAGE), 5), (spare, NO_PAGE));
        }
        let spare = SpareArea::of(Lpn(7), 1 << 40, b"data");
        for page in [0, 70_000_000_000, NO_PAGE] {
            assert_eq!(SpareArea::from_bytes(&spare.to_bytes(5, page), 5), (spare, page));
        }
    }

    #[test]
    fn a_bit_that_turned_is_found_and_so_is_another_place() {
        for spare in [SpareArea::Other, SpareArea::of(Lpn(7), 1 << 40, b"data")] {
            let whole = spare.to_bytes(5, 9);
            assert_eq!(SpareArea::from_bytes(&whole, 6).0, SpareArea::Damaged);
            for bit in 0..SPARE * 8 {
                let mut bytes = whole;
                bytes[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(SpareArea::from_bytes(&bytes, 5).0, SpareArea::Damaged, "bit {bit}");
            }
        }
    }

    #[test]
    fn it_is_of_its_own_data_only() {
        let spare = SpareArea::of(Lpn(7), 3, b"data");
        assert!(spare.is_of(Lpn(7), b"data"));
        assert!(!spare.is_of(Lpn(7), b"dato"));
        assert!(!spare.is_of(Lpn(8), b"data"), "another unit was looked for");
        assert!(!spare.spoiled().is_of(Lpn(7), b"data"));
        let SpareArea::Data { check, .. } = spare else { panic!("it has data") };
        assert!(!SpareArea::Data { lpn: Lpn(8), stamp: 3, check }.is_of(Lpn(8), b"data"), "another unit's");
        assert!(
            !SpareArea::Data { lpn: Lpn(7), stamp: 4, check }.is_of(Lpn(7), b"data"),
            "another version's"
        );
    }
}
