//! A map that is read after the drive is ready: which of its translation units are not in RAM yet.

/// Record of the translation units (map pages) that are still to be read into RAM after power-up.
pub(super) struct Loading {
    is_missing: Vec<bool>,
    left: u32,
    /// Number of the translation unit (map page) at which the reading of the map in the background continues after
    /// power-up: all units before it have been read or are being read.
    next: u32,
}

impl Loading {
    /// Makes the record in which all `pages` translation units (map pages) are still to be read into RAM.
    pub fn of(pages: u32) -> Self {
        Self { is_missing: vec![true; pages as usize], left: pages, next: 0 }
    }

    /// Returns true if translation unit `page` (a page of the map) has not been read into RAM yet after power-up.
    pub fn is_missing(&self, page: u32) -> bool {
        self.is_missing.get(page as usize).is_some_and(|missing| *missing)
    }

    /// Marks translation unit `page` (a page of the map) as read into RAM, in the record of the units that are still to
    /// be read after power-up.
    pub fn note_loaded(&mut self, page: u32) {
        if let Some(missing) = self.is_missing.get_mut(page as usize) {
            self.left -= u32::from(std::mem::take(missing));
        }
    }

    /// Returns the next translation unit (map page) to read in the background after power-up, and advances past it;
    /// `None` if all are in RAM or being read.
    pub fn next(&mut self) -> Option<u32> {
        let page = (self.next..self.is_missing.len() as u32).find(|&page| self.is_missing(page));
        self.next = page.map_or(self.is_missing.len() as u32, |page| page + 1);
        page
    }

    /// Returns true when the loading of the map after power-up is done: all translation units (map pages) have been
    /// read into RAM.
    pub fn is_done(&self) -> bool {
        self.left == 0
    }

    /// Returns the number of bytes of memory that the simulator's record of translation units still to be read into RAM
    /// takes.
    pub fn bytes(&self) -> usize {
        self.is_missing.len()
    }
}
