//! What the host reads.

use crate::host_side::{Host, Reads};
use crate::media::Media;
use crate::pages::PageMapped;
use crate::placement::PlacementView;
use units::Lpn;

impl Reads for PageMapped {
    #[inline]
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        (&mut self.media, &mut self.host)
    }

    /// Returns the number of the die that the logical address of unit `lpn` determines: on this die a read of the unit
    /// takes place while it is not on flash.
    fn home_die(&self, lpn: Lpn) -> u32 {
        self.media.core.assembly.placement.home(&PlacementView {
            eligible: &[],
            dies: self.media.core.store.layout.dies,
            programs: &[],
            shape: self.media.core.store.layout.shape,
            lpn,
            program_units: self.media.core.store.layout.program_units,
        })
    }
}
