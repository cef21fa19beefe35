//! Hard reads along the retry table, then soft ones.

use super::{Attempt, Flow, FlowView, Next};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the default read flow (policy for the attempts of a page's read). Where the drive has a retry
/// table and the best references are known: first along the table up to these, with the first attempt's soft bits
/// (usually a hard read), then more soft bits there; else more soft bits first, then retries.
#[derive(Clone, Debug)]
pub struct HardRetrySoft;

impl Policy for HardRetrySoft {
    const CARD: Card = Card {
        name: "hard-retry-soft",
        rule: "the first attempt is at the usual references, with the soft bits that the page's cost and wear require; then step by \
               step of the retry table to the best references or its end, then there with one soft bit more each time; on a drive \
               without `retry_step` one soft bit more each time first, then `retries` with the most; then it gives up",
        paper: "retry tables of data sheets before soft reads: Cai and others, Proceedings of the IEEE 105, 2017",
        not_modelled: "attempts that are known to be in vain",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl Flow for HardRetrySoft {
    fn next(&mut self, view: &FlowView<'_>) -> Next {
        match &view.last {
            None => Next::Read(Attempt::at(0, view.first)),
            Some(last) => view.in_order_after(last),
        }
    }
}
