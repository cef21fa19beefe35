//! One open superblock for the host, one for what is moved.

use super::{ByOrigin, StreamPolicy, StreamSpec, Takes};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the stream policy `separate`: relocated data have an open superblock apart from host data.
#[derive(Clone, Debug)]
pub struct Separate;

impl Policy for Separate {
    const CARD: Card = Card {
        name: "separate",
        rule: "what the host writes joins one stream, what is moved another",
        paper: "common practice; Van Houdt, Performance Evaluation 70, 2013, on hot and cold data",
        not_modelled: "how often a unit is overwritten",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl StreamPolicy for Separate {
    fn streams(&self) -> Vec<StreamSpec> {
        vec![StreamSpec::new("host", Takes::Host), StreamSpec::new("moved", Takes::Moved)]
    }

    fn by_origin(&self) -> Option<ByOrigin> {
        Some(ByOrigin { host: 0, moved: 1 })
    }
}
