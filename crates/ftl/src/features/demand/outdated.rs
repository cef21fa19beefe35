//! Translation units of which the flash lacks the newest version.

use std::collections::VecDeque;

/// Constant: upper limit of the credit for writes of changed translation units (map pages) whose entries are not
/// cached; each unit that the host writes earns one such write.
const CREDIT_MOST: u32 = 64;

/// State of the updates of the map on flash: queues of the translation units (map pages) that must be written because
/// their entries changed, with the credit for such writes that host writes have earned.
pub(super) struct Outdated {
    /// Queue of the numbers of the translation units (map pages) that must be written because a dirty entry was evicted
    /// from the cache.
    pub evicted: VecDeque<u32>,
    /// Queue of the numbers of the translation units (map pages) whose entries changed while not cached, in order.
    behind: VecDeque<u32>,
    /// List of flags, one for each translation unit (map page): true if its entries changed while not cached, so that
    /// its copy on flash is outdated.
    is_behind: Vec<bool>,
    credit: u32,
}

impl Outdated {
    /// Makes the state of updates for a map of `pages` translation units (map pages), none of which is outdated on
    /// flash.
    pub fn new(pages: u32) -> Self {
        Self {
            evicted: VecDeque::new(),
            behind: VecDeque::new(),
            is_behind: vec![false; pages as usize],
            credit: 0,
        }
    }

    /// Returns the number of translation units (map pages) of the whole map.
    pub fn pages(&self) -> u32 {
        self.is_behind.len() as u32
    }

    /// Adds one to the credit for writes of changed translation units (map pages), up to the limit, because the host
    /// writes a unit.
    pub fn earn(&mut self) {
        self.credit = (self.credit + 1).min(CREDIT_MOST);
    }

    /// Marks a translation unit (map page) as outdated on flash, because entries of it changed that are not cached, and
    /// queues the unit to be written; does nothing if it is marked already.
    pub fn fall_behind(&mut self, page: u32) {
        if !std::mem::replace(&mut self.is_behind[page as usize], true) {
            self.behind.push_back(page);
        }
    }

    /// Marks every translation unit (map page) as outdated on flash.
    pub fn all_fall_behind(&mut self) {
        self.is_behind.fill(true);
    }

    /// Marks every translation unit (map page) as outdated on flash and queues all of them to be written, in order.
    pub fn queue_all(&mut self) {
        self.behind.extend(0..self.pages());
        self.all_fall_behind();
    }

    /// Removes the mark that a translation unit (map page) is outdated on flash, because it is about to be written.
    pub fn clean(&mut self, page: u32) {
        self.is_behind[page as usize] = false;
    }

    /// Removes and returns the next translation unit (map page) that must be written: first a unit with an evicted
    /// dirty entry; then, for one unit of the credit that host writes earn, a unit whose uncached entries changed.
    /// `None` if no unit must be written or the credit is used up.
    pub fn next(&mut self) -> Option<u32> {
        if let Some(page) = self.evicted.pop_front() {
            return Some(page);
        }
        while self.credit > 0 {
            let page = self.behind.pop_front()?;
            if self.is_behind[page as usize] {
                self.credit -= 1;
                return Some(page);
            }
        }
        None
    }

    /// Returns, without a change, the numbers of all translation units (map pages) that are outdated on flash, in any
    /// order; a number may occur twice.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let behind = (0..self.pages()).filter(|&page| self.is_behind[page as usize]);
        behind.chain(self.evicted.iter().copied())
    }

    /// Clears the list of outdated translation units (map pages), and sets the credit for such writes that host writes
    /// have earned to zero.
    pub fn clear(&mut self) {
        *self = Self::new(self.pages());
    }
}
