//! Write amplification in a result: what it was made of, what was owed before, what it comes to in the long run.

use super::amplification::{LongRun, VICTIMS_LEAST, collected};
use super::block_log;
use crate::measure::spread;
use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use controller::Origin;
use ftl::FtlStats;

sections! {
    /// Parts of write amplification, by origin of the programs: bytes programmed for each origin, per byte that the
    /// host wrote. The parts add up to `waf`. Null: nothing was programmed for this origin.
    WafParts {
        /// Part of the run's write amplification due to the host's own bytes, as they were programmed to flash: below 1
        /// where the host overwrote them in the write buffer, or the buffer still holds them.
        host: f64,
        /// Part of the run's write amplification due to filling up mapping units: the rest of units that the host wrote
        /// in part, programmed beside that part.
        fill_up: Option<f64>,
        /// Part of the run's write amplification due to garbage collection for the free space that the programs of the
        /// measured window took.
        gc: f64,
        /// Part of the run's write amplification due to garbage collection for free space that was missing when the
        /// measured window began; 0 where none was missing. Space that the window left to be collected later is not in
        /// it.
        gc_debt: f64,
        /// Part of the run's write amplification due to wear levelling.
        wear: Option<f64>,
        /// Part of the run's write amplification due to data moved out of superblocks in which a program failed.
        rescue: Option<f64>,
        /// Part of the run's write amplification due to empty units (padding) that complete a program unit.
        padding: f64,
        /// Part of the run's write amplification due to data that the regulator (policy that chooses how costly each
        /// write is) asked to be rewritten, that is programmed again so that later reads of them take less time.
        rewrite: Option<f64>,
        /// Part of the run's write amplification due to refresh: data moved to newly programmed pages before its
        /// retention time is over, or because its block was read too often.
        refresh: Option<f64>,
        /// Part of the run's write amplification due to the map: bytes programmed for units of the logical-to-physical
        /// map, per byte that the host wrote.
        map: Option<f64>,
        /// Part of the run's write amplification due to data that the patrol (background scrub) rewrote, that is moved
        /// to newly programmed pages, because errors came near the limit of the error-correcting code.
        scrub: Option<f64>,
        /// Part of the run's write amplification due to folding: data moved from the SLC cache to superblocks that use
        /// all bits per cell.
        fold: Option<f64>,
        /// Part of the run's write amplification due to parity across dies.
        parity: Option<f64>,
        /// Part of the run's write amplification due to data restored from parity and programmed again.
        rebuild: Option<f64>,
        /// Part of the run's write amplification due to programs for read-ahead (data read before the host asked for
        /// it); null, because read-ahead programs nothing.
        read_ahead: Option<f64>,
    }

    /// Numbers of bytes from which write amplification is calculated, and whether the contents of the write buffer
    /// would change it.
    WafBytes {
        /// Number, in the result, of bytes that the host's write requests carried into the drive.
        host_written: u64 = "bytes",
        /// Number, in the result, of bytes programmed to the flash, for all origins.
        programmed: u64 = "bytes",
        /// Number, in the result, of bytes programmed for the host that no request carried: the rest of units that the
        /// host wrote in part. Null in a result of an older format, which lacks this number.
        filled_up: Option<u64> = "bytes",
        /// Number, in the result, of bytes of the host's data that were only in the write buffer when the window began;
        /// null in a result of an older format.
        held_before: Option<u64> = "bytes",
        /// Number, in the result, of bytes of the host's data that were only in the write buffer when the window ended:
        /// written, and not on flash yet. Null in a result of an older format.
        held: Option<u64> = "bytes",
        /// Absolute change of the amount of host data that only the write buffer held, from the beginning to the end of
        /// the window, as a share of what the host wrote.
        held_share: f64 = "ratio",
        /// True if write amplification is hardly affected by the write buffer filling or emptying during the window:
        /// the change of the buffer's contents (`held_share`) is at most 3 % of the bytes that the host wrote.
        settled: bool = "yes/no",
    }

    /// Estimate of write amplification in the long run, if the workload goes on as it did.
    WafLongRun {
        /// Estimated write amplification in the long run; null where the run is too short.
        value: Option<f64> = "ratio",
        /// Lower end of the confidence interval of the estimated long-run write amplification; null where the run is
        /// too short.
        low: Option<f64> = "ratio",
        /// Upper end of the confidence interval of the estimated long-run write amplification; null where the run is
        /// too short.
        high: Option<f64> = "ratio",
        /// Half width of the confidence interval of the estimated long-run write amplification, as a share of the
        /// estimate; null where the run is too short.
        half_width_relative: Option<f64> = "ratio",
        /// Confidence level, in the result, of the interval from `low` to `high`: share of runs like this one whose
        /// interval contains the true long-run write amplification.
        confidence_level: f64 = "ratio",
        /// Number of garbage collection victims, or merges of a block-level map, on which the estimate of long-run
        /// write amplification rests.
        victims: u64 = "superblocks",
        /// Number of consecutive parts of the run (batches) from whose variance the confidence interval follows; null
        /// where the run is too short.
        batches: Option<usize> = "count",
        /// Share of the run that was left out at its beginning because the write amplification of the later part
        /// differs from it.
        left_out: f64 = "ratio",
        /// Number of times that the run overwrote the logical space (host bytes over logical capacity); data that the
        /// run has not overwritten are as they were before.
        overwrites: f64 = "ratio",
        /// Part of the result with the facts that say why there is no estimate of long-run write amplification; null
        /// where there is one.
        too_short: Option<TooShort>,
    }

    /// Set of facts that say why a run is too short for an estimate of long-run write amplification.
    TooShort {
        /// Number of garbage collection victims, or merges of a block map, in the run without the part that was left
        /// out.
        victims: u64 = "superblocks",
        /// Number of garbage collection victims that an estimate of long-run write amplification needs at least, given
        /// in the result for comparison with `victims`.
        needed: u64 = "superblocks",
        /// True if write amplification had not settled: the end of the run still differed from what came before.
        drifting: bool = "yes/no",
        /// Reason, by name, why the result has no estimate of long-run write amplification: `victims`, there were too
        /// few; `drifting`, write amplification had not reached a steady level; `folding`, data went to the SLC cache
        /// and none were folded, so that the cost of folding is not known; `room`, a part of the run gained no free
        /// space.
        #[schemars(extend("enum" = ["victims", "drifting", "folding", "room"]))]
        reason: String = "text",
    }

    /// Results on garbage collection debt: free space for writes that was missing when the window began, or that the
    /// window left to be collected later.
    Debt {
        /// Free space, in mapping units, that garbage collection gained beyond what the measured window's programs
        /// took; negative: the programs took more than garbage collection gained.
        room_units: f64 = "mapping units",
        /// Free space, in superblocks, that garbage collection gained beyond what the measured window's programs took;
        /// negative: the programs took more than garbage collection gained.
        room_superblocks: f64 = "superblocks",
        /// Number of mapping units that garbage collection moved to make up for free space missing at the beginning of
        /// the measured window.
        units_moved: f64 = "mapping units",
        /// Number of mapping units that the measured window left to be moved later, at the cost per unit of the
        /// window's own victims; null where these victims gained no free space.
        units_deferred: Option<f64> = "mapping units",
    }
}

