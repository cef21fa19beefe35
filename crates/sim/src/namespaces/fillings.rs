//! Which zones may put data into the drive's write buffer, so that it never fills up with what waits for more.
//!
//! A zone that is written holds back there what does not fill a program unit. As many zones as can be active have room for that,
//! but more may be at it: a finish or reset of a zone waits for the writes before it, while others are active already. So
//! each *filling* of a zone, from its first write to its end by a finish, a reset or its last block, has a place in the order
//! in which fillings began, and only the first ones put data into the buffer. Those of them that are to end do, as their writes
//! have room; if none is to end, all of them are active, and no other can have begun.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// State of the fillings of zones in their order, by which zones put data into the write buffer.
#[derive(Clone, Debug, Default)]
pub(super) struct ZonePlaces {
    /// Greatest number of fillings that may have data in the buffer: at least as many as zones can be active.
    most: usize,
    /// List of the zones of all fillings that have begun and not ended, in the order of their beginnings; a zone that was
    /// reset and written again while earlier writes wait is there twice.
    begun: VecDeque<u32>,
    /// Set of the numbers of zones whose last filling takes more writes.
    open: BTreeSet<u32>,
    /// Set of the numbers of zones whose last filling reached their last block, and that no finish or reset ends.
    filled: BTreeSet<u32>,
    /// For each zone, its finishes and resets that were accepted and not begun, in order: true if it ends a filling, false if
    /// an earlier one does.
    ends: BTreeMap<u32, VecDeque<bool>>,
}

impl ZonePlaces {
    /// Makes the state of fillings without any, of which `most` may have data in the buffer.
    pub fn of(most: u32) -> Self {
        Self { most: most as usize, ..Self::default() }
    }

    /// Notes that a write to a zone is accepted, which begins a filling if the last one of the zone takes no more.
    pub fn begin(&mut self, zone: u32) {
        if self.open.insert(zone) {
            self.begun.push_back(zone);
        }
    }

    /// Notes that a write of the last block of a zone is accepted: its last filling takes no more writes.
    pub fn fill(&mut self, zone: u32) {
        if self.open.remove(&zone) {
            self.filled.insert(zone);
        }
    }

    /// Notes that a finish or reset of a zone is accepted, which ends the zone's last filling when its turn comes.
    pub fn close(&mut self, zone: u32) {
        let ends = self.open.remove(&zone) || self.filled.remove(&zone);
        self.ends.entry(zone).or_default().push_back(ends);
    }

    /// Notes that a finish or reset of a zone is done; as [`Self::end`] if it ends a filling.
    pub fn work(&mut self, zone: u32) -> Option<u32> {
        let ends = self.ends.get_mut(&zone)?;
        let is_end = ends.pop_front().unwrap_or(false);
        if ends.is_empty() {
            self.ends.remove(&zone);
        }
        if is_end { self.end(zone) } else { None }
    }

    /// Notes that no work waits in a zone; as [`Self::end`] if the zone is filled.
    pub fn rest(&mut self, zone: u32) -> Option<u32> {
        if self.filled.remove(&zone) { self.end(zone) } else { None }
    }

    /// Returns true if the first filling of a zone that has not ended may put data into the buffer.
    pub fn has(&self, zone: u32) -> bool {
        self.begun.len() <= self.most || self.begun.iter().take(self.most).any(|begun| *begun == zone)
    }

    /// Ends the first filling of a zone, if it has any. Returns the zone of the filling that may put data into the buffer
    /// now and could not before; `None` if there is none, or if an earlier filling of that zone has not ended.
    fn end(&mut self, zone: u32) -> Option<u32> {
        let at = self.begun.iter().position(|begun| *begun == zone)?;
        self.begun.remove(at);
        let next = self.begun.get(self.most.checked_sub(1)?).copied().filter(|_| at < self.most)?;
        let is_first = !self.begun.iter().take(self.most - 1).any(|begun| *begun == next);
        (is_first && next != zone).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fillings_have_places_in_the_order_in_which_they_began() {
        let mut places = ZonePlaces::of(1);
        places.begin(4);
        places.begin(4);
        places.close(4);
        // Reset and written again before another zone begins.
        places.begin(4);
        places.close(4);
        places.begin(7);
        assert_eq!((places.has(4), places.has(7)), (true, false));
        assert_eq!(places.work(4), None);
        assert_eq!((places.has(4), places.has(7)), (true, false));
        assert_eq!(places.work(4), Some(7));
        assert!(places.has(7));
        // A finish of what a reset follows ends one filling, not two.
        places.close(7);
        places.close(7);
        places.begin(7);
        places.begin(9);
        assert_eq!((places.work(7), places.work(7)), (None, None));
        assert!(places.has(7) && !places.has(9));
        places.fill(7);
        assert_eq!(places.rest(7), Some(9));
    }
}
