//! Fewest valid units among the oldest few: greedy that gives new blocks time to empty.

use super::closing_order::ClosingOrder;
use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::SuperblockId;

/// Implementation of the victim policy windowed greedy: picks the superblock with the fewest valid units among the
/// `window` oldest candidates. A choice costs O(window), a notification O(1).
#[derive(Clone, Debug)]
pub struct WindowedGreedy {
    window: u32,
    order: ClosingOrder,
}

impl Policy for WindowedGreedy {
    const CARD: Card = Card {
        name: "windowed-greedy",
        rule: "fewest valid units among the `window` superblocks closed first; among equals the one closed first",
        paper: "Hu, Eleftheriou, Haas, Iliadis and Pletka, SYSTOR 2009",
        not_modelled: "wear; age other than the closing order",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let window = section.within(at_least(1u32).because("a choice needs a candidate")).or(
            "window",
            64u32,
            "oldest closed superblocks of the die that are considered",
        )?;
        Ok(Self { window, order: ClosingOrder::default() })
    }
}

impl VictimPolicy for WindowedGreedy {
    fn attach(&mut self, superblocks: u32, _units_per_superblock: u32) {
        self.order.attach(superblocks);
    }

    fn stand_for(&mut self, part: f64) {
        self.window = ((f64::from(self.window) * part).round() as u32).max(1);
    }

    fn pick(&mut self, view: &mut VictimView<'_>) -> Option<SuperblockId> {
        // `min_by_key` keeps the first among equals, which is the oldest.
        let window = self.order.iter().take(self.window as usize);
        window.min_by_key(|superblock| view.blocks.valid_units[superblock.index()])
    }

    fn told(&self) -> Option<Vec<SuperblockId>> {
        Some(self.order.iter().collect())
    }

    fn on_close(&mut self, superblock: SuperblockId, _valid_units: u32) {
        self.order.push(superblock);
    }

    fn on_reclaim(&mut self, superblock: SuperblockId) {
        self.order.remove(superblock);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Blocks;
    use engine::RandomStream;

    #[test]
    fn a_small_die_that_stands_for_a_large_one_has_as_much_smaller_a_window() {
        let picked = |part: f64| {
            let mut policy = WindowedGreedy { window: 8, order: ClosingOrder::default() };
            policy.attach(16, 10);
            policy.stand_for(part);
            (0..16).for_each(|superblock| policy.on_close(SuperblockId(superblock), 9));
            // The later it was closed, the less is valid: the last of the window is taken.
            let valid: Vec<u32> = (0..16).map(|superblock| 20 - superblock).collect();
            let candidates: Vec<SuperblockId> = (0..16).map(SuperblockId).collect();
            policy.pick(&mut VictimView {
                candidates: &candidates,
                blocks: Blocks {
                    valid_units: &valid,
                    pe_cycles: &[0; 16],
                    closed_at: &[0; 16],
                    streams: &[0; 16],
                },
                clock: 0,
                units_per_superblock: 10,
                random: &mut RandomStream::new(1, "test"),
            })
        };
        for (part, last) in [(1.0, 7), (0.5, 3), (0.3, 1), (0.01, 0)] {
            assert_eq!(picked(part), Some(SuperblockId(last)), "{part}");
        }
    }
}
