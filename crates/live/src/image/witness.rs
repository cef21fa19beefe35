//! What only the drive's RAM held, and whom it had not answered: noted beside the flash before an answer leaves, so that
//! the next server can say what a cut took. No drive has such a thing, and no recovery looks at it.

use xxhash_rust::xxh3::xxh3_64;

/// Constant: length in bytes of the witness, the record in an image file of what would be lost if the server were
/// killed.
pub const WITNESS: usize = 32;
/// Byte offset of the checksum in the witness, the record in an image file of what would be lost if the server were
/// killed.
const CHECK: usize = 8;

/// Record (witness) of the live server, in its image file, of what would be lost if the server were killed now: a
/// number of unanswered requests and a number of mapping units not on flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// Number of clients' requests that the live server has not answered.
    pub requests: u32,
    /// Number of mapping units of acknowledged writes whose data are not on flash.
    pub units: u32,
}

impl Witness {
    /// Returns the witness (record of what would be lost) as bytes in the format of the image file.
    pub fn to_bytes(self) -> [u8; WITNESS] {
        let mut bytes = [0; WITNESS];
        bytes[..4].copy_from_slice(&self.requests.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.units.to_le_bytes());
        let check = xxh3_64(&bytes[..CHECK]);
        bytes[CHECK..CHECK + 8].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Parses the witness (record of what would be lost) from the format of the image file; none if its checksum is
    /// wrong.
    pub fn from_bytes(bytes: &[u8; WITNESS]) -> Option<Self> {
        let own = Self { requests: short(bytes, 0), units: short(bytes, 4) };
        (own.to_bytes() == *bytes).then_some(own)
    }
}

fn short(bytes: &[u8; WITNESS], at: usize) -> u32 {
    u32::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_read_as_it_was_written_or_not_at_all() {
        let witness = Witness { requests: 3, units: 70_000 };
        assert_eq!(Witness::from_bytes(&witness.to_bytes()), Some(witness));
        for bit in 0..WITNESS * 8 {
            let mut bytes = witness.to_bytes();
            bytes[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Witness::from_bytes(&bytes), None, "bit {bit}");
        }
    }
}
