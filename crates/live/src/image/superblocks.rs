//! What the image says of each superblock: how often it was erased, and with how many bits a cell it is written.

/// Bytes of an entry.
pub const ENTRY: usize = 8;

/// With how many bits a cell a superblock is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// One, whatever the chip could hold.
    One,
    /// As many as the chip holds.
    All,
}

/// What is said of a superblock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SuperblockMark {
    /// Erases since the image was made.
    pub erases: u32,
    /// It holds one bit a cell.
    pub one_bit: bool,
}

impl SuperblockMark {
    /// As it stands in the image.
    pub fn to_bytes(self) -> [u8; ENTRY] {
        let mut bytes = [0; ENTRY];
        bytes[..4].copy_from_slice(&self.erases.to_le_bytes());
        bytes[4] = self.one_bit.into();
        bytes
    }

    /// What stands in the image.
    pub fn from_bytes(bytes: &[u8; ENTRY]) -> Self {
        let erases = u32::from_le_bytes(std::array::from_fn(|at| bytes[at]));
        Self { erases, one_bit: bytes[4] == 1 }
    }
}
