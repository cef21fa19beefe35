//! Which die takes the next unit that is written without simulated time: the dies in turns, among those of the reclaim
//! group that a unit is to lie in.

use crate::core::ANY_GROUP;
use crate::pages::PageMapped;
use units::Lpn;

/// Returns true if unit `lpn` may lie on die `die`: the die is in a reclaim group that the unit's namespace has.
pub(super) fn may_lie_on(ftl: &PageMapped, die: usize, lpn: Lpn) -> bool {
    let handles = ftl.media.core.assembly.streams.handles.as_deref();
    handles.is_none_or(|handles| handles.may_use(lpn, handles.groups.of_die(die)))
}

/// Returns true if unit `lpn` is to lie on die `die`: the die is in the reclaim group that the host names for the unit
/// or, where the host names none, in any reclaim group of the unit's namespace.
fn is_wanted_on(ftl: &PageMapped, die: usize, lpn: Lpn) -> bool {
    let handles = ftl.media.core.assembly.streams.handles.as_deref();
    let named = handles.filter(|_| ftl.media.core.store.layout.is_host_unit(lpn)).map(|handles| {
        let group = handles.arriving(lpn).group;
        group == ANY_GROUP || group == handles.groups.of_die(die)
    });
    named.unwrap_or(true) && may_lie_on(ftl, die, lpn)
}

/// Returns the die that takes the next host unit in write stream `stream`, and makes room for the unit there; `None` if
/// no die can take it. A unit whose reclaim group is full goes to another reclaim group of its namespace.
pub(super) fn next_die(ftl: &mut PageMapped, stream: usize, lpn: Lpn) -> Option<usize> {
    let layout = &ftl.media.core.store.layout;
    let dies = layout.dies as usize;
    // Whole program units go to one die after the other, as they do in a timed run.
    let programs = ftl.media.core.store.stats.units_written / u64::from(layout.program_units);
    let start = (programs % dies as u64) as usize;
    let mut in_turns = (start..dies).chain(0..start);
    if ftl.media.core.assembly.has_one_group() {
        return in_turns.find(|&die| ftl.make_room_untimed(die, stream));
    }
    let wanted =
        in_turns.clone().find(|&die| is_wanted_on(ftl, die, lpn) && ftl.make_room_untimed(die, stream));
    wanted.or_else(|| in_turns.find(|&die| may_lie_on(ftl, die, lpn) && ftl.make_room_untimed(die, stream)))
}
