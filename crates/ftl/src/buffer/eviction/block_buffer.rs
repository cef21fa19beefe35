//! A few whole blocks in RAM: a block leaves when the host turns to others.

use super::{Access, BLOCK_UNITS_HELP, EvictionPolicy, EvictionView, SlotState};
use config::{Card, ConfigError, Policy, Section, at_least};
use std::collections::{BTreeMap, VecDeque};
use units::Lpn;

/// Implementation of an eviction policy that caches the units of the logical blocks that the host began to use last, at
/// most `blocks` of them; beyond that the block opened first is evicted as a whole. O(log n), and O(blocks) to look a
/// block up.
#[derive(Clone, Debug)]
pub struct BlockBuffer {
    blocks: usize,
    block_units: u32,
    /// List of the logical blocks with cached units, in the order in which they were opened: number of the block, and
    /// the buffer slot of each cached unit by logical unit.
    open: VecDeque<(u32, BTreeMap<u32, u32>)>,
}

impl Policy for BlockBuffer {
    const CARD: Card = Card {
        name: "block-buffer",
        rule: "the units of the `blocks` most recently opened logical blocks stay; opening another block \
               evicts the one opened first, in ascending order",
        paper: "a block buffer beside the map, as proposed by Birrell, Isard, Thacker, Wobber, MSR-TR-2005-176",
        not_modelled: "a separate buffer for each chip",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let blocks = section.within(at_least(1u32)).or("blocks", 1u32, "logical blocks buffered")?;
        let block_units = section.or("block_units", 0u32, BLOCK_UNITS_HELP)?;
        Ok(Self { blocks: blocks as usize, block_units, open: VecDeque::new() })
    }
}

impl EvictionPolicy for BlockBuffer {
    fn attach(&mut self, _slots: u32, block_units: u32) {
        if self.block_units == 0 {
            self.block_units = block_units;
        }
    }

    fn on_keep(&mut self, slot: u32, lpn: Lpn, _state: SlotState) {
        let number = lpn.0 / self.block_units;
        if !self.open.iter().any(|(block, _)| *block == number) {
            self.open.push_back((number, BTreeMap::new()));
        }
        let (_, slots) = self.open.iter_mut().rfind(|(block, _)| *block == number).expect("just made");
        slots.insert(lpn.0, slot);
    }

    fn on_use(&mut self, _slot: u32, _lpn: Lpn, _access: Access) {}

    fn on_leave(&mut self, _slot: u32, lpn: Lpn) {
        let number = lpn.0 / self.block_units;
        let at = self.open.iter().position(|(block, _)| *block == number).expect("the block of a kept unit");
        self.open[at].1.remove(&lpn.0);
        if self.open[at].1.is_empty() {
            self.open.remove(at);
        }
    }

    fn choose(&mut self, _view: &EvictionView<'_>) -> Option<u32> {
        let (_, slots) = self.open.front()?;
        slots.first_key_value().map(|(_, &slot)| slot)
    }

    fn is_overdue(&self) -> bool {
        self.open.len() > self.blocks
    }
}
