//! Least recently used.

use super::{Access, EvictionPolicy, EvictionView, Order, SlotState};
use config::{Card, ConfigError, Policy, Section};
use units::Lpn;

/// Implementation of the eviction policy LRU: evicts the cached mapping unit not read or written for the longest time.
/// O(1).
#[derive(Clone, Debug, Default)]
pub struct Lru {
    order: Order,
}

impl Policy for Lru {
    const CARD: Card = Card {
        name: "lru",
        rule: "the least recently used unit, written or clean",
        paper: "common practice; Denning, CACM 11(5), 1968",
        not_modelled: "that a written unit costs a program and a clean one nothing",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl EvictionPolicy for Lru {
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

    fn choose(&mut self, _view: &EvictionView<'_>) -> Option<u32> {
        self.order.first()
    }
}
