//! Every bit is read as it was written.

use super::{Condition, ErrorModel};
use config::{Card, ConfigError, Policy, Section};

/// Type of an error model (rule by which raw bit errors are computed) that gives no bit errors: every bit is read as it
/// was written.
#[derive(Clone, Debug)]
pub struct NoErrors;

impl Policy for NoErrors {
    const CARD: Card = Card {
        name: "none",
        rule: "no bit errors",
        paper: "what most simulators of drives do",
        not_modelled: "errors",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ErrorModel for NoErrors {
    fn knows_voltages(&self) -> bool {
        true
    }

    fn rber(&self, _page_type: usize, _condition: &Condition) -> f64 {
        0.0
    }
}
