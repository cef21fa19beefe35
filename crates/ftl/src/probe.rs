//! What flash operations mean: which unit of the host's moved where, and what became of it in the buffer.

use controller::{Origin, Transaction};
use units::{Lpn, Ppa};

/// What happens to a version of a unit, or to all of them, because versions that were overwritten can be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionEvent {
    /// A snapshot sees what the drive holds now.
    Taken {
        /// Number of the snapshot.
        serial: u32,
    },
    /// A snapshot, with all versions that the snapshot sees, survives power cuts from now on.
    Recorded {
        /// Number of the snapshot.
        serial: u32,
    },
    /// A snapshot is gone.
    Dropped {
        /// Number of the snapshot.
        serial: u32,
    },
    /// A slot of the buffer holds what the host has just written.
    Buffered {
        /// The unit.
        lpn: Lpn,
        /// The slot.
        slot: u32,
    },
    /// A version that was overtaken, and that a snapshot sees, is on flash.
    Programmed {
        /// The unit.
        lpn: Lpn,
        /// The slot of the buffer from which the version was programmed.
        slot: u32,
        /// Place of the version on flash.
        ppa: Ppa,
    },
    /// A version that only snapshots see was moved.
    Moved {
        /// The unit.
        lpn: Lpn,
        /// Former place of the version.
        old: Ppa,
        /// New place of the version.
        new: Ppa,
    },
    /// A unit has its former version again, on the return to a snapshot.
    Returned {
        /// The unit.
        lpn: Lpn,
        /// Place of the unit before (or `Ppa::NONE`).
        old: Ppa,
        /// Place of the unit now (or `Ppa::NONE`).
        new: Ppa,
    },
    /// The drive holds the content of a snapshot again.
    RolledBack {
        /// The snapshot's number.
        serial: u32,
    },
}

/// An observer of the translation layer, and of the flash below it. A run without observers is compiled without them.
pub trait Probe: controller::Probe {
    /// Reports a program of so many units that is about to be submitted; `source` says of each unit on whose
    /// behalf it is and where its data are: in a slot of the buffer (host and map) or, where they are moved,
    /// at a physical address.
    fn on_place(&mut self, _: &Transaction, _units: u32, _source: impl Fn(u32) -> (Origin, u64)) {}
    /// Reports that the newest data that the host wrote of `lpn` are at `new`; `old` (or `Ppa::NONE`) became
    /// invalid.
    fn on_commit(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// Reports that the data of `lpn` were moved from `old`, which became invalid, to `new`.
    fn on_moved(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// As [`Self::on_commit`], but the host has written `lpn` again since: its newest data are still in the buffer.
    fn on_overtaken(&mut self, _lpn: Lpn, _new: Ppa, _old: Ppa) {}
    /// Reports that `lpn`, which lived at `old`, was trimmed.
    fn on_trim(&mut self, _lpn: Lpn, _old: Ppa) {}
    /// Reports that a superblock (numbered over the whole drive) was erased.
    fn on_erase(&mut self, _superblock: usize) {}
    /// Reports that a host request was served from flash: `lpn` read at `ppa`.
    fn on_host_read(&mut self, _lpn: Lpn, _ppa: Ppa) {}
    /// Reports that `lpn` is read ahead at `ppa`, before the host asks for it.
    fn on_fetch(&mut self, _lpn: Lpn, _ppa: Ppa) {}
    /// Reports that the host asks for `lpn`, and has what was fetched last.
    fn on_fetched_read(&mut self, _lpn: Lpn) {}
    /// Reports an event of a snapshot, or of a version of a unit that a snapshot sees.
    fn on_version(&mut self, _: VersionEvent) {}
    /// Reports that the host wrote `lpn`: from now on reads must see this version.
    fn on_host_write(&mut self, _lpn: Lpn) {}
    /// Reports that that version is in this slot of the buffer now. What the host did not write of it, the
    /// slot has from `rest`: from what it holds already, or from another slot; none: it has nothing else.
    fn on_buffered(&mut self, _lpn: Lpn, _slot: u32, _rest: Option<u32>) {}
    /// Reports that a slot gets the part of its unit that it still lacks from another slot.
    fn on_rest(&mut self, _slot: u32, _from: u32) {}
    /// Reports that this slot keeps `lpn` as it was read at `ppa`.
    fn on_kept(&mut self, _lpn: Lpn, _slot: u32, _ppa: Ppa) {}
    /// Reports that the version of `lpn` in this slot was programmed, although a newer version is in a slot
    /// of its own by now.
    fn on_outdated(&mut self, _lpn: Lpn, _slot: u32) {}
}

impl Probe for () {}
