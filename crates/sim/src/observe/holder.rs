//! A drive whose requests come from outside while it runs, and whose data an image holds: the simulator itself stores none.

use controller::{Origin, Transaction};
use ftl::Damage;
use host::HostRequest;
use units::{Lpn, Ppa, SimTime};

/// A request that the drive answers now.
#[derive(Clone, Copy, Debug)]
pub struct HostAnswer<'a> {
    /// The id of the request.
    pub id: u32,
    /// Request of the host.
    pub host: &'a HostRequest,
    /// True if the drive answers the host's request with an error.
    pub failed: bool,
    /// Time of the answer.
    pub now: SimTime,
}

/// What a power cut lost when host and drive ended together, as the drive's image reports it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Requests that were never answered.
    pub requests: u32,
    /// Units that the host was told are written, and that the flash does not hold.
    pub units: u32,
    /// Damage to the flash by the cut.
    pub damage: Damage,
}

/// The owner of a drive's data, in slots of its buffer and on its flash.
///
/// Told of everything that the drive does with data, in the order in which it does it; `home` and `lookup` say where the map
/// has a unit on flash, [`Ppa::NONE`] for nowhere.
pub trait Holder: Send {
    /// Reports that the drive takes up a request under this id; `number` is the request's number in its
    /// source.
    fn on_number(&mut self, id: u32, number: Option<u64>);
    /// Reports that the data that a write brings for `lpn`, whose place on flash is `home`, enter the drive.
    /// The next [`Self::on_buffered`] gives their slot.
    fn on_content(&mut self, id: u32, request: &HostRequest, lpn: Lpn, home: Ppa);
    /// Reports that the data are in `slot`: the whole unit, completed with older data where the write brought
    /// a part.
    fn on_buffered(&mut self, lpn: Lpn, slot: u32);
    /// Reports that a slot keeps what was read at `ppa`.
    fn on_kept(&mut self, slot: u32, ppa: Ppa);
    /// Reports that a program of `units` units is submitted; `source` says where each unit comes from, as
    /// [`ftl::Probe::on_place`] does.
    fn on_place(&mut self, program: &Transaction, units: u32, source: &dyn Fn(u32) -> (Origin, u64));
    /// Reports that an operation of the flash is over.
    fn on_finish(&mut self, operation: &Transaction);
    /// Reports that the newest data of `lpn` are at `ppa`; no slot has newer ones.
    fn on_settled(&mut self, lpn: Lpn, ppa: Ppa);
    /// Reports that the host forgot `lpn`.
    fn on_trim(&mut self, lpn: Lpn);
    /// Reports that a superblock, numbered over the drive, is erased.
    fn on_erase(&mut self, superblock: usize);
    /// Answers a request; a read takes the data that the drive holds now.
    fn on_answer(&mut self, answer: &HostAnswer<'_>, lookup: &dyn Fn(Lpn) -> Ppa);
}
