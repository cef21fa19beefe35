//! ONFI SDR: asynchronous, one byte per tRC or tWC, modes 0 to 5.

use super::onfi::{self, SDR_MODES, SDR_WAITS};
use super::seed::{self, NS};
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Cadence, CycleWaits, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};
use units::Femtos;

/// Model of the NAND flash interface `sdr` (a policy for `bus.interface`): ONFI SDR in one of its timing modes.
#[derive(Clone, Debug)]
pub struct Sdr {
    mode: u32,
}

impl Policy for Sdr {
    const CARD: Card = Card {
        name: "sdr",
        rule: "one byte per tRC out and per tWC in, commands and addresses per tWC, tWB, tRR, tADL and tWHR charged",
        paper: "ONFI 5.0, section on timing modes",
        not_modelled: "extended data output as a choice of its own: modes 4 and 5 imply it",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        onfi::mode(section, Self::FAMILY).map(|mode| Self { mode })
    }
}

impl Spoken for Sdr {
    const FAMILY: Option<Family> = Some(Family { name: "sdr", highest: Some(5), older: &[] });
}

impl Interface for Sdr {
    fn signalling(&self) -> Signalling {
        let (t_rc, t_wc) = SDR_MODES[self.mode as usize];
        let [t_rr, t_wb, t_whr, t_adl] = SDR_WAITS[self.mode as usize].map(|ns| Femtos::new(ns * NS));
        Signalling {
            cycle: Femtos::new(t_wc * NS),
            data_in: Cadence::per_cycle(Femtos::new(t_wc * NS), 1),
            data_out: Cadence::per_cycle(Femtos::new(t_rc * NS), 1),
            shortest: Femtos::new(t_rc.max(t_wc) * NS),
            double_data_rate: false,
            waits: CycleWaits { t_wb, t_rr, t_adl, t_whr },
            pins: seed::PINS,
            io_supply: Some(seed::IO_SUPPLY),
        }
    }

    fn mode(&self) -> Option<u32> {
        Some(self.mode)
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(Strobes::Asynchronous(self.mode))
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(self.mode)
    }
}
