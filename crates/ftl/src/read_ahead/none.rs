//! Nothing.

use super::{Misfit, ReadAheadPolicy, Stretch};
use config::{Card, ConfigError, Policy, Section};
use units::{Bytes, Lpn};

/// Implementation of the read-ahead policy `none`: no data are fetched before the host asks for them.
#[derive(Clone, Debug)]
pub struct NoReadAhead;

impl Policy for NoReadAhead {
    const CARD: Card = Card {
        name: "none",
        rule: "only data requested by the host is read",
        paper: "what most simulators of drives do",
        not_modelled: "sequences",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ReadAheadPolicy for NoReadAhead {
    fn area_units(&self, _unit: Bytes) -> Result<Option<u32>, Misfit> {
        Ok(None)
    }

    fn attach(&mut self, _unit: Bytes) {}

    fn on_read(&mut self, _first: Lpn, _count: u32) -> Option<Stretch> {
        None
    }

    fn on_fetched(&mut self, _until: Lpn) {}
}
