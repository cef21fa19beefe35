//! What regulation counts.

use crate::stats::{Minus, counters};

counters! {
    /// What regulation counted since the drive was built. Rungs and costs beyond eight do not occur.
    RegulationCounts {
        /// Host reads by the rung of the retries that corrected the read.
        host_reads: [u64; 8],
        /// Reads other than host reads, by the rung of the retries that corrected the read.
        other_reads: [u64; 8],
        /// Mapping units of the host by the cost they were written with.
        host_units: [u64; 8],
        /// Mapping units other than the host's, by the cost they were written with.
        other_units: [u64; 8],
        /// Attempts of reads beyond the first attempt.
        retries: u64,
        /// Reads that took more than one attempt: reads of the host, and all others.
        retried: [u64; 2],
        /// Reads whose data could not be corrected: the host's, all others.
        uncorrectable: [u64; 2],
        /// Units that regulators asked to be written anew.
        rewrites_asked: u64,
        /// Of those, units that were overwritten or moved before, or for which there was no room.
        rewrites_dropped: u64,
        /// Superblocks moved because their data would have been lost, or was read too often.
        superblocks_refreshed: u64,
        /// Superblocks moved because a patrol found their errors near what the code corrects.
        superblocks_scrubbed: u64,
        /// Superblocks whose data a patrol read.
        superblocks_patrolled: u64,
        /// Rounds of the patrol over a die.
        patrol_rounds: u64,
        /// Rounds of the patrol that took longer than the required time.
        patrol_rounds_late: u64,
        /// Writes whose cost the block at hand was too worn for: they took a finer step.
        refined: u64,
    }
}
