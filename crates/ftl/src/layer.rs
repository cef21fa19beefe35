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
    /// The core that it works on.
    fn base(&self) -> Base<'_>;

    /// Time begins: a drive that was filled or constructed may have to collect before it can take writes.
    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>);

    /// Handles an event of this crate or the controller; outputs can then be taken.
    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>);

    /// Nothing can be moved any more. A drive that lost blocks is then at its end: it turns read-only, and
    /// no request waits for it any longer.
    fn declare_stalled(&mut self);

    /// Why each die takes no more writes, for the message of a run that is stuck.
    fn explain_stall(&self) -> String;

    /// Bytes of RAM that the modelled drive's map takes.
    fn map_bytes(&self) -> u64;

    /// Bytes of the simulator's state beside the core's.
    fn bytes_beside(&self) -> usize {
        0
    }
}

/// A translation layer without time: for preconditioning.
pub(crate) trait Untimed {
    /// Writes one unit in no time.
    ///
    /// # Panics
    /// When no die has room, which is ruled out for logical units while no block fails.
    fn write_untimed(&mut self, lpn: Lpn);

    /// Writes one unit in no time; false when there is no room for it, as blocks that failed can bring about.
    fn try_write_untimed(&mut self, lpn: Lpn) -> bool;

    /// The host no longer needs a unit; in no time.
    fn trim_untimed(&mut self, lpn: Lpn);

    /// Writes units of a fresh drive in order and at once, as many of `count` as can be; gives how many it wrote.
    fn write_in_order(&mut self, _first: Lpn, _count: u32) -> u32 {
        0
    }

    /// Superblocks that were erased without time and gained the host no room; none while they do.
    fn erased_in_vain(&self) -> Option<u64> {
        None
    }

    /// Lets time begin again: open superblocks are completed to whole program units.
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

    /// Takes over what the flash holds, in a layer that was made fresh.
    ///
    /// # Panics
    /// When the drive was not made for power cuts, or is another than the one whose flash it is.
    fn go_on_from(&mut self, medium: Medium);

    /// Gives back the core that it worked on; the rest of its state is dropped.
    fn into_base(self) -> Whole;
}
