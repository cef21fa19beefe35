//! What a layer will take of memory beside its map, its blocks and its buffer, before any of it is allocated.

use crate::compatibility::Feature;
use crate::store::labels::Label;
use crate::{FtlConfig, recovery};
use ecc::Ladder;

/// Constant: number of bytes of the simulator's memory for the stamp (number of the host's write, as the spare area
/// holds it) of one physical mapping unit, on a drive whose power is cut.
const STAMP: u64 = 8;

impl FtlConfig {
    /// Returns the number of bytes of the simulator's memory for map caches, checkpoints, power cuts and features.
    /// `code` gives the read retries of the drive's code; none without a code.
    pub fn bytes_beside(&self, code: Option<&Ladder>) -> u64 {
        let layout = &self.layout;
        let logical = u64::from(layout.logical_units);
        let recent = self.buffer.keep_rewritten > units::Nanos::ZERO;
        let has_checkpoint = (self.faults.recovery)().checkpoint(layout).is_some();
        (self.mapping)().bytes_beside(layout)
            + if has_checkpoint { recovery::checkpoint_bytes(layout) } else { 0 }
            + if self.has_power_cuts() { self.spare_bytes() } else { 0 }
            + self.beside.bytes_most(layout, code)
            + if recent { 4 * logical } else { 0 }
    }

    /// Returns the number of bytes of the simulator's memory for the spare areas of all units, which recovery needs
    /// after a power cut.
    fn spare_bytes(&self) -> u64 {
        let units = self.layout.physical_units() as u64;
        let has_labels = self.features.iter().any(|found| found.feature == Feature::BlockMap);
        let labels = if has_labels { units / u64::from(self.layout.program_units) } else { 0 };
        STAMP * units + Label::BYTES * labels
    }
}
