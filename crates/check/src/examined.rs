//! What the account is told of a drive beside its events: facts that never change, where it begins, and what the drive says of
//! itself, which is held against the account.

use crate::shape::FlashShape;
use bus::Signalling;
use controller::{Origin, Work};
use host::{HostRequest, HostSpace};
use units::{Lpn, Ppa, SimTime};

/// What is known of a drive and never changes.
pub struct Facts {
    /// Its resolved keys, each as `--set` takes it; defaults are among them.
    pub keys: Vec<String>,
    /// Where units lie.
    pub shape: FlashShape,
    /// Its namespaces.
    pub space: HostSpace,
    /// What chips and controller speak on the wires.
    pub signalling: Signalling,
    /// By the number that a program bears for how it is written, the usual way left out: the program step, and the set of
    /// voltages where it has one of its own.
    pub ways_to_write: Vec<(f64, Option<String>)>,
    /// Dies whose superblocks of one number protect each other; none without parity.
    pub stripe: Option<u32>,
    /// What it promises of power cuts.
    pub promise: Promise,
    /// Reads may fail although no die fails in the run: it has a code, or a die that was dead before.
    pub reads_may_fail: bool,
}

/// What a drive promises to survive a power cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Promise {
    /// The power will be cut.
    pub is_cut: bool,
    /// Capacitors protect all that the buffer holds.
    pub is_protected: bool,
    /// Writes are answered when the buffer has them.
    pub writes_back: bool,
    /// Trims are as durable as writes.
    pub keeps_trims: bool,
}

/// Operations and bytes that the drive has counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DriveCounts {
    /// Pages read, by origin.
    pub pages_read: [u64; Origin::COUNT],
    /// Pages programmed, by origin.
    pub pages_programmed: [u64; Origin::COUNT],
    /// Units programmed, by origin.
    pub units_programmed: [u64; Origin::COUNT],
    /// Blocks erased, by origin.
    pub blocks_erased: [u64; Origin::COUNT],
    /// Bytes that came with writes of the host's.
    pub bytes_written: u64,
    /// Bytes programmed for the host that came with none of its writes.
    pub bytes_filled_up: u64,
    /// Units that the host read, wherever they were.
    pub units_read: u64,
}

/// Busy times that the drive has counted, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Busy {
    /// Of each channel.
    pub channels: Vec<u64>,
    /// Of each die's array, by column.
    pub arrays: Vec<[u64; 4]>,
    /// Array time by kind, and bytes moved.
    pub work: Work,
    /// Operations in flight.
    pub in_flight: usize,
}

/// Where a snapshot has a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAt {
    /// The snapshot holds no data of the unit.
    Nowhere,
    /// In the buffer.
    Buffered,
    /// On flash.
    Flash(Ppa),
}

/// Where all units lived when the account began; it never changes.
pub trait MapAtFirst {
    /// Where a unit lived, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// The unit that lived at a place, or [`Lpn::NONE`].
    fn living_at(&self, ppa: Ppa) -> Lpn;

    /// Names every unit that lived anywhere, with its place.
    fn each(&self, name: impl FnMut(Lpn, Ppa));
}

/// A drive that says what it holds and has counted.
pub trait Examined {
    /// Where all units live now, to be kept.
    type Beginning: MapAtFirst;

    /// What never changes.
    fn facts(&self) -> Facts;

    /// See [`Self::Beginning`].
    fn beginning(&self) -> Self::Beginning;

    /// The units that may live elsewhere than a beginning says; none where that is not known without asking for all.
    fn changed_since(&self, beginning: &Self::Beginning) -> Option<Vec<Lpn>>;

    /// Where a unit lives, or [`Ppa::NONE`].
    fn lookup(&self, lpn: Lpn) -> Ppa;

    /// What the spare area of a place names.
    fn holder(&self, ppa: Ppa) -> Lpn;

    /// A place counts as valid.
    fn is_valid(&self, ppa: Ppa) -> bool;

    /// Valid units of each superblock.
    fn valid_units(&self) -> &[u32];

    /// Page rows programmed of a superblock.
    fn rows_programmed(&self, superblock: usize) -> u32;

    /// The cells of a superblock hold one bit each.
    fn holds_one_bit(&self, superblock: usize) -> bool;

    /// A superblock holds the parity of others.
    fn holds_parity(&self, superblock: usize) -> bool;

    /// The numbers of the snapshots that are kept, the oldest first; none on a drive that takes none.
    fn snapshots(&self) -> Option<Vec<u32>>;

    /// Where a snapshot that is kept has a unit.
    fn kept_at(&self, serial: u32, lpn: Lpn) -> KeptAt;

    /// It takes no more writes.
    fn is_read_only(&self) -> bool;

    /// True while the buffer has data that must go to the flash.
    fn is_draining(&self) -> bool;

    /// What it has counted.
    fn counted(&self) -> DriveCounts;

    /// Busy times that the drive has counted for its channels and arrays.
    fn busy(&self, now: SimTime) -> Busy;
}

/// A request that is answered.
#[derive(Clone, Copy, Debug)]
pub struct Answered<'a> {
    /// By which its events name it.
    pub id: u32,
    /// What was asked.
    pub host: &'a HostRequest,
    /// The first mapping unit that it touches, and how many it does.
    pub first: Lpn,
    /// See `first`.
    pub units: u32,
    /// With an error.
    pub failed: bool,
    /// Part of what it read is lost.
    pub uncorrectable: bool,
}

/// What happens to snapshots, and to versions that only they see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastEvent {
    /// A snapshot sees what the drive holds now.
    Taken(u32),
    /// A snapshot, and all that it sees, survives power cuts from now on.
    Recorded(u32),
    /// A snapshot is gone.
    Dropped(u32),
    /// The drive holds what its newest snapshot saw.
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
