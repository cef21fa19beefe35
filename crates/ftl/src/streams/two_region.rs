//! A region for the host, one for what is moved; the host fills up what moving has left open.

use super::{ByOrigin, StreamPolicy, StreamSpec, Takes};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the stream policy `two-region`: host data and relocated data have open superblocks of their own,
/// but host data that need a new superblock continue the superblock that relocation left partly filled.
#[derive(Clone, Debug)]
pub struct TwoRegion;

const ANSWER: ByOrigin = ByOrigin { host: 0, moved: 1 };

impl Policy for TwoRegion {
    const CARD: Card = Card {
        name: "two-region",
        rule: "what the host writes joins one stream, what is moved another; the host, when it needs a superblock, goes on with \
               the one that moving has left open, where there is one, before it opens a free one",
        paper: "the two-region collection of SSD-iq (Haas, Lee, Leis and others, PVLDB 18, 2025), as its published simulator has it",
        not_modelled: "how often a unit is overwritten",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl StreamPolicy for TwoRegion {
    fn streams(&self) -> Vec<StreamSpec> {
        let host = StreamSpec::new("host", Takes::Host).taking_over(ANSWER.moved);
        vec![host, StreamSpec::new("moved", Takes::Moved)]
    }

    fn by_origin(&self) -> Option<ByOrigin> {
        Some(ANSWER)
    }
}
