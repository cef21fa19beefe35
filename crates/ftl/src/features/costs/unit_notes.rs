//! What a regulator wants known of each unit.

use crate::regulator::BITS_MAX;
use engine::large_array;
use units::Lpn;

/// Constant: bit of the byte of notes on a mapping unit: the host has accessed the unit since the run began.
pub(super) const SEEN: u8 = 1 << 6;
/// Constant: bit of the byte of notes on a mapping unit: the cost regulator has queued the unit to be programmed again
/// for faster reads.
pub(super) const QUEUED: u8 = 1 << 7;
/// Constant: mask of the bits, in the byte of notes on a mapping unit, that belong to the cost regulator: the policy
/// that chooses the write cost (way to program) of each unit.
pub(super) const NOTES: u8 = (1 << BITS_MAX) - 1;

/// State of the notes of a drive whose cost regulator stores bits on single mapping units: one byte for each unit, with
/// the regulator's own bits and, besides, the flags [`SEEN`] and [`QUEUED`].
pub(super) struct UnitNotes {
    notes: Vec<u8>,
    bits: u32,
}

impl UnitNotes {
    /// Makes empty notes for `units` mapping units, in which the cost regulator stores `bits` bits for each unit; takes
    /// no memory if `bits` is 0.
    pub fn new(bits: u32, units: u64) -> Self {
        Self { notes: if bits > 0 { large_array(units as usize, 0) } else { Vec::new() }, bits }
    }

    /// Returns the number of bits that the cost regulator uses for its notes on each mapping unit.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// Returns true if the drive has notes on mapping units, because the cost regulator uses at least one bit.
    #[inline]
    pub fn are_kept(&self) -> bool {
        self.bits > 0
    }

    /// Returns the note (a byte of flag bits) of a mapping unit; 0 if the drive has no notes.
    #[inline]
    pub fn of(&self, lpn: Lpn) -> u8 {
        if self.are_kept() { self.notes[lpn.index()] } else { 0 }
    }

    /// Replaces the note (a byte of flag bits) of a mapping unit; does nothing if the drive has no notes.
    #[inline]
    pub fn set(&mut self, lpn: Lpn, note: u8) {
        if self.are_kept() {
            self.notes[lpn.index()] = note;
        }
    }

    /// Returns the number of bytes of memory that the cost regulator's notes on mapping units take.
    pub fn bytes(&self) -> usize {
        self.notes.len()
    }
}
