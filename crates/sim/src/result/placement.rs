//! What the host's placement handles did, as NVMe's logs of flexible data placement count it.

use crate::observe::Observer;
use crate::run::Run;
use crate::sections::sections;
use ftl::streams::{Isolation, PlacementArea};
use ftl::{Ftl, FtlStats, HandleCounts, HandleState, Placing, ReclaimGroupState};
use units::Nanos;

sections! {
    /// Results on the placement handles of the host, and on the data written through them: the statistics, handles and
    /// events of NVMe's flexible data placement.
    PlacementStreams {
        /// Size in bytes, in the result, of a reclaim unit of the drive.
        reclaim_unit_bytes: u64 = "bytes",
        /// Greatest time in nanoseconds, given in the result, for which a reclaim unit takes data; null without a
        /// limit.
        unit_time_limit_ns: Option<u64> = "ns",
        /// Number, in the result, of bytes that the host wrote: HBMW of NVMe's statistics log.
        host_bytes_written: u64 = "bytes",
        /// Number, in the result, of bytes programmed to the flash for all origins, such as the host and garbage
        /// collection: MBMW of NVMe's statistics log.
        media_bytes_written: u64 = "bytes",
        /// Number, in the result, of bytes of the flash that were erased: MBE of NVMe's statistics log.
        media_bytes_erased: u64 = "bytes",
        /// List of the results of each placement handle, by number.
        handles: Vec<PlacementHandle>,
        /// List of the results of each reclaim group, by number; one where all dies are one group.
        groups: Vec<PlacementGroup>,
        /// List, in the result, of the placement identifiers of each namespace, in order: one entry for a drive that is
        /// one namespace.
        namespaces: Vec<PlacementNamespace>,
        /// Number of garbage collection victims with valid data that held data of several placement handles, or of
        /// none.
        shared_collections: u64 = "superblocks",
        /// Number, in the result, of bytes that garbage collection moved out of superblocks with data of several
        /// placement handles, or of none.
        shared_bytes_moved: u64 = "bytes",
        /// Part of the result with the counts of the events, by kind, that NVMe's flexible data placement logs.
        events: PlacementEvents,
    }

    /// Results of one placement handle (reclaim unit handle).
    PlacementHandle {
        /// Isolation, in the result, of the placement handle's data, as text: `initially` if they stay apart from other
        /// data only when they are written first, `persistently` if also when garbage collection moves them.
        #[schemars(extend("enum" = ["initially", "persistently"]))]
        isolation: String = "text",
        /// Number of bytes that the host wrote through the placement handle.
        bytes_written: u64 = "bytes",
        /// Number of reclaim units that were begun for the placement handle in the measured window.
        units_opened: u64 = "reclaim units",
        /// Number of times that the host asked for another reclaim unit of the placement handle: reclaim unit handle
        /// updates.
        updates: u64 = "updates",
        /// Number of bytes that could be written through the handle at the end of the run before it begins another
        /// reclaim unit: RUAMW of the handle's status, the sum over reclaim groups.
        available_bytes: u64 = "bytes",
        /// Number of garbage collection victims with valid data that contained data of this handle alone.
        collections: u64 = "superblocks",
        /// Number, in the result, of bytes that garbage collection moved out of superblocks with data of this handle
        /// alone.
        bytes_moved: u64 = "bytes",
    }

    /// Results of one reclaim group (a set of dies): dies, valid data, and space left for each placement handle.
    PlacementGroup {
        /// Number, in the result, of dies of the reclaim group.
        dies: u64 = "dies",
        /// Number of bytes of valid data on the dies of the reclaim group at the end of the run.
        valid_bytes: u64 = "bytes",
        /// List, in the result, of the bytes, for each placement handle, that could be written through the handle in
        /// this reclaim group at the end of the run before the handle begins another reclaim unit of the group: RUAMW
        /// of the handle's status.
        available_bytes: Vec<u64> = "bytes",
        /// Number of bytes of writes that named the reclaim group and went to another one, because all dies of the
        /// named group were full of valid data.
        bytes_elsewhere: u64 = "bytes",
    }

    /// Placement identifiers that writes to one namespace may name: identifier n (from 0) stands for handle n / g (from
    /// 0) of its list of handles in reclaim group n % g of its list of groups, where g is the number of its groups.
    PlacementNamespace {
        /// Name, in the result, of the namespace; empty on a drive that has a single namespace without a name.
        name: String = "text",
        /// List, in the result, of the numbers of the placement handles of the namespace: its placement handle list.
        handles: Vec<u16> = "handles",
        /// List, in the result, of the numbers of the reclaim groups of the namespace.
        groups: Vec<u16> = "groups",
    }

    /// Numbers of events of flexible data placement, by kind; each event would be an entry of NVMe's events log.
    PlacementEvents {
        /// Number of superblocks of all handles that took no more data before they were full, or were not begun at all,
        /// because a program or the power failed, the host asked for another reclaim unit, or the unit was too old:
        /// reclaim unit not fully written to capacity.
        not_fully_written: u64 = "superblocks",
        /// Number of reclaim units that took no more data because they were open for longer than
        /// `ftl.streams.unit_time_limit`: reclaim unit time limit exceeded.
        time_limit_exceeded: u64 = "reclaim units",
        /// Number of superblocks that a power cut ended before they were full: controller level reset modified reclaim
        /// unit handles.
        reset_modified: u64 = "superblocks",
        /// Number of writes that named an identifier which their namespace does not have, and went through its first
        /// handle: invalid placement identifier.
        invalid_identifier: u64 = "writes",
        /// Number of superblocks that were collected with valid data in them: media reallocated.
        media_reallocated: u64 = "superblocks",
        /// Number of reclaim units that a handle began because the one before was full: implicitly modified reclaim
        /// unit handle.
        implicitly_modified: u64 = "reclaim units",
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
        updates: counts.updates,
        available_bytes: state.available_units.iter().sum::<u64>() * unit,
        collections: counts.victims,
        bytes_moved: counts.units_moved * unit,
    }
}

