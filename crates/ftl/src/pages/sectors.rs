//! Reads and writes of parts of a unit, where they are known.

use crate::buffer::SlotState;
use crate::guards::sectors::{Held, LOOKUP_BYTES, bytes};
use crate::pages::{Arriving, PageMapped};
use crate::placement::PlacementView;
use crate::store::NONE;
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::Calendar;
use units::{DieId, Lpn, Ppa};

/// Units of a page row that one read brings, and the bytes of their sectors.
#[derive(Default)]
struct Together {
    row: u32,
    mask: u64,
    bytes: u32,
}

impl PageMapped {
    /// Time begins again: what is on the flash was written whole.
    pub(crate) fn settle_sectors(&mut self) {
        let Some(sectors) = &mut self.media.guards.sectors else { return };
        if self.media.store.space.dies.iter().all(|die| die.live == 0) {
            return;
        }
        for (lpn, written) in sectors.written.iter_mut().enumerate() {
            if self.media.store.map.lookup(Lpn(lpn as u32)) != Ppa::NONE {
                *written = u64::MAX >> (64 - sectors.per_unit);
            }
        }
    }

    /// Says which bytes of the drive a request is about, before it is worked on.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        if let Some(sectors) = &mut self.media.guards.sectors {
            sectors.note_extent(request, offset, bytes);
        }
    }

    /// Bytes that were read from the buffer since the last call.
    #[inline]
    pub fn take_cached(&mut self) -> u64 {
        self.media.guards.sectors.as_mut().map_or(0, |sectors| std::mem::take(&mut sectors.cached))
    }

    /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
    #[inline]
    pub fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        let granted = self.reserve(wanted);
        let Some(sectors) = &mut self.media.guards.sectors else { return granted };
        let promised = sectors.promise(request, first, granted);
        self.media.reserved_slots -= granted - promised;
        promised
    }

    /// Reads the sectors of a request in `count` units from `first`, whose map entries are at hand.
    #[cold]
    pub(crate) fn read_sectors<P: Probe>(
        &mut self,
        request: u32,
        first: Lpn,
        count: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let mut reads = 0;
        let mut together = Together::default();
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let sectors = self.media.guards.sectors.as_mut().expect("the caller saw them");
            let mut mask = sectors.within(sectors.extents[request as usize], lpn);
            if let Some(slot) = self.media.buffer.find(lpn) {
                let here = mask & sectors.slots[slot as usize].mask;
                sectors.cached += u64::from(bytes(here));
                mask &= !here;
                self.media.store.stats.units_read_buffer += u64::from(mask == 0);
                self.media.buffer.note_read(slot);
            }
            if mask != 0 {
                reads += self.read_part(request, lpn, mask, &mut together, calendar, probe);
            }
        }
        reads + self.read_together(request, together, calendar, probe)
    }

    /// Reads what was gathered of a page row.
    fn read_together<P: Probe>(
        &mut self,
        request: u32,
        Together { row, mask, bytes }: Together,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        self.media.read_bytes = bytes;
        self.submit_host_read(request, row, mask, calendar, probe)
    }

    /// Reads sectors of a unit from the flash, with those of other units of its page row; gives how many reads that takes.
    fn read_part<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        mask: u64,
        together: &mut Together,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let home = self.home_die(lpn);
        let sectors = self.media.guards.sectors.as_mut().expect("the caller saw them");
        let ppa = self.media.store.map.lookup(lpn);
        if ppa == Ppa::NONE && !sectors.unwritten {
            self.media.store.stats.units_read_unmapped += 1;
            return 0;
        }
        self.media.store.stats.units_read_flash += 1;
        if sectors.written[lpn.index()] == 0 {
            sectors.written[lpn.index()] = mask;
            sectors.next_page(home as usize);
        }
        if ppa == Ppa::NONE {
            self.read_unwritten(lpn, Origin::Host, Class::HostRead, request, bytes(mask), calendar, probe);
            return 1;
        }
        if self.media.buffer.find(lpn).is_none() {
            probe.on_host_read(lpn, ppa); // Else the flash gives only what the newer version in the buffer lacks.
        }
        let (row, unit) =
            (ppa.0 / self.media.store.layout.row_units, ppa.0 % self.media.store.layout.row_units);
        let mut before = 0;
        if row != together.row || together.mask >> unit & 1 == 1 {
            before = self.read_together(request, std::mem::take(together), calendar, probe);
        }
        *together = Together { row, mask: together.mask | 1 << unit, bytes: together.bytes + bytes(mask) };
        before
    }

    /// The die that a unit's address names.
    fn home_die(&self, lpn: Lpn) -> u32 {
        self.media.assembly.placement.home(&PlacementView {
            eligible: &[],
            dies: self.media.store.layout.dies,
            programs: &[],
            shape: self.media.store.layout.shape,
            lpn,
            program_units: self.media.store.layout.program_units,
        })
    }

    /// Reads `bytes` of a unit that is nowhere, from the die that its address names.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn read_unwritten<P: Probe>(
        &mut self,
        lpn: Lpn,
        origin: Origin,
        class: Class,
        owner: u32,
        bytes: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let die = self.home_die(lpn);
        let mut transaction =
            Transaction::new(Kind::Read, origin, class, DieId(die), Transaction::NOWHERE, 0);
        transaction.mask = 1;
        transaction.pages = 1;
        transaction.owner = owner;
        transaction.bytes = bytes;
        self.media.store.controller.submit(transaction, calendar, probe);
    }

    /// Reads the translation unit `unit`, of which a lookup takes one sector over the channel. `owner` is told.
    pub(crate) fn read_lookup<P: Probe>(
        &mut self,
        unit: Lpn,
        home: Ppa,
        owner: u32,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let part = self.media.guards.sectors.is_some();
        if home == Ppa::NONE {
            let bytes = if part { LOOKUP_BYTES } else { 0 };
            self.read_unwritten(unit, Origin::Map, Class::InternalRead, owner, bytes, calendar, probe);
            return;
        }
        self.media.read_bytes = if part { LOOKUP_BYTES } else { 0 };
        let (row, at) =
            (home.0 / self.media.store.layout.row_units, home.0 % self.media.store.layout.row_units);
        self.media.submit_read(row, 1 << at, Origin::Map, Class::InternalRead, owner, calendar, probe);
    }

    /// The sectors of the write at hand are those that `slot` holds; true when no others must be read first.
    #[cold]
    pub(crate) fn hold_sectors(&mut self, slot: u32, lpn: Lpn, write: Arriving) -> bool {
        let Some(sectors) = &mut self.media.guards.sectors else { return true };
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
    pub(crate) fn hold_more_sectors(&mut self, slot: u32, lpn: Lpn) {
        let Some(sectors) = &mut self.media.guards.sectors else { return };
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
    pub(crate) fn read_rest<P: Probe>(
        &mut self,
        slot: u32,
        whole: bool,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> bool {
        let lpn = self.media.buffer.slot(slot).lpn;
        let home = self.media.store.map.lookup(lpn);
        let part = self.media.guards.sectors.as_ref().map(|sectors| sectors.slots[slot as usize].missing);
        let origin = Origin::ReadModifyWrite;
        match part {
            None if whole || home == Ppa::NONE => return false,
            Some(0) => return false,
            Some(missing) if home == Ppa::NONE => {
                self.read_unwritten(lpn, origin, Class::HostRead, slot, bytes(missing), calendar, probe);
                return true;
            }
            Some(missing) => self.media.read_bytes = bytes(missing),
            None => {}
        }
        let (row, unit) =
            (home.0 / self.media.store.layout.row_units, home.0 % self.media.store.layout.row_units);
        let class = if part.is_some() { Class::HostRead } else { Class::InternalRead };
        self.media.submit_read(row, 1 << unit, origin, class, slot, calendar, probe);
        debug_assert_ne!(home.0, NONE);
        debug_assert_eq!(self.media.buffer.slot(slot).state, SlotState::Merging);
        true
    }
}
