//! Units whose data are gone.

use crate::SavedState;
use crate::saved::Untaken;
use std::collections::{BTreeMap, BTreeSet};
use units::Lpn;

/// Units that are lost.
#[derive(Clone, Debug, Default)]
pub(crate) struct LostUnits {
    /// Logical units whose only copy was moved, or merged, though it could not be read.
    pub units: BTreeSet<u32>,
    /// After a power cut: lost units whose copy, so marked, was on a die that failed, with the number of its write.
    left_behind: BTreeMap<u32, u64>,
}

impl LostUnits {
    /// True when the data of some unit of the drive are lost.
    #[inline]
    pub fn has_lost(&self) -> bool {
        !self.units.is_empty()
    }

    /// True when the data of a unit were lost.
    #[inline]
    pub fn is_lost(&self, lpn: Lpn) -> bool {
        self.has_lost() && self.units.contains(&lpn.0)
    }

    /// Forgets a unit that the host wrote anew as a whole, or trimmed.
    #[inline]
    pub fn forget(&mut self, lpn: Lpn) {
        if self.has_lost() {
            self.units.remove(&lpn.0);
        }
    }

    /// Leaves the copy of a unit with this number behind on a die that failed.
    pub fn leave_behind(&mut self, lpn: Lpn, number: u64) {
        if self.is_lost(lpn) {
            self.left_behind.insert(lpn.0, number);
        }
    }

    /// Goes on after the drive has found its map; `number` gives the write number of the copy that it found.
    /// If that is older than the lost one, the copy is whole.
    pub fn go_on(&mut self, number: impl Fn(Lpn) -> u64) {
        for (lpn, lost) in std::mem::take(&mut self.left_behind) {
            if number(Lpn(lpn)) < lost {
                self.units.remove(&lpn);
            }
        }
    }

    /// Adds the units that are lost to a saved state.
    pub fn save(&self, saved: &mut SavedState) {
        saved.words.push(self.units.iter().copied().collect());
    }

    /// Takes the units that are lost from a saved state.
    ///
    /// # Errors
    /// When the drive does not have them.
    pub fn load(&mut self, saved: &mut Untaken<'_>, logical_units: u32) -> Result<(), String> {
        self.units = saved.words()?.iter().copied().collect();
        if self.units.last().is_some_and(|&lpn| lpn >= logical_units) {
            return Err("the saved state has lost a unit that the drive does not have".into());
        }
        Ok(())
    }
}
