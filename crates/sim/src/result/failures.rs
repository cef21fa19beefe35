//! What a die or a channel that failed took along.

use crate::run::failure::Failures;
use crate::sections::sections;

sections! {
    /// Results on the planned failure of a die, or of a channel with all its dies, in the middle of the run.
    Fault {
        /// True if the planned failure of a die or channel did not happen because the run was over before it was due.
        is_to_come: bool = "yes/no",
        /// Simulated time in nanoseconds of the planned failure of a die or channel; null where it did not happen.
        at_ns: Option<u64> = "ns",
        /// Number of flash operations (each page read, page programmed or block erased counts as one) done from the
        /// beginning of the run to the planned failure of a die or channel; 0 where the failure did not happen.
        operations: u64 = "operations",
        /// List, in the result, of the indices of the dies that failed by the planned failure.
        dies: Vec<u32> = "dies",
        /// Number of programs that were in flight or waiting on the failed dies: their data went to other dies, as far
        /// as they were in RAM.
        programs_failed: u64 = "programs",
        /// Number of mapping units on the failed dies whose data parity across dies can restore.
        units_protected: u64 = "mapping units",
        /// Number of mapping units on the failed dies whose data are lost.
        units_lost: u64 = "mapping units",
    }
}

/// Makes the section of the result about the planned failure of a die or channel; `None` where no failure was planned.
pub(super) fn fault(failures: &Failures) -> Option<Fault> {
    let done = failures.done.as_ref();
    let failed = done.map(|failure| failure.failed).unwrap_or_default();
    failures.are_planned().then(|| Fault {
        is_to_come: failures.is_to_come(),
        at_ns: done.map(|failure| failure.at.ns()),
        operations: done.map_or(0, |failure| failure.operations),
        dies: done.map_or_else(Vec::new, |failure| failure.dies.clone()),
        programs_failed: failed.programs,
        units_protected: failed.units_protected,
        units_lost: failed.units_lost,
    })
}
