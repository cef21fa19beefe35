//! What regulation counts.

use crate::stats::{Minus, counters};

counters! {
    /// Record of the counters of the cost regulator (which chooses how precisely each page is programmed) and of read
    /// correction, since the drive was built. Arrays of eight are indexed by the write cost (way to program a page), or
    /// by the step of the read sequence, the read ladder: hard read first, then soft reads.
    RegulationCounts {
        /// Counters of the drive: number of host reads, by the rung of the read ladder (hard or soft read) that
        /// corrected the data.
        host_reads: [u64; 8],
        /// Counters of the drive: number of reads other than host reads, by the rung of the read ladder (hard or soft
        /// read) that corrected the data.
        other_reads: [u64; 8],
        /// Counters of the drive: number of mapping units of host data, by the write cost (way to program a page) with
        /// which they were programmed.
        host_units: [u64; 8],
        /// Counters of the drive: number of mapping units of moved data, map and other data that are not the host's, by
        /// the write cost (way to program a page) with which they were programmed.
        other_units: [u64; 8],
        /// Counter of the drive: number of read retries: attempts of reads beyond the first one.
        retries: u64,
        /// Counters of the drive: number of reads that took more than one attempt: host reads at index 0, all other
        /// reads at index 1.
        retried: [u64; 2],
        /// Counters of the drive: number of uncorrectable reads: host reads at index 0, all other reads at index 1.
        uncorrectable: [u64; 2],
        /// Counter of the drive: number of mapping units that the cost regulator asked the drive to program again with
        /// another write cost (way to program a page), so that later reads of them take less time.
        rewrites_asked: u64,
        /// Counter of the drive: number of mapping units that the cost regulator asked the drive to program again for
        /// faster reads and that were not: overwritten or moved before, or without free space.
        rewrites_dropped: u64,
        /// Counter of the drive: number of superblocks relocated by refresh: their data had reached the age, or the
        /// number of reads (read disturb), at which the drive relocates data.
        superblocks_refreshed: u64,
        /// Counter of the drive: number of superblocks relocated because background scrub (patrol) found their error
        /// counts near the limit of the code.
        superblocks_scrubbed: u64,
        /// Counter of the drive: number of superblocks with valid data that background scrub (patrol) read.
        superblocks_patrolled: u64,
        /// Counter of the drive: number of completed rounds of background scrub (patrol), all dies together; one round
        /// reads the superblocks of one die.
        patrol_rounds: u64,
        /// Counter of the drive: number of completed rounds of background scrub (patrol) over one die that took longer
        /// than the required time.
        patrol_rounds_late: u64,
        /// Counter of the drive: number of mapping units that were programmed with a finer (more precise and slower)
        /// write cost than the cost regulator chose, because the block was too worn for the chosen one.
        refined: u64,
    }
}