fn groups_of(ftl: &Ftl, handles: &[HandleState], elsewhere: &[u64], unit: u64) -> Vec<PlacementGroup> {
    let states = ftl.reclaim_groups();
    let of = |(number, (state, elsewhere)): (usize, (&ReclaimGroupState, &u64))| PlacementGroup {
        dies: state.dies,
        valid_bytes: state.valid_units * unit,
        available_bytes: handles.iter().map(|handle| handle.available_units[number] * unit).collect(),
        bytes_elsewhere: elsewhere * unit,
    };
    states.iter().zip(elsewhere).enumerate().map(of).collect()
}

fn namespaces_of(ftl: &Ftl) -> Vec<PlacementNamespace> {
    let of = |area: &PlacementArea| PlacementNamespace {
        name: area.name.clone(),
        handles: area.handles.clone(),
        groups: area.groups.clone(),
    };
    ftl.placement_areas().iter().map(of).collect()
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
        unit_time_limit_ns: ftl.reclaim_unit_time_limit().map(Nanos::ns),
        host_bytes_written: stats.bytes_written,
        media_bytes_written: stats.units_programmed.iter().sum::<u64>() * unit,
        media_bytes_erased: stats.blocks_erased.iter().sum::<u64>() * block,
        handles: states
            .iter()
            .zip(&counted.handles)
            .map(|(state, counts)| handle_of(state, counts, unit))
            .collect(),
        groups: groups_of(ftl, &states, &counted.elsewhere, unit),
        namespaces: namespaces_of(ftl),
        shared_collections: counted.shared_victims,
        shared_bytes_moved: counted.shared_units_moved * unit,
        events: PlacementEvents {
            not_fully_written: sum(|counts| counts.ended_early),
            time_limit_exceeded: sum(|counts| counts.units_too_old),
            reset_modified: sum(|counts| counts.ended_by_cuts),
            invalid_identifier: counted.unknown,
            media_reallocated: sum(|counts| counts.victims) + counted.shared_victims,
            implicitly_modified: sum(|counts| counts.units_followed),
        },
    })
}
