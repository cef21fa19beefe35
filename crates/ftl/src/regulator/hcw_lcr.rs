//! Every unit is written with the fine step, so that all reads are cheap.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the cost regulator `hcw-lcr` (high-cost write, low-cost read): programs all data with the fine
/// program step (voltage increment per pulse), so that programs are slow and reads are fast.
#[derive(Clone, Debug)]
pub struct HcwLcr;

impl Policy for HcwLcr {
    const CARD: Card = Card {
        name: "hcw-lcr",
        rule: "every write takes the fine step",
        paper: "Li and others, FAST 2016, preliminary study",
        not_modelled: "any regulation: every unit is written alike",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl CostRegulator for HcwLcr {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.high()]
    }

    fn choose(&mut self, _view: &WriteView<'_>, _bits: &mut u8) -> usize {
        0
    }
}
