//! What zones ask of a drive with any layer: a drive without zones answers that there are none.

use super::{AnyLayer, Ftl};
use crate::{FlashZoneState, Probe, ZonedTotals, Zoning};
use controller::Context;

/// A drive that may be zones.
pub trait ZonedLayer {
    /// Returns the shape of the zones; none where the drive has none.
    fn zoning(&self) -> Option<Zoning>;

    /// Returns the zones as the flash knows them, in order; none where there are none.
    fn zones(&self) -> Vec<FlashZoneState>;

    /// Returns the counts of the zones so far.
    fn zoned(&self) -> ZonedTotals;

    /// Finishes a zone for the host; [`crate::Output::Flushed`] answers `request` when the rest of the zone
    /// is written.
    fn finish_zone<P: Probe>(&mut self, request: u32, zone: u32, ctx: &mut Context<P>);

    /// Resets a zone for the host.
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
