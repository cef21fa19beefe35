//! A transfer rate and a cycle, without asking where they come from: for drives whose source gives no more.

use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Cadence, CycleWaits, Pins, Signalling};
use config::{Card, ConfigError, Policy, Section};
use units::{Femtos, TransferRate};

/// Model of the NAND flash interface `plain` (a policy for `bus.interface`): a given transfer rate and a given length
/// of command and address cycles, without protocol waits.
#[derive(Clone, Debug)]
pub struct Plain {
    rate: TransferRate,
    cycle: Femtos,
}

impl Policy for Plain {
    const CARD: Card = Card {
        name: "plain",
        rule: "data at `rate`, commands and addresses at one `cycle` each, no waits between them",
        paper: "common to the drive simulators",
        not_modelled: "set-up and hold times, protocol waits, supply voltage",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let cycle = section.or("cycle", Femtos::new(25_000_000), "length of a command or address cycle")?;
        let rate = section.required("rate", "transfer rate of a channel, eight wires wide")?;
        Ok(Self { rate, cycle })
    }
}

impl Spoken for Plain {
    const FAMILY: Option<Family> = None;
}

impl Interface for Plain {
    fn signalling(&self) -> Signalling {
        let cadence = Cadence::of_rate(self.rate);
        Signalling {
            cycle: self.cycle,
            data_in: cadence,
            data_out: cadence,
            shortest: cadence.byte(),
            double_data_rate: false,
            waits: CycleWaits::default(),
            pins: Pins { shared: 13, per_way: 2, strobes: 1 },
            io_supply: None,
        }
    }

    fn needs(&self) -> Option<ModeSet> {
        None
    }
}
