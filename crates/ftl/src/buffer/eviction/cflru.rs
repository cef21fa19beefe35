//! Clean first: a clean unit costs nothing to drop, a written one a program.

use super::{Access, EvictionPolicy, EvictionView, Order, SlotState};
use config::{Card, ConfigError, Policy, Section, at_least};
use units::Lpn;

/// Implementation of the eviction policy CFLRU (clean first): evicts the least recently used clean unit among the
/// `window` least recently used units of the write buffer; without a clean one among these, the least recently used
/// unit. O(window).
#[derive(Clone, Debug)]
pub struct Cflru {
    window_ratio: f64,
    order: Order,
}

impl Policy for Cflru {
    const CARD: Card = Card {
        name: "cflru",
        rule: "the least recently used clean unit among the `window_ratio` least recently used kept units; if \
               none is clean, the least recently used unit",
        paper: "Park, Jung, Kang, Kim, Lee: CFLRU, CASES 2006",
        not_modelled: "a window that adapts to the workload",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let window_ratio = section.unit("ratio").within(at_least(0.0).at_most(1.0)).or(
            "window_ratio",
            0.25,
            "clean-first region, as a part of the kept units",
        )?;
        Ok(Self { window_ratio, order: Order::default() })
    }
}

impl EvictionPolicy for Cflru {
    fn attach(&mut self, slots: u32, _block_units: u32) {
        self.order.resize(slots);
    }

    fn on_keep(&mut self, slot: u32, _lpn: Lpn, _state: SlotState) {
        self.order.push(slot);
    }

    fn on_use(&mut self, slot: u32, _lpn: Lpn, _access: Access) {
        self.order.renew(slot);
    }

    fn on_leave(&mut self, slot: u32, _lpn: Lpn) {
        self.order.remove(slot);
    }

    fn choose(&mut self, view: &EvictionView<'_>) -> Option<u32> {
        let window = (f64::from(view.kept) * self.window_ratio) as usize;
        let clean = self.order.iter().take(window).find(|&slot| !view.is_dirty(slot));
        clean.or_else(|| self.order.first())
    }
}
