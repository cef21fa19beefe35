//! What happened to the zones of a zoned drive.

use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use ftl::ZonedLayer;

sections! {
    /// Results on the zones of all zoned namespaces of a drive, and on zone operations in the measured window.
    ZonesOfDrive {
        /// Number, in the result, of zones of the drive.
        count: u32 = "zones",
        /// Zone size of the drive in bytes, in the result: distance from the start of a zone to the start of the next;
        /// at least the zone capacity.
        size_bytes: u64 = "bytes",
        /// Zone capacity of the drive, in the result: number of bytes of a zone that the host can write; at most the
        /// zone size.
        capacity_bytes: u64 = "bytes",
        /// Number, in the result, of dies over which a zone is striped: each part of a zone is one superblock on each
        /// of these dies.
        dies: u32 = "dies",
        /// Numbers, in the result, of times that a zone was opened: by the drive when a write came, and by the host's
        /// request.
        opened: ByWhom = "zones",
        /// Numbers, in the result, of times that a zone was closed: by the drive to open another zone instead, and by
        /// the host's request.
        closed: ByWhom = "zones",
        /// Number, in the result, of times that a zone became full by writes of the host.
        filled: u64 = "zones",
        /// Number of times that the host finished a zone before it was full.
        finished: u64 = "zones",
        /// Number of times that a zone was reset while it held data.
        reset: u64 = "zones",
        /// Number, in the result, of bytes of filler that finish operations wrote to complete the flash space which
        /// their zones had taken.
        bytes_filled_up: u64 = "bytes",
        /// Number of bytes of the host's data in zones that were finished.
        bytes_in_finished: u64 = "bytes",
        /// Ratio, in the result, of the bytes written to finished zones, filler included, to the bytes that the host
        /// had written to them; null where none was finished.
        finish_amplification: Option<f64> = "ratio",
        /// Number of superblocks that zones took for their data.
        superblocks_taken: u64 = "superblocks",
        /// Numbers, in the result, of zones in each state at the end of the run.
        states: ZonesByState = "zones",
    }

    /// Numbers of times that a zone was opened or closed, by the actor (drive or host).
    ByWhom {
        /// Number of times that the drive opened or closed a zone by itself, without a request of the host for it.
        drive: u64,
        /// Number of times that a request of the host opened or closed a zone.
        host: u64,
    }

    /// Numbers of zones in each state at the end of the run.
    ZonesByState {
        /// Number, in the result, of zones that were in the state Empty, without a written block, at the end of the
        /// run.
        empty: u64,
        /// Number, in the result, of zones that were in the state Implicitly Opened (opened by a write) at the end of
        /// the run.
        implicitly_open: u64,
        /// Number, in the result, of zones that were in the state Explicitly Opened (opened by the host's request) at
        /// the end of the run.
        explicitly_open: u64,
        /// Number, in the result, of zones that were in the state Closed (partly written, and not open) at the end of
        /// the run.
        closed: u64,
        /// Number, in the result, of zones that were in the state Full, which take no more data, at the end of the run.
        full: u64,
        /// Number, in the result, of zones that were in the state Read Only, which can only be read, at the end of the
        /// run.
        read_only: u64,
        /// Number, in the result, of zones that were in the state Offline, which can be neither read nor written, at
        /// the end of the run.
        offline: u64,
    }
}

/// Makes the section of the result about the zones; `None` where the drive has no zones.
pub(super) fn zones<P: Observer>(run: &Run<P>) -> Option<ZonesOfDrive> {
    let namespace = run.namespaces.seen_zoned()?;
    let (counts, seen) = (namespace.counts(), namespace.seen());
    let flash = run.ftl.zoned().since(&run.counts_before.zoned);
    let unit = run.ftl.layout().unit.get();
    let by = |[drive, host]: [u64; 2]| ByWhom { drive, host };
    let [empty, implicitly_open, explicitly_open, closed, full, read_only, offline] =
        namespace.zones().by_state();
    let written = flash.units_in_finished;
    Some(ZonesOfDrive {
        count: seen.count,
        size_bytes: seen.size,
        capacity_bytes: seen.capacity,
        dies: run.ftl.zoning().map_or(0, |zoning| zoning.width),
        opened: by(counts.opened),
        closed: by(counts.closed),
        filled: counts.filled,
        finished: counts.finished,
        reset: counts.reset,
        bytes_filled_up: flash.units_filled_up * unit,
        bytes_in_finished: written * unit,
        finish_amplification: (written > 0)
            .then(|| (written + flash.units_filled_up) as f64 / written as f64),
        superblocks_taken: flash.superblocks_taken,
        states: ZonesByState { empty, implicitly_open, explicitly_open, closed, full, read_only, offline },
    })
}
