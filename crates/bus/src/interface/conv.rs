//! CONV: the conventional asynchronous interface, single data rate (Chung et al., section 3).
//!
//! A read strobe travels to the chip before data travel back, both within one cycle stretched by the delay of
//! the capture clock: equations (1) to (6).

use super::seed::{self, Bound, NS};
use super::{Interface, Spoken};
use crate::family::{Family, ModeSet};
use crate::signalling::{Cadence, Signalling};
use crate::strobes::Strobes;
use config::{Card, ConfigError, Policy, Section, at_least};
use units::{Femtos, Frequency};

/// Model of the NAND flash interface `conv` (a policy for `bus.interface`): the conventional asynchronous interface
/// with single data rate.
#[derive(Clone, Debug)]
pub struct Conv {
    clock: Frequency,
    shortest: Femtos,
    strobes: Strobes,
}

impl Policy for Conv {
    const CARD: Card = Card {
        name: "conv",
        rule: "asynchronous, one byte per cycle; shortest period max{(t_out + t_rea + t_in + t_s) / (1 + alpha), t_byte}",
        paper: "Chung et al., equations (1) to (6), Table 2",
        not_modelled: "different periods for reads and writes: the paper runs both at the read's",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let nanos = |hundredths: u64| Femtos::new(hundredths * NS / 100);
        let t_out = section.or("t_out", nanos(782), "strobe from the controller's register to the chip")?;
        let t_rea = section.or("t_rea", nanos(2000), "data from the chip's latch to the controller's pad")?;
        let t_in = section.or("t_in", nanos(165), "data from the controller's pad to its FIFO")?;
        let t_s = section.or("t_s", nanos(25), "set-up time of the FIFO")?;
        let t_h = section.or("t_h", nanos(2), "hold time of the FIFO")?;
        let t_byte = seed::t_byte(section)?;
        let alpha: f64 = section
            .unit("periods")
            .within(at_least(0.0).at_most(0.5).because("equation 1"))
            .or("alpha", 0.5, "delay of the capture clock, in periods (equation 1)")?;
        let path: Femtos = [t_out, t_rea, t_in, t_s].into_iter().sum();
        let bounds = [
            Bound {
                equation: 6,
                terms: "(t_out + t_rea + t_in + t_s) / (1 + alpha)",
                shortest: Femtos::new((path.get() as f64 / (1.0 + alpha)).ceil() as u64),
            },
            Bound { equation: 3, terms: "t_byte", shortest: t_byte },
        ];
        let (clock, shortest) = seed::clock(section, &bounds)?;
        // The next data arrive one period later: the capture edge, late by alpha periods, must not meet them.
        let stays = (t_out + t_rea + t_in).as_ns();
        let hold_slack = stays - alpha * clock.period().as_ns() - t_h.as_ns();
        if hold_slack < 0.0 {
            let text = format!(
                "expected alpha x {:.2} ns + t_h within t_out + t_rea + t_in = {stays:.2} ns: hold slack {hold_slack:.2} ns",
                clock.period().as_ns(),
            );
            return Err(section.reject("alpha", &text));
        }
        let t_d = Femtos::new((alpha * clock.period().get() as f64).round() as u64);
        Ok(Self { clock, shortest, strobes: Strobes::Returned { t_out, t_rea, t_in, t_s, t_h, t_d } })
    }
}

impl Spoken for Conv {
    const FAMILY: Option<Family> = Some(Family { name: "conv", highest: None, older: &[] });
}

impl Interface for Conv {
    fn signalling(&self) -> Signalling {
        let cadence = Cadence::of_clock(self.clock, 1);
        Signalling {
            cycle: self.clock.period(),
            data_in: cadence,
            data_out: cadence,
            shortest: self.shortest,
            double_data_rate: false,
            waits: seed::WAITS,
            pins: seed::PINS,
            io_supply: Some(seed::IO_SUPPLY),
        }
    }

    fn strobes(&self) -> Option<Strobes> {
        Some(self.strobes)
    }

    fn needs(&self) -> Option<ModeSet> {
        Self::in_mode(0)
    }
}
