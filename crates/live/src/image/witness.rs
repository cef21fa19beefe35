//! What only the drive's RAM held, and whom it had not answered: noted beside the flash before an answer leaves, so that
//! the next server can say what a cut took. No drive has such a thing, and no recovery looks at it.

use xxhash_rust::xxh3::xxh3_64;

/// Bytes of the witness in the image.
pub const WITNESS: usize = 32;
/// Byte of the witness's checksum.
const CHECK: usize = 8;

/// Note of a server about what would be lost if it were killed now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// Requests of clients that are not answered.
    pub requests: u32,
    /// Units of acknowledged writes whose data are not on flash.
    pub units: u32,
}

impl Witness {
    /// Returns the witness in the image's format.
    pub fn to_bytes(self) -> [u8; WITNESS] {
        let mut bytes = [0; WITNESS];
        bytes[..4].copy_from_slice(&self.requests.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.units.to_le_bytes());
        let check = xxh3_64(&bytes[..CHECK]);
        bytes[CHECK..CHECK + 8].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Reads the witness from the image's format; none where it is damaged.
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
