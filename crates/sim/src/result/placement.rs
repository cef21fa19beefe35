//! What the host's placement handles did, as NVMe's logs of flexible data placement count it.

use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use ftl::streams::Isolation;
use ftl::{FtlStats, HandleCounts, HandleState, Placing};

sections! {
    /// Results on the placement handles of the host, and on the data written through them: the statistics, handles and
    /// events of NVMe's flexible data placement.
    PlacementStreams {
        /// Size in bytes of a reclaim unit.
        reclaim_unit_bytes: u64 = "bytes",
        /// Number of bytes that the host wrote: HBMW of NVMe's statistics log.
        host_bytes_written: u64 = "bytes",
        /// Bytes programmed to the flash for all origins, such as the host and garbage collection: MBMW of NVMe's
        /// statistics log.
        media_bytes_written: u64 = "bytes",
        /// Bytes of the flash that were erased: MBE of NVMe's statistics log.
        media_bytes_erased: u64 = "bytes",
        /// List of the results of each placement handle, by number.
        handles: Vec<PlacementHandle>,
        /// Number of garbage collection victims with valid data that held data of several placement handles, or of
        /// none.
        shared_collections: u64 = "superblocks",
        /// Bytes that garbage collection moved out of superblocks with data of several placement handles, or of none.
        shared_bytes_moved: u64 = "bytes",
        /// Counts of the events, by kind, that NVMe's flexible data placement logs.
        events: PlacementEvents,
    }

    /// Results of one placement handle (reclaim unit handle).
    PlacementHandle {
        /// Isolation of the placement handle's data, as text: `initially` if they stay apart from other data only when
        /// they are written first, `persistently` if also when garbage collection moves them.
        #[schemars(extend("enum" = ["initially", "persistently"]))]
        isolation: String = "text",
        /// Number of bytes that the host wrote through the placement handle.
        bytes_written: u64 = "bytes",
        /// Number of reclaim units that were begun for the placement handle in the measured window.
        units_opened: u64 = "reclaim units",
        /// Bytes that could be written through the handle at the end of the run before it begins another reclaim unit:
        /// RUAMW of the handle's status.
        available_bytes: u64 = "bytes",
        /// Number of garbage collection victims with valid data that contained data of this handle alone.
        collections: u64 = "superblocks",
        /// Bytes that garbage collection moved out of superblocks with data of this handle alone.
        bytes_moved: u64 = "bytes",
    }

    /// Numbers of events of flexible data placement, by kind; each event would be an entry of NVMe's events log.
    PlacementEvents {
        /// Number of superblocks of all handles that took no more data before they were full, because a program or the
        /// power failed: reclaim unit not fully written to capacity.
        not_fully_written: u64 = "superblocks",
        /// Number of writes that named a handle which does not exist, and went to handle 0: invalid placement
        /// identifier.
        invalid_identifier: u64 = "writes",
        /// Number of superblocks that were collected with valid data in them: media reallocated.
        media_reallocated: u64 = "superblocks",
    }
}

fn handle_of(state: &HandleState, counts: &HandleCounts, unit: u64) -> PlacementHandle {
    let isolation = match state.isolation {
        Isolation::Initially => "initially",
        Isolation::Persistently => "persistently",
    };
    PlacementHandle {
        isolation: isolation.to_owned(),
        bytes_written: counts.bytes_written,
        units_opened: counts.units_opened,
        available_bytes: state.available_units * unit,
        collections: counts.victims,
        bytes_moved: counts.units_moved * unit,
    }
}

/// Makes the section of the result about placement handles; `None` where the drive has none.
pub(super) fn placement<P: Observer>(run: &Run<P>, stats: &FtlStats) -> Option<PlacementStreams> {
    let (ftl, layout) = (&run.ftl, run.ftl.layout());
    let (states, counted) = (ftl.handles()?, ftl.placed().since(&run.counts_before.placed));
    let unit = layout.unit.get();
    let block = u64::from(layout.superblock_units / layout.planes) * unit;
    let sum = |of: fn(&HandleCounts) -> u64| counted.handles.iter().map(of).sum::<u64>();
    let superblock = u64::from(layout.superblock_units) * unit;
    Some(PlacementStreams {
        reclaim_unit_bytes: ftl.reclaim_unit_superblocks()? * superblock,
        host_bytes_written: stats.bytes_written,
        media_bytes_written: stats.units_programmed.iter().sum::<u64>() * unit,
        media_bytes_erased: stats.blocks_erased.iter().sum::<u64>() * block,
        handles: states
            .iter()
            .zip(&counted.handles)
            .map(|(state, counts)| handle_of(state, counts, unit))
            .collect(),
        shared_collections: counted.shared_victims,
        shared_bytes_moved: counted.shared_units_moved * unit,
        events: PlacementEvents {
            not_fully_written: sum(|counts| counts.ended_early),
            invalid_identifier: counted.unknown,
            media_reallocated: sum(|counts| counts.victims) + counted.shared_victims,
        },
    })
}
