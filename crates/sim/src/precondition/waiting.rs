//! What waits in the write buffer, without time: a unit that is written again meanwhile leaves once.
//!
//! Saturating writes keep a buffer full. So a unit leaves when as many others as it has slots have come since; a cache keeps
//! that many in any case. Not modelled: which unit a cache evicts first, and buffers that drain faster than they fill.

use std::collections::VecDeque;
use units::Lpn;

/// Units that have not left yet.
pub(super) struct Waiting {
    slots: usize,
    queue: VecDeque<u32>,
    /// A bit for each unit that waits.
    present: Vec<u64>,
}

impl Waiting {
    /// A buffer with so many slots on a drive with so many units.
    pub fn new(slots: u32, units: u32) -> Self {
        let present = vec![0; units.div_ceil(64) as usize];
        Self { slots: slots as usize, queue: VecDeque::with_capacity(slots as usize + 1), present }
    }

    /// A unit is written; gives the one that leaves for it.
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

    /// A unit that waits is no longer wanted. True when it waited.
    pub fn take(&mut self, lpn: Lpn) -> bool {
        let (word, bit) = ((lpn.0 / 64) as usize, 1 << (lpn.0 % 64));
        let waited = self.present[word] & bit != 0;
        self.present[word] &= !bit;
        waited
    }
}

#[cfg(test)]
mod tests {
    use super::Waiting;
    use units::Lpn;

    #[test]
    fn a_unit_leaves_once_after_as_many_others_as_there_are_slots() {
        let mut waiting = Waiting::new(3, 100);
        let left: Vec<Option<u32>> = [5, 6, 5, 70, 5, 8, 5, 9, 6, 1]
            .into_iter()
            .map(|lpn| waiting.push(Lpn(lpn)).map(|left| left.0))
            .collect();
        let expected = [None, None, None, None, None, Some(5), Some(6), Some(70), Some(8), Some(5)];
        assert_eq!(left, expected);
    }

    #[test]
    fn what_is_trimmed_does_not_leave() {
        let mut waiting = Waiting::new(1, 10);
        assert_eq!(waiting.push(Lpn(1)), None);
        assert!(waiting.take(Lpn(1)) && !waiting.take(Lpn(1)));
        assert_eq!(waiting.push(Lpn(2)), None);
        assert_eq!(waiting.push(Lpn(3)), Some(Lpn(2)));
    }
}
