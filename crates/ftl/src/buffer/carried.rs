//! Which part of a unit in the buffer the host's requests carried. Where they carried a part, the rest is read from the flash, or
//! was never written, and is programmed all the same: write amplification counts it.

use super::Buffer;
use crate::layout::SECTOR;

/// Kind of coverage of a mapping unit by a host write: the whole unit or a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// Case of coverage: the host write covers the whole mapping unit.
    Whole,
    /// Case of coverage: the host write covers a part of the mapping unit; data that the drive has of the rest stay
    /// valid.
    Part {
        /// Beginning of the part of the mapping unit that the host write covers, in bytes from the beginning of the
        /// unit.
        from: u32,
        /// Length of the part of the mapping unit that the host write covers, in bytes.
        bytes: u32,
    },
}

impl Coverage {
    /// Returns the number of bytes that the host write covers of a mapping unit of `unit_bytes` bytes.
    #[inline]
    pub fn bytes(self, unit_bytes: u64) -> u64 {
        match self {
            Self::Whole => unit_bytes,
            Self::Part { bytes, .. } => bytes.into(),
        }
    }
}

/// Kind of state that says which part of the mapping unit in a write buffer slot host writes have transferred since the
/// unit was last on flash as a whole: none, some sectors or all; counted as host bytes for write amplification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Carried {
    /// Case in which host writes have transferred no data of the mapping unit since the unit was last on flash as a
    /// whole.
    #[default]
    Nothing,
    /// Case in which host writes have transferred some sectors of the mapping unit since the unit was last on flash as
    /// a whole, and no single write covered the whole unit.
    Part,
    /// Case in which one host write has transferred the whole mapping unit since the unit was last on flash.
    All,
}

/// Record with bit masks of the sectors that host writes transferred, for each write buffer slot whose unit was written
/// in part: one bit for each sector, in `words` 64-bit words for each slot. Empty until a request first begins or ends
/// within a unit.
#[derive(Default)]
pub(super) struct CarriedSectors {
    words: usize,
    masks: Vec<u64>,
}

impl CarriedSectors {
    fn of_slot(&mut self, slot: u32) -> &mut [u64] {
        &mut self.masks[slot as usize * self.words..][..self.words]
    }

    pub fn bytes(&self) -> usize {
        8 * self.masks.len()
    }
}

impl Buffer {
    /// Records that a host write transferred the part `coverage` of the mapping unit in buffer slot `slot`; the unit
    /// has `unit_bytes` bytes.
    #[inline]
    pub fn note_carried(&mut self, slot: u32, coverage: Coverage, unit_bytes: u64) {
        match coverage {
            Coverage::Whole => self.slots[slot as usize].carried = Carried::All,
            Coverage::Part { from, bytes } => self.note_part(slot, u64::from(from), bytes, unit_bytes),
        }
    }

    fn note_part(&mut self, slot: u32, from: u64, bytes: u32, unit_bytes: u64) {
        let carried = &mut self.slots[slot as usize].carried;
        if *carried == Carried::All {
            return;
        }
        let is_first = std::mem::replace(carried, Carried::Part) == Carried::Nothing;
        if self.carried.masks.is_empty() {
            self.carried.words = unit_bytes.div_ceil(64 * SECTOR) as usize;
            self.carried.masks = vec![0; self.slots.len() * self.carried.words];
        }
        let mask = self.carried.of_slot(slot);
        if is_first {
            mask.fill(0);
        }
        for sector in from / SECTOR..(from + u64::from(bytes)).div_ceil(SECTOR) {
            mask[(sector / 64) as usize] |= 1 << (sector % 64);
        }
    }

    /// Returns the number of bytes of the mapping unit in buffer slot `slot` that host writes transferred; a sector
    /// that was written twice counts once.
    #[inline]
    pub fn carried_bytes(&self, slot: u32, unit_bytes: u64) -> u64 {
        match self.slots[slot as usize].carried {
            Carried::All => unit_bytes,
            Carried::Part => self.carried_count(slot) * SECTOR,
            Carried::Nothing => 0,
        }
    }

    fn carried_count(&self, slot: u32) -> u64 {
        let words = self.carried.words;
        let mask = &self.carried.masks[slot as usize * words..][..words];
        mask.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    /// Returns the number of bytes of dirty host data in the write buffer: bytes that host writes transferred and that
    /// the flash does not hold yet, summed over slots, without slots whose program a trim or a newer write cancelled.
    pub fn held_bytes(&self, unit_bytes: u64) -> u64 {
        let is_held = |slot: &u32| {
            let found = &self.slots[*slot as usize];
            !matches!(
                found.state,
                super::SlotState::Free | super::SlotState::Clean | super::SlotState::Cancelled
            ) && found.lpn.0 < self.host_units
        };
        (0..self.slots()).filter(is_held).map(|slot| self.carried_bytes(slot, unit_bytes)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::super::SlotState;
    use super::*;
    use engine::RandomStream;
    use units::Lpn;

    /// Unit test: compares the counts of bytes transferred by host writes, for mapping units of several sizes, with a
    /// plain list of sectors.
    #[test]
    fn each_sector_counts_once_whatever_pieces_came() {
        let mut random = RandomStream::new(3, "carried");
        for unit_bytes in [512, 4096, 4608, 16_384, 65_536, 131_072] {
            let mut buffer = Buffer::new(3);
            let slot = buffer.insert(Lpn(1), u32::MAX, SlotState::Queued);
            assert_eq!(buffer.carried_bytes(slot, unit_bytes), 0, "nothing came yet");
            let sectors = unit_bytes / SECTOR;
            let mut seen = vec![false; sectors as usize];
            for _ in 0..5 {
                let first = random.below(sectors);
                let count = 1 + random.below(sectors - first);
                let (from, bytes) = ((first * SECTOR) as u32, (count * SECTOR) as u32);
                buffer.note_carried(slot, Coverage::Part { from, bytes }, unit_bytes);
                seen[first as usize..(first + count) as usize].fill(true);
                let expected = seen.iter().filter(|&&seen| seen).count() as u64 * SECTOR;
                assert_eq!(buffer.carried_bytes(slot, unit_bytes), expected);
                assert_eq!(buffer.held_bytes(unit_bytes), expected);
            }
            buffer.note_carried(slot, Coverage::Whole, unit_bytes);
            buffer.note_carried(slot, Coverage::Part { from: 0, bytes: 512 }, unit_bytes);
            assert_eq!(buffer.carried_bytes(slot, unit_bytes), unit_bytes, "all of it came");
            buffer.release_newest(slot);
            let again = buffer.insert(Lpn(2), u32::MAX, SlotState::Queued);
            assert_eq!(buffer.carried_bytes(again, unit_bytes), 0, "a slot begins with nothing");
            buffer.note_carried(again, Coverage::Part { from: 0, bytes: 512 }, unit_bytes);
            assert_eq!(buffer.carried_bytes(again, unit_bytes), 512, "nor with what was in it before");
            assert!(buffer.cancel(Lpn(2)));
            assert_eq!(buffer.held_bytes(unit_bytes), 0, "trimmed: it goes nowhere");
        }
    }
}
