//! Units of which parts are known: which sectors of a unit were ever written, which of them a request wants.
//!
//! With `ftl.sectors.track` only sectors that are asked for cross the channels, and a write of a part of a unit reads
//! only those of the others that were ever written. With `unwritten = "flash"` a unit that nobody wrote is read all the
//! same, from the die that its address names. The model of MQSim: Tavakkol et al., FAST 2018. Where a program takes several
//! units, padding crosses no channel, and what is moved crosses it whole.
//!
//! Not modelled: room on the flash for units that are read and were never written.

use crate::Layout;
use crate::layout::SECTOR;
use crate::settings::SectorRules;
use engine::large_array;
use units::{Bytes, Lpn};

/// Bytes of a translation unit that a lookup takes over the channel.
pub(crate) const LOOKUP_BYTES: u32 = 512;

/// What a request or a buffered unit is about, sector by sector.
pub(crate) struct Sectors {
    pub per_unit: u64,
    pub unwritten: bool,
    /// Sectors of each logical unit that were written, or read as if they had been.
    pub written: Vec<u64>,
    /// First sector and end of each request under way.
    pub extents: Vec<(u64, u64)>,
    /// Of the request at hand.
    pub current: (u64, u64),
    /// Sectors that a buffer slot holds, those it still misses, and whether it counts as on its way.
    pub slots: Vec<Held>,
    /// Sectors on their way to the flash, and the most there may be.
    pub on_way: u32,
    /// Sectors whose way was promised, and whose data are still to come.
    pub promised: u32,
    most: u32,
    /// Pages of each die that were given to host data, be they programmed or only read.
    pages: Vec<u32>,
    pages_per_block: u32,
    /// Bytes read from the buffer since the last call of `take_cached`.
    pub cached: u64,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Held {
    pub mask: u64,
    pub missing: u64,
    pub counted: bool,
}

impl Sectors {
    /// Says which bytes of the drive a request is about.
    #[cold]
    pub fn note_extent(&mut self, request: u32, offset: u64, bytes: u64) {
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
    pub fn within(&self, (first, end): (u64, u64), lpn: Lpn) -> u64 {
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
    pub fn promise(&mut self, request: u32, first: Lpn, wanted: u32) -> u32 {
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
    pub fn count(&mut self, slot: u32) {
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

pub(crate) fn bytes(mask: u64) -> u32 {
    mask.count_ones() * SECTOR as u32
}
