//! Writes that arrive: what they bring, and the rest of their units that is read first.

use crate::Probe;
use crate::buffer::SlotState;
use crate::core::Arriving;
use crate::host_side::Reads;
use crate::layout::sector_bytes;
use controller::{Class, Context, Origin};
use units::{Lpn, Ppa, SimTime};

/// Trait with the methods by which a translation layer receives the host's write data: reserves write buffer slots,
/// notes arrived data, and reads from flash the rest of partly written units.
pub(crate) trait Arrives: Reads {
    #[cold]
    fn was_not_written_lately(&mut self, lpn: Lpn, now: SimTime) -> bool {
        self.parts().1.recent.as_mut().is_none_or(|recent| recent.is_new(lpn, now))
    }

    /// Returns true if a host write of unit `lpn` counts as on its way to flash at once: always without the setting
    /// `keep_rewritten`, else if the unit is not in the set of recently written units, to which this call adds it.
    #[inline]
    fn leaves_at_once(&mut self, lpn: Lpn, now: SimTime) -> bool {
        self.parts().1.recent.is_none() || self.was_not_written_lately(lpn, now)
    }

    /// Informs the drive's features that the data of a host write have arrived in write buffer slot `slot` and, on a
    /// drive with `keep_rewritten`, marks the slot to be queued for its program, not cached, if `write` says so.
    #[inline]
    fn note_arrived(&mut self, slot: u32, lpn: Lpn, write: Arriving) {
        let (media, host) = self.parts();
        media.features.arrived(slot, lpn, write);
        if host.recent.is_some() && write.leaves {
            media.core.buffer.leave_at_once(slot);
        }
    }

    /// Reserves up to `wanted` slots of the write buffer (each holds one mapping unit) for the units of write request
    /// `request` from unit `first` on; returns how many it reserved.
    #[inline]
    fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        let (media, _) = self.parts();
        let granted = media.reserve(wanted);
        let Some(promised) = media.features.promise(request, first, granted) else { return granted };
        media.core.reserved_slots -= granted - promised;
        promised
    }

    /// Submits the flash read of the sectors of a unit that the host's partial write in buffer slot `slot` does not
    /// contain (read-modify-write). Returns false if no sector is missing, or the flash has none of the unit to read.
    #[cold]
    fn read_rest<P: Probe>(&mut self, slot: u32, ctx: &mut Context<P>) -> bool {
        let (media, _) = self.parts();
        let lpn = media.core.buffer.slot(slot).lpn;
        let home = media.core.store.map.lookup(lpn);
        let part = media.features.lacks(slot);
        let origin = Origin::ReadModifyWrite;
        match part {
            None if home == Ppa::NONE => return false,
            Some(0) => return false,
            Some(missing) if home == Ppa::NONE => {
                self.read_unwritten(lpn, origin, Class::HostRead, slot, sector_bytes(missing), ctx);
                return true;
            }
            Some(missing) => media.core.read_bytes = sector_bytes(missing),
            None => {}
        }
        let (row, bit) = media.core.store.layout.row_of(home);
        let class = if part.is_some() { Class::HostRead } else { Class::InternalRead };
        media.submit_read(row, bit, origin, class, slot, ctx);
        debug_assert_eq!(media.core.buffer.slot(slot).state, SlotState::Merging);
        true
    }
}

impl<T: Reads> Arrives for T {}
