//! Small writes apart from large ones.

use super::{PlacePolicy, PlaceView};
use config::{Card, ConfigError, Policy, Section};
use units::Bytes;

/// Implementation of the placement policy `size` of `host.place`: chooses the placement handle of a write by the
/// write's length.
#[derive(Clone, Debug)]
pub struct BySize {
    limits: Vec<u64>,
}

impl Policy for BySize {
    const CARD: Card = Card {
        name: "size",
        rule: "a write goes through the handle whose number is that of the `limits` it reaches, or the last there is: with one \
               limit, shorter ones through handle 0 and others through 1",
        paper: "small and large objects of a flash cache: Allison and others, EuroSys 2025",
        not_modelled: "large writes that the host's software has cut into small ones",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = section.or(
            "limits",
            vec![Bytes::new(64 << 10)],
            "lengths from which on a write goes through the next handle, in ascending order",
        )?;
        let limits: Vec<u64> = limits.into_iter().map(Bytes::get).collect();
        match limits.is_sorted_by(|a, b| a < b) {
            true => Ok(Self { limits }),
            false => Err(section.reject("limits", "expected lengths in ascending order")),
        }
    }
}

impl PlacePolicy for BySize {
    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        let reached = self.limits.iter().filter(|limit| u64::from(write.bytes) >= **limit).count();
        Some((reached as u16).min(write.handles - 1))
    }
}
