//! The oldest snapshot.

use super::{ExpiryPolicy, ExpiryView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the snapshot expiry policy `oldest`: drops the oldest snapshot.
#[derive(Clone, Debug)]
pub struct Oldest;

impl Policy for Oldest {
    const CARD: Card = Card {
        name: "oldest",
        rule: "the oldest snapshot: those kept are the last `ftl.snapshots.keep`",
        paper: "common practice",
        not_modelled: "how much room dropping it gives",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl ExpiryPolicy for Oldest {
    fn expire(&mut self, _view: &ExpiryView<'_>) -> usize {
        0
    }
}
