//! A handle for each volume of a trace.

use super::{PlacePolicy, PlaceView};
use crate::workload::Telling;
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the placement policy `volume` of `host.place`: chooses the placement handle of a write by the
/// number of its trace volume, modulo the number of handles; volumes are numbered in the order in which they appear.
#[derive(Clone, Debug)]
pub struct ByVolume;

impl Policy for ByVolume {
    const CARD: Card = Card {
        name: "volume",
        rule: "volume k of a trace of several is written through handle k modulo the number of handles",
        paper: "a handle for each tenant: Allison and others, EuroSys 2025",
        not_modelled: "data of one volume that die at different times",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl PlacePolicy for ByVolume {
    fn needs(&self) -> Option<Telling> {
        Some(Telling::Volumes)
    }

    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        Some(write.job % write.handles)
    }
}
