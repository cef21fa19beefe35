//! What a die or a channel that failed took along.

use crate::run::failure::Failures;
use crate::sections::sections;

sections! {
    /// A die or a channel that fails in the run.
    Fault {
        /// It was planned and did not come: the run was over before.
        is_to_come: bool = "yes/no",
        /// When it came; null where it did not.
        at_ns: Option<u64> = "ns",
        /// Flash operations since the run began, done by then.
        operations: u64 = "operations",
        /// The dies that failed.
        dies: Vec<u32> = "dies",
        /// Programs that were in flight or waiting there: their data went elsewhere, as far as they were in RAM.
        programs_failed: u64 = "programs",
        /// Mapping units there that parity gives back.
        units_protected: u64 = "mapping units",
        /// Mapping units there that are lost.
        units_lost: u64 = "mapping units",
    }
}

/// What a run says of its failure; none where none was planned.
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
