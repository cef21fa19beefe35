//! ONFI NV-LPDDR4: NV-DDR3 with low-swing terminated drivers at 1.2 V, modes 0 to 19.

use super::onfi::{self, DDR_COMMAND, DDR_WAITS};
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Pins, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};
use units::Voltage;

/// Model of the NAND flash interface `nv-lpddr4` (a policy for `bus.interface`): ONFI NV-LPDDR4 in one of its timing
/// modes.
#[derive(Clone, Debug)]
pub struct NvLpddr4 {
    mode: u32,
}

impl Policy for NvLpddr4 {
    const CARD: Card = Card {
        name: "nv-lpddr4",
        rule: "two bytes per tDSC of the mode, commands and addresses at 25 ns",
        paper: "ONFI 5.0, section on timing modes",
        not_modelled: "training, the direct current of termination and its smaller swing, data-bus inversion",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        onfi::mode(section, Self::FAMILY).map(|mode| Self { mode })
    }
}

impl Spoken for NvLpddr4 {
    // Every ONFI part powers up in SDR mode 0.
    const FAMILY: Option<Family> = Some(Family {
        name: "nv-lpddr4",
        highest: Some(19),
        older: &["nv-ddr3", "nv-ddr2", "nv-ddr", "sdr"],
    });
}

impl Interface for NvLpddr4 {
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
            io_supply: Some(Voltage::new(1_200_000)),
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
