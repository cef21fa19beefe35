//! Threshold voltage reduction: data that will soon be overwritten are kept at lower voltages, quick to program and
//! forgotten soon.

use super::{CostRegulator, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section, at_least};
use controller::Origin;
use units::{Nanos, Voltage};

/// Kind of form in which the settings give the reduced voltages for short-lived data: as a voltage set of the chip's
/// tables, or as a gain in program speed.
#[derive(Clone, Debug)]
enum Reduced {
    /// Case: way in which the settings of the cost regulator `tvr` give the reduced voltages: the name of a voltage set
    /// (program-verify and read reference voltages) in the chip's tables.
    Set(String),
    /// Case: form of the reduced voltages: the factor by which they make programs faster; modelled as a program step
    /// (voltage increment per pulse) with this gain.
    Speed(f64),
}

/// Implementation of the cost regulator `tvr` (threshold voltage reduction): writes data with a short expected lifetime
/// at reduced voltages.
#[derive(Clone, Debug)]
pub struct Tvr {
    reduced: Reduced,
    horizon: Nanos,
    new_data: bool,
}

const REDUCED: usize = 0;
const USUAL: usize = 1;
const DAY: u64 = 86_400_000_000_000;

impl Policy for Tvr {
    const CARD: Card = Card {
        name: "tvr",
        rule: "data that the host overwrites within half of `horizon`, and with `new_data` also data it writes \
               for the first time, is programmed with the chip's set of `voltages` and stays correctable for \
               `horizon`; data still valid after half of that, and all moved data, uses the default voltages; \
               for a chip without such a set, `speed` is the ratio of the program speeds",
        paper: "Wang, Xie and Zhou, ICS 2014 and its poster: programming gains 50 % where retention is given up",
        not_modelled: "with `speed`, the lower voltages themselves: their loss of margin is taken as that of a \
                       program step with the same gain in speed; additional disturb between pages of one block \
                       with different voltages",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let voltages: Option<String> =
            section.optional("voltages", "reduced set of voltages, as nand.tables.voltages names it")?;
        let reduced = match voltages {
            Some(_) if section.has("speed") => {
                return Err(
                    section.reject("speed", "expected none beside `voltages`, whose times the chip knows")
                );
            }
            Some(set) => Reduced::Set(set),
            None => {
                let help = "program speed with reduced voltages over the usual one, where the chip's file knows none";
                let speed =
                    section.unit("times faster").within(at_least(1.0).at_most(4.0)).or("speed", 1.5, help)?;
                Reduced::Speed(speed)
            }
        };
        let horizon = section.within(at_least(Nanos::new(2)).because("it is halved")).or(
            "horizon",
            Nanos::new(DAY),
            "how long reduced data stay correctable",
        )?;
        let new_data =
            section.or("new_data", false, "data written for the first time count as short-lived")?;
        Ok(Self { reduced, horizon, new_data })
    }
}

impl Tvr {
    fn half(&self) -> Nanos {
        Nanos::new(self.horizon.ns() / 2)
    }
}

impl CostRegulator for Tvr {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        let (step, voltages) = match &self.reduced {
            Reduced::Set(name) => (steps.usual, Some(name.clone())),
            Reduced::Speed(speed) => (Voltage::new((steps.usual.get() as f64 * speed).round() as u64), None),
        };
        let reduced = WriteCost { step, voltages, retention: self.horizon, refresh: Some(self.half()) };
        vec![reduced, steps.medium()]
    }

    fn choose(&mut self, view: &WriteView<'_>, _bits: &mut u8) -> usize {
        let short_lived = match view.age {
            _ if view.first => self.new_data,
            Some(age) => age <= self.half(),
            None => self.new_data,
        };
        if view.origin == Origin::Host && short_lived { REDUCED } else { USUAL }
    }
}
