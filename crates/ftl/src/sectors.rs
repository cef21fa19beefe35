//! Units of which parts are known: which sectors of a unit were ever written, which of them a request wants.
//!
//! With `ftl.sectors.track` only sectors that are asked for cross the channels, and a write of a part of a unit reads
//! only those of the others that were ever written. With `unwritten = "flash"` a unit that nobody wrote is read all the
//! same, from the die that its address names. The model of MQSim: Tavakkol et al., FAST 2018.
//!
//! Not modelled: room on the flash for units that are read and were never written.

use crate::buffer::SlotState;
use crate::placement::PlacementView;
use crate::space::NONE;
use crate::{Layout, PageMapped};
use config::{ConfigError, Section};
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::{Calendar, large_array};
use units::{Bytes, DieId, Lpn, Ppa};

/// Bytes of a sector.
const SECTOR: u64 = 512;
/// Bytes of a translation unit that a lookup takes over the channel.
const LOOKUP_BYTES: u32 = 512;

/// `[ftl.sectors]`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SectorRules {
    /// Sectors are known.
    pub track: bool,
    /// What was never written is read from flash.
    pub unwritten: bool,
}

impl SectorRules {
    pub(crate) fn read(ftl: &mut Section, layout: &Layout) -> Result<Self, ConfigError> {
        let mut section = ftl.child("sectors")?;
        let track = section.or(
            "track",
            false,
            "the layer knows which sectors of a unit hold data: only what is asked for crosses a channel",
        )?;
        let unwritten = section.choice(
            "unwritten",
            &["nothing", "flash"],
            "nothing",
            "a read of what was never written: answered at once, or read from the die of its address",
        )? == "flash";
        if track && (layout.unit.get() > 64 * SECTOR || layout.program_units > 1) {
            return Err(section.reject(
                "track",
                "expected units of at most 32 KiB, of which a program takes one (controller.multi_plane = false)",
            ));
        }
        if unwritten && !track {
            return Err(section.reject("unwritten", "expected nothing without track"));
        }
        section.finish()?;
        Ok(Self { track, unwritten })
    }
}

/// What a request or a buffered unit is about, sector by sector.
pub(crate) struct Sectors {
    per_unit: u64,
    unwritten: bool,
    /// Sectors of each logical unit that were written, or read as if they had been.
    written: Vec<u64>,
    /// First sector and end of each request under way.
    extents: Vec<(u64, u64)>,
    /// Of the request at hand.
    current: (u64, u64),
    /// Sectors that a buffer slot holds, those it still misses, and whether it counts as on its way.
    slots: Vec<Held>,
    /// Sectors on their way to the flash, and the most there may be.
    on_way: u32,
    /// Sectors whose way was promised, and whose data are still to come.
    promised: u32,
    most: u32,
    /// Pages of each die that were given to host data, be they programmed or only read.
    pages: Vec<u32>,
    pages_per_block: u32,
    /// Bytes read from the buffer since the last call of `take_cached`.
    cached: u64,
}

#[derive(Clone, Copy, Default)]
struct Held {
    mask: u64,
    missing: u64,
    counted: bool,
}

