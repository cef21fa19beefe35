//! A dear write where the next access is not expected before it ends.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section};

/// Implementation of the cost regulator `wu-slack`: programs with the fine program step (voltage increment per pulse;
/// slow program, fast reads) if no host operation waits at the die and the program ends before the next one is
/// expected, else with the usual step.
#[derive(Clone, Debug)]
pub struct WuSlack;

const HIGH: usize = 0;
const MEDIUM: usize = 1;

impl Policy for WuSlack {
    const CARD: Card = Card {
        name: "wu-slack",
        rule: "the fine step if no host operation waits at the die and the next access, expected one mean gap \
               after the last, comes after the write has ended; otherwise the default step",
        paper: "Wu, He, Xie and Zhang (exploiting workload dynamics), as Li and others, FAST 2016, tell it",
        not_modelled: "the original's estimate of the next access: here an exponential mean of recent gaps, weight 1/8",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self)
    }
}

impl CostRegulator for WuSlack {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.high(), steps.medium()]
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        // Before any gap was seen nothing is expected.
        let until_next = view.gap.map_or(u64::MAX, |gap| gap.ns().saturating_sub(view.quiet.ns()));
        let in_time = until_next >= view.costs[HIGH].t_prog.ns();
        if view.waiting == 0 && in_time { HIGH } else { MEDIUM }
    }
}
