//! What waits in the write buffer and in an SLC cache, without time: a unit that is written again meanwhile leaves once.
//!
//! Saturating writes keep a buffer full. So a unit leaves when as many others as it has slots have come since; a cache keeps
//! that many in any case. Not modelled: which unit a cache evicts first, and buffers that drain faster than they fill.

use engine::{ByNumber, prefetch};
use std::collections::VecDeque;
use units::Lpn;

/// State of a model of a write buffer under untimed writes that keep the buffer full (saturating): a queue of the units
/// that wait in the buffer and have not left for the flash.
pub(crate) struct WaitingUnits {
    slots: usize,
    queue: VecDeque<u32>,
    /// Bit set with one bit for each logical unit, true while the unit waits in the write buffer.
    present: Vec<u64>,
}

impl WaitingUnits {
    /// Makes preconditioning's model of a write buffer, empty, with `slots` slots (one for each buffered unit), on a
    /// drive of `units` logical units.
    pub fn new(slots: u32, units: u32) -> Self {
        let present = vec![0; units.div_ceil(64) as usize];
        Self { slots: slots as usize, queue: VecDeque::with_capacity(slots as usize + 1), present }
    }

    /// Writes a unit to preconditioning's model of the write buffer; returns the unit that leaves for the flash to make
    /// space, `None` if no unit leaves.
    #[inline]
    pub fn push(&mut self, lpn: Lpn) -> Option<Lpn> {
        let (word, bit) = ((lpn.0 / 64) as usize, 1 << (lpn.0 % 64));
        if self.present[word] & bit != 0 {
            return None;
        }
        self.present[word] |= bit;
        self.queue.push_back(lpn.0);
        while self.queue.len() > self.slots {
            let oldest = self.queue.pop_front()?;
            if self.take(Lpn(oldest)) {
                return Some(Lpn(oldest));
            }
        }
        None
    }

    /// Prefetches into the processor's cache what tells whether the unit `lpn` waits in the modelled write buffer.
    #[inline]
    pub fn prefetch(&self, lpn: Lpn) {
        prefetch(&self.present, (lpn.0 / 64) as usize);
    }

    /// Returns true if the unit `lpn` waits in the modelled write buffer.
    #[inline]
    pub fn holds(&self, lpn: Lpn) -> bool {
        self.present[(lpn.0 / 64) as usize] & 1 << (lpn.0 % 64) != 0
    }

    /// Returns the units that wait in the modelled write buffer, in the order in which they leave.
    pub fn units(&self) -> Vec<Lpn> {
        // One that was taken and written again has two places: it leaves at the first of them.
        let mut left = self.present.clone();
        let mut is_first = |lpn: u32| {
            let (word, bit) = ((lpn / 64) as usize, 1 << (lpn % 64));
            let waited = left[word] & bit != 0;
            left[word] &= !bit;
            waited
        };
        self.queue.iter().copied().filter(|&lpn| is_first(lpn)).map(Lpn).collect()
    }

    /// Removes the unit that leaves the modelled write buffer next, and returns it; `None` if no unit waits.
    pub fn pop(&mut self) -> Option<Lpn> {
        loop {
            let oldest = Lpn(self.queue.pop_front()?);
            if self.take(oldest) {
                return Some(oldest);
            }
        }
    }

    /// Removes a unit that is no longer needed, as after a trim, from preconditioning's model of the write buffer;
    /// returns true if it was waiting there.
    pub fn take(&mut self, lpn: Lpn) -> bool {
        let (word, bit) = ((lpn.0 / 64) as usize, 1 << (lpn.0 % 64));
        let waited = self.present[word] & bit != 0;
        self.present[word] &= !bit;
        waited
    }
}

/// State of a model, for preconditioning, of an SLC cache that is folded as fast as it is written: a log of the last
/// writes. Once it is full, each new write displaces the oldest, whose unit is folded unless it was written again or
/// trimmed since.
pub(super) struct FoldedCache {
    slots: usize,
    log: VecDeque<u32>,
    /// Two numbers for each logical unit in preconditioning's model of the SLC cache: of its entries in the log of
    /// writes, and of the obsolete ones (the oldest) among these.
    places: ByNumber<u32, [u32; 2]>,
}

