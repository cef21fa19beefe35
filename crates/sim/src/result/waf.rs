//! Write amplification in a result: what it was made of, what was owed before, what it comes to in the long run.

use super::amplification::{LongRun, VICTIMS_LEAST, collected};
use super::section::sections;
use crate::observers::Observer;
use crate::run::Run;
use crate::spread;
use controller::Origin;
use ftl::FtlStats;

sections! {
    /// What write amplification was made of: bytes programmed for each origin, per byte the host wrote. The parts add up
    /// to `waf`. Null: nothing was programmed for this origin.
    WafParts {
        /// The host's own bytes, as they came to the flash: below 1 where it overwrote them in the buffer, or the buffer
        /// still holds them.
        host: f64,
        /// Filling up mapping units: the rest of units that the host wrote a part of, programmed beside that part.
        fill_up: Option<f64>,
        /// Garbage collection for the room that the window's own writes took.
        gc: f64,
        /// Garbage collection for room that was missing when the window began; negative where the window left room to
        /// be collected later.
        gc_debt: f64,
        /// Wear levelling.
        wear: Option<f64>,
        /// Data moved out of superblocks in which a program failed.
        rescue: Option<f64>,
        /// Empty units that complete a program unit.
        padding: f64,
        /// Data written again so that reading it costs less.
        rewrite: Option<f64>,
        /// Data written again before its retention time is over, or because its block was read too often.
        refresh: Option<f64>,
        /// The map's own units.
        map: Option<f64>,
        /// Data that the patrol wrote again.
        scrub: Option<f64>,
        /// Data folded out of the SLC cache.
        fold: Option<f64>,
        /// Parity over dies.
        parity: Option<f64>,
        /// Data brought back from parity.
        rebuild: Option<f64>,
        /// Data read ahead.
        read_ahead: Option<f64>,
    }

    /// The bytes that write amplification is made of, and whether what the buffer holds would change it.
    WafBytes {
        /// Bytes that the host's write requests carried into the drive.
        host_written: u64 = "bytes",
        /// Bytes programmed to the flash, for all origins.
        programmed: u64 = "bytes",
        /// Of those programmed for the host, bytes that no request of its carried: the rest of units that it wrote a
        /// part of. Null in a result of an older format that does not tell.
        filled_up: Option<u64> = "bytes",
        /// Bytes of the host's that were in the buffer alone when the window began; null in a result of an older format.
        held_before: Option<u64> = "bytes",
        /// Bytes of the host's that were in the buffer alone when the window ended: written, and not on flash yet. Null in a
        /// result of an older format.
        held: Option<u64> = "bytes",
        /// What the buffer held more, or less, at the end than at the beginning, as a share of what the host wrote.
        held_share: f64 = "ratio",
        /// That share is at most 3 %. Where it is more, `waf` says how full the buffer is rather than what the drive
        /// does.
        settled: bool = "yes/no",
    }

    /// What write amplification comes to in the long run, if the workload goes on as it did.
    WafLongRun {
        /// The estimate; null where the run is too short for one.
        value: Option<f64> = "ratio",
        /// The lower end of its confidence interval; null where the run is too short.
        low: Option<f64> = "ratio",
        /// The upper end of its confidence interval; null where the run is too short.
        high: Option<f64> = "ratio",
        /// Half the interval as a share of the value; null where the run is too short.
        half_width_relative: Option<f64> = "ratio",
        /// The share of such runs whose interval holds the true value.
        confidence_level: f64 = "ratio",
        /// Victims of garbage collection, or merges of a block map, that the estimate rests on.
        victims: u64 = "superblocks",
        /// Parts of the run whose differences give the interval; null where the run is too short.
        batches: Option<usize> = "count",
        /// The share of the run that was left out at its beginning because it went on differently.
        left_out: f64 = "ratio",
        /// How often the run wrote the logical space over: what it has not reached is as it was before.
        overwrites: f64 = "ratio",
        /// Why there is no estimate; null where there is one.
        too_short: Option<TooShort>,
    }

    /// Why a run is too short for an estimate.
    TooShort {
        /// Victims, or merges, that there were.
        victims: u64 = "superblocks",
        /// Victims that are needed at least.
        needed: u64 = "superblocks",
        /// The run had not settled: its end still differed from what came before.
        drifting: bool = "yes/no",
        /// What is missing: `victims`, there were too few; `drifting`, the run had not settled; `folding`, data went to the SLC
        /// cache and none were folded, so that what folding costs is not known; `room`, a part of the run gained no room.
        #[schemars(extend("enum" = ["victims", "drifting", "folding", "room"]))]
        reason: String = "text",
    }

    /// Room for writes that was missing when the window began, or that it left to be collected later.
    Debt {
        /// Room gained beyond what the window's programs took; negative: room used up.
        room_units: f64 = "mapping units",
        /// The same in superblocks.
        room_superblocks: f64 = "superblocks",
        /// Units that garbage collection moved to make up for room missing at the beginning.
        units_moved: f64 = "mapping units",
        /// Units that the window left to be moved later, at the price of its own victims; null where these gained no
        /// room.
        units_deferred: Option<f64> = "mapping units",
    }
}

/// Of what the host wrote the buffer may come to hold so much more, or less, before write amplification says more about
/// the buffer than about the flash.
const SETTLED: f64 = 0.03;

/// What write amplification is made of; none without writes.
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
        overwrites: stats.bytes_written as f64 / run.ftl.layout().capacity().get() as f64,
        too_short: found.interval.is_none().then_some(too_short),
    }
}

/// `waf_parts` and `debt`: `waf` by what made it up, with what collection did for room that the window did not use.
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
