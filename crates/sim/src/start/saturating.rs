//! Writes of units, one after the other, as fast as a drive takes them.

use host::{Completion, HostRequest, Op, Poll, Workload, WorkloadError, WorkloadReport};
use units::{Lpn, SimTime};

/// Requests outstanding: enough for the programs that a die may have waiting, and to keep the link busy while the
/// buffer has room.
const DEPTH: u32 = 64;

/// Writes of `units` as fast as the drive takes them, until `units` ends, if it does.
pub(crate) struct Saturating<I> {
    units: I,
    unit: u32,
    outstanding: u32,
}

impl<I: Iterator<Item = Lpn>> Saturating<I> {
    /// Writes of these units, of `unit` bytes each.
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
