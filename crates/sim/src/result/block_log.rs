//! What a host did that keeps blocks on a drive of zones: its log, its collection, and what both wrote.

use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use controller::Origin;
use ftl::FtlStats;

sections! {
    /// Results on the translation of a host that keeps blocks on a drive of zones: bytes that its log wrote for the
    /// workload, and bytes that its collection copied, in the measured window.
    TranslationOfHost {
        /// Capacity in bytes, in the result, of the blocks that the host keeps on the zones.
        capacity_bytes: u64 = "bytes",
        /// Number, in the result, of zones that the host fills with new data at the same time, one for each placement
        /// handle.
        streams: u16 = "streams",
        /// Number of empty zones at the end of the run, among the zones on which the host keeps blocks.
        empty_zones: u32 = "zones",
        /// Number, in the result, of bytes of the host's memory that the map of its log takes, in both directions.
        map_bytes: u64 = "bytes",
        /// Number of bytes that the host wrote to zones for writes of the workload, in whole blocks.
        written_bytes: u64 = "bytes",
        /// Number of bytes that the host read because a write of the workload replaced a part of a block.
        completed_bytes: u64 = "bytes",
        /// Number of bytes that the host's collection copied from one zone to another.
        copied_bytes: u64 = "bytes",
        /// Number of zones that the host's collection emptied and reset.
        zones_collected: u64 = "zones",
        /// Write amplification, in the result, of the host alone: bytes that it wrote to zones, over bytes that writes
        /// of the workload carried; null without such writes. `waf` has what the drive adds, too.
        write_amplification: Option<f64> = "ratio",
        /// Write amplification, in the result, of the drive alone: bytes programmed to flash, over bytes that the host
        /// wrote to zones; null without such writes.
        drive_write_amplification: Option<f64> = "ratio",
        /// Number of writes of the workload that waited for an empty zone.
        writes_waited: u64 = "requests",
        /// Sum of the times in nanoseconds that writes of the workload waited for an empty zone.
        waited_ns: u64 = "ns",
    }
}

/// Makes the section of the result about the translation of a host that keeps blocks on zones, for the measured window
/// of a run; `None` where the workload asks the drive itself.
pub(super) fn translation<P: Observer>(run: &Run<P>) -> Option<TranslationOfHost> {
    let translation = &run.host.blocks()?.translation;
    let stats = run.ftl.stats().since(&run.baseline);
    let (counts, unit) = (translation.counts(), run.ftl.layout().unit);
    let ratio = |of: u64, over: u64| (over > 0).then(|| of as f64 / over as f64);
    let written = (counts.blocks_written + counts.blocks_copied) * unit.get();
    Some(TranslationOfHost {
        capacity_bytes: translation.capacity(),
        streams: translation.streams(),
        empty_zones: translation.empty_zones(),
        map_bytes: translation.map_bytes(),
        written_bytes: counts.blocks_written * unit.get(),
        completed_bytes: counts.blocks_completed * unit.get(),
        copied_bytes: counts.blocks_copied * unit.get(),
        zones_collected: counts.zones_collected,
        write_amplification: ratio(written, counts.bytes_written),
        drive_write_amplification: ratio(stats.bytes_programmed(unit), stats.bytes_written),
        writes_waited: counts.writes_waited,
        waited_ns: counts.waited_ns,
    })
}

/// Returns the capacity in bytes that the workload sees: of the host's blocks where the host keeps blocks on zones,
/// else of the drive.
pub(super) fn capacity<P: Observer>(run: &Run<P>) -> u64 {
    let drive = run.ftl.layout().capacity().get();
    run.host.blocks().map_or(drive, |host| host.translation.capacity())
}

/// Returns the drive's counts `stats` as the workload sees them where the host keeps blocks on zones: blocks that the
/// host's collection copied count as garbage collection, the bytes written are the workload's, and bytes that complete
/// partly written blocks count as filled up. Returns `stats` unchanged for another host.
pub(super) fn seen_by_workload<P: Observer>(run: &Run<P>, stats: FtlStats) -> FtlStats {
    let Some(host) = run.host.blocks() else { return stats };
    let counts = host.translation.counts();
    let mut seen = FtlStats { bytes_written: counts.bytes_written, ..stats };
    let copied = counts.blocks_copied.min(seen.units_programmed[Origin::Host as usize]);
    seen.units_programmed[Origin::Host as usize] -= copied;
    seen.units_programmed[Origin::Gc as usize] += copied;
    seen.bytes_filled_up +=
        (counts.blocks_written * run.ftl.layout().unit.get()).saturating_sub(counts.bytes_written);
    seen
}
