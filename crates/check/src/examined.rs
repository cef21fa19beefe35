//! What the account is told of a drive beside its events: facts that never change, where it begins, and what the drive says of
//! itself, which is held against the account.

use crate::shape::FlashShape;
use bus::Signalling;
use controller::{Origin, Work};
use host::{HostRequest, HostSpace};
use units::{Lpn, Ppa, SimTime};

/// Set of facts about the drive under test that never change during a run, from which the checker builds its own model
/// of the drive.
pub struct Facts {
    /// List of all configuration keys of the drive with their values, defaults included, each as `key=value` as `--set`
    /// takes it.
    pub keys: Vec<String>,
    /// Field of the checker's facts: sizes of the flash of the drive under test, such as dies, superblocks and page
    /// rows, in mapping units and counts, from which the order of physical addresses follows.
    pub shape: FlashShape,
    /// Field of the checker's facts: address space of the drive under test, in the drive's own bytes (without gaps
    /// between zones), with its namespaces and zones.
    pub space: HostSpace,
    /// Field of the checker's facts: signalling, with its timing, of the flash interface between controller and chips.
    pub signalling: Signalling,
    /// List of the alternative ways to program a page (program modes), in the order of their numbers in flash
    /// operations. For each: its program step (ISPP voltage increment) relative to the usual step, and the name of its
    /// voltage set (verify levels and read references) if it has one of its own.
    pub ways_to_write: Vec<(f64, Option<String>)>,
    /// Number of dies that a parity group spans (superblocks of the same number on these dies form a group); `None` on
    /// a drive without parity over dies.
    pub stripe: Option<u32>,
    /// Field of the checker's facts: promises of the drive about data in the write buffer and about trims when the
    /// power is cut.
    pub promise: Promise,
    /// True if a host read may fail although no die fails in the run: the drive has an error-correcting code, which may
    /// not correct all errors, or a die that was dead before the run.
    pub reads_may_fail: bool,
}

/// Set of a drive's promises about the survival of written and trimmed data in a power cut, and whether the run cuts
/// the power.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// True if the run that the checker observes cuts the power of the drive.
    pub is_cut: bool,
    /// True if capacitors protect all data in the write buffer against a power cut.
    pub is_protected: bool,
    /// True if the drive under test acknowledges a write when the data are in the write buffer, before they are on
    /// flash (write-back).
    pub writes_back: bool,
    /// True if the drive promises that a trim survives a power cut in the same way as a write.
    pub keeps_trims: bool,
}

/// Set of the drive's own counts of flash operations, units and bytes, which the checker compares with its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriveCounts {
    /// Number of flash pages that the drive read, as it counts them itself, by origin of the read.
    pub pages_read: [u64; Origin::COUNT],
    /// Number of flash pages that the drive programmed, as it counts them itself, by origin of the program.
    pub pages_programmed: [u64; Origin::COUNT],
    /// Number of mapping units that the drive programmed, as it counts them itself, by origin of the unit.
    pub units_programmed: [u64; Origin::COUNT],
    /// Number of flash blocks that the drive erased, as it counts them itself, by origin of the erase.
    pub blocks_erased: [u64; Origin::COUNT],
    /// Number of bytes in the host's write requests, as the drive counts them.
    pub bytes_written: u64,
    /// Number of bytes, as the drive counts them itself, that it programmed for the host beyond the bytes of the host's
    /// write requests, to fill up mapping units.
    pub bytes_filled_up: u64,
    /// Number of mapping units that host reads fetched, from the flash or from RAM, as the drive counts them.
    pub units_read: u64,
}

/// Record of the busy times of channels and flash arrays that the drive itself counts; the checker compares them with
/// the times that it adds up itself.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// Busy time of each channel in ns, as the drive itself counts it.
    pub channels: Vec<u64>,
    /// Busy time of each die's flash array in ns, as the drive itself counts it, split by purpose: host, garbage
    /// collection, wear levelling, other.
    pub arrays: Vec<[u64; 4]>,
    /// Sums over the drive that the drive itself counts, for the checker to compare: array time in ns by kind of
    /// operation (read, program, erase, copyback) and purpose (host, garbage collection, ...), and bytes moved over the
    /// channels.
    pub work: Work,
    /// Number of flash operations in flight, by the drive's own count.
    pub in_flight: usize,
}

/// Kind of location at which the drive stores the version of a logical unit that a snapshot sees: flash, write buffer,
/// or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAt {
    /// Case of location: none, because the unit held no data when the snapshot was taken.
    Nowhere,
    /// Case of location: the write buffer holds the unit's version that the snapshot sees.
    Buffered,
    /// Case of location: the unit's version that the snapshot sees is on flash, at this physical address.
    Flash(Ppa),
}

/// Interface of a copy of the drive's logical-to-physical map from the time at which the checker's own model began
/// (start of the run): looks up units and physical addresses in the copy, which never changes afterwards.
pub trait MapAtFirst {
    /// Returns the physical address of unit `lpn` when the checker's own model began, or [`Ppa::NONE`] if the unit held
    /// no data.
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// Returns the logical unit whose valid data lay at physical address `ppa` when the checker's own model began, or
    /// [`Lpn::NONE`] if there were none.
    fn living_at(&self, ppa: Ppa) -> Lpn;

