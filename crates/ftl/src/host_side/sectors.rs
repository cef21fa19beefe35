//! Reads and writes of parts of a unit, where they are known.

use crate::Probe;
use crate::buffer::SlotState;
use crate::guards::sectors::{Held, bytes};
use crate::host_side::Reads;
use controller::{Class, Context, Kind, Origin, Transaction};
use units::{DieId, Lpn, Ppa, SimTime};

/// Units of a page row that one read brings, and the bytes of their sectors.
#[derive(Default)]
pub(crate) struct Together {
    row: u32,
    mask: u64,
    bytes: u32,
}

/// A write of a unit, as it arrives.
#[derive(Clone, Copy)]
pub(crate) struct Arriving {
    /// Who waits for its program, if someone does.
    pub request: u32,
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
    /// The die that a unit's address names.
    fn home_die(&self, lpn: Lpn) -> u32;

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

    /// Reads `count` units from `first`, whose map entries are at hand: their sectors, where those are known. Gives the
    /// number of flash reads that will report to `request`.
    #[inline]
    fn read_found<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        if self.parts().0.guards.sectors.is_some() {
            return self.read_sectors(request, first, count, ctx);
        }
        self.read_units(request, first, count, ctx)
    }

    /// Reads the sectors of a request in `count` units from `first`, whose map entries are at hand.
    #[cold]
    fn read_sectors<P: Probe>(&mut self, request: u32, first: Lpn, count: u32, ctx: &mut Context<P>) -> u32 {
        let mut reads = 0;
        let mut together = Together::default();
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let (media, _) = self.parts();
            let sectors = media.guards.sectors.as_mut().expect("the caller saw them");
            let mut mask = sectors.within(sectors.extents[request as usize], lpn);
            if let Some(slot) = media.buffer.find(lpn) {
                let here = mask & sectors.slots[slot as usize].mask;
                sectors.cached += u64::from(bytes(here));
                mask &= !here;
                media.store.stats.units_read_buffer += u64::from(mask == 0);
                media.buffer.note_read(slot);
            }
            if mask != 0 {
                reads += self.read_part(request, lpn, mask, &mut together, ctx);
            }
        }
        reads + self.read_together(request, together, ctx)
    }

    /// Reads what was gathered of a page row.
    fn read_together<P: Probe>(
        &mut self,
        request: u32,
        Together { row, mask, bytes }: Together,
        ctx: &mut Context<P>,
    ) -> u32 {
        self.parts().0.read_bytes = bytes;
        self.submit_host_read(request, row, mask, ctx)
    }

    /// Reads sectors of a unit from the flash, with those of other units of its page row; gives how many reads that takes.
    fn read_part<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        mask: u64,
        together: &mut Together,
        ctx: &mut Context<P>,
    ) -> u32 {
        let home = self.home_die(lpn);
        let (media, _) = self.parts();
        let sectors = media.guards.sectors.as_mut().expect("the caller saw them");
        let ppa = media.store.map.lookup(lpn);
        if ppa == Ppa::NONE && !sectors.unwritten {
            media.store.stats.units_read_unmapped += 1;
            return 0;
        }
        media.store.stats.units_read_flash += 1;
        if sectors.written[lpn.index()] == 0 {
            sectors.written[lpn.index()] = mask;
            sectors.next_page(home as usize);
        }
        if ppa == Ppa::NONE {
            self.read_unwritten(lpn, Origin::Host, Class::HostRead, request, bytes(mask), ctx);
            return 1;
        }
        if media.buffer.find(lpn).is_none() {
            ctx.probe.on_host_read(lpn, ppa); // Else the flash gives only what the newer version in the buffer lacks.
        }
        let (row, bit) = media.store.layout.row_of(ppa);
        let mut before = 0;
        if row != together.row || together.mask & bit != 0 {
            before = self.read_together(request, std::mem::take(together), ctx);
        }
        *together = Together { row, mask: together.mask | bit, bytes: together.bytes + bytes(mask) };
        before
    }

    /// Reads `bytes` of a unit that is nowhere, from the die that its address names.
    #[allow(clippy::too_many_arguments)]
    fn read_unwritten<P: Probe>(
        &mut self,
        lpn: Lpn,
        origin: Origin,
        class: Class,
        owner: u32,
        bytes: u32,
        ctx: &mut Context<P>,
    ) {
        let die = self.home_die(lpn);
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), Transaction::NOWHERE, 0);
        transaction.mask = 1;
        transaction.pages = 1;
        transaction.owner = owner;
        transaction.bytes = bytes;
        self.parts().0.store.controller.submit(transaction, ctx);
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
