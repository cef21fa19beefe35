//! What flash operations mean: which unit of the host's moved where, and what became of it in the buffer.

use controller::{Origin, Transaction};
use units::{Lpn, Ppa};

/// Kind of event of a snapshot, or of a version of a unit that a snapshot sees, as reported to observers of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionEvent {
    /// Case of event: a snapshot was taken, which sees the present content of the drive.
    Taken {
        /// Serial number, as reported to observers of the run, of the snapshot of the logical drive that was taken.
        serial: u32,
    },
    /// Case of event: a snapshot, with all versions of units that the snapshot sees, is recorded on flash and survives
    /// power cuts from now on.
    Recorded {
        /// Serial number of the snapshot of the logical drive that was recorded on flash and survives power cuts from
        /// now on.
        serial: u32,
    },
    /// Case of event: a snapshot was deleted.
    Dropped {
        /// Serial number of the snapshot of the logical drive that was deleted, as reported to observers of the run.
        serial: u32,
    },
    /// Case of event: a slot of the write buffer holds the newest version of a unit that the host has just written.
    Buffered {
        /// Number of the logical unit that the host wrote and whose newest version is now in the write buffer.
        lpn: Lpn,
        /// Index of the slot of the write buffer that holds the newest version of the unit that the host has just
        /// written.
        slot: u32,
    },
    /// Case of event: a version of a unit that a newer write replaced in the buffer, and that a snapshot sees, is on
    /// flash.
    Programmed {
        /// Number of the logical unit of the replaced version that was programmed and that a snapshot sees.
        lpn: Lpn,
        /// Index of the slot of the write buffer from which the replaced version, which a snapshot sees, was programmed
        /// to flash.
        slot: u32,
        /// Physical address to which the replaced version, which a snapshot sees, was programmed.
        ppa: Ppa,
    },
    /// Case of event: a version of a unit that only snapshots see was relocated.
    Moved {
        /// Number of the logical unit of the version that only snapshots see and that was relocated.
        lpn: Lpn,
        /// Physical address, before the relocation, of the version that only snapshots see.
        old: Ppa,
        /// Physical address, after the relocation, of the version that only snapshots see.
        new: Ppa,
    },
    /// Case of event: a unit has its former version again, because the drive returns to a snapshot.
    Returned {
        /// Number of the logical unit that returned to its former version.
        lpn: Lpn,
        /// Physical address of the unit before its return to the former version, or `Ppa::NONE` if it had none.
        old: Ppa,
        /// Physical address of the unit after its return to the former version, or `Ppa::NONE` if that version has
        /// none.
        new: Ppa,
    },
    /// Case of event: the return of the drive to a snapshot is complete, and the drive has the content of the snapshot
    /// again.
    RolledBack {
        /// Serial number of the snapshot whose content the drive has again.
        serial: u32,
    },
}

/// Interface of the observers of the translation layer and of the flash below it. A run without observers is compiled
/// without calls to them.
pub trait Probe: controller::Probe {
    /// Reports to an observer of the run (probe) a program of `units` mapping units that is about to be submitted.
    /// `source` gives, for each unit, its origin and where its data are: in a slot of the write buffer (host and map),
    /// or at a physical address (relocated data).
    fn on_place(&mut self, _: &Transaction, _units: u32, _source: impl Fn(u32) -> (Origin, u64)) {}
    /// Reports to an observer of the run (probe) that the newest data of `lpn`, of the host or (such as map units) of
    /// the drive itself, were programmed at `new`; the version at `old` (or `Ppa::NONE`) is invalid unless a snapshot
    /// sees it.
    fn on_commit(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// Reports to an observer of the run (probe) that the data of logical unit `lpn` were relocated to `new` from
    /// `old`, which became invalid.
    fn on_moved(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// Reports to an observer of the run (probe) that data of `lpn` are on flash at `new`, although the newest data are
    /// still in the write buffer; the version at `old` (or `Ppa::NONE`) is invalid now unless a snapshot sees it.
    fn on_overtaken(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// Reports to an observer of the run (probe) that the host trimmed `lpn`, whose data were at `old` (or
    /// `Ppa::NONE`).
    fn on_trim(&mut self, _lpn: Lpn, _old: Ppa) {}
    /// Reports to an observer of the run (probe) that a superblock (numbered over the whole drive) has been erased.
    fn on_erase(&mut self, _superblock: usize) {}
    /// Reports to an observer of the run (probe) that a host read of `lpn` gets its data from flash, at address `ppa`.
    fn on_host_read(&mut self, _lpn: Lpn, _ppa: Ppa) {}
    /// Reports to an observer of the run (probe) that logical unit `lpn` is read ahead from physical address `ppa`,
    /// before the host asks for it.
    fn on_fetch(&mut self, _lpn: Lpn, _ppa: Ppa) {}
    /// Reports to an observer of the run (probe) that the host reads `lpn` and gets the data that were last read ahead
    /// for it.
    fn on_fetched_read(&mut self, _lpn: Lpn) {}
    /// Reports to an observer of the run (probe) an event of a snapshot, or of a version of a unit that a snapshot
    /// sees.
    fn on_version(&mut self, _: VersionEvent) {}
    /// Reports to an observer of the run (probe) that the host wrote logical unit `lpn`: from now on, reads must return
    /// this version.
    fn on_host_write(&mut self, _lpn: Lpn) {}
    /// Reports to an observer of the run (probe) that the version of `lpn` that the host wrote last is in write buffer
    /// slot `slot` now. Sectors of the unit that the host did not write come from slot `rest` (which can be the same
    /// slot); `None` if there is no older version in the buffer.
    fn on_buffered(&mut self, _lpn: Lpn, _slot: u32, _rest: Option<u32>) {}
    /// Reports to an observer of the run (probe) that `slot` of the write buffer, which holds a partial write of a
    /// unit, gets the sectors that it lacks from slot `_from`, which holds an older version of the unit.
    fn on_rest(&mut self, _slot: u32, _from: u32) {}
    /// Reports to an observer of the run (probe) that a slot of the write buffer now caches a clean version of `lpn`
    /// (flash holds the same data), as it was read from flash at `_ppa`.
    fn on_kept(&mut self, _lpn: Lpn, _slot: u32, _ppa: Ppa) {}
    /// Reports to an observer of the run (probe) that the version of `lpn` in this write buffer slot was programmed to
    /// flash, although it was overwritten (a newer version is in another slot) or trimmed meanwhile.
    fn on_outdated(&mut self, _lpn: Lpn, _slot: u32) {}
}

impl Probe for () {}
