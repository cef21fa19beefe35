//! Versions of units beside the newest, which a drive may keep.

use units::Ppa;

/// Kind of place in which the version of a logical unit that a snapshot sees is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seen {
    /// Case in which the version of a logical unit that a snapshot sees is stored nowhere: the unit held no data when
    /// the snapshot was taken.
    Nowhere,
    /// Case in which the version of a logical unit that a snapshot sees is in the write buffer.
    Buffered,
    /// Case in which the version of a logical unit that a snapshot sees is on flash, at this physical address.
    At(Ppa),
}

/// Kind of version of a logical unit: the newest one, or a former version that a snapshot needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// Case of version of a logical unit: the newest one, which the host reads.
    Newest,
    /// Case of version of a logical unit: a former one, which a snapshot sees.
    Former,
}

/// Kind of treatment of the present version of a logical unit that a write or a trim replaces, because a snapshot may
/// need the version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Overtaken {
    /// Case in which the replaced version of a logical unit need not stay in the write buffer for a snapshot: no
    /// feature needs it, or it is on flash and stays there.
    Free,
    /// Case in which the replaced version of a logical unit is in the write buffer and must stay there for a snapshot
    /// until it is programmed.
    InBuffer,
    /// Case in which the present version of a logical unit must not be replaced: a snapshot needs it, and the spare
    /// mapping units for snapshots (capacity that nothing else needs) are used up.
    Refused,
    /// Case in which a snapshot was deleted to gain spare mapping units for the replaced version of a logical unit: the
    /// snapshot feature must be asked again about the same version.
    Again,
}

/// Kind of snapshot command for the logical drive as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Act {
    /// Case of snapshot command: take a snapshot, which preserves the present content of the drive under a new serial
    /// number.
    Keep,
    /// Case of snapshot command: delete the snapshot of this serial number, with the content that only it needs.
    Drop(u32),
    /// Case of snapshot command: roll the drive back to the content of the latest snapshot.
    Return,
}
