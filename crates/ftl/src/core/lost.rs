//! Units whose data are gone.

use crate::SavedState;
use crate::saved::Untaken;
use std::collections::{BTreeMap, BTreeSet};
use units::Lpn;

/// Type of the set of the logical units whose data the flash translation layer has lost, because their only copy was
/// uncorrectable.
#[derive(Clone, Debug, Default)]
pub(crate) struct LostUnits {
    /// Set of the logical units whose only copy was uncorrectable when the flash translation layer relocated it or
    /// merged it with a host write.
    pub units: BTreeSet<u32>,
    /// Only during recovery from a power cut: lost logical units whose copy (marked as lost) is on a failed die, each
    /// with the write number of that copy.
    left_behind: BTreeMap<u32, u64>,
}

impl LostUnits {
    /// Returns true if the flash translation layer has lost the data of at least one logical unit of the drive.
    #[inline]
    pub fn has_lost(&self) -> bool {
        !self.units.is_empty()
    }

    /// Returns true if the flash translation layer has lost the data of logical unit `lpn`, because its only copy was
    /// uncorrectable.
    #[inline]
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.has_lost() && self.units.contains(&lpn.0)
    }

    /// Removes a logical unit from the set of lost units because the host has rewritten it as a whole or trimmed it.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        if self.has_lost() {
            self.units.remove(&lpn.0);
        }
    }

    /// Records during recovery that the copy of a lost logical unit with write number `number` is on a failed die.
    pub fn leave_behind(&mut self, lpn: Lpn, number: u64) {
        if self.is_lost(lpn) {
            self.left_behind.insert(lpn.0, number);
        }
    }

    /// Removes, when recovery has found the map, units from the set of lost units: a unit whose found copy is older
    /// than its lost copy on the failed die is readable, with its older data, and no longer lost. `number` returns the
    /// write number of a unit's found copy.
    pub fn go_on(&mut self, number: impl Fn(Lpn) -> u64) {
        for (lpn, lost) in std::mem::take(&mut self.left_behind) {
            if number(Lpn(lpn)) < lost {
                self.units.remove(&lpn);
            }
        }
    }

    /// Adds the list of logical units whose data the drive has lost to a saved state of the drive.
    pub fn save(&self, saved: &mut SavedState) {
        saved.words.push(self.units.iter().copied().collect());
    }

    /// Restores the list of lost logical units from a saved state.
    ///
    /// # Errors
    /// When the list names a logical unit that the drive does not have.
    pub fn load(&mut self, saved: &mut Untaken<'_>, logical_units: u32) -> Result<(), String> {
        self.units = saved.words()?.iter().copied().collect();
        if self.units.last().is_some_and(|&lpn| lpn >= logical_units) {
            return Err("the saved state has lost a unit that the drive does not have".into());
        }
        Ok(())
    }
}
