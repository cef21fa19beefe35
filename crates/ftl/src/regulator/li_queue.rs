//! Cheap writes while requests queue, dear ones while nothing waits.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section};

/// Regulation by queue length.
#[derive(Clone, Debug)]
pub struct LiQueue {
    waiting: u32,
}

const HIGH: usize = 0;
const LOW: usize = 1;

impl Policy for LiQueue {
    const CARD: Card = Card {
        name: "li-queue",
        rule: "the coarse step while at least `waiting` host operations are queued or in progress at the die; \
               otherwise the fine step",
        paper: "Li and others, Maximizing IO performance via conflict reduction, DATE 2015, as Li and others, FAST \
                2016, tell it",
        not_modelled: "how the original counts its queue: its text was not available",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let waiting =
            section.or("waiting", 1u32, "operations of the host waiting that make a write cheap")?;
        if waiting == 0 {
            return Err(section.reject("waiting", "expected at least 1: with 0 every write would be cheap"));
        }
        Ok(Self { waiting })
    }
}

impl CostRegulator for LiQueue {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.high(), steps.low()]
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        if view.waiting >= self.waiting { LOW } else { HIGH }
    }
}
