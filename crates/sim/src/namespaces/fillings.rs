//! Which zones may put data into the drive's write buffer, so that it never fills up with what waits for more.
//!
//! A zone that is written holds back there what does not fill a program unit. As many zones as can be active have room for that,
//! but more may be at it: a finish or reset of a zone waits for the writes before it, while others are active already. So
//! each *filling* of a zone, from its first write to its end by a finish, a reset or its last block, has a place in the order
//! in which fillings began, and only the first ones put data into the buffer. Those of them that are to end do, as their writes
//! have room; if none is to end, all of them are active, and no other can have begun.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// State that says which zones may put data into the write buffer: the zones' fillings (all writes of a zone up to its
/// last block, a finish or a reset) in the order in which they began.
#[derive(Clone, Debug, Default)]
pub(super) struct ZonePlaces {
    /// Greatest number of zone fillings that may put data into the write buffer at one time; at least the limit on
    /// active zones.
    most: usize,
    /// List of the zone numbers of all fillings that have begun and not ended, in the order of their beginnings; a zone
    /// that was reset and written again while earlier writes wait is in the list twice.
    begun: VecDeque<u32>,
    /// Set of the numbers of zones whose last filling (writes up to the last block, a finish or a reset) takes more
    /// writes.
    open: BTreeSet<u32>,
    /// Set of the numbers of zones whose last filling takes no more writes, because the write of the zone's last block
    /// was accepted, but has not ended: writes of the zone still wait, and no later finish or reset was accepted.
    filled: BTreeSet<u32>,
    /// Lists, by zone number, of the zone's finishes and resets that were accepted and have not begun, in order: true
    /// if the finish or reset ends a filling of the zone, false if no filling is left for it to end.
    ends: BTreeMap<u32, VecDeque<bool>>,
}

impl ZonePlaces {
    /// Makes the state without fillings of zones; later at most `most` fillings may put data into the write buffer.
    pub fn of(most: u32) -> Self {
        Self { most: most as usize, ..Self::default() }
    }

    /// Notes that a write to a zone is accepted; begins a filling of the zone (its writes up to its last block, a
    /// finish or a reset), unless the zone's last filling takes more writes.
    pub fn begin(&mut self, zone: u32) {
        if self.open.insert(zone) {
            self.begun.push_back(zone);
        }
    }

    /// Notes that a write of the last block of a zone is accepted: the zone's last filling takes no more writes.
    pub fn fill(&mut self, zone: u32) {
        if self.open.remove(&zone) {
            self.filled.insert(zone);
        }
    }

    /// Notes that a finish or reset of a zone is accepted, which ends the zone's last filling (series of writes) when
    /// the finish or reset begins.
    pub fn close(&mut self, zone: u32) {
        let ends = self.open.remove(&zone) || self.filled.remove(&zone);
        self.ends.entry(zone).or_default().push_back(ends);
    }

    /// Notes that a finish or reset of a zone begins. If it ends a filling (series of writes), does the work of
    /// [`Self::end`] and returns its result, else `None`.
    pub fn work(&mut self, zone: u32) -> Option<u32> {
        let ends = self.ends.get_mut(&zone)?;
        let is_end = ends.pop_front().unwrap_or(false);
        if ends.is_empty() {
            self.ends.remove(&zone);
        }
        if is_end { self.end(zone) } else { None }
    }

    /// Notes that no work waits in a zone. If the zone is filled to its last block, does the work of [`Self::end`] and
    /// returns its result, else `None`.
    pub fn rest(&mut self, zone: u32) -> Option<u32> {
        if self.filled.remove(&zone) { self.end(zone) } else { None }
    }

    /// Returns true if a zone may put data into the write buffer: one of its fillings (series of writes) is among the
    /// earliest of all zones in progress, up to the greatest number that may do so.
    pub fn has(&self, zone: u32) -> bool {
        self.begun.len() <= self.most || self.begun.iter().take(self.most).any(|begun| *begun == zone)
    }

    /// Ends the first filling (series of writes) of a zone, if it has any. Returns the number of the zone that may put
    /// data into the write buffer now and could not before; `None` if there is no such zone.
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
