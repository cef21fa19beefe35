//! Every unit is written with the chip's usual step: the traditional case.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the cost regulator `mcw-mcr` (medium-cost write, medium-cost read): programs all data with the
/// chip's usual program step (voltage increment per pulse), so that programs and reads take medium times.
#[derive(Clone, Debug)]
pub struct McwMcr;

impl Policy for McwMcr {
    const CARD: Card = Card {
        name: "mcw-mcr",
        rule: "every write takes the chip's default step",
        paper: "common practice; the traditional case of Li and others, FAST 2016",
        not_modelled: "any regulation: every unit is written alike",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl CostRegulator for McwMcr {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.medium()]
    }

    fn choose(&mut self, _view: &WriteView<'_>, _bits: &mut u8) -> usize {
        0
    }
}
