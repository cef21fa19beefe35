//! What writes and reads cost on a drive with a code, and what is done before data is lost.

use super::ftl::{HostOrOther, host_or_other};
use crate::measure::retries::ByRetries;
use crate::observe::Observer;
use crate::run::{Run, regulation_counts};
use crate::sections::sections;
use ftl::{Ftl, RegulationCounts};
use host::Effect;

sections! {
    /// Results on the write costs, ways to program a page among which the drive chooses. Each list has one entry for
    /// each write cost.
    WriteCost {
        /// List, in the result, of the voltage steps in microvolts between two program pulses, one for each write cost:
        /// a coarser step is faster and leaves more bit errors.
        steps_uv: Vec<u64> = "uV",
        /// List, in the result, of the names of the sets of voltages (program-verify and read reference voltages), one
        /// for each write cost; null for the chip's default.
        voltages: Vec<Option<String>> = "text",
        /// List, in the result, of the retention times in nanoseconds for which data must stay readable, one for each
        /// write cost.
        retention_ns: Vec<u64> = "ns",
        /// Numbers, in the result, of mapping units written with each write cost (way to program a page), for the host
        /// and for all other origins.
        units_by_step: HostOrOtherList = "mapping units",
        /// Number of writes that took a finer voltage step between program pulses than chosen because the block was too
        /// worn for it.
        writes_refined: u64 = "writes",
    }

    /// Pair of lists of counts, one for the host's requests and one for all other origins: either of mapping units
    /// written, with one count for each write cost, or of flash reads, with one for each kind of read (hard, then soft
    /// reads).
    HostOrOtherList {
        /// List of the counts for the host's requests: of mapping units written (one count for each write cost) or of
        /// flash reads (one for each kind of read: hard, then soft), as the key with this table says.
        host: Vec<u64>,
        /// List of the counts for all origins other than the host: of mapping units written (one count for each write
        /// cost) or of flash reads (one for each kind of read: hard, then soft), as the key with this table says.
        other: Vec<u64>,
    }

    /// Results on the regulator (`ftl.regulator`), the policy that chooses how costly the write and the later reads of
    /// each mapping unit are: numbers of units that it asked to be rewritten and of these that were dropped, and the
    /// memory that it needs.
    Regulator {
        /// Number, in the result, of mapping units that the regulator asked to be rewritten (programmed again) so that
        /// later reads of them take less time.
        rewrites_asked: u64 = "mapping units",
        /// Of the mapping units that the regulator asked to be rewritten, so that reading them takes less time, the
        /// number that were overwritten or moved before, or for which there was no space.
        rewrites_dropped: u64 = "mapping units",
        /// Number, in the result, of bits of state that the regulator (policy that chooses how costly each write is)
        /// stores for each mapping unit.
        bits_per_unit: u64 = "bits",
        /// Number, in the result, of bytes of state that the regulator (policy that chooses how costly each write is)
        /// stores for all mapping units together.
        overhead_bytes: u64 = "bytes",
    }

    /// Results on refresh: moving data before errors make it unreadable (`ftl.refresh`, `ftl.reading.reclaim`).
    Refresh {
        /// Number of superblocks that refresh moved to newly programmed pages because their retention time was nearly
        /// over, or because they were read too often.
        superblocks_refreshed: u64 = "superblocks",
    }

    /// Results on the patrol (background scrub), which reads stored data in idle time and rewrites it where errors come
    /// near the error-correcting code's limit.
    Scrub {
        /// Configured period, given in the result, in nanoseconds, within which the patrol (background scrub) is to
        /// read each die once.
        period_ns: u64 = "ns",
        /// Number of superblocks that the patrol (background scrub) read.
        superblocks_read: u64 = "superblocks",
        /// Number of superblocks that the patrol (background scrub) rewrote (moved to newly programmed pages) because
        /// errors came near the limit of the error-correcting code.
        superblocks_rewritten: u64 = "superblocks",
        /// Number of rounds of the patrol (background scrub) completed; one round reads one die.
        rounds: u64 = "rounds",
        /// Number of rounds of the patrol (background scrub) that took longer than the period, including rounds in
        /// progress.
        rounds_late: u64 = "rounds",
    }

    /// Results on timer-driven background work (such as refresh and patrol) since the run began.
    Upkeep {
        /// Configured limit on timer-driven background work (such as refresh and patrol), given for comparison with
        /// `share_used`: the greatest share of each die's time that the work may take.
        share: f64 = "ratio",
        /// Share of the dies' time since the run began that timer-driven background work (such as refresh and patrol,
        /// not garbage collection) took, on average over dies; null where no time passed.
        share_used: Option<f64> = "ratio",
        /// Number of superblocks whose move, as timer-driven background work, began.
        superblocks_begun: u64 = "superblocks",
        /// Of the superblocks whose move by timer-driven background work began, the number that began late: longer
        /// after the due time than one superblock takes at the permitted share of the die's time (`share`).
        superblocks_late: u64 = "superblocks",
        /// Number of superblocks whose move by timer-driven background work (such as refresh or scrub) was due, but had
        /// not begun at the end of the run.
        superblocks_waiting: u64 = "superblocks",
        /// Delay in nanoseconds from the time at which the move of a superblock by timer-driven background work was due
        /// until the move began, on average; null where none was begun.
        late_ns_mean: Option<f64> = "ns",
        /// Greatest delay in nanoseconds from the time at which the move of a superblock by timer-driven background
        /// work was due until the move began.
        late_ns_max: u64 = "ns",
    }

    /// Results on error correction: how often reads were corrected, and with how many attempts.
    Ecc {
        /// List, in the result, of the numbers of read reference voltages with which the cells are compared in each
        /// kind of read: the hard read first, then the soft reads.
        references: Vec<u32> = "count",
        /// Numbers of flash reads by the kind of their last attempt, in the order of `references` (hard read, then soft
        /// reads): the attempt that was corrected, or the last one of a read that stayed uncorrectable.
        reads_by_references: HostOrOtherList = "flash reads",
        /// Number of read retries: attempts of flash reads beyond the first.
        read_retries: u64 = "attempts",
        /// Number of flash reads that took more than one attempt, for the host and for other origins.
        reads_retried: HostOrOther = "flash reads",
        /// Numbers and mean latencies of the host's reads, by the greatest number of read retries that one of their
        /// flash reads took.
        requests_by_retries: ByRetries,
        /// Number of flash reads that the error-correcting code could not correct at any attempt, for the host and for
        /// other origins.
        pages_uncorrectable: HostOrOther = "flash reads",
    }
}

