//! Parts of the drive apart from each other.

use super::{PlacePolicy, PlaceView};
use config::{Card, ConfigError, Policy, Section};
use units::Bytes;

/// Implementation of the placement policy `address` of `host.place`: chooses the placement handle of a write by the
/// write's first address.
#[derive(Clone, Debug)]
pub struct ByAddress {
    bounds: Vec<u64>,
}

impl Policy for ByAddress {
    const CARD: Card = Card {
        name: "address",
        rule: "a write goes through the handle whose number is that of the `bounds` at or below its first byte, or the last \
               there is; without bounds the drive has as many equal parts as handles",
        paper: "a handle for each partition, file or table space",
        not_modelled: "where a file system puts files",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let help = "bytes of the drive at which the part of the next handle begins, in ascending order; else equal parts";
        let bounds: Option<Vec<Bytes>> = section.optional("bounds", help)?;
        let bounds: Vec<u64> = bounds.unwrap_or_default().into_iter().map(Bytes::get).collect();
        match bounds.is_sorted_by(|a, b| a < b) {
            true => Ok(Self { bounds }),
            false => Err(section.reject("bounds", "expected addresses in ascending order")),
        }
    }
}

impl PlacePolicy for ByAddress {
    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        let part = match self.bounds.is_empty() {
            true => {
                let part =
                    u128::from(write.offset) * u128::from(write.handles) / u128::from(write.drive_bytes);
                part as usize
            }
            false => self.bounds.iter().filter(|bound| **bound <= write.offset).count(),
        };
        Some((part as u16).min(write.handles - 1))
    }
}
