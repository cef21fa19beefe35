//! A map that is read after the drive is ready: which of its translation units are not in RAM yet.

/// The translation units still to be read.
pub(super) struct Loading {
    is_missing: Vec<bool>,
    left: u32,
    /// Translation unit before which all units are read, or are being read.
    next: u32,
}

impl Loading {
    /// Makes the state in which all of `pages` translation units are missing.
    pub fn of(pages: u32) -> Self {
        Self { is_missing: vec![true; pages as usize], left: pages, next: 0 }
    }

    /// True if a translation unit is not in RAM.
    pub fn is_missing(&self, page: u32) -> bool {
        self.is_missing.get(page as usize).is_some_and(|missing| *missing)
    }

    /// Notes that a translation unit is in RAM now.
    pub fn note_loaded(&mut self, page: u32) {
        if let Some(missing) = self.is_missing.get_mut(page as usize) {
            self.left -= u32::from(std::mem::take(missing));
        }
    }

    /// Returns the next translation unit to read that nothing has asked for.
    pub fn next(&mut self) -> Option<u32> {
        let page = (self.next..self.is_missing.len() as u32).find(|&page| self.is_missing(page));
        self.next = page.map_or(self.is_missing.len() as u32, |page| page + 1);
        page
    }

    /// True when all translation units are in RAM.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Returns the number of bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        self.is_missing.len()
    }
}