    /// Calls `name` with each logical unit that had a physical address when the checker's own model began, and with
    /// this address.
    fn each(&self, name: impl FnMut(Lpn, Ppa));
}

/// Interface of a drive under test, as the checker asks it: for its facts, its map, the state of its flash and its own
/// counts.
pub trait Examined {
    /// Type of the copy of the drive's logical-to-physical map that is made when the checker's own model begins.
    type Beginning: MapAtFirst;

    /// Returns, for the checker, the facts about the drive under test that never change in a run, such as its
    /// configuration keys, sizes and promises.
    fn facts(&self) -> Facts;

    /// Returns a copy of the drive's logical-to-physical map as it is now; the checker calls this once, when its own
    /// model begins.
    fn beginning(&self) -> Self::Beginning;

    /// Returns the list of logical units whose physical address may differ from the one in `beginning`, or `None` if
    /// the drive records no such list, so that each unit must be looked up.
    fn changed_since(&self, beginning: &Self::Beginning) -> Option<Vec<Lpn>>;

    /// Returns the physical address of unit `lpn` in the drive's map now, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// Returns the logical unit that the spare area on flash names for physical address `ppa`.
    fn holder(&self, ppa: Ppa) -> Lpn;

    /// Answers the checker: returns true if the drive under test counts the unit at physical address `ppa` as valid.
    fn is_valid(&self, ppa: Ppa) -> bool;

    /// Returns the number of valid units in each superblock, as the drive under test counts them.
    fn valid_units(&self) -> &[u32];

    /// Returns the number of page rows (multi-plane pages) that are programmed in `superblock`.
    fn rows_programmed(&self, superblock: usize) -> u32;

    /// Returns true if `superblock` of the drive under test is in SLC mode: its cells hold one bit each.
    fn holds_one_bit(&self, superblock: usize) -> bool;

    /// Returns true if `superblock` of the drive under test holds the parity of other superblocks.
    fn holds_parity(&self, superblock: usize) -> bool;

    /// Returns the list of serial numbers of the snapshots that the drive under test has, oldest first, or `None` if
    /// the drive does not support snapshots.
    fn snapshots(&self) -> Option<Vec<u32>>;

    /// Returns where the drive has the version of unit `lpn` that snapshot `serial` sees: on flash, in the write
    /// buffer, or nowhere.
    fn kept_at(&self, serial: u32, lpn: Lpn) -> KeptAt;

    /// Returns true if the drive under test has become read-only and accepts no more writes.
    fn is_read_only(&self) -> bool;

    /// Returns the number of the write buffer slot of the drive under test that holds the newest data of unit `lpn`;
    /// `None` if the buffer does not hold the unit. The checker asks only on a drive with zones, whose buffer keeps
    /// data over saved states and power cuts.
    fn buffered(&self, lpn: Lpn) -> Option<u32>;

    /// Returns, for each zone of the drive under test, the number of written units that the drive reports, and true if
    /// the host finished the zone; empty on a drive without zones.
    fn zones(&self) -> Vec<(u32, bool)>;

    /// Returns true while the write buffer of the drive under test holds data that must still be programmed to flash
    /// (dirty data).
    fn is_draining(&self) -> bool;

    /// Returns the counts of operations and bytes that the drive under test keeps itself, for the checker to compare.
    fn counted(&self) -> DriveCounts;

    /// Returns the drive's own counts of the busy times of its channels and arrays up to `now`.
    fn busy(&self, now: SimTime) -> Busy;
}

/// Record of a host request that the drive has answered, which the simulator passes to the checker.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// Number (id) that identifies the request in the events.
    pub id: u32,
    /// Field of an answered request: the request as the host made it, with its offset and length in bytes.
    pub host: &'a HostRequest,
    /// Field of an answered request: first mapping unit that the request touches.
    pub first: Lpn,
    /// Number of mapping units that the answered request touches.
    pub units: u32,
    /// True if the drive answered the request with an error.
    pub failed: bool,
    /// True if a part of the data that a read asked for could not be corrected by the ECC.
    pub uncorrectable: bool,
}

/// Kind of event that is reported to the checker about snapshots, or about versions of logical units that only
/// snapshots see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEvent {
    /// Case of event: the snapshot with this serial number was taken; it sees the data that the drive holds now.
    Taken(u32),
    /// Case of event: the record of the snapshot with this serial number was programmed to flash, so that it and all
    /// data that it sees survive power cuts from now on.
    Recorded(u32),
    /// Case of event: the snapshot with this serial number was deleted; data that only it sees become invalid.
    Dropped(u32),
    /// Case of event: the drive was rolled back to its newest snapshot, which has this serial number, and holds that
    /// snapshot's data again.
    RolledBack(u32),
    /// Case of event: the host has just written this logical unit, and its data were stored in the write-buffer slot
    /// (entry for one unit) with this number.
    Buffered(Lpn, u32),
    /// Case of event: an overwritten version of this logical unit, which a snapshot still sees, was programmed from the
    /// write-buffer slot with this number to this physical address.
    Programmed(Lpn, u32, Ppa),
    /// Case of event: a version of this logical unit that only snapshots see was moved from the first physical address
    /// to the second.
    Moved(Lpn, Ppa, Ppa),
    /// Case of event reported to the checker: the roll-back to a snapshot changed the map entry of this logical unit
    /// from the first physical address to the second, which holds its older version.
    Returned(Lpn, Ppa, Ppa),
}
