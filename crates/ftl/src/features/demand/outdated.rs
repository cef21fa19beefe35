//! Translation units of which the flash lacks the newest version.

use std::collections::VecDeque;

/// Updates of translation units that garbage collection may be behind with, for each unit the host writes.
const CREDIT_MOST: u32 = 64;

/// Translation units that must be written, and how many of them the host has paid for.
pub(super) struct Outdated {
    /// Translation units whose changed entries left the cache.
    pub evicted: VecDeque<u32>,
    /// Translation units with entries that changed while they were not cached, in order, and a mark for each of them.
    behind: VecDeque<u32>,
    is_behind: Vec<bool>,
    credit: u32,
}

impl Outdated {
    /// Makes a state in which none of `pages` translation units is outdated.
    pub fn new(pages: u32) -> Self {
        Self {
            evicted: VecDeque::new(),
            behind: VecDeque::new(),
            is_behind: vec![false; pages as usize],
            credit: 0,
        }
    }

    /// Returns the number of translation units of the whole map.
    pub fn pages(&self) -> u32 {
        self.is_behind.len() as u32
    }

    /// Allows one more write of the map, because the host writes a unit.
    pub fn earn(&mut self) {
        self.credit = (self.credit + 1).min(CREDIT_MOST);
    }

    /// Marks a translation unit as outdated: entries of it changed that are not cached.
    pub fn fall_behind(&mut self, page: u32) {
        if !std::mem::replace(&mut self.is_behind[page as usize], true) {
            self.behind.push_back(page);
        }
    }

    /// Marks every translation unit as outdated.
    pub fn all_fall_behind(&mut self) {
        self.is_behind.fill(true);
    }

    /// Queues every translation unit to be written, in order.
    pub fn queue_all(&mut self) {
        self.behind.extend(0..self.pages());
        self.all_fall_behind();
    }

    /// Marks a translation unit that is about to be written as clean.
    pub fn clean(&mut self, page: u32) {
        self.is_behind[page as usize] = false;
    }

    /// Returns the next translation unit that must be written: evicted units first, then units that garbage
    /// collection changed.
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

    /// Returns all outdated translation units, in any order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        let behind = (0..self.pages()).filter(|&page| self.is_behind[page as usize]);
        behind.chain(self.evicted.iter().copied())
    }

    /// Clears the list: no translation unit is outdated any more, and none is paid for.
    pub fn clear(&mut self) {
        *self = Self::new(self.pages());
    }
}
