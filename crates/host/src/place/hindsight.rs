//! What dies together, by what becomes of it: known only because the workload is.

use super::{PlacePolicy, PlaceView};
use crate::workload::Telling;
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the placement policy `hindsight` of `host.place`: chooses the placement handle of a write by the
/// lifetime of its data, which is known from a trial run of the workload.
#[derive(Clone, Debug)]
pub struct ByLife;

impl Policy for ByLife {
    const CARD: Card = Card {
        name: "hindsight",
        rule: "a write goes by how many bytes the workload writes until its first page is written over or trimmed, known from a \
               copy of the workload: handle 0 for the shortest lives, the last for what lives on, in classes that differ \
               least within",
        paper: "future knowledge, as in Wang and others, FAST 2022: a reference that no host can follow, and no proven bound",
        not_modelled: "that collection moves data, which then lie beside others",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl PlacePolicy for ByLife {
    fn needs(&self) -> Option<Telling> {
        Some(Telling::Lives)
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        Some(write.life.unwrap_or(u16::MAX).min(write.handles - 1))
    }
}
