//! RAID-5 over the dies of the drive.

use super::{Misfit, ParityScheme};
use crate::Layout;
use config::{Card, ConfigError, Policy, Section, at_least};

/// Constant: greatest number of dies that a parity stripe spans, since the dies of a stripe are stored as bits of a
/// 64-bit word.
const WIDTH_MAX: u32 = 64;

/// Implementation of the parity policy `rain`: divides the dies into sets of `stripe` + 1 dies; of the superblocks with
/// the same number in a set, one holds the parity of the others.
#[derive(Clone, Debug)]
pub struct Rain {
    stripe: u32,
}

impl Policy for Rain {
    const CARD: Card = Card {
        name: "rain",
        rule: "the superblocks with the same number on `stripe` + 1 neighbouring dies form a group; one of \
               them, on a different die for each group, holds the parity of the others, program by program; a \
               group is reclaimed as a whole; data that a page's code cannot correct is rebuilt from the same \
               page of the other members",
        paper: "Gray and Fitzgerald (ACM Queue 2008) ask for RAID-5 stripes of data across the chip array; Patterson, \
                Gibson and Katz, SIGMOD 1988",
        not_modelled: "a power cut while the parity of open superblocks is in RAM; the time for XOR; the \
                       victim policy sees each die's superblock, not the group",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let limits = at_least(2u32).at_most(WIDTH_MAX - 1).because("1 would be a mirror, 0 no protection");
        let help = "data units that share a parity unit; absent: all dies but one";
        let stripe: Option<u32> = section.within(limits).optional("stripe", help)?;
        Ok(Self { stripe: stripe.unwrap_or(0) })
    }
}

impl ParityScheme for Rain {
    fn stripe(&self, layout: &Layout) -> Result<Option<u32>, Misfit> {
        let dies = layout.dies;
        let fits = |stripe: u32| (2..WIDTH_MAX).contains(&stripe) && dies.is_multiple_of(stripe + 1);
        let stripe = if self.stripe == 0 { dies - 1 } else { self.stripe };
        if fits(stripe) {
            return Ok(Some(stripe));
        }
        let possible: Vec<String> =
            (2..dies).filter(|&stripe| fits(stripe)).map(|stripe| stripe.to_string()).collect();
        let which = match possible.len() {
            0 => "no stripe does with so few dies: at least 3 are needed".to_owned(),
            _ => format!("here {}", possible.join(", ")),
        };
        let key = if self.stripe == 0 { "name" } else { "stripe" };
        Err((
            key,
            format!(
                "expected stripes that the drive's {dies} dies can be divided among, stripe + 1 dies each: {which}"
            ),
        ))
    }
}
