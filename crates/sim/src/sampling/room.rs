//! What garbage collection of a part of a sampled run cost: units moved for the room on flash that it gained.
//!
//! Programs of a part over what the host wrote in it depend on how many collections happened to end in the part. What a
//! collection moves for each place that it gains does not: each page row of a victim shows it.

use controller::Origin;
use ftl::{Ftl, RunsAhead};

/// Record of counts of a drive at a moment when nothing is in flight, in bytes: programs so far, and room for programs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoomCounts {
    /// Number of bytes that the drive has programmed to flash for all origins but garbage collection.
    other: f64,
    /// Number of bytes that the drive has programmed to flash for garbage collection.
    moved: f64,
    /// Number of bytes that the drive can program before any further superblock is relocated.
    free: f64,
}

/// Record of programs of a part of a sampled run, and of what garbage collection cost in it, in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RoomGained {
    /// Number of bytes that the drive programmed to flash in the part of the run, for all origins.
    pub programmed: f64,
    /// Number of bytes that garbage collection moved in the part of the run.
    pub moved: f64,
    /// Number of bytes of room for programs that relocations gained in the part of the run, beyond the room that moved
    /// data took.
    pub gained: f64,
}

impl std::ops::AddAssign for RoomGained {
    fn add_assign(&mut self, other: Self) {
        self.programmed += other.programmed;
        self.moved += other.moved;
        self.gained += other.gained;
    }
}

impl RoomCounts {
    /// Returns the counts of a page-mapped drive now; all zero of any other drive.
    pub fn of(ftl: &mut Ftl) -> Self {
        let (unit, stats) = (ftl.layout().unit, ftl.stats());
        let moved = stats.units_programmed[Origin::Gc as usize] * unit.get();
        let other = stats.bytes_programmed(unit) - moved;
        let Some(pages) = ftl.as_page_mapped() else { return Self::default() };
        let free = RunsAhead(pages).free_places() * unit.get();
        Self { other: other as f64, moved: moved as f64, free: free as f64 }
    }

    /// Returns what garbage collection cost since `earlier`, older counts of the same drive.
    pub fn since(&self, earlier: &Self) -> RoomGained {
        let (other, moved) = (self.other - earlier.other, self.moved - earlier.moved);
        RoomGained { programmed: other + moved, moved, gained: self.free - earlier.free + other }
    }
}
