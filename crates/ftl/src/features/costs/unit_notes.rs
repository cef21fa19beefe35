//! What a regulator wants known of each unit.

use crate::regulator::BITS_MAX;
use engine::large_array;
use units::Lpn;

/// The host accessed the unit since the run began.
pub(super) const SEEN: u8 = 1 << 6;
/// The unit waits to be written anew.
pub(super) const QUEUED: u8 = 1 << 7;
/// The regulator's own bits.
pub(super) const NOTES: u8 = (1 << BITS_MAX) - 1;

/// A byte of each unit, where the regulator tells units apart: its own bits, [`SEEN`], [`QUEUED`].
pub(super) struct UnitNotes {
    notes: Vec<u8>,
    bits: u32,
}

impl UnitNotes {
    /// Nothing known of `units` units, of which the regulator wants `bits` bits each.
    pub fn new(bits: u32, units: u64) -> Self {
        Self { notes: if bits > 0 { large_array(units as usize, 0) } else { Vec::new() }, bits }
    }

    /// Bits that the regulator keeps for each unit.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// True where units are told apart.
    #[inline]
    pub fn are_kept(&self) -> bool {
        self.bits > 0
    }

    /// What is known of a unit; nothing where units are not told apart.
    #[inline]
    pub fn of(&self, lpn: Lpn) -> u8 {
        if self.are_kept() { self.notes[lpn.index()] } else { 0 }
    }

    /// Notes something else of a unit, where units are told apart.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, note: u8) {
        if self.are_kept() {
            self.notes[lpn.index()] = note;
        }
    }

    /// Bytes of state.
    pub fn bytes(&self) -> usize {
        self.notes.len()
    }
}
