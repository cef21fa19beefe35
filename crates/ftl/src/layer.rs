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

/// The core that a layer works on, to be looked at.
pub(crate) struct Base<'a> {
    pub media: &'a Media,
    pub host: &'a Host,
    pub upkeep: &'a Upkeep,
}

/// A translation layer in time.
pub(crate) trait Layer: Serves + KeepsUp + Untimed + Outlasts {
    /// Returns the core that the translation layer works on.
    fn base(&self) -> Base<'_>;

    /// Begins simulated time: a drive that was filled or constructed may have to collect before it can take
    /// writes.
    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>);

    /// Handles an event of this crate or the controller; outputs can then be taken.
    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>);

    /// Declares that no unit can be moved any more. A drive that lost blocks has then worn out: it turns
    /// read-only, and no request waits for it any longer.
    fn declare_stalled(&mut self);

    /// Returns why each die takes no more writes, for the message of a run that is stuck.
    fn explain_stall(&self) -> String;

    /// Returns the number of bytes of RAM that the modelled drive's map takes.
    fn map_bytes(&self) -> u64;

    /// Returns the number of bytes of the simulator's state beside the core's.
    fn bytes_beside(&self) -> usize {
        0
    }
}

/// A translation layer without time: for preconditioning.
pub(crate) trait Untimed {
    /// Writes one unit without simulated time.
    ///
    /// # Panics
    /// When no die has room, which is ruled out for logical units while no block fails.
    fn write_untimed(&mut self, lpn: Lpn);

    /// Writes one unit without simulated time; false when there is no room for it, which can happen after blocks
    /// failed.
    fn try_write_untimed(&mut self, lpn: Lpn) -> bool;

    /// Trims a unit for the host without simulated time.
    fn trim_untimed(&mut self, lpn: Lpn);

    /// Writes units of a fresh drive in order without simulated time, up to `count` of them; returns how many it wrote.
    fn write_in_order(&mut self, _first: Lpn, _count: u32) -> u32 {
        0
    }

    /// Returns the superblocks that were erased without simulated time and without gaining room for the host;
    /// none while erases gain room.
    fn erased_in_vain(&self) -> Option<u64> {
        None
    }

    /// Prepares for simulated time: open superblocks are completed to whole program units.
    fn settle(&mut self);
}

/// A translation layer whose drive is at rest, or loses its power.
pub(crate) trait Outlasts: Sized {
    /// Completes the programs that wait for more units with empty ones; false when none does.
    fn pad_all<P: Probe>(&mut self, _ctx: &mut Context<P>) -> bool {
        false
    }

    /// Takes the state of a drive at rest.
    ///
    /// # Errors
    /// When an operation is in flight.
    fn save(&self) -> Result<SavedState, String>;

    /// Puts a saved state into this drive, which must be fresh and of the same shape.
    ///
    /// # Errors
    /// When the shapes differ or the state contradicts itself.
    fn load(&mut self, saved: &SavedState) -> Result<(), String>;

    /// Takes over the content of the flash, in a fresh layer.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or is another than the one whose flash it is.
    fn go_on_from(&mut self, medium: Medium);

    /// Returns the core that the layer worked on; the rest of its state is dropped.
    fn into_base(self) -> Whole;
}
