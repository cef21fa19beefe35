//! The interface for placement handles, for drives with any translation layer; a drive without handles reports none.

use super::Ftl;
use crate::core::Handles;
use crate::{HandleState, HandleTotals};

/// A drive whose host may name placement handles.
pub trait Placing {
    /// Reports that the host makes a write that names a handle, or none: told once for each.
    fn note_named(&mut self, named: Option<u16>);

    /// Sets the handle that the host names with the data that arrive from now on: one that the drive does not have
    /// counts as none.
    fn set_placement(&mut self, named: Option<u16>);

    /// Returns the handles as they are now; none where the drive has no handles.
    fn handles(&self) -> Option<Vec<HandleState>>;

    /// Returns the counts of all handles so far; empty where there are none.
    fn placed(&self) -> HandleTotals;

    /// Returns the superblocks of a reclaim unit, where there are handles.
    fn reclaim_unit_superblocks(&self) -> Option<u64>;
}

fn handles_of(ftl: &Ftl) -> Option<&Handles> {
    ftl.core().assembly.streams.handles.as_deref()
}

impl Placing for Ftl {
    #[inline]
    fn note_named(&mut self, named: Option<u16>) {
        if let Some(handles) = &mut self.parts().0.core.assembly.streams.handles {
            handles.note_named(named);
        }
    }

    #[inline]
    fn set_placement(&mut self, named: Option<u16>) {
        if let Some(handles) = &mut self.parts().0.core.assembly.streams.handles {
            handles.set_arriving(named);
        }
    }

    fn handles(&self) -> Option<Vec<HandleState>> {
        let store = &self.core().store;
        handles_of(self).map(|handles| handles.states(&store.space, &store.layout))
    }

    fn placed(&self) -> HandleTotals {
        handles_of(self).map_or_else(HandleTotals::default, |handles| handles.counted().clone())
    }

    fn reclaim_unit_superblocks(&self) -> Option<u64> {
        handles_of(self).map(Handles::unit_superblocks)
    }
}
