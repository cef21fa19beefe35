//! From nothing: what the code cannot correct is lost.

use super::{Misfit, ParityScheme};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the parity policy `none`: the drive stores no parity across dies.
#[derive(Clone, Debug)]
pub struct NoParity;

impl Policy for NoParity {
    const CARD: Card = Card {
        name: "none",
        rule: "no parity across dies: data that the code of a page cannot correct is lost",
        paper: "what most simulators of drives do",
        not_modelled: "recovery of data by other means",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ParityScheme for NoParity {
    fn stripe(&self, _layout: &Layout) -> Result<Option<u32>, Misfit> {
        Ok(None)
    }
}