impl FoldedCache {
    /// Makes preconditioning's model of an SLC cache, empty, with `slots` slots (entries in its log of writes).
    pub fn new(slots: u32) -> Self {
        Self { slots: slots as usize, log: VecDeque::new(), places: ByNumber::default() }
    }

    /// Writes a unit to preconditioning's model of the SLC cache; returns the unit that is folded (moved to superblocks
    /// that use all bits per cell) to make space, `None` if no unit is folded.
    pub fn push(&mut self, lpn: Lpn) -> Option<Lpn> {
        let [there, gone] = self.places.entry(lpn.0).or_default();
        (*gone, *there) = (*there, *there + 1);
        self.log.push_back(lpn.0);
        if self.log.len() <= self.slots { None } else { self.fold() }
    }

    /// Removes the oldest write from the log of the modelled SLC cache; returns its unit, which is then folded, if the
    /// unit was neither written again nor trimmed since.
    fn fold(&mut self) -> Option<Lpn> {
        let (oldest, [_, gone]) = self.take_oldest()?;
        (gone == 0).then_some(oldest)
    }

    /// Removes the oldest write from the log of the modelled SLC cache; returns its unit and, as they were before the
    /// removal, the number of the unit's entries in the log and the number of obsolete ones among them.
    fn take_oldest(&mut self) -> Option<(Lpn, [u32; 2])> {
        let oldest = self.log.pop_front()?;
        let [there, gone] = self.places.remove(&oldest)?;
        if there > 1 {
            self.places.insert(oldest, [there - 1, gone.saturating_sub(1)]);
        }
        Some((Lpn(oldest), [there, gone]))
    }

    /// Marks all entries of unit `lpn` in the log of preconditioning's modelled SLC cache as obsolete, after a trim, so
    /// that the unit is not folded.
    pub fn take(&mut self, lpn: Lpn) {
        if let Some([there, gone]) = self.places.get_mut(&lpn.0) {
            *gone = *there;
        }
    }

    /// Removes writes from the log of preconditioning's modelled SLC cache, oldest first, up to one whose unit is still
    /// needed; returns that unit, `None` when there is no such write.
    pub fn pop(&mut self) -> Option<Lpn> {
        loop {
            let (oldest, [there, gone]) = self.take_oldest()?;
            if gone < there {
                return Some(oldest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{FoldedCache, WaitingUnits};
    use units::Lpn;

    #[test]
    fn a_unit_leaves_once_after_as_many_others_as_there_are_slots() {
        let mut waiting = WaitingUnits::new(3, 100);
        let left: Vec<Option<u32>> = [5, 6, 5, 70, 5, 8, 5, 9, 6, 1]
            .into_iter()
            .map(|lpn| waiting.push(Lpn(lpn)).map(|left| left.0))
            .collect();
        let expected = [None, None, None, None, None, Some(5), Some(6), Some(70), Some(8), Some(5)];
        assert_eq!(left, expected);
    }

    #[test]
    fn what_is_trimmed_does_not_leave() {
        let mut waiting = WaitingUnits::new(1, 10);
        assert_eq!(waiting.push(Lpn(1)), None);
        assert_eq!(waiting.units(), [Lpn(1)]);
        assert!(waiting.take(Lpn(1)) && !waiting.take(Lpn(1)));
        assert_eq!(waiting.units(), []);
        assert_eq!(waiting.push(Lpn(2)), None);
        assert_eq!(waiting.push(Lpn(3)), Some(Lpn(2)));
    }

    #[test]
    fn of_a_unit_in_the_cache_the_newest_write_alone_is_folded() {
        let mut cached = FoldedCache::new(3);
        let folded: Vec<Option<u32>> = [5, 6, 5, 70, 5, 8, 6, 9]
            .into_iter()
            .map(|lpn| cached.push(Lpn(lpn)).map(|folded| folded.0))
            .collect();
        assert_eq!(folded, [None, None, None, None, Some(6), None, Some(70), Some(5)]);
        cached.take(Lpn(6));
        assert_eq!(
            [1, 2, 6, 3].map(|lpn| cached.push(Lpn(lpn)).map(|folded| folded.0)),
            [Some(8), None, Some(9), Some(1)]
        );
        cached.take(Lpn(2));
        assert_eq!(std::iter::from_fn(|| cached.pop()).collect::<Vec<_>>(), [6, 3].map(Lpn));
    }
}
