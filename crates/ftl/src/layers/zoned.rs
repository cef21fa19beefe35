//! What zones ask of a drive with any layer: a drive without zones answers that there are none.

use super::{AnyLayer, Ftl};
use crate::{FlashZoneState, Probe, ZonedTotals, Zoning};
use controller::Context;

/// Interface to the zones of a drive, which may have none.
pub trait ZonedLayer {
    /// Returns the number, size and limits of the drive's zones; `None` if the drive has no zones.
    fn zoning(&self) -> Option<Zoning>;

    /// Returns the state of each zone on flash, in order of zones; empty if the drive has no zones.
    fn zones(&self) -> Vec<FlashZoneState>;

    /// Returns the counts so far, over all zones, of padding, of data in finished zones and of superblocks assigned to
    /// zones; all 0 if the drive has no zones.
    fn zoned(&self) -> ZonedTotals;

    /// Returns, for each die, the number of good superblocks that are for zones; empty if the drive has no zones.
    fn superblocks_of_zones(&self) -> Vec<u32>;

    /// Returns the greatest number of zones that may each have less than a program unit of data waiting in the write
    /// buffer, so that slots for further writes remain: at least as many as can be active; 0 if the drive has no zones.
    fn zones_held_back(&self) -> u32;

    /// Finishes zone `zone` for the host; [`crate::Output::Flushed`] completes `request` when the rest of the zone is
    /// written.
    fn finish_zone<P: Probe>(&mut self, request: u32, zone: u32, ctx: &mut Context<P>);

    /// Resets zone `zone` for the host.
    fn reset_zone<P: Probe>(&mut self, zone: u32, ctx: &mut Context<P>);
}

impl ZonedLayer for Ftl {
    fn zoning(&self) -> Option<Zoning> {
        if let AnyLayer::Zones(layer) = &self.layer { Some(layer.zoning()) } else { None }
    }

    fn zones(&self) -> Vec<FlashZoneState> {
        if let AnyLayer::Zones(layer) = &self.layer { layer.states().collect() } else { Vec::new() }
    }

    fn zoned(&self) -> ZonedTotals {
        if let AnyLayer::Zones(layer) = &self.layer { layer.counts() } else { ZonedTotals::default() }
    }

    fn superblocks_of_zones(&self) -> Vec<u32> {
        self.core().store.space.zoned.iter().map(|die| die.usable).collect()
    }

    fn zones_held_back(&self) -> u32 {
        if let AnyLayer::Zones(layer) = &self.layer { layer.held_back_most() } else { 0 }
    }

    fn finish_zone<P: Probe>(&mut self, request: u32, zone: u32, ctx: &mut Context<P>) {
        if let Some(layer) = self.layer.as_zone_mapped() {
            layer.finish(request, zone, ctx);
        }
    }

    fn reset_zone<P: Probe>(&mut self, zone: u32, ctx: &mut Context<P>) {
        if let Some(layer) = self.layer.as_zone_mapped() {
            layer.reset(zone, ctx);
        }
    }
}
