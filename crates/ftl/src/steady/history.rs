//! What one die looks like at a moment of its steady state. Where superblocks of several dies are reclaimed together, those dies
//! share a moment, and what their groups are is kept, too.
//!
//! Not kept: which units are valid (in steady state under uniform overwriting any could be), and what policies learnt.

use crate::core::SetMoment;
use crate::pages::PageMapped;

impl PageMapped {
    /// Returns a record of the present state of the first die, or of the first set of dies whose superblocks are
    /// reclaimed together (parity groups), from which steady drive states are constructed. `worn` is the number of
    /// program/erase cycles that their blocks had when the drive was new.
    pub fn moment(&self, worn: u32) -> SetMoment {
        let media = &self.media;
        let together = media.features.moment_together(&media.core, worn);
        together
            .unwrap_or_else(|| SetMoment { dies: vec![media.core.moment_of(0, worn)], groups: Vec::new() })
    }
}
