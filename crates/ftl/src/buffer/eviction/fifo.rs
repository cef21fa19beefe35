//! In the order of arrival.

use super::{Access, EvictionPolicy, EvictionView, Order, SlotState};
use config::{Card, ConfigError, Policy, Section};
use units::Lpn;

/// Implementation of the eviction policy FIFO: evicts the mapping unit that the write buffer has cached longest,
/// whether or not the unit was used again. O(1).
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    order: Order,
}

impl Policy for Fifo {
    const CARD: Card = Card {
        name: "fifo",
        rule: "the oldest unit",
        paper: "common practice: a write buffer that drains",
        not_modelled: "reuse",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl EvictionPolicy for Fifo {
    fn attach(&mut self, slots: u32, _block_units: u32) {
        self.order.resize(slots);
    }

    fn on_keep(&mut self, slot: u32, _lpn: Lpn, _state: SlotState) {
        self.order.push(slot);
    }

    fn on_use(&mut self, _slot: u32, _lpn: Lpn, _access: Access) {}

    fn on_leave(&mut self, slot: u32, _lpn: Lpn) {
        self.order.remove(slot);
    }

    fn choose(&mut self, _view: &EvictionView<'_>) -> Option<u32> {
        self.order.first()
    }

    fn is_drain(&self) -> bool {
        true
    }
}
