//! The interface for placement handles, for drives with any translation layer; a drive without handles reports none.

use super::Ftl;
use crate::core::Handles;
use crate::streams::PlacementArea;
use crate::{HandleState, HandleTotals, ReclaimGroupState};
use units::{Lpn, Nanos};

/// Interface to the placement handles of a drive, which the host may name in writes; a drive may have none.
pub trait Placing {
    /// Counts the host's write from unit `first` on if it names a placement identifier `named` that the unit's
    /// namespace does not have; called once for each write.
    fn note_named(&mut self, first: Lpn, named: Option<u16>);

    /// Sets the placement identifier for the write data that arrive from now on; an identifier that the namespace of
    /// the data does not have counts as none.
    fn set_placement(&mut self, named: Option<u16>);

    /// Lets the data that the host writes from now on begin another reclaim unit of placement identifier `named` (none:
    /// of the first handle in all groups) of the namespace of unit `first` (NVMe: reclaim unit handle update); returns
    /// false if the namespace lacks the identifier or the drive has no handles.
    fn ask_for_unit(&mut self, first: Lpn, named: Option<u16>) -> bool;

    /// Returns the present state of each placement handle; `None` if the drive has no handles.
    fn handles(&self) -> Option<Vec<HandleState>>;

    /// Returns the present state of each reclaim group; empty if the drive has no handles.
    fn reclaim_groups(&self) -> Vec<ReclaimGroupState>;

    /// Returns the namespaces of the drive with their placement identifiers; empty if the drive has no handles.
    fn placement_areas(&self) -> &[PlacementArea];

    /// Returns the statistics of all placement handles so far; empty if the drive has no handles.
    fn placed(&self) -> HandleTotals;

    /// Returns the number of superblocks of a reclaim unit; `None` if the drive has no placement handles.
    fn reclaim_unit_superblocks(&self) -> Option<u64>;

    /// Returns the greatest time for which a reclaim unit takes data; `None` without a limit or without placement
    /// handles.
    fn reclaim_unit_time_limit(&self) -> Option<Nanos>;
}

fn handles_of(ftl: &Ftl) -> Option<&Handles> {
    ftl.core().assembly.streams.handles.as_deref()
}

impl Placing for Ftl {
    #[inline]
    fn note_named(&mut self, first: Lpn, named: Option<u16>) {
        if let Some(handles) = &mut self.parts().0.core.assembly.streams.handles {
            handles.note_named(first, named);
        }
    }

    #[inline]
    fn set_placement(&mut self, named: Option<u16>) {
        if let Some(handles) = &mut self.parts().0.core.assembly.streams.handles {
            handles.set_arriving(named);
        }
    }

    fn ask_for_unit(&mut self, first: Lpn, named: Option<u16>) -> bool {
        let handles = &mut self.parts().0.core.assembly.streams.handles;
        handles.as_mut().is_some_and(|handles| handles.ask_for_unit(first, named))
    }

    fn handles(&self) -> Option<Vec<HandleState>> {
        let store = &self.core().store;
        handles_of(self).map(|handles| handles.states(&store.space, &store.layout))
    }

    fn reclaim_groups(&self) -> Vec<ReclaimGroupState> {
        handles_of(self).map_or_else(Vec::new, |handles| handles.group_states(&self.core().store.space))
    }

    fn placement_areas(&self) -> &[PlacementArea] {
        handles_of(self).map_or(&[], Handles::areas)
    }

    fn placed(&self) -> HandleTotals {
        handles_of(self).map_or_else(HandleTotals::default, |handles| handles.counted().clone())
    }

    fn reclaim_unit_superblocks(&self) -> Option<u64> {
        handles_of(self).map(Handles::unit_superblocks)
    }

    fn reclaim_unit_time_limit(&self) -> Option<Nanos> {
        handles_of(self).and_then(Handles::unit_time_limit)
    }
}
