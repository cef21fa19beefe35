//! What the buffer, sharing and reading ahead, and the SLC cache did.

use super::host::per_second;
use crate::sections::sections;
use ftl::{Ftl, FtlStats};

sections! {
    /// Results on the write buffer in DRAM (`ftl.buffer`): where the units that the host read were found, and where the
    /// units that it wrote went.
    Buffer {
        /// Share of the host's reads that the write buffer served, out of the mapping units read from buffer or flash;
        /// null without either.
        hit_ratio_read: Option<f64> = "ratio",
        /// Share of the mapping units written by the host that replaced one in the write buffer; null without host
        /// writes.
        hit_ratio_write: Option<f64> = "ratio",
        /// Number of mapping units written by the host that replaced one in the write buffer.
        units_replaced: u64 = "mapping units",
        /// Number of mapping units written by the host that would have replaced one in the write buffer if all units of
        /// the drive were written equally often.
        units_replaced_uniform: f64 = "mapping units",
        /// Number of mapping units in the write buffer that were clean (identical to their copy on flash) when a write
        /// of the host replaced them.
        units_overwritten_clean: u64 = "mapping units",
        /// Number of written mapping units that the eviction policy sent from the write buffer to the flash.
        units_evicted_dirty: u64 = "mapping units",
        /// Number of mapping units identical to their copy on flash that the eviction policy removed from the write
        /// buffer.
        units_evicted_clean: u64 = "mapping units",
        /// Mean number, over time, of mapping units acknowledged but not on flash: what a power cut at a random moment
        /// takes from a buffer without `power_loss_protection`, and at most from one whose capacitors have a limit
        /// (`power.hold_up`). Null where no time passed.
        units_at_risk_mean: Option<f64> = "mapping units",
        /// Greatest number of mapping units that were acknowledged but not on flash at one time since the run began.
        units_at_risk_max: u32 = "mapping units",
        /// Number of mapping units that the host wrote to the drive in the measured window; a partly written unit
        /// counts as one.
        units_written: u64 = "mapping units",
        /// Of the mapping units that the host wrote, the number that replaced one in the write buffer that was not on
        /// flash yet.
        units_coalesced: u64 = "mapping units",
        /// Number of mapping units whose program ended after the host had overwritten or trimmed them: invalid from the
        /// start.
        units_stale: u64 = "mapping units",
        /// Number of mapping units that the host read from the write buffer.
        units_read_from_buffer: u64 = "mapping units",
        /// Number of mapping units that the host read from flash.
        units_read_from_flash: u64 = "mapping units",
        /// Number of mapping units that the host read although they were never written, or trimmed.
        units_read_unmapped: u64 = "mapping units",
        /// Number of mapping units with data that the host trimmed in the measured window.
        units_trimmed: u64 = "mapping units",
    }

    /// Results on flash reads that shared one array operation (sense) of a page row with another read
    /// (`ftl.read_merge`).
    ReadMerge {
        /// Number of flash reads of the host that took their units from another read's array operation on the same page
        /// row.
        reads_joined: u64 = "flash reads",
    }

    /// Results on read-ahead: data read from flash before the host asked for it (`ftl.read_ahead`).
    ReadAhead {
        /// Number, in the result, of mapping units that the drive read ahead from flash.
        units_read: u64 = "mapping units",
        /// Of the mapping units read ahead, the number that the host then asked for.
        units_used: u64 = "mapping units",
        /// Of the mapping units read ahead, the number that were dropped, written or trimmed before the host asked for
        /// them.
        units_wasted: u64 = "mapping units",
        /// Number of mapping units read by the host that had been read ahead, or were being read ahead.
        units_fetched: u64 = "mapping units",
    }

    /// Results on the SLC cache: superblocks that take the host's data with one bit per cell (`ftl.slc_cache`).
    SlcCache {
        /// Number, in the result, of bytes that the superblocks of the SLC cache could hold at the end of the run.
        bytes_in_use: u64 = "bytes",
        /// Number of mapping units of the host that were written to the SLC cache.
        units_written: u64 = "mapping units",
        /// Number of mapping units of the host that bypassed the SLC cache because it was full.
        units_bypassed: u64 = "mapping units",
        /// Share of the host's programmed mapping units that went to the SLC cache; null without any.
        hit_ratio_write: Option<f64> = "ratio",
        /// Number of mapping units that the host read from the SLC cache.
        units_read: u64 = "mapping units",
        /// Share of the mapping units read from flash by the host that came from the SLC cache; null without such
        /// reads.
        hit_ratio_read: Option<f64> = "ratio",
        /// Number of superblocks of the SLC cache that were folded (moved to superblocks that use all bits per cell).
        superblocks_folded: u64 = "superblocks",
        /// Number of mapping units in the folded superblocks that were valid when folding took them.
        units_folded: u64 = "mapping units",
        /// Number of blocks of the SLC cache (one bit per cell) that were erased; they are among `flash.erases`, too.
        blocks_erased: u64 = "blocks",
        /// Mean number, at the end of the run, of erases of a block in the mode of one bit per cell, over all blocks
        /// and since the drive was built; null without blocks.
        erases_per_block_mean: Option<f64> = "erases",
        /// Greatest number, at the end of the run, of erases of one block in the mode of one bit per cell since the
        /// drive was built.
        erases_per_block_max: Option<u32> = "erases",
    }
}

fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

pub(super) fn buffer(ftl: &Ftl, stats: &FtlStats, span_ns: u64) -> Buffer {
    let replaced = stats.units_coalesced + stats.units_overwritten_clean;
    let reads = stats.units_read_buffer + stats.units_read_flash;
    let share_held = f64::from(ftl.buffer().units()) / f64::from(ftl.layout().logical_units);
    Buffer {
        hit_ratio_read: ratio(stats.units_read_buffer, reads),
        hit_ratio_write: ratio(replaced, stats.units_written),
        units_replaced: replaced,
        units_replaced_uniform: stats.units_written as f64 * share_held,
        units_overwritten_clean: stats.units_overwritten_clean,
        units_evicted_dirty: stats.units_evicted_dirty,
        units_evicted_clean: stats.units_evicted_clean,
        units_at_risk_mean: per_second(stats.risk_unit_ns as f64 / 1e9, span_ns),
        units_at_risk_max: ftl.buffer().units_at_risk_most(),
        units_written: stats.units_written,
        units_coalesced: stats.units_coalesced,
        units_stale: stats.units_stale,
        units_read_from_buffer: stats.units_read_buffer,
        units_read_from_flash: stats.units_read_flash,
        units_read_unmapped: stats.units_read_unmapped,
        units_trimmed: stats.units_trimmed,
    }
}

pub(super) fn read_merge(stats: &FtlStats) -> ReadMerge {
    ReadMerge { reads_joined: stats.reads_joined }
}

pub(super) fn read_ahead(stats: &FtlStats) -> ReadAhead {
    ReadAhead {
        units_read: stats.units_read_ahead,
        units_used: stats.units_read_ahead_used,
        units_wasted: stats.units_read_ahead_wasted,
        units_fetched: stats.units_read_fetched,
    }
}

/// Makes the section of the result about the SLC cache; `None` where the drive has none.
pub(super) fn slc_cache(ftl: &Ftl, stats: &FtlStats) -> Option<SlcCache> {
    let bytes = ftl.cache_bytes()?;
    let erases = ftl.array().slc_erases();
    let total: u64 = erases.iter().map(|&count| u64::from(count)).sum();
    Some(SlcCache {
        bytes_in_use: bytes,
        units_written: stats.slc_units_written,
        units_bypassed: stats.slc_units_bypassed,
        hit_ratio_write: ratio(stats.slc_units_written, stats.slc_units_written + stats.slc_units_bypassed),
        units_read: stats.slc_units_read,
        hit_ratio_read: ratio(stats.slc_units_read, stats.units_read_flash),
        superblocks_folded: stats.slc_superblocks_folded,
        units_folded: stats.slc_units_folded,
        blocks_erased: stats.slc_blocks_erased,
        erases_per_block_mean: ratio(total, erases.len() as u64),
        erases_per_block_max: erases.iter().max().copied(),
    })
}
