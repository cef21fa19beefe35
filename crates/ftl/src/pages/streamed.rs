//! Units of the host where a policy chooses the stream of each: which lane takes one, and whether it begins another reclaim
//! unit.

use crate::Probe;
use crate::core::UnitEnd;
use crate::pages::PageMapped;
use crate::store::NONE;
use controller::Context;
use units::Lpn;

/// Returns the index of the lane (collector of host data into program units) that takes the unit in a slot of the write
/// buffer, as the stream policy and the host's placement identifiers say; ends the open reclaim unit there if the unit
/// is to begin another one.
pub(super) fn lane_asked_for<P: Probe>(
    ftl: &mut PageMapped,
    slot: u32,
    lpn: Lpn,
    ctx: &mut Context<P>,
) -> usize {
    let core = &mut ftl.media.core;
    let lane = core.assembly.lane_asked_for(&core.store, slot, lpn);
    let (stream, group) = (core.assembly.lanes[lane].own, core.assembly.group_of_lane(lane));
    let is_hosts = core.store.layout.is_host_unit(lpn);
    if let Some(handles) = core.assembly.streams.handles.as_mut().filter(|_| is_hosts)
        && let Some(why) = handles.ends_unit((stream, group), slot, ctx.calendar.now())
    {
        end_unit(ftl, (stream, group), why, ctx);
    }
    lane
}

/// Closes the open superblocks of a write stream on the dies of a reclaim group, so that the placement handle of the
/// stream begins another reclaim unit there.
#[cold]
fn end_unit<P: Probe>(
    ftl: &mut PageMapped,
    (stream, group): (usize, u16),
    why: UnitEnd,
    ctx: &mut Context<P>,
) {
    let handles = ftl.media.core.assembly.streams.handles.as_ref().expect("units are of handles");
    let dies: Vec<usize> = handles.groups.dies(group).collect();
    let mut closed = 0;
    for die in dies {
        let superblock = ftl.media.core.store.space.dies[die].frontiers[stream].superblock;
        if superblock == NONE {
            continue;
        }
        closed += 1;
        ftl.media.end_superblock(die, superblock, ctx);
        let global = ftl.media.core.store.space.global(die, superblock);
        // Else it is settled when the last of its programs ends.
        if ftl.media.core.store.space.in_flight[global] == 0 {
            ftl.media.settle_superblock(die, superblock);
        }
        ftl.upkeep.collect(&mut ftl.media, die, ctx);
        // A die that could fill its open superblock may have no room for another one.
        ftl.media.update_eligible(die);
    }
    if let Some(handles) = &mut ftl.media.core.assembly.streams.handles {
        handles.end_unit((stream, group), closed, why);
    }
}
