//! ONFI NV-DDR2: data on both edges of a differential strobe, 1.8 V, modes 0 to 10.

use super::onfi::{self, DDR_COMMAND, DDR_WAITS};
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Pins, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};
use units::Voltage;

/// Model of the NAND flash interface `nv-ddr2` (a policy for `bus.interface`): ONFI NV-DDR2 in one of its timing modes.
#[derive(Clone, Debug)]
pub struct NvDdr2 {
    mode: u32,
}

impl Policy for NvDdr2 {
    const CARD: Card = Card {
        name: "nv-ddr2",
        rule: "two bytes per tDSC of the mode, commands and addresses at 25 ns, tWB, tRR, tADL and tWHR charged",
        paper: "ONFI 5.0, section on timing modes",
        not_modelled: "training, termination, warm-up cycles of the strobe",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        onfi::mode(section, Self::FAMILY).map(|mode| Self { mode })
    }
}

impl Spoken for NvDdr2 {
    // Every ONFI part powers up in SDR mode 0.
    const FAMILY: Option<Family> =
        Some(Family { name: "nv-ddr2", highest: Some(onfi::NV_DDR2_HIGHEST), older: &["nv-ddr", "sdr"] });
}

impl Interface for NvDdr2 {
    fn signalling(&self) -> Signalling {
        let cadence = onfi::cadence(self.mode);
        Signalling {
            cycle: DDR_COMMAND,
            data_in: cadence,
            data_out: cadence,
            shortest: cadence.byte().times(2),
            double_data_rate: true,
            waits: DDR_WAITS,
            pins: Pins { shared: 16, per_way: 2, strobes: 4 },
            io_supply: Some(Voltage::new(1_800_000)),
        }
    }

    fn mode(&self) -> Option<u32> {
        Some(self.mode)
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(Strobes::Toggled)
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(self.mode)
    }
}
