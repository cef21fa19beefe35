//! What the account is told of a drive beside its events: facts that never change, where it begins, and what the drive says of
//! itself, which is held against the account.

use crate::shape::FlashShape;
use bus::Signalling;
use controller::{Origin, Work};
use host::{HostRequest, HostSpace};
use units::{Lpn, Ppa, SimTime};

/// The facts about a drive that never change.
pub struct Facts {
    /// All configuration keys of the drive with their values, each as `--set` takes it; defaults are among them.
    pub keys: Vec<String>,
    /// Sizes of the flash and the layout of units on it.
    pub shape: FlashShape,
    /// Namespaces of the drive.
    pub space: HostSpace,
    /// Signals between the chips and the controller, with their timing.
    pub signalling: Signalling,
    /// The ways to program a page other than the usual one, in the order of the numbers in transactions: program step,
    /// and the voltage set if the way has its own.
    pub ways_to_write: Vec<(f64, Option<String>)>,
    /// Dies whose superblocks of one number protect each other; none without parity.
    pub stripe: Option<u32>,
    /// What the drive promises to survive a power cut.
    pub promise: Promise,
    /// True if a read may fail although no die fails in the run: the drive has an error-correcting code, or a
    /// die that was dead before.
    pub reads_may_fail: bool,
}

/// What a drive promises to survive a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// True if the run cuts the power of the drive.
    pub is_cut: bool,
    /// True if capacitors protect all data that the buffer holds.
    pub is_protected: bool,
    /// True if the drive acknowledges a write when the buffer has the data of the write.
    pub writes_back: bool,
    /// True if the drive promises that a trim is as durable as a write.
    pub keeps_trims: bool,
}

/// Operations and bytes that the drive has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriveCounts {
    /// Flash pages that the drive read, by origin.
    pub pages_read: [u64; Origin::COUNT],
    /// Flash pages that the drive programmed, by origin.
    pub pages_programmed: [u64; Origin::COUNT],
    /// Mapping units that the drive programmed, by origin.
    pub units_programmed: [u64; Origin::COUNT],
    /// Blocks that the drive erased, by origin.
    pub blocks_erased: [u64; Origin::COUNT],
    /// Bytes that the host's write requests carried.
    pub bytes_written: u64,
    /// Bytes programmed for the host that no write request of the host carried.
    pub bytes_filled_up: u64,
    /// Units that the host read, from the flash or from RAM.
    pub units_read: u64,
}

/// Busy times that the drive has counted, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// Busy time of each channel, in ns.
    pub channels: Vec<u64>,
    /// Of each die's array, in ns: for the host, garbage collection, wear levelling and other work.
    pub arrays: Vec<[u64; 4]>,
    /// Array time by kind, and bytes moved.
    pub work: Work,
    /// Flash operations in flight.
    pub in_flight: usize,
}

/// Where the version of a unit is that a snapshot sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAt {
    /// The snapshot holds no data of the unit.
    Nowhere,
    /// The snapshot's version of the unit is in the buffer.
    Buffered,
    /// The snapshot's version of the unit is on flash, at this place.
    Flash(Ppa),
}

/// The places of all units when the account began; they never change.
pub trait MapAtFirst {
    /// Returns the place of a unit when the account began, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// Returns the unit that lived at a place, or [`Lpn::NONE`].
    fn living_at(&self, ppa: Ppa) -> Lpn;

    /// Names every unit that lived anywhere, with its place.
    fn each(&self, name: impl FnMut(Lpn, Ppa));
}

/// A drive that tells the checker what it holds and has counted.
pub trait Examined {
    /// The map of the drive when the account begins.
    type Beginning: MapAtFirst;

    /// Returns the facts about the drive that never change.
    fn facts(&self) -> Facts;

    /// See [`Self::Beginning`].
    fn beginning(&self) -> Self::Beginning;

    /// Returns the units that may have another place than `beginning` gives; none where only asking for each
    /// unit would tell.
    fn changed_since(&self, beginning: &Self::Beginning) -> Option<Vec<Lpn>>;

    /// Returns the place of a unit now, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// Returns the unit that the spare area of a place names.
    fn holder(&self, ppa: Ppa) -> Lpn;

    /// True if a place on flash counts as valid in the drive.
    fn is_valid(&self, ppa: Ppa) -> bool;

    /// Returns the valid units of each superblock.
    fn valid_units(&self) -> &[u32];

    /// Returns the number of page rows programmed of a superblock.
    fn rows_programmed(&self, superblock: usize) -> u32;

    /// True if the cells of a superblock hold one bit each.
    fn holds_one_bit(&self, superblock: usize) -> bool;

    /// True if a superblock holds the parity of others.
    fn holds_parity(&self, superblock: usize) -> bool;

    /// Returns the numbers of the snapshots that are kept, the oldest first; none on a drive that takes none.
    fn snapshots(&self) -> Option<Vec<u32>>;

    /// Returns where a snapshot that is kept has a unit.
    fn kept_at(&self, serial: u32, lpn: Lpn) -> KeptAt;

    /// True when the drive under test takes no more writes.
    fn is_read_only(&self) -> bool;

    /// True while the buffer has data that must go to the flash.
    fn is_draining(&self) -> bool;

    /// Returns the operations and bytes that the drive has counted.
    fn counted(&self) -> DriveCounts;

    /// Returns the busy times that the drive has counted for its channels and arrays.
    fn busy(&self, now: SimTime) -> Busy;
}

/// A request that is answered.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// The number by which events name the request.
    pub id: u32,
    /// The request in the form in which the host made it.
    pub host: &'a HostRequest,
    /// The first mapping unit that the request touches, and the number of units it touches.
    pub first: Lpn,
    /// See `first`.
    pub units: u32,
    /// True if the drive answered the request with an error.
    pub failed: bool,
    /// True if part of the data that the request read is lost.
    pub uncorrectable: bool,
}

/// Events of snapshots, and of versions that only snapshots see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEvent {
    /// A snapshot sees what the drive holds now.
    Taken(u32),
    /// The snapshot of this number, and all data that it sees, survive power cuts from now on.
    Recorded(u32),
    /// The snapshot of this number was dropped.
    Dropped(u32),
    /// The drive holds again the data that its newest snapshot, of this number, saw.
    RolledBack(u32),
    /// A slot of the buffer holds what the host has just written of a unit.
    Buffered(Lpn, u32),
    /// A version that was overtaken, and that a snapshot sees, went from a slot of the buffer to the flash.
    Programmed(Lpn, u32, Ppa),
    /// A version that only snapshots see was moved from one place to another.
    Moved(Lpn, Ppa, Ppa),
    /// A unit has the version back that lies at the second place, instead of the one at the first.
    Returned(Lpn, Ppa, Ppa),
}
