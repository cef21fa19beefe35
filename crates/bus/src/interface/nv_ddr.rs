//! ONFI NV-DDR: data on both edges of a strobe, commands at a clock, modes 0 to 5.

use super::onfi::{self, DDR_WAITS, NV_DDR_MODES};
use super::seed::NS;
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Cadence, Pins, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};
use units::{Femtos, Voltage};

/// Model of the NAND flash interface `nv-ddr` (a policy for `bus.interface`): ONFI NV-DDR in one of its timing modes.
#[derive(Clone, Debug)]
pub struct NvDdr {
    mode: u32,
}

/// Constant: time tCAD of ONFI NV-DDR from one command or address cycle to the next, which is rounded up to whole
/// clocks since cycles begin at edges of the clock.
const T_CAD: Femtos = Femtos::new(45 * NS);

impl Policy for NvDdr {
    const CARD: Card = Card {
        name: "nv-ddr",
        rule: "two bytes per tCK of the mode, commands and addresses one per tCAD, in whole clocks, tWB, tRR, tADL and tWHR charged",
        paper: "ONFI 5.0, section on timing modes",
        not_modelled: "tDQSCK and the turn-around of the strobe",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        onfi::mode(section, Self::FAMILY).map(|mode| Self { mode })
    }
}

impl Spoken for NvDdr {
    // Every ONFI part powers up in SDR mode 0.
    const FAMILY: Option<Family> = Some(Family { name: "nv-ddr", highest: Some(5), older: &["sdr"] });
}

impl Interface for NvDdr {
    fn signalling(&self) -> Signalling {
        let clock = Femtos::new(NV_DDR_MODES[self.mode as usize] * NS);
        let cadence = Cadence::per_cycle(clock, 2);
        Signalling {
            cycle: Femtos::new(T_CAD.get().next_multiple_of(clock.get())),
            data_in: cadence,
            data_out: cadence,
            shortest: clock,
            double_data_rate: true,
            waits: DDR_WAITS,
            pins: Pins { shared: 14, per_way: 2, strobes: 2 },
            io_supply: Some(Voltage::new(1_800_000)),
        }
    }

    fn mode(&self) -> Option<u32> {
        Some(self.mode)
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(Strobes::Clocked(self.mode))
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(self.mode)
    }
}
