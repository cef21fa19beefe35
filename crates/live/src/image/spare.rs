//! The spare area of a unit: what the drive writes beside the data, and finds again at power-up.

use units::Lpn;
use xxhash_rust::xxh3::Xxh3;

/// Bytes of a spare area in the image.
pub const SPARE: usize = 32;

/// What a unit on flash holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spare {
    /// Nothing was programmed there since the last erase, or not to its end.
    Blank,
    /// Data of the host's.
    Data {
        /// Of which unit.
        lpn: Lpn,
        /// The sequence number of the host's write: of two versions the one with the higher number is newer.
        stamp: u64,
        /// Over data, unit and stamp.
        check: u64,
    },
    /// What the drive keeps for itself, and what fills up a page.
    Other,
}

impl Spare {
    /// Of `data` that a write with this number brought for `lpn`.
    pub fn of(lpn: Lpn, stamp: u64, data: &[u8]) -> Self {
        Self::Data { lpn, stamp, check: checksum(lpn, stamp, data) }
    }

    /// True when this is the spare area of `data`.
    pub fn fits(&self, data: &[u8]) -> bool {
        match *self {
            Self::Data { lpn, stamp, check } => check == checksum(lpn, stamp, data),
            Self::Blank | Self::Other => true,
        }
    }

    /// As it stands in the image.
    pub fn to_bytes(self) -> [u8; SPARE] {
        let mut bytes = [0; SPARE];
        match self {
            Self::Blank => {}
            Self::Other => bytes[0] = 2,
            Self::Data { lpn, stamp, check } => {
                bytes[0] = 1;
                bytes[4..8].copy_from_slice(&lpn.0.to_le_bytes());
                bytes[8..16].copy_from_slice(&stamp.to_le_bytes());
                bytes[16..24].copy_from_slice(&check.to_le_bytes());
            }
        }
        bytes
    }

    /// What stands in the image.
    pub fn from_bytes(bytes: &[u8; SPARE]) -> Self {
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        match bytes[0] {
            1 => Self::Data {
                lpn: Lpn(u32::from_le_bytes(std::array::from_fn(|byte| bytes[4 + byte]))),
                stamp: long(8),
                check: long(16),
            },
            2 => Self::Other,
            _ => Self::Blank,
        }
    }
}

fn checksum(lpn: Lpn, stamp: u64, data: &[u8]) -> u64 {
    let mut hash = Xxh3::new();
    hash.update(data);
    hash.update(&lpn.0.to_le_bytes());
    hash.update(&stamp.to_le_bytes());
    hash.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spare_area_is_read_as_it_was_written() {
        for spare in [Spare::Blank, Spare::Other, Spare::of(Lpn(7), 1 << 40, b"data")] {
            assert_eq!(Spare::from_bytes(&spare.to_bytes()), spare);
        }
    }

    #[test]
    fn it_fits_its_own_data_only() {
        let spare = Spare::of(Lpn(7), 3, b"data");
        assert!(spare.fits(b"data"));
        assert!(!spare.fits(b"dato"));
        let Spare::Data { check, .. } = spare else { panic!("it has data") };
        assert!(!Spare::Data { lpn: Lpn(8), stamp: 3, check }.fits(b"data"), "another unit's");
        assert!(!Spare::Data { lpn: Lpn(7), stamp: 4, check }.fits(b"data"), "another version's");
    }
}
