//! The interface for placement handles, for drives with any translation layer; a drive without handles reports none.

use super::Ftl;
use crate::core::Handles;
use crate::{HandleState, HandleTotals};

/// Interface to the placement handles of a drive, which the host may name in writes; a drive may have none.
pub trait Placing {
    /// Records that the host makes a write that names placement handle `named`, or none; called once for each write.
    fn note_named(&mut self, named: Option<u16>);

    /// Sets the placement handle for the write data that arrive from now on; a handle that the drive does not have
    /// counts as none.
    fn set_placement(&mut self, named: Option<u16>);

    /// Returns the present state of each placement handle; `None` if the drive has no handles.
    fn handles(&self) -> Option<Vec<HandleState>>;

    /// Returns the statistics of all placement handles so far; empty if the drive has no handles.
    fn placed(&self) -> HandleTotals;

    /// Returns the number of superblocks of a reclaim unit; `None` if the drive has no placement handles.
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