fn lists(counts: [&[u64; 8]; 2], length: usize) -> HostOrOtherList {
    let [host, other] = counts.map(|counts| counts[..length].to_vec());
    HostOrOtherList { host, other }
}

pub(super) fn write_cost(ftl: &Ftl, counts: &RegulationCounts) -> Option<WriteCost> {
    let costs = ftl.feature::<ftl::Regulation>()?.costs();
    Some(WriteCost {
        steps_uv: costs.iter().map(|cost| cost.step.get()).collect(),
        voltages: costs.iter().map(|cost| cost.voltages.as_deref().map(str::to_owned)).collect(),
        retention_ns: costs.iter().map(|cost| cost.retention.ns()).collect(),
        units_by_step: lists([&counts.host_units, &counts.other_units], costs.len()),
        writes_refined: counts.refined,
    })
}

pub(super) fn regulator(ftl: &Ftl, counts: &RegulationCounts) -> Option<Regulator> {
    let bits = u64::from(ftl.feature::<ftl::Regulation>()?.bits_per_unit());
    Some(Regulator {
        rewrites_asked: counts.rewrites_asked,
        rewrites_dropped: counts.rewrites_dropped,
        bits_per_unit: bits,
        overhead_bytes: (u64::from(ftl.layout().logical_units) * bits).div_ceil(8),
    })
}

pub(super) fn refresh(ftl: &Ftl, counts: &RegulationCounts) -> Option<Refresh> {
    ftl.feature::<ftl::Regulation>().map(|_| Refresh { superblocks_refreshed: counts.superblocks_refreshed })
}

/// Makes the section of the result about the patrol (background scrub); a round in progress counts as late once it has
/// exceeded the period. None without a patrol.
pub(super) fn scrub<P: Observer>(run: &Run<P>, counts: &RegulationCounts) -> Option<Scrub> {
    let (period, overdue) = run.ftl.patrol(run.ctx.calendar.now())?;
    Some(Scrub {
        period_ns: period.ns(),
        superblocks_read: counts.superblocks_patrolled,
        superblocks_rewritten: counts.superblocks_scrubbed,
        rounds: counts.patrol_rounds,
        rounds_late: counts.patrol_rounds_late + overdue as u64,
    })
}

pub(super) fn upkeep<P: Observer>(run: &Run<P>, span_ns: u64) -> Option<Upkeep> {
    let (counts, share, waiting) = run.ftl.upkeep()?;
    let dies = f64::from(run.ftl.layout().dies);
    let now = run.ctx.calendar.now().ns() as f64;
    Some(Upkeep {
        share,
        share_used: (span_ns > 0).then(|| counts.die_ns as f64 / dies / now),
        superblocks_begun: counts.begun,
        superblocks_late: counts.late,
        superblocks_waiting: waiting,
        late_ns_mean: (counts.begun > 0).then(|| counts.late_ns as f64 / counts.begun as f64),
        late_ns_max: counts.late_ns_max,
    })
}

pub(super) fn ecc<P: Observer>(run: &Run<P>) -> Option<Ecc> {
    let references = run.ftl.feature::<ftl::Regulation>()?.references().to_vec();
    let counts = regulation_counts(&run.ftl).since(&run.counts_before.regulation);
    Some(Ecc {
        reads_by_references: lists([&counts.host_reads, &counts.other_reads], references.len()),
        references,
        read_retries: counts.retries,
        reads_retried: host_or_other(counts.retried),
        requests_by_retries: run.measure.retried.by_retries(&run.measure.ops[Effect::Read as usize]),
        pages_uncorrectable: host_or_other(counts.uncorrectable),
    })
}
