//! Soft reads at once where the syndrome says that hard ones fail.

use super::{Attempt, Flow, FlowView, Next, Notes};
use config::{Card, ConfigError, Policy, Section, above};

/// Implementation of a read flow (policy for the attempts of a page's read) that estimates the raw bit error rate from
/// the number of failed parity checks (the syndrome's weight): it chooses the number of soft bits by the estimate, and
/// leaves attempts undecoded that the estimate expects to fail.
#[derive(Clone, Debug)]
pub struct SoftByEstimate {
    margin: f64,
}

impl Policy for SoftByEstimate {
    const CARD: Card = Card {
        name: "soft-by-estimate",
        rule: "as `hard-retry-soft`, but an attempt whose estimated error rate is above `margin` times that at which every other such \
               read fails is not decoded; and as soon as the estimate is at most `margin` times the rate at which every other read with \
               more soft bits fails, the page is read with the fewest such, with the same references",
        paper: "the weight of a syndrome as an estimate of the error rate: Toto-Zarasoa and others, ISIT 2011; as here docs/explanation/decoding.md",
        not_modelled: "a syndrome's weight that goes with whether its word fails, beyond the rate of its page",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let margin = section.unit("ratio").within(above(0.0).at_most(10.0)).or(
            "margin",
            1.0,
            "up to which part of the error rate at which every other read fails one is tried",
        )?;
        Ok(Self { margin })
    }
}

impl SoftByEstimate {
    /// Returns the greatest estimated raw bit error rate at which the read flow still tries a read with `soft_bits`
    /// soft bits.
    fn most(&self, view: &FlowView<'_>, soft_bits: u32) -> f64 {
        self.margin * view.halves[soft_bits as usize - 1]
    }

    fn unless_in_vain(&self, view: &FlowView<'_>, step: u32, soft_bits: u32) -> Next {
        Next::Read(Attempt { decoded_below: self.most(view, soft_bits), ..Attempt::at(step, soft_bits) })
    }
}

impl Flow for SoftByEstimate {
    fn notes(&self) -> Notes {
        Notes { estimates: true, ..Notes::default() }
    }

    fn next(&mut self, view: &FlowView<'_>) -> Next {
        let Some(last) = &view.last else { return self.unless_in_vain(view, 0, view.first) };
        let estimate = view.estimate.unwrap_or(f64::INFINITY);
        let more = last.soft_bits + 1..=view.soft_bits;
        if let Some(soft_bits) = more.into_iter().find(|soft_bits| estimate <= self.most(view, *soft_bits)) {
            return Next::Read(Attempt::at(last.step, soft_bits));
        }
        if last.step < view.best_step {
            return self.unless_in_vain(view, last.step + 1, view.first);
        }
        // The end: the soft attempts left are decoded at any estimate.
        view.in_order_after(last)
    }
}