/// Constant limit for the key `settled` of the result: greatest change of the write buffer's contents in the window, as
/// a fraction of what the host wrote, at which write amplification counts as settled (hardly affected by data that only
/// entered or left the buffer).
const SETTLED: f64 = 0.03;

/// Makes the section of the result with the bytes from which write amplification is calculated; `None` without host
/// writes.
pub(super) fn bytes<P: Observer>(run: &Run<P>, stats: &FtlStats) -> Option<WafBytes> {
    let held = run.ftl.buffer().held_bytes();
    let held_share = held.abs_diff(run.held_before) as f64 / stats.bytes_written as f64;
    (stats.bytes_written > 0).then(|| WafBytes {
        host_written: stats.bytes_written,
        programmed: stats.bytes_programmed(run.ftl.layout().unit),
        filled_up: Some(stats.bytes_filled_up),
        held_before: Some(run.held_before),
        held: Some(held),
        held_share,
        settled: held_share <= SETTLED,
    })
}

pub(super) fn of_long_run<P: Observer>(found: &LongRun, run: &Run<P>, stats: &FtlStats) -> WafLongRun {
    let too_short = TooShort {
        victims: found.victims,
        needed: VICTIMS_LEAST,
        drifting: found.drifting,
        reason: found.reason.name().into(),
    };
    WafLongRun {
        value: found.interval.map(|interval| interval.value),
        low: found.interval.map(|interval| interval.low()),
        high: found.interval.map(|interval| interval.high()),
        half_width_relative: found.interval.map(|interval| interval.relative()),
        confidence_level: spread::LEVEL,
        victims: found.victims,
        batches: found.interval.map(|interval| interval.batches),
        left_out: found.left_out,
        overwrites: stats.bytes_written as f64 / block_log::capacity(run) as f64,
        too_short: found.interval.is_none().then_some(too_short),
    }
}

/// Makes the sections `waf_parts` and `debt`: the parts of write amplification by origin, and garbage collection for
/// free space that the window did not use.
pub(super) fn parts_and_debt<P: Observer>(
    run: &Run<P>,
    stats: &FtlStats,
) -> (Option<WafParts>, Option<Debt>) {
    if stats.bytes_written == 0 {
        return (None, None);
    }
    let (collected, debt) = collected(run, stats);
    let (unit, written) = (run.ftl.layout().unit.get() as f64, stats.bytes_written as f64);
    let per_byte = |units: f64| units * unit / written;
    let units = |origin: Origin| stats.units_programmed[origin as usize];
    let always = |origin: Origin| per_byte(units(origin) as f64);
    let filled_up = stats.bytes_filled_up as f64 / written;
    let of = |origin: Origin| (units(origin) > 0).then(|| always(origin));
    let parts = WafParts {
        host: always(Origin::Host) - filled_up,
        fill_up: (stats.bytes_filled_up > 0).then_some(filled_up),
        gc: per_byte(collected),
        gc_debt: per_byte(units(Origin::Gc) as f64 - collected),
        wear: of(Origin::Wear),
        rescue: of(Origin::Rescue),
        padding: always(Origin::Padding),
        rewrite: of(Origin::Rewrite),
        refresh: of(Origin::Refresh),
        map: of(Origin::Map),
        scrub: of(Origin::Scrub),
        fold: of(Origin::Fold),
        parity: of(Origin::Parity),
        rebuild: of(Origin::Rebuild),
        read_ahead: of(Origin::ReadAhead),
    };
    (Some(parts), debt)
}