impl Sectors {
    /// Says which bytes of the drive a request is about.
    #[cold]
    fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        let extent = (offset / SECTOR, (offset + bytes).div_ceil(SECTOR));
        self.current = extent;
        if self.extents.len() <= request as usize {
            self.extents.resize(request as usize + 1, (0, 0));
        }
        self.extents[request as usize] = extent;
    }

    pub fn new(rules: SectorRules, layout: &Layout, slots: u32, most: Option<Bytes>) -> Option<Box<Self>> {
        rules.track.then(|| {
            Box::new(Self {
                per_unit: layout.unit.get() / SECTOR,
                unwritten: rules.unwritten,
                written: large_array(layout.logical_units as usize, 0),
                extents: Vec::new(),
                current: (0, 0),
                slots: vec![Held::default(); slots as usize],
                on_way: 0,
                promised: 0,
                pages: vec![0; layout.dies as usize],
                pages_per_block: layout.rows,
                most: most.map_or(u32::MAX, |bytes| (bytes.get() / SECTOR) as u32),
                cached: 0,
            })
        })
    }

    /// The sectors of a unit within an extent.
    fn within(&self, (first, end): (u64, u64), lpn: Lpn) -> u64 {
        let start = u64::from(lpn.0) * self.per_unit;
        let (from, to) = (first.max(start) - start, end.min(start + self.per_unit).saturating_sub(start));
        if to <= from {
            return 0;
        }
        let below = |count: u64| if count >= 64 { u64::MAX } else { (1u64 << count) - 1 };
        below(to) & !below(from)
    }

    /// True while more may begin its way to the flash.
    pub fn has_room(&self) -> bool {
        self.on_way + self.promised < self.most
    }

    /// Promises a way to units of a request from `first` on, at most `wanted`; gives how many.
    #[cold]
    fn promise(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        let mut granted = 0;
        while granted < wanted && self.has_room() {
            let lpn = Lpn(first.0 + granted);
            self.promised += self.within(self.extents[request as usize], lpn).count_ones();
            granted += 1;
        }
        granted
    }

    /// A unit of the request at hand does not come after all.
    pub fn break_promise(&mut self, lpn: Lpn) {
        self.promised -= self.within(self.current, lpn).count_ones();
    }

    /// Bytes of state of the simulator.
    pub fn bytes(&self) -> usize {
        8 * self.written.len() + self.slots.len() * size_of::<Held>()
    }

    /// The number in its block of the next page of a die.
    pub fn next_page(&mut self, die: usize) -> u32 {
        let page = self.pages[die];
        self.pages[die] = (page + 1) % self.pages_per_block;
        page
    }

    /// Bytes that the program of a slot takes over the channel.
    pub fn bytes_of(&self, slot: u32) -> u32 {
        self.slots[slot as usize].mask.count_ones() * SECTOR as u32
    }

    /// A slot is on its way to the flash from now on, until it is released.
    fn count(&mut self, slot: u32) {
        let held = &mut self.slots[slot as usize];
        held.counted = true;
        self.on_way += held.mask.count_ones();
    }

    /// A slot is free again.
    #[cold]
    pub fn release(&mut self, slot: u32) {
        let held = std::mem::take(&mut self.slots[slot as usize]);
        if held.counted {
            self.on_way -= held.mask.count_ones();
        }
    }
}

fn bytes(mask: u64) -> u32 {
    mask.count_ones() * SECTOR as u32
}

impl PageMapped {
    /// Time begins again: what is on the flash was written whole.
    pub(crate) fn settle_sectors(&mut self) {
        let Some(sectors) = &mut self.sectors else { return };
        if self.space.dies.iter().all(|die| die.live == 0) {
            return;
        }
        for (lpn, written) in sectors.written.iter_mut().enumerate() {
            if self.map.lookup(Lpn(lpn as u32)) != Ppa::NONE {
                *written = u64::MAX >> (64 - sectors.per_unit);
            }
        }
    }

