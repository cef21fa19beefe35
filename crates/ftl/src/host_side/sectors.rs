//! Writes of parts of a unit: the sectors that each holds, and the rest that is read first.

use crate::Probe;
use crate::buffer::{Coverage, SlotState};
use crate::guards::sectors::{Held, bytes};
use crate::host_side::Reads;
use controller::{Class, Context, Origin};
use units::{Lpn, Ppa, SimTime};

/// A write of a unit, as it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// Who waits for its program, if someone does.
    pub request: u32,
    /// What of the unit came with the request.
    pub coverage: Coverage,
    /// Nothing else of the unit must be read.
    pub whole: bool,
    /// The slot of an older version, where the buffer has one.
    pub older: Option<u32>,
    /// That version is whole.
    pub complete: bool,
    /// It goes to the flash at once, even where the buffer keeps what it can.
    pub leaves: bool,
}

/// A translation layer that may know the sectors of a unit.
pub(crate) trait Sectored: Reads {
    #[cold]
    fn was_not_written_lately(&mut self, lpn: Lpn, now: SimTime) -> bool {
        self.parts().1.recent.as_mut().is_none_or(|recent| recent.is_new(lpn, now))
    }

    /// True when what is written now goes to the flash at once, even where the buffer keeps what it can.
    #[inline]
    fn leaves_at_once(&mut self, lpn: Lpn, now: SimTime) -> bool {
        self.parts().1.recent.is_none() || self.was_not_written_lately(lpn, now)
    }

    /// The data of a write are in `slot`.
    #[inline]
    fn note_arrived(&mut self, slot: u32, lpn: Lpn, write: Arriving) {
        if self.parts().0.guards.sectors.is_some() {
            self.hold_sectors(slot, lpn, write);
        }
        let (media, host) = self.parts();
        if host.recent.is_some() && write.leaves {
            media.buffer.leave_at_once(slot);
        }
    }

    /// Time begins again: what is on the flash was written whole.
    fn settle_sectors(&mut self) {
        let (media, _) = self.parts();
        let Some(sectors) = &mut media.guards.sectors else { return };
        for (lpn, written) in sectors.written.iter_mut().enumerate() {
            if media.store.map.lookup(Lpn(lpn as u32)) != Ppa::NONE {
                *written = u64::MAX >> (64 - sectors.per_unit);
            }
        }
    }

    /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
    #[inline]
    fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        let (media, _) = self.parts();
        let granted = media.reserve(wanted);
        let Some(sectors) = &mut media.guards.sectors else { return granted };
        let promised = sectors.promise(request, first, granted);
        media.reserved_slots -= granted - promised;
        promised
    }

    /// The sectors of the write at hand are those that `slot` holds; true when no others must be read first.
    #[cold]
    fn hold_sectors(&mut self, slot: u32, lpn: Lpn, write: Arriving) -> bool {
        let (media, _) = self.parts();
        let Some(sectors) = &mut media.guards.sectors else { return true };
        let mask = sectors.within(sectors.current, lpn);
        let missing = match write.older {
            Some(_) if write.complete => 0,
            Some(older) => sectors.slots[older as usize].missing & !mask,
            None => sectors.written[lpn.index()] & !mask,
        };
        sectors.written[lpn.index()] |= mask;
        sectors.promised -= mask.count_ones();
        sectors.release(slot);
        sectors.slots[slot as usize] = Held { mask, missing, counted: false };
        if write.leaves {
            sectors.count(slot);
        }
        missing == 0
    }

    /// New data took the place of what a slot held.
    #[cold]
    fn hold_more_sectors(&mut self, slot: u32, lpn: Lpn) {
        let (media, _) = self.parts();
        let Some(sectors) = &mut media.guards.sectors else { return };
        let mask = sectors.within(sectors.current, lpn);
        sectors.promised -= mask.count_ones();
        sectors.written[lpn.index()] |= mask;
        let held = &mut sectors.slots[slot as usize];
        if held.counted {
            sectors.on_way += (mask & !held.mask).count_ones();
        }
        held.mask |= mask;
    }

    /// Begins to read what a partial write needs beside its own data. False when it needs nothing.
    #[cold]
    fn read_rest<P: Probe>(&mut self, slot: u32, ctx: &mut Context<P>) -> bool {
        let (media, _) = self.parts();
        let lpn = media.buffer.slot(slot).lpn;
        let home = media.store.map.lookup(lpn);
        let part = media.guards.sectors.as_ref().map(|sectors| sectors.slots[slot as usize].missing);
        let origin = Origin::ReadModifyWrite;
        match part {
            None if home == Ppa::NONE => return false,
            Some(0) => return false,
            Some(missing) if home == Ppa::NONE => {
                self.read_unwritten(lpn, origin, Class::HostRead, slot, bytes(missing), ctx);
                return true;
            }
            Some(missing) => media.read_bytes = bytes(missing),
            None => {}
        }
        let (row, bit) = media.store.layout.row_of(home);
        let class = if part.is_some() { Class::HostRead } else { Class::InternalRead };
        media.submit_read(row, bit, origin, class, slot, ctx);
        debug_assert_eq!(media.buffer.slot(slot).state, SlotState::Merging);
        true
    }
}

impl<T: Reads> Sectored for T {}
