//! Writes of units, one after the other, as fast as a drive takes them.

use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use units::{Lpn, SimTime};

/// Constant queue depth of the workload of saturating writes (for warm-up and preconditioning measurements): enough
/// outstanding requests for the programs that dies may have waiting, and to keep the link busy while the write buffer
/// has space.
const DEPTH: u32 = 64;

/// Workload, for warm-up and preconditioning measurements, that writes the units of the iterator `units` one after the
/// other, as fast as the drive accepts the writes.
pub(crate) struct Saturating<I> {
    units: I,
    unit: u32,
    outstanding: u32,
}

impl<I: Iterator<Item = Lpn>> Saturating<I> {
    /// Makes a workload, for warm-up and preconditioning measurements, that writes the logical units `units`, each of
    /// `unit` bytes, as fast as the drive accepts them.
    pub fn new(units: I, unit: u32) -> Self {
        Self { units, unit, outstanding: 0 }
    }
}

impl<I: Iterator<Item = Lpn> + Send> Workload for Saturating<I> {
    fn poll(&mut self, now: SimTime) -> Result<Poll, WorkloadError> {
        if self.outstanding == DEPTH {
            return Ok(Poll::Blocked);
        }
        let Some(lpn) = self.units.next() else {
            return Ok(if self.outstanding > 0 { Poll::Blocked } else { Poll::Done });
        };
        self.outstanding += 1;
        let (offset, bytes) = (u64::from(lpn.0) * u64::from(self.unit), self.unit);
        Ok(Poll::Ready(HostRequest::plain(now, Op::WRITE, offset, bytes)))
    }

    fn complete(&mut self, _: &HostRequest, _: &Completion) {
        self.outstanding -= 1;
    }

    fn fraction_done(&self, _: SimTime) -> Option<f64> {
        None
    }

    fn report(&self) -> WorkloadReport {
        WorkloadReport::default()
    }
}
