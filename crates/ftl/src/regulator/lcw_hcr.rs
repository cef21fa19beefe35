//! Every unit is written with the coarse step, and all reads pay for it.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the cost regulator `lcw-hcr` (low-cost write, high-cost read): programs all data with the coarse
/// program step (voltage increment per pulse), so that programs are fast and reads are slow.
#[derive(Clone, Debug)]
pub struct LcwHcr;

impl Policy for LcwHcr {
    const CARD: Card = Card {
        name: "lcw-hcr",
        rule: "every write takes the coarse step",
        paper: "Li and others, FAST 2016, preliminary study",
        not_modelled: "any regulation: every unit is written alike",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl CostRegulator for LcwHcr {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.low()]
    }

    fn choose(&mut self, _view: &WriteView<'_>, _bits: &mut u8) -> usize {
        0
    }
}
