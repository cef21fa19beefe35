//! The superblock closed first, full or empty: the log as a ring.

use super::closing_order::ClosingOrder;
use super::{VictimPolicy, VictimView};
use config::{Card, ConfigError, Policy, Section};
use units::SuperblockId;

/// Implementation of the victim policy FIFO: picks the superblock that was closed first. A choice and every
/// notification cost O(1).
#[derive(Clone, Debug, Default)]
pub struct Fifo {
    order: ClosingOrder,
}

impl Policy for Fifo {
    const CARD: Card = Card {
        name: "fifo",
        rule: "the superblock closed first, even when all its units are valid",
        paper: "Desnoyers, SYSTOR 2012 (LRU cleaning); Menon, Acta Informatica 32, 1995",
        not_modelled: "valid data and wear",
    };

    fn read(_section: &mut Section) -> Result<Self, ConfigError> {
        Ok(Self::default())
    }
}

impl VictimPolicy for Fifo {
    fn attach(&mut self, superblocks: u32, _units_per_superblock: u32) {
        self.order.attach(superblocks);
    }

    fn pick(&mut self, _view: &mut VictimView<'_>) -> Option<SuperblockId> {
        self.order.iter().next()
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
