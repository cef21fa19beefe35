//! What happened to the zones of a zoned drive.

use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use ftl::ZonedLayer;

sections! {
    /// The zones of a drive that is a zoned namespace, and what happened to them in the measured window.
    ZonesOfDrive {
        /// Zones.
        count: u32 = "zones",
        /// From the start of a zone to that of the next.
        size_bytes: u64 = "bytes",
        /// Bytes of a zone that can be written.
        capacity_bytes: u64 = "bytes",
        /// Dies over which a part of a zone lies.
        dies: u32 = "dies",
        /// Zones that were opened: as a write came, and as the host asked for it.
        opened: ByWhom = "zones",
        /// Zones that were closed: to open another in their place, and as the host asked for it.
        closed: ByWhom = "zones",
        /// Zones that became full by writes.
        filled: u64 = "zones",
        /// Zones that were finished before they were full.
        finished: u64 = "zones",
        /// Zones that were reset with something in them.
        reset: u64 = "zones",
        /// Bytes that finishes wrote beside the host's, to fill up what their zones had taken.
        bytes_filled_up: u64 = "bytes",
        /// Bytes of the host's in zones that were finished.
        bytes_in_finished: u64 = "bytes",
        /// What was written to zones that were finished over what the host had written to them; null where none was.
        finish_amplification: Option<f64> = "ratio",
        /// Superblocks that zones took.
        superblocks_taken: u64 = "superblocks",
        /// Zones in each state at the end of the run.
        states: ZonesByState = "zones",
    }

    /// Zones by what opened or closed them.
    ByWhom {
        /// The drive itself.
        drive: u64,
        /// The host.
        host: u64,
    }

    /// Zones by their state.
    ZonesByState {
        /// Nothing is written.
        empty: u64,
        /// Open, as a write came.
        implicitly_open: u64,
        /// Open, as the host asked for it.
        explicitly_open: u64,
        /// Partly written, and not open.
        closed: u64,
        /// Take no more.
        full: u64,
        /// Can only be read.
        read_only: u64,
        /// Cannot be used.
        offline: u64,
    }
}

/// What there is to say, where the drive is zones.
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
