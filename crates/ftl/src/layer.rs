//! A translation layer: how the logical drive lies on the flash, and what that asks of the dies.
//!
//! Each layer is a folder of the crate and a line in the list of `layers`. It works on the same core as all others (the flash,
//! the buffer, features, reasons to move data), and answers few calls: those of [`Layer`] and [`Serves`] in time, of
//! [`Untimed`] without time, and of [`Outlasts`] where the drive is at rest or loses its power.

use crate::host_side::{Host, Serves};
use crate::media::Media;
use crate::parts::Whole;
use crate::upkeep::{KeepsUp, Upkeep};
use crate::{FlashContents, Found, Probe, SavedState};
use controller::Context;
use engine::Event;
use units::Lpn;

/// Set of read-only references to the parts that every translation layer works on: the flash, the host side and the
/// background work.
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

    /// Handles an event of the flash translation layer or of the flash controller; the caller can then take the
    /// translation layer's outputs, such as completed requests.
    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>);

    /// Submits the flash reads by which recovery finds the map after a power cut. Returns the numbers of pages to read,
    /// of superblocks with at least one programmed page, and of logical units found.
    ///
    /// # Panics
    /// When the drive was not made for power cuts.
    fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        self.parts().0.begin_finding(None, ctx)
    }

    /// Tells the flash translation layer that the power has failed, and that capacitors supply the drive for a while;
    /// does nothing but on a zoned drive, which then submits no further program to zones.
    fn power_fails(&mut self) {}

    /// Returns true while capacitors must go on supplying a drive whose power failed: while its write buffer holds data
    /// that are not on flash, if the translation layer has no rule of its own.
    fn needs_power(&self) -> bool {
        self.base().media.is_draining()
    }

    /// Declares that no mapping unit can be relocated any more, so that garbage collection cannot continue: host
    /// requests no longer wait, and a drive that lost blocks or is made for power cuts turns read-only, unless it is
    /// zones only.
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

    /// Writes up to `count` units in logical order, without simulated time, to a drive that was just built and holds no
    /// data; returns how many units it wrote.
    fn write_in_order(&mut self, _first: Lpn, _count: u32) -> u32 {
        0
    }

    /// Returns the number of superblocks that garbage collection without simulated time has erased since the host last
    /// wrote a mapping unit, once the number exceeds what any useful collection needs (the victims then free no space).
    /// Returns `None`, not zero, up to that limit.
    fn erased_in_vain(&self) -> Option<u64> {
        None
    }

    /// Ends the writing without simulated time and prepares the drive for simulated time: a partly filled program unit
    /// of an open superblock is completed with padding (on a zoned drive, with further host data).
    fn settle(&mut self);
}

/// Interface of a translation layer for a drive at rest (no flash operation in flight), whose state can be saved and
/// loaded, and for a loss of power.
pub(crate) trait Outlasts: Sized {
    /// Pads the partly filled program units, which wait for more host data, with empty units and submits their
    /// programs; returns false if there is none.
    fn pad_all<P: Probe>(&mut self, _ctx: &mut Context<P>) -> bool {
        false
    }

    /// Returns the state of a drive at rest, for a file.
    ///
    /// # Errors
    /// When an operation is in flight.
    fn save(&self) -> Result<SavedState, String>;

    /// Loads a saved state into this drive, which must have the same geometry and hold no data yet (just built).
    ///
    /// # Errors
    /// When the geometries differ or the state contradicts itself.
    fn load(&mut self, saved: &SavedState) -> Result<(), String>;

    /// Gives the flash of a drive that lost its power, with all data that the flash holds, to this layer of a drive
    /// that was just built and holds no data.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or the flash belongs to another drive.
    fn go_on_from(&mut self, contents: FlashContents);

    /// Returns the flash and the parts shared by all layers, and drops the rest of the layer.
    fn into_base(self) -> Whole;
}
