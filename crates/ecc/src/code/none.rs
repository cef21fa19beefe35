//! Errors are left out of account.

use super::Code;
use crate::Ladder;
use config::{Card, ConfigError, Policy, Section};

/// Type of the policy `none` for `ecc.code`, without error correction: pages are read as if they had no errors.
#[derive(Clone, Debug)]
pub struct NoCode;

impl Policy for NoCode {
    const CARD: Card = Card {
        name: "none",
        rule: "no errors: every read takes the chip's t_r, one transfer and ecc.t_decode",
        paper: "what most simulators of drives do",
        not_modelled: "errors, retries and their time",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl Code for NoCode {
    fn ladder(&self, _bits: u32) -> Option<Ladder> {
        None
    }

    fn overhead(&self) -> f64 {
        0.0
    }
}
