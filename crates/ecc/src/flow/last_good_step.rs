//! Beginning where the block was read last.

use super::{Attempt, Flow, FlowView, Next, Notes};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of a read flow (policy for the attempts of a page's read) that begins at the step of the retry table
/// with which a page of the same superblock was last read correctly, but not beyond the step of the best references,
/// and continues in the default order.
#[derive(Clone, Debug)]
pub struct LastGoodStep;

impl Policy for LastGoodStep {
    const CARD: Card = Card {
        name: "last-good-step",
        rule: "as `hard-retry-soft`, but the first attempt is at the step of the retry table at which a read of the superblock came \
               right last, where that is noted and lies before the best references",
        paper: "data of one block age alike: Shim and others, MICRO 2019",
        not_modelled: "steps back: what is read at a step too far is not tried at one before it; what is noted is lost with the power",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl Flow for LastGoodStep {
    fn notes(&self) -> Notes {
        Notes { good_steps: true, ..Notes::default() }
    }

    fn next(&mut self, view: &FlowView<'_>) -> Next {
        match &view.last {
            None => Next::Read(Attempt::at(view.good_step.unwrap_or(0).min(view.best_step), view.first)),
            Some(last) => view.in_order_after(last),
        }
    }
}
