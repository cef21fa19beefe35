//! Which part of a unit in the buffer the host's requests carried. Where they carried a part, the rest is read from the flash, or
//! was never written, and is programmed all the same: write amplification counts it.

use super::Buffer;
use crate::layout::SECTOR;

/// How much of a unit a write covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coverage {
    /// The request covers the whole unit.
    Whole,
    /// A part: data that the drive holds of the rest stay.
    Part {
        /// Beginning of the part, in bytes from the beginning of the unit.
        from: u32,
        /// Length of the covered part of the unit, in bytes.
        bytes: u32,
    },
}

impl Coverage {
    /// Returns the number of bytes of a unit of `unit_bytes`.
    #[inline]
    pub fn bytes(self, unit_bytes: u64) -> u64 {
        match self {
            Self::Whole => unit_bytes,
            Self::Part { bytes, .. } => bytes.into(),
        }
    }
}

/// The part of the unit in a slot that the host's requests carried since the flash held all of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Carried {
    /// The host's requests carried no data of the unit.
    #[default]
    Nothing,
    /// The host's requests carried some sectors of the unit.
    Part,
    /// The host's requests carried the whole unit.
    All,
}

/// For each buffer slot whose unit was written in part: the sectors that requests carried, one bit each, in `words`
/// words. Empty until a request first begins or ends within a unit.
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
    /// Notes that a request carried `coverage` of the unit, of `unit_bytes` bytes, that a slot holds.
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

    /// Returns the number of bytes of the unit in a slot that requests of the host's carried, each sector
    /// once.
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

    /// Returns the number of bytes that the host's requests carried and that the flash does not hold yet,
    /// without those in units that were trimmed since.
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

    /// Sectors of units of any size, one by one beside the masks.
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
