//! The first page of an image: which drive it is of, and how it was left.

use serde_json::Value;
use sim::Error;
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

/// Length in bytes of the header of a drive's image file.
pub const HEADER: usize = 8192;
const MAGIC: &[u8; 8] = b"FLGATEIM";
const VERSION: u32 = 3;
/// Byte offset, in the header of an image file, at which the text of the drive's shape (geometry and features) begins.
const TEXT: usize = 64;

/// Kind of state in which the drive of an image file was left when the image was last used: at work (image not closed),
/// or at rest (no operation in flight and state saved).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageLeft {
    /// Case of state: at work. A server still uses the image, or ended without closing it, as in a power cut.
    AtWork,
    /// Case of state: at rest; no operation was in flight, and the drive's state is saved in a file beside the image;
    /// the number is the checksum of that file.
    AtRest(u64),
}

/// Record of the header of an image file: shape of the drive, and state in which the drive was left.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// Shape of the drive, as the header of its image file gives it: the geometry and features (dies, superblocks,
    /// units, ...) that decide where its data are in the image. An image opens only for a drive of the same shape.
    pub shape: Value,
    /// State, as the header of the image file gives it, in which the drive was left when the image was last used: at
    /// rest (image closed and state saved) or at work.
    pub left: ImageLeft,
    /// Sequence number (stamp) of the host's next write of a mapping unit, as the header of the image file gives it; on
    /// flash it tells which of two versions of a unit is newer.
    pub stamp: u64,
    /// Checksum of the state of the drive that a server saved last; 0: no saved state is known.
    pub state: u64,
    /// True after a server began to save a new drive state beside the image; the checksum of that new state is not in
    /// `state` yet.
    pub is_leaving: bool,
}

impl Header {
    /// Returns the header of an image file as bytes in the file's format.
    pub fn to_bytes(&self) -> Vec<u8> {
        let text = self.shape.to_string();
        assert!(TEXT + text.len() <= HEADER, "the shape of a drive takes a few hundred bytes");
        let mut bytes = vec![0; HEADER];
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&(text.len() as u32).to_le_bytes());
        bytes[16] = matches!(self.left, ImageLeft::AtRest(_)).into();
        bytes[17] = self.is_leaving.into();
        bytes[24..32].copy_from_slice(&self.state.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.stamp.to_le_bytes());
        bytes[TEXT..TEXT + text.len()].copy_from_slice(text.as_bytes());
        let check = checksum(&bytes);
        bytes[40..48].copy_from_slice(&check.to_le_bytes());
        bytes
    }

    /// Parses `bytes`, the header already read from a drive's image file, and returns the header. The argument `path`
    /// only names the image file in error messages.
    ///
    /// # Errors
    /// When the file is no image, of another version, or damaged.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<Self, Error> {
        let fail = |reason: &str| Error(format!("{}: {reason}", path.display()));
        if bytes.len() < 12 || bytes[..8] != *MAGIC {
            return Err(fail(
                "not an image of a drive: expected one that `floatgate serve` made, or a new file",
            ));
        }
        let version = u32::from_le_bytes(std::array::from_fn(|byte| bytes[8 + byte]));
        if version != VERSION {
            return Err(fail(&format!("an image of version {version}: expected version {VERSION}")));
        }
        if bytes.len() < HEADER {
            return Err(fail("the image ends in its header: expected a whole image"));
        }
        let long = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| bytes[at + byte]));
        if long(40) != checksum(bytes) {
            return Err(fail("the image is damaged: the checksum of its header does not fit"));
        }
        let length = u32::from_le_bytes(std::array::from_fn(|byte| bytes[12 + byte])) as usize;
        let text = bytes.get(TEXT..TEXT + length).ok_or_else(|| fail("the image is damaged"))?;
        let shape = serde_json::from_slice(text).map_err(|error| fail(&error.to_string()))?;
        let state = long(24);
        let left = if bytes[16] == 1 { ImageLeft::AtRest(state) } else { ImageLeft::AtWork };
        Ok(Self { shape, left, stamp: long(32), state, is_leaving: bytes[17] == 1 })
    }
}

/// Returns the checksum of all bytes of an image file's header except the checksum itself.
fn checksum(bytes: &[u8]) -> u64 {
    let mut plain = bytes[..HEADER].to_vec();
    plain[40..48].fill(0);
    xxh3_64(&plain)
}
