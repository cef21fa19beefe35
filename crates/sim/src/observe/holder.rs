//! A drive whose requests come from outside while it runs, and whose data an image holds: the simulator itself stores none.

use controller::{Origin, Transaction};
use ftl::Damage;
use host::HostRequest;
use units::{Lpn, Ppa, SimTime};

/// Description of a host request that the drive is answering, for a holder of the drive's data, such as a drive image.
#[derive(Clone, Copy, Debug)]
pub struct HostAnswer<'a> {
    /// Field of the answered request's description: number (id) by which the simulated drive names the request while it
    /// is in flight.
    pub id: u32,
    /// Field of the answered request's description: the host request itself, in the form in which the host made it.
    pub host: &'a HostRequest,
    /// Field of the answered request's description: true if the drive answers the request with an error.
    pub failed: bool,
    /// Field of the answered request's description: simulated time at which the drive answers the request.
    pub now: SimTime,
}

/// Counts of the losses by a power cut that ended host and drive together, as the drive's image reports them: requests,
/// mapping units, and damaged flash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// Field of the reported losses: number of the host's requests that were never answered because of the power cut.
    pub requests: u32,
    /// Number of mapping units lost by the power cut: the host was told that their writes are complete, but their data
    /// had not reached the flash.
    pub units: u32,
    /// Field: counts of the damage that the power cut did to the flash: page rows torn or spoiled by interrupted
    /// programs, superblocks with an interrupted erase, and mapping units lost with a failed die.
    pub damage: Damage,
}

/// Interface for a holder of a drive's data, such as a drive image, which stores the contents of the write buffer's
/// slots and of the flash.
///
/// The simulator reports everything that the drive does with data, in the order in which it happens; `home` and
/// `lookup` give the physical address of a unit according to the map, [`Ppa::NONE`] if it has none.
pub trait Holder: Send {
    /// Tells the holder of the drive's data that the drive accepts a request under this id; `number` is the request's
    /// number in the workload (its source), such as the line of a trace.
    fn on_number(&mut self, id: u32, number: Option<u64>);
    /// Tells the holder that the data that a write brings for unit `lpn`, whose physical address so far is `home`,
    /// enter the drive. The next [`Self::on_buffered`] gives the slot of the write buffer for these data.
    fn on_content(&mut self, id: u32, request: &HostRequest, lpn: Lpn, home: Ppa);
    /// Tells the holder that the data of unit `lpn` are in `slot` of the write buffer: the whole unit, completed with
    /// older data if the write brought only a part.
    fn on_buffered(&mut self, lpn: Lpn, slot: u32);
    /// Tells the holder that `slot` of the write buffer now contains, as cached data, the data read at the physical
    /// address `ppa`.
    fn on_kept(&mut self, slot: u32, ppa: Ppa);
    /// Tells the holder that a program of `units` units is submitted to the flash; `source` gives for each unit its
    /// origin (on whose behalf it is programmed) and where its data come from (a slot of the write buffer, or a
    /// physical address for relocated data), as in [`ftl::Probe::on_place`].
    fn on_place(&mut self, program: &Transaction, units: u32, source: &dyn Fn(u32) -> (Origin, u64));
    /// Tells the holder of the drive's data that a flash operation has finished.
    fn on_finish(&mut self, operation: &Transaction);
    /// Tells the holder of the drive's data (such as a drive image) that the newest data of unit `lpn` are on flash at
    /// the physical address `ppa`; no slot of the write buffer has newer data.
    fn on_settled(&mut self, lpn: Lpn, ppa: Ppa);
    /// Tells the holder of the drive's data that the host trimmed unit `lpn`.
    fn on_trim(&mut self, lpn: Lpn);
    /// Tells the holder of the drive's data that a superblock is erased; its index counts over the whole drive.
    fn on_erase(&mut self, superblock: usize);
    /// Tells the holder that the drive answers a request; for a read the holder supplies the data that the drive
    /// contains at this time.
    fn on_answer(&mut self, answer: &HostAnswer<'_>, lookup: &dyn Fn(Lpn) -> Ppa);
}
