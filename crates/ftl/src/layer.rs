//! A translation layer: how the logical drive lies on the flash, and what that asks of the dies.
//!
//! Each layer is a folder of the crate and a line in the list of `layers`. It works on the same core as all others (the flash,
//! the buffer, features, reasons to move data), and answers few calls: those of [`Layer`] and [`Serves`] in time, of
//! [`Untimed`] without time, and of [`Outlasts`] where the drive is at rest or loses its power.

use crate::host_side::{Host, Serves};
use crate::media::Media;
use crate::parts::Whole;
use crate::upkeep::{KeepsUp, Upkeep};
use crate::{Medium, Probe, SavedState};
use controller::Context;
use engine::Event;
use units::Lpn;

/// Read-only view of what every translation layer works on: the flash, the host side and the background work.
pub(crate) struct Base<'a> {
    pub media: &'a Media,
    pub host: &'a Host,
    pub upkeep: &'a Upkeep,
}

/// Interface of a translation layer that works in simulated time.
pub(crate) trait Layer: Serves + KeepsUp + Untimed + Outlasts {
    /// Returns a read-only view of the flash, the host side and the background work of the translation layer.
    fn base(&self) -> Base<'_>;

    /// Begins simulated time; a drive that was filled or constructed may need garbage collection before it can take
    /// writes.
    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>);

    /// Handles an event of the translation layer or of the controller; the caller can then take the layer's outputs.
    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>);

    /// Declares that no unit can be relocated any more, so that the drive is stuck. A drive that lost blocks has worn
    /// out: it turns read-only, and no request waits for it any longer.
    fn declare_stalled(&mut self);

    /// Returns the reason why each die takes no more writes, for the error message of a run that is stuck.
    fn explain_stall(&self) -> String;

    /// Returns the number of bytes of RAM that the map of the modelled drive takes.
    fn map_bytes(&self) -> u64;

    /// Returns the number of bytes of the simulator's memory that the layer takes beyond the shared core.
    fn bytes_beside(&self) -> usize {
        0
    }
}

/// Interface of a translation layer that works without simulated time, for preconditioning.
pub(crate) trait Untimed {
    /// Writes one logical unit without simulated time.
    ///
    /// # Panics
    /// When no die has free space, which is ruled out for logical units while no block fails.
    fn write_untimed(&mut self, lpn: Lpn);

    /// Writes one logical unit without simulated time; returns false if no die has space for it, which can happen after
    /// blocks failed.
    fn try_write_untimed(&mut self, lpn: Lpn) -> bool;

    /// Trims one logical unit for the host without simulated time.
    fn trim_untimed(&mut self, lpn: Lpn);

    /// Writes up to `count` units of a fresh drive in logical order without simulated time; returns how many units it
    /// wrote.
    fn write_in_order(&mut self, _first: Lpn, _count: u32) -> u32 {
        0
    }

    /// Returns the number of superblocks that were erased without simulated time and without a gain of free space; none
    /// while erases gain space.
    fn erased_in_vain(&self) -> Option<u64> {
        None
    }

    /// Prepares for simulated time by padding open superblocks up to whole program units.
    fn settle(&mut self);
}

/// Interface of a translation layer for a drive at rest (saved states) and for a loss of power.
pub(crate) trait Outlasts: Sized {
    /// Pads the program units that wait for more data with empty units and programs them; returns false if none waits.
    fn pad_all<P: Probe>(&mut self, _ctx: &mut Context<P>) -> bool {
        false
    }

    /// Returns the state of a drive at rest, for a file.
    ///
    /// # Errors
    /// When an operation is in flight.
    fn save(&self) -> Result<SavedState, String>;

    /// Loads a saved state into this drive, which must be fresh and of the same geometry.
    ///
    /// # Errors
    /// When the geometries differ or the state contradicts itself.
    fn load(&mut self, saved: &SavedState) -> Result<(), String>;

    /// Gives a fresh layer the flash of a drive that lost its power, with all that the flash holds.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or the flash belongs to another drive.
    fn go_on_from(&mut self, medium: Medium);

    /// Returns the flash and the parts shared by all layers, and drops the rest of the layer.
    fn into_base(self) -> Whole;
}
