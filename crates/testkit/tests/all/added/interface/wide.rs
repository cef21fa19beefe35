//! Sixteen data lines: two bytes per clock cycle.

use bus::interface::{Interface, Spoken};
use bus::{Cadence, CycleWaits, Family, ModeSet, Pins, Signalling};
use config::{Card, ConfigError, Policy, Section, above};
use units::{Femtos, Frequency, Voltage};

/// As `conv`, with twice the data lines.
#[derive(Clone, Debug)]
pub struct Wide {
    clock: Frequency,
}

impl Policy for Wide {
    const CARD: Card = Card {
        name: "wide",
        rule: "two bytes per cycle of `clock`, one on each half of sixteen lines; commands take the lower half",
        paper: "the worked example of docs/how-to/adding.md",
        not_modelled: "waits between cycles",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = above(Frequency::new(0));
        let clock =
            section.within(limits).or("clock", Frequency::new(50_000_000), "cycles of the channel")?;
        Ok(Self { clock })
    }
}

impl Spoken for Wide {
    // The lower eight of its lines also work with chips of the older family.
    const FAMILY: Option<Family> = Some(Family { name: "wide", highest: None, older: &["conv"] });
}

impl Interface for Wide {
    fn signalling(&self) -> Signalling {
        let cadence = Cadence::of_clock(self.clock, 2);
        Signalling {
            cycle: self.clock.period(),
            data_in: cadence,
            data_out: cadence,
            shortest: Femtos::new(self.clock.period().get() / 2),
            double_data_rate: false,
            waits: CycleWaits::default(),
            pins: Pins { shared: 21, per_way: 2, strobes: 1 },
            io_supply: Some(Voltage::new(3_300_000)),
        }
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(0)
    }
}
