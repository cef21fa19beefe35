//! What the image says of each superblock: how often it was erased, and with how many bits a cell it is written.

use xxhash_rust::xxh3::xxh3_64_with_seed;

/// Constant: length in bytes of a superblock's entry in a drive's image file.
pub const ENTRY: usize = 8;
/// Byte offset, in a superblock's entry in an image file, of the entry's checksum.
const CHECK: usize = 5;

/// Kind of mode in which a superblock is programmed: one bit in each cell (SLC mode), or all bits that a cell can
/// store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellBits {
    /// Case of mode of a superblock: SLC mode; one bit is programmed in each cell.
    One,
    /// Case of mode of a superblock: ordinary mode; all bits that a cell of the flash chip can store are programmed.
    All,
}

/// Record of an entry of a drive's image file for one superblock: erase count since the image was made, and whether the
/// superblock is in SLC mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockMark {
    /// Number of erases of the superblock since the image file was made.
    pub erases: u32,
    /// True if the superblock is programmed in SLC mode, as the image file's entry for the superblock says.
    pub one_bit: bool,
}

impl SuperblockMark {
    /// Returns the entry of superblock number `superblock` as bytes in the format of the image file.
    pub fn to_bytes(self, superblock: usize) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..4].copy_from_slice(&self.erases.to_le_bytes());
        bytes[4] = self.one_bit.into();
        let check = checksum(&bytes, superblock);
        bytes[CHECK..].copy_from_slice(&check);
        bytes
    }

    /// Parses the entry of a superblock from the format of the image file; none if its checksum is wrong.
    pub fn from_bytes(bytes: &[u8; ENTRY], superblock: usize) -> Option<Self> {
        if *bytes == [0; ENTRY] {
            return Some(Self::default());
        }
        let erases = u32::from_le_bytes(std::array::from_fn(|at| bytes[at]));
        (bytes[CHECK..] == checksum(bytes, superblock)).then_some(Self { erases, one_bit: bytes[4] == 1 })
    }
}

/// Returns the checksum of a superblock's entry in the image file, computed together with the number of the superblock.
fn checksum(bytes: &[u8; ENTRY], superblock: usize) -> [u8; ENTRY - CHECK] {
    let hash = xxh3_64_with_seed(&bytes[..CHECK], superblock as u64).to_le_bytes();
    std::array::from_fn(|at| hash[at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_read_as_it_was_written_or_not_at_all() {
        assert_eq!(SuperblockMark::from_bytes(&[0; ENTRY], 3), Some(SuperblockMark::default()));
        let mark = SuperblockMark { erases: 70_000, one_bit: true };
        let whole = mark.to_bytes(3);
        assert_eq!(SuperblockMark::from_bytes(&whole, 3), Some(mark));
        assert_eq!(SuperblockMark::from_bytes(&whole, 4), None);
        for bit in 0..ENTRY * 8 {
            let mut bytes = whole;
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(SuperblockMark::from_bytes(&bytes, 3), None, "bit {bit}");
        }
    }
}
