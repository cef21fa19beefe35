//! Versions of units beside the newest, which a drive may keep.

use units::Ppa;

/// Where a version of a unit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// It held nothing.
    Nowhere,
    /// Its version is in the buffer.
    Buffered,
    /// Its version is on flash.
    At(Ppa),
}

/// A version of a unit among all that it has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// The one that the host reads.
    Newest,
    /// One before it.
    Former,
}

/// What became of the version that a write or a trim overtakes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Overtaken {
    /// Nothing that matters: no feature keeps it, or it is on flash and stays.
    Free,
    /// The buffer holds it, and must not let it go.
    InBuffer,
    /// It may not be overtaken: there is no room to keep it.
    Refused,
    /// Room was made for it: to be asked again.
    Again,
}

/// What can be asked of the logical drive as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// What it holds now is kept, under a number that is given.
    Keep,
    /// What was kept under a number is kept no longer.
    Drop(u32),
    /// It holds again what was kept last.
    Return,
}
