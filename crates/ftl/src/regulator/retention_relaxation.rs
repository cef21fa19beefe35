//! Cheap writes for what the host writes, readable for a short time only; what lives longer is written anew.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section, above};
use controller::Origin;
use units::{Nanos, Voltage};

/// Implementation of the cost regulator `retention-relaxation`: host data are programmed fast with a short retention
/// time; data that are still valid at a set age, and relocated data, are programmed with the usual program step
/// (voltage increment per pulse) and the full retention time.
#[derive(Clone, Debug)]
pub struct RetentionRelaxation {
    step: Voltage,
    retention: Nanos,
    refresh_period: Nanos,
}

const RELAXED: usize = 0;
const USUAL: usize = 1;
const DAY: u64 = 86_400_000_000_000;

impl Policy for RetentionRelaxation {
    const CARD: Card = Card {
        name: "retention-relaxation",
        rule: "host writes use `step` and stay correctable for `retention`; data of these still valid after \
               `refresh_period`, and all data moved by garbage collection and wear levelling, uses the default \
               step and the full retention time",
        paper: "Pan and others, Quasi-nonvolatile SSD, HPCA 2012; Liu, Yang and Wu, FAST 2012",
        not_modelled: "the originals' choice of step by wear; reads of relaxed data cost as much as at the end \
                       of the relaxed retention time",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let step = section.within(above(Voltage::new(0))).or(
            "step",
            Voltage::new(400_000),
            "program step of the host's writes",
        )?;
        let retention =
            section.or("retention", Nanos::new(14 * DAY), "retention time of the host's writes")?;
        let refresh_period = section.within(above(Nanos::ZERO)).or(
            "refresh_period",
            Nanos::new(7 * DAY),
            "age at which remaining data is rewritten",
        )?;
        if retention <= refresh_period {
            let expected = format!(
                "expected more than the refresh period of {}: data would be lost before they are written anew",
                refresh_period.in_days()
            );
            return Err(section.reject("retention", &expected));
        }
        Ok(Self { step, retention, refresh_period })
    }
}

impl CostRegulator for RetentionRelaxation {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        let refresh = Some(self.refresh_period);
        let relaxed = WriteCost { step: self.step, voltages: None, retention: self.retention, refresh };
        vec![relaxed, steps.medium()]
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        if view.origin == Origin::Host { RELAXED } else { USUAL }
    }
}
