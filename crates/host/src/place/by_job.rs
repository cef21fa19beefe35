//! A handle for each program that writes.

use super::{PlacePolicy, PlaceView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the placement policy `job` of `host.place`: chooses the placement handle of a write by the number
/// of its fio job, trace volume or flow, modulo the number of handles.
#[derive(Clone, Debug)]
pub struct ByJob;

impl Policy for ByJob {
    const CARD: Card = Card {
        name: "job",
        rule: "job k of a fio file, volume k of a trace or flow k writes through handle k modulo the number of handles",
        paper: "a handle for each tenant: Allison and others, EuroSys 2025",
        not_modelled: "data that several programs share",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl PlacePolicy for ByJob {
    fn place(&mut self, write: &PlaceView) -> Option<u16> {
        Some(write.job % write.handles)
    }
}
