//! How much data is fetched from flash before the host asks for it?
//!
//! A policy sees the host's reads and names stretches of logical units; the FTL fetches those of them that lie on flash
//! and are in no buffer, whole page rows where they follow in sequence, into an area of DRAM of their own (`area.rs`). A
//! unit that the host writes or trims leaves the area at once. Which reads fetched what, the origin `read_ahead` says.

mod area;
mod fetched;

pub(crate) use fetched::{Ahead, Taken};

use units::{Bytes, Lpn};

/// Why a policy does not fit a drive: its parameter and what was expected.
pub type Misfit = (&'static str, String);

/// Logical units to be fetched: from the first up to, and without, the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// First unit of the stretch.
    pub from: Lpn,
    /// Unit after the last one of the stretch.
    pub until: Lpn,
}

/// The choice of what to fetch.
pub trait ReadAheadPolicy: Send {
    /// Returns the DRAM for what was fetched, in mapping units of so many bytes; none: nothing is fetched,
    /// and nothing is asked.
    ///
    /// # Errors
    /// When the drive's units are too large for it, with the parameter to blame.
    fn area_units(&self, unit: Bytes) -> Result<Option<u32>, Misfit>;

    /// Tells the policy the drive's mapping unit; called once, before anything else.
    fn attach(&mut self, unit: Bytes);

    /// Notes that the host reads `count` units from `first`. Gives what to fetch now: at most half of what
    /// the area holds, and only units after `first`.
    fn on_read(&mut self, first: Lpn, count: u32) -> Option<Stretch>;

    /// Reports that the last stretch was fetched up to `until`: less far where the area was full of units in
    /// flight, farther where a page row continued.
    fn on_fetched(&mut self, until: Lpn);
}

config::policies! {
    seam: "ftl.read_ahead",
    question: "How much data is fetched from flash before the host asks for it?",
    default: "none",
    dyn ReadAheadPolicy;
    none::NoReadAhead,
    sequential::Sequential,
}
