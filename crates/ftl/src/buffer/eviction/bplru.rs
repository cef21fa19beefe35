//! Block-padding LRU: whole blocks leave, so that what reaches the flash is as sequential as it can be.

use super::{Access, BLOCK_UNITS_HELP, EvictionPolicy, EvictionView, Order, SlotState};
use config::{Card, ConfigError, Policy, Section};
use std::collections::BTreeMap;
use units::Lpn;

/// Record of the buffered units of one logical block, as the eviction policy BPLRU tracks them.
#[derive(Clone, Debug, Default)]
struct Block {
    /// Table of the cached units of the logical block (policy BPLRU): the buffer slot of each, by logical unit.
    slots: BTreeMap<u32, u32>,
    /// Number of the logical unit after the unit of the block that the host wrote last (at first: the block's first
    /// unit). If the host writes the cached block in order, this unit is next.
    next: u32,
    /// True if the host wrote the logical block from its first unit on, each unit once, in order.
    sequential: bool,
    /// Number that stands for the logical block in the list of blocks in order of last use (the list has numbers of its
    /// own, which are reused).
    place: u32,
}

/// Implementation of the eviction policy BPLRU: orders logical blocks by their last use, and evicts the least recently
/// used block as a whole. O(log n).
#[derive(Clone, Debug)]
pub struct Bplru {
    block_units: u32,
    padding: bool,
    blocks: BTreeMap<u32, Block>,
    order: Order,
    /// Table of the eviction policy BPLRU: for each number in its list of logical blocks in order of last use, the
    /// logical block for which the number stands.
    at: Vec<u32>,
    /// List of the numbers that are not in use, among the numbers by which the eviction policy BPLRU names logical
    /// blocks in its list in order of last use.
    free: Vec<u32>,
    /// Number of the logical block that is being evicted from the write buffer; `None` if no eviction is in progress.
    leaving: Option<u32>,
}

impl Policy for Bplru {
    const CARD: Card = Card {
        name: "bplru",
        rule: "all units of the least recently used logical block, in ascending order; a block written exactly \
               once, sequentially and to its end, counts as least recently used; with block mapping, the block \
               is completed with data from the flash, so that it replaces its data block",
        paper: "Kim, Ahn: BPLRU, FAST 2008",
        not_modelled: "page padding with page mapping, where it has no benefit; the DRAM into which the \
                       missing units are read",
    };

    fn read(section: &mut Section) -> Result<Self, ConfigError> {
        let block_units = section.or("block_units", 0u32, BLOCK_UNITS_HELP)?;
        let padding = section.or(
            "padding",
            true,
            "with block mapping, evicted blocks are completed from the flash (page padding)",
        )?;
        let (at, free, order) = (Vec::new(), Vec::new(), Order::default());
        Ok(Self { block_units, padding, blocks: BTreeMap::new(), order, at, free, leaving: None })
    }
}

impl Bplru {
    /// Records a use of a unit of logical block `number`: the block becomes the most recently used or, when it was
    /// written sequentially to its end, the least recently used.
    fn note_use(&mut self, number: u32, unit: u32, access: Access) {
        let block = self.blocks.get_mut(&number).expect("the block of a kept unit");
        if access == Access::Write {
            block.sequential &= unit == block.next;
            block.next = unit + 1;
        }
        let complete = block.sequential && block.next == (number + 1) * self.block_units;
        self.order.remove(block.place);
        if complete {
            self.order.push_first(block.place);
        } else {
            self.order.push(block.place);
        }
    }
}

impl EvictionPolicy for Bplru {
    fn attach(&mut self, slots: u32, block_units: u32) {
        if self.block_units == 0 {
            self.block_units = block_units;
        }
        self.order.resize(slots);
        self.at = vec![0; slots as usize];
        self.free = (0..slots).rev().collect();
    }

    fn on_keep(&mut self, slot: u32, lpn: Lpn, state: SlotState) {
        let number = lpn.0 / self.block_units;
        if !self.blocks.contains_key(&number) {
            let place = self.free.pop().expect("at most one block for each slot");
            self.at[place as usize] = number;
            self.order.push(place);
            let next = number * self.block_units;
            self.blocks.insert(number, Block { slots: BTreeMap::new(), next, sequential: true, place });
        }
        self.blocks.get_mut(&number).expect("just made").slots.insert(lpn.0, slot);
        // A block on its way out is not used again by what comes to it meanwhile.
        if self.leaving != Some(number) {
            let access = if state == SlotState::Held { Access::Write } else { Access::Read };
            self.note_use(number, lpn.0, access);
        }
    }

    fn on_use(&mut self, _slot: u32, lpn: Lpn, access: Access) {
        let number = lpn.0 / self.block_units;
        if self.leaving != Some(number) {
            self.note_use(number, lpn.0, access);
        }
    }

    fn on_leave(&mut self, _slot: u32, lpn: Lpn) {
        let number = lpn.0 / self.block_units;
        let block = self.blocks.get_mut(&number).expect("the block of a kept unit");
        block.slots.remove(&lpn.0);
        if block.slots.is_empty() {
            let place = block.place;
            self.order.remove(place);
            self.free.push(place);
            self.blocks.remove(&number);
            if self.leaving == Some(number) {
                self.leaving = None;
            }
        }
    }

    fn choose(&mut self, _view: &EvictionView<'_>) -> Option<u32> {
        let number = self.leaving.or_else(|| self.order.first().map(|place| self.at[place as usize]))?;
        self.leaving = Some(number);
        self.blocks[&number].slots.first_key_value().map(|(_, &slot)| slot)
    }

    fn pads(&self) -> bool {
        self.padding
    }

    fn is_overdue(&self) -> bool {
        self.leaving.is_some()
    }
}
