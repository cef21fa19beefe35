//! What is overwritten often apart from what is not, as far as that was seen so far.

use super::{PlacePolicy, PlaceView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::Bytes;

/// Constant of the placement policy `rate`: limit on the mean number of times that the written pieces of the drive
/// (equal address ranges) were written over. When the mean reaches this limit, all counts of written bytes are halved,
/// so that older writes count less and less.
const HALVED_AT: u64 = 16;
const SECTOR: u64 = 512;

/// Implementation of the placement policy `rate` of `host.place`: chooses the placement handle of a write by how often
/// its piece of the drive (one of equal address ranges) is written, relative to the mean of the pieces that were
/// written: hotter data get higher handles.
#[derive(Clone, Debug)]
pub struct ByRate {
    piece: u64,
    /// List, for the placement policy `rate`, of the number of bytes written to each piece of the drive (equal address
    /// ranges), halved from time to time.
    bytes: Vec<u64>,
    /// Sum, over all pieces of the drive (equal address ranges), of the counts of written bytes in `bytes`.
    total: u64,
    /// Number of pieces of the drive (equal address ranges) that were written.
    written: u64,
}

impl Policy for ByRate {
    const CARD: Card = Card {
        name: "rate",
        rule: "a write goes by how often its piece of the drive was written over, in bytes, beside the mean of all pieces that \
               were: through handle 0 below the mean, 1 below twice the mean, 2 below four times, and so on by powers of two up to the last; \
               counts are halved whenever their mean reaches 16",
        paper: "hot and cold data by update count, as in Chang and Kuo, RTAS 2002, on the host",
        not_modelled: "trims: a piece is as hot after one as before",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = at_least(Bytes::new(SECTOR));
        let piece: Bytes = section.within(limits).or(
            "piece",
            Bytes::new(1 << 20),
            "bytes of the drive that are counted together",
        )?;
        Ok(Self { piece: piece.get(), bytes: Vec::new(), total: 0, written: 0 })
    }
}

impl ByRate {
    fn count(&mut self, piece: usize, bytes: u64) {
        let of = &mut self.bytes[piece];
        self.written += u64::from(*of == 0);
        *of += bytes;
        self.total += bytes;
        if self.total >= HALVED_AT * self.piece * self.written {
            self.bytes.iter_mut().for_each(|bytes| *bytes = bytes.div_ceil(2));
            self.total = self.bytes.iter().sum();
        }
    }
}

impl PlacePolicy for ByRate {
    fn attach(&mut self, _handles: u16, drive_bytes: u64) {
        self.bytes = vec![0; drive_bytes.div_ceil(self.piece) as usize];
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        let piece = (write.offset / self.piece) as usize;
        // The piece beside the mean, in whole numbers: the same on every machine.
        let (count, total) = (u128::from(self.bytes[piece]) * u128::from(self.written), self.total);
        self.count(piece, write.bytes.into());
        let above = count.checked_div(total.into()).unwrap_or(0);
        Some((above.checked_ilog2().map_or(0, |power| power + 1) as u16).min(write.handles - 1))
    }
}
