//! A drive whose requests come from outside while it runs, and whose data an image holds: the simulator itself stores none.

use controller::{Origin, Transaction};
use ftl::Damage;
use host::HostRequest;
use units::{Lpn, Ppa, SimTime};

/// A request that the drive answers now.
#[derive(Clone, Copy, Debug)]
pub struct HostAnswer<'a> {
    /// The id it was given.
    pub id: u32,
    /// What was asked for.
    pub host: &'a HostRequest,
    /// The drive returns an error.
    pub failed: bool,
    /// When.
    pub now: SimTime,
}

/// What a cut took from a host that ended together with its drive: the image knows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Requests that were never answered.
    pub requests: u32,
    /// Units that the host was told are written, and that the flash does not hold.
    pub units: u32,
    /// What it did to the flash.
    pub damage: Damage,
}

/// Who holds the data of a drive: in slots of its buffer, and on its flash.
///
/// Told of everything that the drive does with data, in the order in which it does it; `home` and `lookup` say where the map
/// has a unit on flash, [`Ppa::NONE`] for nowhere.
pub trait Holder: Send {
    /// A request that is taken up has this id; `number` is its source's.
    fn on_number(&mut self, id: u32, number: Option<u64>);
    /// What a write brings of `lpn`, which lives at `home`, enters the drive. The next [`Self::on_buffered`] says which slot
    /// it has.
    fn on_content(&mut self, id: u32, request: &HostRequest, lpn: Lpn, home: Ppa);
    /// That slot has it: whole, with what was there before where the write brought a part.
    fn on_buffered(&mut self, lpn: Lpn, slot: u32);
    /// A slot keeps what was read at `ppa`.
    fn on_kept(&mut self, slot: u32, ppa: Ppa);
    /// A program of so many units is submitted; `source` says where each comes from, as [`ftl::Probe::on_place`] does.
    fn on_place(&mut self, program: &Transaction, units: u32, source: &dyn Fn(u32) -> (Origin, u64));
    /// An operation of the flash is over.
    fn on_finish(&mut self, operation: &Transaction);
    /// The newest data of `lpn` are at `ppa`; no slot has newer ones.
    fn on_settled(&mut self, lpn: Lpn, ppa: Ppa);
    /// The host forgot `lpn`.
    fn on_trim(&mut self, lpn: Lpn);
    /// A superblock, numbered over the drive, is erased.
    fn on_erase(&mut self, superblock: usize);
    /// A request is answered; of a read, with what the drive holds now.
    fn on_answer(&mut self, answer: &HostAnswer<'_>, lookup: &dyn Fn(Lpn) -> Ppa);
}
