//! What a regulator wants known of each unit.

use crate::regulator::BITS_MAX;
use engine::large_array;
use units::Lpn;

/// The host accessed the unit since the run began.
pub(super) const SEEN: u8 = 1 << 6;
/// The unit waits to be written anew.
pub(super) const QUEUED: u8 = 1 << 7;
/// The bits that the regulator uses itself.
pub(super) const NOTES: u8 = (1 << BITS_MAX) - 1;

/// One byte for each unit, where the regulator treats units differently: its own bits, [`SEEN`], [`QUEUED`].
pub(super) struct UnitNotes {
    notes: Vec<u8>,
    bits: u32,
}

impl UnitNotes {
    /// Returns the empty notes for `units` units, of which the regulator wants `bits` bits each.
    pub fn new(bits: u32, units: u64) -> Self {
        Self { notes: if bits > 0 { large_array(units as usize, 0) } else { Vec::new() }, bits }
    }

    /// Returns the number of bits that the regulator keeps for each unit.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// True where notes of units are kept.
    #[inline]
    pub fn are_kept(&self) -> bool {
        self.bits > 0
    }

    /// Returns the note of a unit; 0 where no notes are kept.
    #[inline]
    pub fn of(&self, lpn: Lpn) -> u8 {
        if self.are_kept() { self.notes[lpn.index()] } else { 0 }
    }

    /// Replaces the note of a unit, where notes are kept.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, note: u8) {
        if self.are_kept() {
            self.notes[lpn.index()] = note;
        }
    }

    /// Returns the number of bytes of state.
    pub fn bytes(&self) -> usize {
        self.notes.len()
    }
}
