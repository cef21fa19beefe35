//! From a logical unit to the slot that holds its newest version: open addressing, no allocation at work.

use units::Lpn;

const EMPTY: u64 = u64::MAX;

/// Type of a hash table from a logical unit to the buffer slot with its newest version. An entry has the logical unit
/// in its high 32 bits and the slot in its low 32 bits.
pub(crate) struct Index {
    table: Vec<u64>,
    shift: u32,
}

impl Index {
    /// Makes an empty index of logical units in the write buffer, for at most `slots` entries.
    pub fn new(slots: u32) -> Self {
        let size = (slots as usize * 4).next_power_of_two().max(8);
        Self { table: vec![EMPTY; size], shift: 32 - size.trailing_zeros() }
    }

    #[inline]
    fn home(&self, lpn: u32) -> usize {
        (lpn.wrapping_mul(0x9E37_79B1) >> self.shift) as usize
    }

    /// Returns the number of the buffer slot with the newest version of `lpn`; `None` if the buffer does not hold the
    /// unit.
    #[inline]
    pub fn find(&self, lpn: Lpn) -> Option<u32> {
        let mut at = self.home(lpn.0);
        loop {
            let entry = self.table[at];
            if entry == EMPTY {
                return None;
            }
            if (entry >> 32) as u32 == lpn.0 {
                return Some(entry as u32);
            }
            at = (at + 1) & (self.table.len() - 1);
        }
    }

    /// Enters in the write buffer's hash table that slot `slot` holds the newest version of logical unit `lpn`.
    pub fn link(&mut self, lpn: Lpn, slot: u32) {
        let mut at = self.home(lpn.0);
        while self.table[at] != EMPTY && (self.table[at] >> 32) as u32 != lpn.0 {
            at = (at + 1) & (self.table.len() - 1);
        }
        self.table[at] = u64::from(lpn.0) << 32 | u64::from(slot);
    }

    /// Removes the entry of `lpn`, which must exist, from the write buffer's hash table, and moves later entries of the
    /// same run of occupied places (linear probing) back into the gap.
    pub fn unlink(&mut self, lpn: Lpn) {
        let mask = self.table.len() - 1;
        let mut gap = self.home(lpn.0);
        while (self.table[gap] >> 32) as u32 != lpn.0 {
            gap = (gap + 1) & mask;
        }
        let mut at = gap;
        loop {
            self.table[gap] = EMPTY;
            loop {
                at = (at + 1) & mask;
                if self.table[at] == EMPTY {
                    return;
                }
                let home = self.home((self.table[at] >> 32) as u32);
                let distance = |from: usize| at.wrapping_sub(from) & mask;
                if distance(home) >= distance(gap) {
                    break;
                }
            }
            self.table[gap] = self.table[at];
            gap = at;
        }
    }

    /// Returns the size of the write buffer's hash table (from logical unit to slot) in the simulator's memory, in
    /// bytes.
    pub fn bytes(&self) -> usize {
        self.table.len() * 8
    }
}