    /// Says which bytes of the drive a request is about, before it is worked on.
    #[inline]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
        if let Some(sectors) = &mut self.sectors {
            sectors.note_extent(request, offset, bytes);
        }
    }

    /// Bytes that were read from the buffer since the last call.
    #[inline]
    pub fn take_cached(&mut self) -> u64 {
        self.sectors.as_mut().map_or(0, |sectors| std::mem::take(&mut sectors.cached))
    }

    /// Reserves up to `wanted` buffer slots for units of a request from `first` on; gives how many.
    #[inline]
    pub fn reserve_at(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
        let granted = self.reserve(wanted);
        let Some(sectors) = &mut self.sectors else { return granted };
        let promised = sectors.promise(request, first, granted);
        self.reserved_slots -= granted - promised;
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
        for lpn in (first.0..first.0 + count).map(Lpn) {
            let sectors = self.sectors.as_mut().expect("the caller saw them");
            let mut mask = sectors.within(sectors.extents[request as usize], lpn);
            if let Some(slot) = self.buffer.find(lpn) {
                let here = mask & sectors.slots[slot as usize].mask;
                sectors.cached += u64::from(bytes(here));
                mask &= !here;
                self.stats.units_read_buffer += u64::from(mask == 0);
                self.buffer.note_read(slot);
            }
            if mask != 0 {
                reads += self.read_part(request, lpn, mask, calendar, probe);
            }
        }
        reads
    }

    /// Reads sectors of a unit from the flash; gives how many reads that takes.
    fn read_part<P: Probe>(
        &mut self,
        request: u32,
        lpn: Lpn,
        mask: u64,
        calendar: &mut Calendar,
        probe: &mut P,
    ) -> u32 {
        let home = self.home_die(lpn);
        let sectors = self.sectors.as_mut().expect("the caller saw them");
        let ppa = self.map.lookup(lpn);
        if ppa == Ppa::NONE && !sectors.unwritten {
            self.stats.units_read_unmapped += 1;
            return 0;
        }
        self.stats.units_read_flash += 1;
        if sectors.written[lpn.index()] == 0 {
            sectors.written[lpn.index()] = mask;
            sectors.next_page(home as usize);
        }
        if ppa == Ppa::NONE {
            self.read_unwritten(lpn, Origin::Host, Class::HostRead, request, bytes(mask), calendar, probe);
            return 1;
        }
        if self.buffer.find(lpn).is_none() {
            probe.on_host_read(lpn, ppa); // Else the flash gives only what the newer version in the buffer lacks.
        }
        self.read_bytes = bytes(mask);
        let (row, unit) = (ppa.0 / self.layout.row_units, ppa.0 % self.layout.row_units);
        self.submit_host_read(request, row, 1 << unit, calendar, probe)
    }

    /// The die that a unit's address names.
    fn home_die(&self, lpn: Lpn) -> u32 {
        self.placement.home(&PlacementView {
            eligible: &[],
            dies: self.layout.dies,
            programs: &[],
            shape: self.layout.shape,
            lpn,
            program_units: self.layout.program_units,
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
        self.controller.submit(transaction, calendar, probe);
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
        let part = self.sectors.is_some();
        if home == Ppa::NONE {
            let bytes = if part { LOOKUP_BYTES } else { 0 };
            self.read_unwritten(unit, Origin::Map, Class::InternalRead, owner, bytes, calendar, probe);
            return;
        }
        self.read_bytes = if part { LOOKUP_BYTES } else { 0 };
        let (row, at) = (home.0 / self.layout.row_units, home.0 % self.layout.row_units);
        self.submit_read(row, 1 << at, Origin::Map, Class::InternalRead, owner, calendar, probe);
    }

    /// Says which page of its block a program is for, and that only the sectors which were written cross the channel.
    /// `hosts`: it belongs to the host's stream.
    #[cold]
    pub(crate) fn note_sectors_of(&mut self, program: &mut Transaction, hosts: bool) {
        let Some(sectors) = &mut self.sectors else { return };
        program.page = if hosts { sectors.next_page(program.die.index()) } else { program.row };
        if program.origin == Origin::Host {
            program.bytes = sectors.bytes_of(self.programs.get(program.owner, 0).value());
        }
    }

    /// The sectors of the write at hand are those that `slot` holds; true when no others must be read first.
    #[cold]
    pub(crate) fn hold_sectors(&mut self, slot: u32, lpn: Lpn, older: bool, leaves: bool) -> bool {
        let Some(sectors) = &mut self.sectors else { return true };
        let mask = sectors.within(sectors.current, lpn);
        let missing = if older { 0 } else { sectors.written[lpn.index()] & !mask };
        sectors.written[lpn.index()] |= mask;
        sectors.promised -= mask.count_ones();
        sectors.release(slot);
        sectors.slots[slot as usize] = Held { mask, missing, counted: false };
        if leaves {
            sectors.count(slot);
        }
        missing == 0
    }

    /// New data took the place of what a slot held.
    #[cold]
    pub(crate) fn hold_more_sectors(&mut self, slot: u32, lpn: Lpn) {
        let Some(sectors) = &mut self.sectors else { return };
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
        let lpn = self.buffer.slot(slot).lpn;
        let home = self.map.lookup(lpn);
        let part = self.sectors.as_ref().map(|sectors| sectors.slots[slot as usize].missing);
        let origin = Origin::ReadModifyWrite;
        match part {
            None if whole || home == Ppa::NONE => return false,
            Some(0) => return false,
            Some(missing) if home == Ppa::NONE => {
                self.read_unwritten(lpn, origin, Class::HostRead, slot, bytes(missing), calendar, probe);
                return true;
            }
            Some(missing) => self.read_bytes = bytes(missing),
            None => {}
        }
        let (row, unit) = (home.0 / self.layout.row_units, home.0 % self.layout.row_units);
        let class = if part.is_some() { Class::HostRead } else { Class::InternalRead };
        self.submit_read(row, 1 << unit, origin, class, slot, calendar, probe);
        debug_assert_ne!(home.0, NONE);
        debug_assert_eq!(self.buffer.slot(slot).state, SlotState::Merging);
        true
    }
}
