//! What the host reads.

use crate::host_side::{Host, Reads, Sectored};
use crate::media::Media;
use crate::pages::PageMapped;
use crate::placement::PlacementView;
use controller::{Context, Probe};
use engine::Calendar;
use units::Lpn;

impl PageMapped {
    /// Reads `count` units from `first`. Gives the number of flash reads that will report to `request`.
    pub fn read<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        let reads = match self.media.guards.demand {
            Some(_) => self.read_by_demand(request, first, count, ctx),
            None => self.read_found(request, first, count, ctx),
        };
        if self.host.reads.ahead.is_some() {
            self.fetch_ahead(first, count, ctx);
        }
        reads
    }
}

impl Reads for PageMapped {
    #[inline]
    fn parts(&mut self) -> (&mut Media, &mut Host) {
        (&mut self.media, &mut self.host)
    }

    fn relieve(&mut self, _calendar: &Calendar) {
        self.relieve_buffer();
    }
}

impl Sectored for PageMapped {
    /// The die that a unit's address names.
    fn home_die(&self, lpn: Lpn) -> u32 {
        self.media.assembly.placement.home(&PlacementView {
            eligible: &[],
            dies: self.media.store.layout.dies,
            programs: &[],
            shape: self.media.store.layout.shape,
            lpn,
            program_units: self.media.store.layout.program_units,
        })
    }
}
