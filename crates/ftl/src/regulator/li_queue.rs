//! Cheap writes while requests queue, dear ones while nothing waits.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section, at_least};
use controller::Origin;

/// Implementation of the cost regulator `li-queue`: chooses the program step (voltage increment per pulse) of a write
/// by the number of host operations waiting or in progress at the die.
#[derive(Clone, Debug)]
pub struct LiQueue {
    waiting: u32,
    before: usize,
}

const HIGH: usize = 0;
const LOW: usize = 1;
const MEDIUM: usize = 2;
const NAMES: [&str; 3] = ["high", "low", "medium"];

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
        let waiting = section.within(at_least(1u32).because("with 0 every write would be cheap")).or(
            "waiting",
            1u32,
            "operations of the host waiting that make a write cheap",
        )?;
        let before = section.choice(
            "before",
            &NAMES,
            "high",
            "cost at which data from before the run was written; high: by a drive that was idle",
        )?;
        let before =
            NAMES.iter().position(|name| *name == before).expect("choice() returns one of the names");
        Ok(Self { waiting, before })
    }
}

impl CostRegulator for LiQueue {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        let mut costs = vec![steps.high(), steps.low()];
        if self.before == MEDIUM {
            costs.push(steps.medium());
        }
        costs
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        match view {
            // Before a run the FTL asks as for a refresh, which keeps such data as they were.
            view if view.first && view.origin == Origin::Refresh && self.before != HIGH => self.before,
            view if view.waiting >= self.waiting => LOW,
            _ => HIGH,
        }
    }
}
