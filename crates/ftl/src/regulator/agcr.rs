//! Access characteristic guided cost regulation: what is only written is written cheaply, what is only read is made
//! cheap to read.

use super::{BITS_MAX, CostRegulator, ReadView, Steps, WriteCost, WriteView};
use config::{Card, ConfigError, Policy, Section, at_least};
use controller::Origin;

/// Implementation of the cost regulator `agcr` (access characteristic guided regulation). For each mapping unit it
/// stores the last `window - 1` accesses, one bit each (1: write), the newest in the lowest bit, and above them a tag
/// bit, set for a unit that was written so fast that its reads are slow and may be improved by programming it again.
#[derive(Clone, Debug)]
pub struct Agcr {
    window: u32,
    tags_medium: bool,
    rewrites: bool,
}

const HIGH: usize = 0;
const MEDIUM: usize = 1;
const LOW: usize = 2;

impl Policy for Agcr {
    const CARD: Card = Card {
        name: "agcr",
        rule: "depends on the last `window` accesses to a unit, including the upcoming one: if all are writes, \
               the write takes the coarse step; a write among reads the default one; the first access the fine \
               one. A read preceded by reads alone has a unit written with the coarse step (with rewrite = \
               \"low-and-medium\" also with the default one) rewritten with the fine step while its die is \
               idle; moved data takes the fine step after reads alone, otherwise the step it had",
        paper: "Li and others, Access Characteristic Guided Read and Write Cost Regulation, FAST 2016",
        not_modelled: "accesses served or absorbed by the write buffer: the history contains only accesses to \
                       the flash",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let window = section
            .within(at_least(1u32).at_most(BITS_MAX).because("the upcoming access counts"))
            .or("window", 2u32, "accesses considered, including the upcoming one")?;
        let rewrite = section.choice(
            "rewrite",
            &["low", "low-and-medium", "none"],
            "low",
            "cost of the writes that are re-written once a unit turns out to be only read",
        )?;
        Ok(Self { window, tags_medium: rewrite == "low-and-medium", rewrites: rewrite != "none" })
    }
}

impl Agcr {
    fn history_mask(&self) -> u8 {
        (1 << (self.window - 1)) - 1
    }

    fn tag(&self) -> u8 {
        1 << (self.window - 1)
    }

    /// Returns the history bits of a unit, one for each recent access (1: write), after one more access; the first
    /// access of a unit is entered at the positions of all earlier accesses, too.
    fn after(&self, bits: u8, first: bool, write: bool) -> u8 {
        let mask = self.history_mask();
        if first { if write { mask } else { 0 } } else { (bits << 1 | u8::from(write)) & mask }
    }

    fn of_host(&self, view: &WriteView<'_>, bits: u8) -> usize {
        let mask = self.history_mask();
        match view.first {
            true => HIGH,
            false if bits & mask == mask => LOW,
            false => MEDIUM,
        }
    }

    fn of_move(&self, view: &WriteView<'_>, bits: u8) -> usize {
        let only_read = bits & self.history_mask() == 0;
        if view.origin == Origin::Rewrite || view.first || only_read {
            HIGH
        } else {
            view.previous.unwrap_or(MEDIUM)
        }
    }
}

impl CostRegulator for Agcr {
    fn costs(&self, steps: &Steps) -> Vec<WriteCost> {
        vec![steps.high(), steps.medium(), steps.low()]
    }

    fn bits_per_unit(&self) -> u32 {
        self.window - 1 + u32::from(self.rewrites)
    }

    fn choose(&mut self, view: &WriteView<'_>, bits: &mut u8) -> usize {
        let (chosen, history) = if view.origin == Origin::Host {
            (self.of_host(view, *bits), self.after(*bits, view.first, true))
        } else {
            (self.of_move(view, *bits), *bits & self.history_mask())
        };
        let tagged = self.rewrites && (chosen == LOW || (self.tags_medium && chosen == MEDIUM));
        *bits = history | if tagged { self.tag() } else { 0 };
        chosen
    }

    fn on_read(&mut self, view: &ReadView, bits: &mut u8) -> bool {
        let read_only = view.first || *bits & self.history_mask() == 0;
        let tagged = *bits & self.tag() != 0;
        *bits = self.after(*bits, view.first, false) | (*bits & self.tag());
        read_only && tagged && self.rewrites
    }
}
