//! PROPOSED: the chip's strobe (DVS) accompanies its data, on both edges (Chung et al., section 4).
//!
//! Equations (7) to (9). The paper prints max{0.25 + 0.2 + 4.69, 12} for equation (9), which drops the factor
//! two and writes 0.2 for a hold time that its Table 2 gives as 0.02; the equation comes to 9.92 ns. Either way
//! the period is that of the chip's latch, 12 ns.

use super::seed::{self, Bound, NS};
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Cadence, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section};
use units::{Femtos, Frequency};

/// Model of the NAND flash interface `proposed` (a policy for `bus.interface`): source-synchronous with double data
/// rate, on the pins of the conventional interface.
#[derive(Clone, Debug)]
pub struct Proposed(Strobed);

impl Policy for Proposed {
    const CARD: Card = Card {
        name: "proposed",
        rule: "the chip's strobe travels with its data, two bytes per cycle; shortest period \
               max{(t_s + t_h + t_diff) x 2, t_byte}, or max{(t_ios + t_ioh) x 2, t_byte} when those are given",
        paper: "Chung et al., equations (2) and (7) to (9), Table 2",
        not_modelled: "the jitter of the delay-locked loop",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        Strobed::read(section).map(Self)
    }
}

impl Spoken for Proposed {
    // The proposed controller keeps D_CON and Gen_R for conventional chips (section 4.1 of the paper); its strobe on one edge
    // serves chips of the kind before it.
    const FAMILY: Option<Family> =
        Some(Family { name: "proposed", highest: None, older: &["sync-only", "conv"] });
}

impl Interface for Proposed {
    fn signalling(&self) -> Signalling {
        self.0.signalling(2)
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(self.0.strobes)
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(0)
    }
}

/// Record of the common part of the NAND flash interfaces `proposed` and `sync-only`, with which the chip sends a
/// strobe together with its data: clock, shortest clock period and strobe timing.
#[derive(Clone, Debug)]
pub(super) struct Strobed {
    clock: Frequency,
    shortest: Femtos,
    pub strobes: Strobes,
}

impl Strobed {
    pub fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let nanos = |hundredths: u64| Femtos::new(hundredths * NS / 100);
        let t_byte = seed::t_byte(section)?;
        let (strobes, bound) = if section.has("t_ios") || section.has("t_ioh") {
            let t_ios: Femtos = section.required("t_ios", "set-up time of data before the chip's strobe")?;
            let t_ioh: Femtos = section.required("t_ioh", "hold time of data after the chip's strobe")?;
            if let Some(key) = ["t_s", "t_h", "t_diff"].into_iter().find(|key| section.has(key)) {
                let text = "expected either t_ios and t_ioh (equation 8) or t_s, t_h and t_diff (equation 9)";
                return Err(section.reject(key, text));
            }
            let shortest = (t_ios + t_ioh).times(2);
            let strobes = Strobes::Accompanied { t_ios, t_ioh };
            (strobes, Bound { equation: 8, terms: "(t_ios + t_ioh) x 2", shortest })
        } else {
            let t_s = section.or("t_s", nanos(25), "set-up time of the FIFO")?;
            let t_h = section.or("t_h", nanos(2), "hold time of the FIFO")?;
            let t_diff =
                section.or("t_diff", nanos(469), "between strobe and data at the FIFO, from the board")?;
            // The data lines, the slower ones, arrive later than the strobe: what the board adds is set-up time.
            let strobes = Strobes::Accompanied { t_ios: t_s + t_diff, t_ioh: t_h };
            let shortest = (t_s + t_h + t_diff).times(2);
            (strobes, Bound { equation: 9, terms: "(t_s + t_h + t_diff) x 2", shortest })
        };
        let bounds = [bound, Bound { equation: 7, terms: "t_byte", shortest: t_byte }];
        let (clock, shortest) = seed::clock(section, &bounds)?;
        Ok(Self { clock, shortest, strobes })
    }

    pub fn signalling(&self, bytes_per_clock: u64) -> Signalling {
        let cadence = Cadence::of_clock(self.clock, bytes_per_clock);
        Signalling {
            cycle: self.clock.period(),
            data_in: cadence,
            data_out: cadence,
            shortest: self.shortest,
            double_data_rate: bytes_per_clock == 2,
            waits: seed::WAITS,
            pins: seed::PINS,
            io_supply: Some(seed::IO_SUPPLY),
        }
    }
}
