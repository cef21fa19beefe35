//! Versions of units beside the newest, which a drive may keep.

use units::Ppa;

/// Where a version of a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// The unit held no data in the snapshot.
    Nowhere,
    /// The version of the unit is in the buffer.
    Buffered,
    /// The version of the unit is on flash, at this place.
    At(Ppa),
}

/// Which version of a unit is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The version of the unit that the host reads.
    Newest,
    /// A former version of the unit, which a snapshot sees.
    Former,
}

/// What becomes of the version that a write or a trim replaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Overtaken {
    /// It need not be kept: no feature needs it, or it is on flash and stays there.
    Free,
    /// The version is in the buffer and must be kept there.
    InBuffer,
    /// The version may not be replaced: there is no room to keep it.
    Refused,
    /// Room was made for the version: the feature must be asked again.
    Again,
}

/// A command for the logical drive as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Keep the present content under a new number: take a snapshot.
    Keep,
    /// Drop the snapshot of this number, with its content.
    Drop(u32),
    /// Return to the content that was kept last.
    Return,
}
