//! How much data is fetched from flash before the host asks for it?
//!
//! A policy sees the host's reads and names stretches of logical units; the FTL fetches those of them that lie on flash
//! and are in no buffer, whole page rows where they follow in sequence, into an area of DRAM of their own (`area.rs`). A
//! unit that the host writes or trims leaves the area at once. Which reads fetched what, the origin `read_ahead` says.

mod area;
mod fetched;

pub(crate) use fetched::{ReadAheadState, Taken};

use units::{Bytes, Lpn};

/// Type of the pair that says why a read-ahead policy does not fit a drive: name of the parameter to blame, and text
/// with the values that were expected.
pub type Misfit = (&'static str, String);

/// Type of a range of logical units to be read ahead, from `from` up to but without `until`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Number of the first unit of the range to be read ahead.
    pub from: Lpn,
    /// Number of the unit after the last one of the range to be read ahead.
    pub until: Lpn,
}

/// Interface of the read-ahead policies, which decide which units are fetched from flash before the host asks for them.
pub trait ReadAheadPolicy: Send {
    /// Returns the size of the DRAM for read-ahead data, in mapping units of `unit` bytes; none if the policy never
    /// reads ahead.
    ///
    /// # Errors
    /// When the policy's sizes do not suit mapping units of this size, with the parameter to blame.
    fn area_units(&self, unit: Bytes) -> Result<Option<u32>, Misfit>;

    /// Tells the policy the size of the drive's mapping unit; called once, before anything else.
    fn attach(&mut self, unit: Bytes);

    /// Informs the read-ahead policy that the host reads `count` units from `first` on. Returns the range of units to
    /// read ahead now, at most half of the units that the read-ahead area can hold and only units after the host's
    /// read; none if nothing is to be read ahead.
    fn on_read(&mut self, first: Lpn, count: u32) -> Option<Stretch>;

    /// Informs the read-ahead policy that the last range that it returned was fetched up to `until`: less far where the
    /// read-ahead area was full of units in flight, farther where a page row continued.
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
