//! What became of the drive's parts: wear, wires, and how busy everything was.

use crate::run::BusyTimes;
use ftl::{Ftl, FtlStats};
use serde_json::{Value, json};

pub(super) fn wear(ftl: &Ftl, stats: &FtlStats, erases: u64) -> Value {
    let cycles = ftl.array().pe_cycles_by_block();
    let total: u64 = cycles.iter().map(|&count| u64::from(count)).sum();
    json!({
        "pe_cycles_min": cycles.iter().min(),
        "pe_cycles_mean": total as f64 / cycles.len() as f64,
        "pe_cycles_max": cycles.iter().max(),
        "bad_blocks": ftl.array().bad_blocks(),
        "blocks_erased": erases,
        "superblocks_lost": stats.superblocks_lost,
        "read_only": ftl.is_read_only(),
    })
}

/// What the channels spoke, and how fast: the interface may have been agreed on with an older chip.
pub(super) fn bus_of(ftl: &Ftl) -> Value {
    let bus = ftl.controller().bus();
    let signalling = bus.signalling();
    json!({
        "interface": bus.spoken(),
        "cycle_ns": signalling.cycle.as_ns(),
        "shortest_period_ns": signalling.shortest.as_ns(),
        "data_in_bytes_per_s": signalling.data_in.bytes_per_s(),
        "data_out_bytes_per_s": signalling.data_out.bytes_per_s(),
        "pins_shared": signalling.pins.shared,
        "pins_per_way": signalling.pins.per_way,
    })
}

const WEAR_COLUMNS: usize = 256;

/// Mean program/erase cycles by die (row) and group of neighbouring blocks (column).
pub(super) fn wear_map(ftl: &Ftl) -> Value {
    let cycles = ftl.array().pe_cycles_by_block();
    let dies = ftl.layout().dies as usize;
    let per_die = cycles.len() / dies;
    let group = per_die.div_ceil(WEAR_COLUMNS);
    let mean =
        |blocks: &[u32]| blocks.iter().map(|&count| f64::from(count)).sum::<f64>() / blocks.len() as f64;
    let values: Vec<Vec<f64>> =
        cycles.chunks(per_die).map(|die| die.chunks(group).map(mean).collect()).collect();
    json!({ "dies": dies, "columns": per_die.div_ceil(group), "blocks_per_column": group, "values": values })
}

pub(super) fn utilisation(now: &BusyTimes, before: &BusyTimes, span_ns: u64) -> Value {
    let share = |busy: u64| if span_ns == 0 { 0.0 } else { busy as f64 / span_ns as f64 };
    let channels: Vec<f64> =
        now.channels.iter().zip(&before.channels).map(|(now, then)| share(now - then)).collect();
    let arrays: Vec<[u64; 4]> = now
        .arrays
        .iter()
        .zip(&before.arrays)
        .map(|(now, then)| std::array::from_fn(|column| now[column] - then[column]))
        .collect();
    let dies: Vec<f64> = arrays.iter().map(|busy| share(busy.iter().sum())).collect();
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let by_origin = |column: usize| -> Vec<f64> { arrays.iter().map(|busy| share(busy[column])).collect() };
    json!({
        "channel": mean(&channels),
        "die": mean(&dies),
        "link_to_drive": share(now.wires[0] - before.wires[0]),
        "link_to_host": share(now.wires[1] - before.wires[1]),
        "per_channel": channels,
        "per_die": dies,
        "per_die_by_origin": {
            "host": by_origin(0), "gc": by_origin(1), "wear": by_origin(2), "other": by_origin(3),
        },
    })
}
