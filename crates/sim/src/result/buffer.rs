//! What the buffer, reading ahead and the SLC cache did.

use super::per_second;
use ftl::{Ftl, FtlStats};
use serde_json::{Value, json};

pub(super) fn of(ftl: &Ftl, stats: &FtlStats, span_ns: u64) -> Value {
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let replaced = stats.units_coalesced + stats.units_overwritten_clean;
    let reads = stats.units_read_buffer + stats.units_read_flash;
    let share_held = f64::from(ftl.buffer_units()) / f64::from(ftl.layout().logical_units);
    json!({
        "hit_ratio_read": ratio(stats.units_read_buffer, reads),
        "hit_ratio_write": ratio(replaced, stats.units_written),
        // Found there of what was written; and how much that would be if all units of the drive were written alike.
        "units_replaced": replaced,
        "units_replaced_uniform": stats.units_written as f64 * share_held,
        "units_overwritten_clean": stats.units_overwritten_clean,
        "units_evicted_dirty": stats.units_evicted_dirty,
        "units_evicted_clean": stats.units_evicted_clean,
        // What a power cut at a random moment, and at the worst, takes from a buffer that nothing protects
        // (`ftl.buffer.power_loss_protection`).
        "units_at_risk_mean": per_second(stats.risk_unit_ns as f64 / 1e9, span_ns),
        "units_at_risk_max": ftl.risk_most(),
        "units_written": stats.units_written,
        "units_coalesced": stats.units_coalesced,
        "units_stale": stats.units_stale,
        "units_read_from_buffer": stats.units_read_buffer,
        "units_read_from_flash": stats.units_read_flash,
        "units_read_unmapped": stats.units_read_unmapped,
        "units_trimmed": stats.units_trimmed,
    })
}

/// Reads that shared an array read, and what was read before it was asked for; `units_fetched` came of the latter.
pub(super) fn reading(stats: &FtlStats) -> Value {
    json!({
        "reads_joined": stats.reads_joined,
        "units_fetched": stats.units_read_fetched,
        "units_read_ahead": stats.units_read_ahead,
        "units_read_ahead_used": stats.units_read_ahead_used,
        "units_read_ahead_wasted": stats.units_read_ahead_wasted,
    })
}

/// Superblocks with one bit a cell; null where the drive has none.
pub(super) fn slc_cache(ftl: &Ftl, stats: &FtlStats) -> Value {
    let Some(bytes) = ftl.cache_bytes() else { return Value::Null };
    let ratio = |part: u64, whole: u64| (whole > 0).then(|| part as f64 / whole as f64);
    let written = stats.slc_units_written + stats.slc_units_bypassed;
    let erases = ftl.array().slc_erases();
    let total: u64 = erases.iter().map(|&count| u64::from(count)).sum();
    json!({
        "bytes_in_use": bytes,
        "units_written": stats.slc_units_written,
        "units_bypassed": stats.slc_units_bypassed,
        "hit_ratio_write": ratio(stats.slc_units_written, written),
        "units_read": stats.slc_units_read,
        "hit_ratio_read": ratio(stats.slc_units_read, stats.units_read_flash),
        "superblocks_folded": stats.slc_superblocks_folded,
        "units_folded": stats.slc_units_folded,
        "blocks_erased": stats.slc_blocks_erased,
        "erases_per_block_mean": ratio(total, erases.len() as u64),
        "erases_per_block_max": erases.iter().max(),
    })
}
