//! Units of which parts are known: which sectors of a unit were ever written, which of them a request wants.
//!
//! With `ftl.sectors.track` only sectors that are asked for cross the channels, and a write of a part of a unit reads
//! only those of the others that were ever written. With `unwritten = "flash"` a unit that was never written is read all the
//! same, from the die that its address names. The model of MQSim: Tavakkol et al., FAST 2018. Where a program takes several
//! units, padding crosses no channel, and what is moved crosses it whole.
//!
//! Not modelled: room on the flash for units that are read and were never written.

mod settings;

use super::{Feature, Made, Making, Said};
use crate::Layout;
use crate::core::{Arriving, Core};
use crate::layout::{SECTOR, sector_bytes};
use crate::store::Source;
use config::{ConfigError, Section};
use controller::{Kind, Origin, Transaction};
use ecc::Ladder;
use engine::large_array;
use settings::SectorRules;
use units::{Lpn, Ppa};

/// State of sector tracking: which sectors of each mapping unit were written, which sectors each host request addresses
/// and each write buffer slot holds, and the number of sectors in flight.
pub(crate) struct Sectors {
    per_unit: u64,
    unwritten: bool,
    /// For each logical unit, the bit set of the sectors that sector tracking (a feature of the flash translation
    /// layer) counts as written: sectors that the host wrote, or read while the unit was never written.
    written: Vec<u64>,
    /// For each host request, the number of the first sector of the logical drive that the request addresses, and of
    /// the sector after its last one; kept by the sector tracking of the flash translation layer.
    extents: Vec<(u64, u64)>,
    /// Pair of sector numbers on the logical drive: first sector of the host request that is being processed, and the
    /// sector after its last one.
    current: (u64, u64),
    /// For each write buffer slot, the sectors that it holds, the sectors of its unit that it still lacks, and whether
    /// its sectors count as in flight.
    slots: Vec<Held>,
    /// Number of sectors of host data in flight to flash: their write buffer slots are queued for programming or are
    /// being programmed.
    on_way: u32,
    /// Number of sectors of host data for which buffer slots are reserved but whose data have not arrived yet.
    promised: u32,
    /// Field of the sector tracking: limit for the number of sectors of host data that are in flight to flash or for
    /// which buffer slots are reserved, both counted together; `u32::MAX`: no limit.
    most: u32,
    /// For each die, the page number within a block that sector tracking gives to the die's next program of host data,
    /// as the simulator MQSim does. Each such program, and the first read of each never-written unit, advances the
    /// number; page 0 follows the last page of the block.
    pages: Vec<u32>,
    pages_per_block: u32,
    /// Counter of the sector tracking: number of bytes that host reads got from the write buffer since the last call of
    /// [`Feature::take_cached`].
    cached: u64,
}

#[derive(Clone, Copy, Default)]
struct Held {
    mask: u64,
    missing: u64,
    counted: bool,
}

impl Sectors {
    /// Returns the bit set of the sectors of unit `lpn` that lie within an extent, given as its first sector and the
    /// sector after its last one.
    fn within(&self, (first, end): (u64, u64), lpn: Lpn) -> u64 {
        let start = u64::from(lpn.0) * self.per_unit;
        let (from, to) = (first.max(start) - start, end.min(start + self.per_unit).saturating_sub(start));
        if to <= from {
            return 0;
        }
        let below = |count: u64| if count >= 64 { u64::MAX } else { (1u64 << count) - 1 };
        below(to) & !below(from)
    }

    /// Returns true if more host sectors may be sent to the drive, because the sectors in flight to flash and those
    /// with reserved buffer slots are fewer than the limit.
    fn has_room(&self) -> bool {
        self.on_way + self.promised < self.most
    }

    /// Returns the page number within a block that the die's next operation for host data gets, and advances it; page 0
    /// follows the last page of the block.
    fn next_page(&mut self, die: usize) -> u32 {
        let page = self.pages[die];
        self.pages[die] = (page + 1) % self.pages_per_block;
        page
    }

    /// Marks the sectors of a write buffer slot as in flight to flash until the slot is released, and adds their number
    /// to the sectors in flight.
    fn count(&mut self, slot: u32) {
        let held = &mut self.slots[slot as usize];
        held.counted = true;
        self.on_way += held.mask.count_ones();
    }
}

impl Feature for Sectors {
    fn bytes(&self) -> usize {
        8 * self.written.len() + self.slots.len() * size_of::<Held>()
    }

    fn takes_data(&self) -> bool {
        self.has_room()
    }

    fn knows_parts(&self) -> bool {
        true
    }

    fn extent(&mut self, request: u32, offset: u64, bytes: u64) {
        let extent = (offset / SECTOR, (offset + bytes).div_ceil(SECTOR));
        self.current = extent;
        if self.extents.len() <= request as usize {
            self.extents.resize(request as usize + 1, (0, 0));
        }
        self.extents[request as usize] = extent;
    }

    fn promise(&mut self, request: u32, first: Lpn, wanted: u32) -> Option<u32> {
        let mut granted = 0;
        while granted < wanted && self.has_room() {
            let lpn = Lpn(first.0 + granted);
            self.promised += self.within(self.extents[request as usize], lpn).count_ones();
            granted += 1;
        }
        Some(granted)
    }

    fn refused(&mut self, lpn: Lpn) {
        self.promised -= self.within(self.current, lpn).count_ones();
    }

    /// Records the sectors of the present host write as the content of write buffer slot `slot`, and as lacking there
    /// the other written sectors of the mapping unit that no older version in the write buffer supplies.
    fn arrived(&mut self, slot: u32, lpn: Lpn, write: Arriving) {
        let mask = self.within(self.current, lpn);
        let missing = match write.older {
            Some(_) if write.complete => 0,
            Some(older) => self.slots[older as usize].missing & !mask,
            None => self.written[lpn.index()] & !mask,
        };
        self.written[lpn.index()] |= mask;
        self.promised -= mask.count_ones();
        self.released(slot, None);
        self.slots[slot as usize] = Held { mask, missing, counted: false };
        if write.leaves {
            self.count(slot);
        }
    }

    fn joined(&mut self, slot: u32, lpn: Lpn) {
        let mask = self.within(self.current, lpn);
        self.promised -= mask.count_ones();
        self.written[lpn.index()] |= mask;
        let held = &mut self.slots[slot as usize];
        if held.counted {
            self.on_way += (mask & !held.mask).count_ones();
        }
        held.mask |= mask;
    }

    /// Clears the sectors of a write buffer slot that becomes free. A slot that keeps a unit as clean data instead gets
    /// all written sectors of the unit or, with the number of a host request that read it, the sectors asked for, too.
    fn released(&mut self, slot: u32, kept: Option<(Lpn, u32)>) {
        let held = std::mem::take(&mut self.slots[slot as usize]);
        if held.counted {
            self.on_way -= held.mask.count_ones();
        }
        let Some((lpn, request)) = kept else { return };
        let (written, asked) = (self.written[lpn.index()], self.extents.get(request as usize));
        let mask = asked.map_or(written, |asked| held.mask | self.within(*asked, lpn));
        self.slots[slot as usize] = Held { mask, missing: written & !mask, counted: false };
    }

    fn part_to_read(&mut self, request: u32, lpn: Lpn, buffered: Option<u32>) -> Option<u64> {
        let asked = self.within(self.extents[request as usize], lpn);
        let here = buffered.map_or(0, |slot| asked & self.slots[slot as usize].mask);
        self.cached += u64::from(sector_bytes(here));
        Some(asked & !here)
    }

    /// Returns true if the unit has no place on flash (`place` is `Ppa::NONE`) and the drive still performs a flash
    /// read for it. Sectors of a never-written unit that are read in this way count as written afterwards.
    fn reads_part(&mut self, lpn: Lpn, part: u64, place: Ppa, home_die: u32) -> bool {
        if place == Ppa::NONE && !self.unwritten {
            return false;
        }
        if self.written[lpn.index()] == 0 {
            self.written[lpn.index()] = part;
            self.next_page(home_die as usize);
        }
        place == Ppa::NONE
    }

    fn lacks(&self, slot: u32) -> Option<u64> {
        Some(self.slots[slot as usize].missing)
    }

    fn take_cached(&mut self) -> u64 {
        std::mem::take(&mut self.cached)
    }

    /// Sets, for the sector tracking of the flash translation layer, the page number within the block of a program,
    /// and, for a program with host data, the bytes that cross the channel: the written sectors of host units, nothing
    /// for padding, and whole units otherwise.
    fn programs(&mut self, core: &Core, program: &mut Transaction, stream: Option<usize>) {
        program.page = program.row;
        let (programs, units) = (&core.store.programs, program.rows * core.store.layout.row_units);
        let sources = || (0..units).map(|unit| programs.get(program.owner, unit));
        if program.kind == Kind::Program && sources().any(|source| source.origin() == Origin::Host) {
            let bytes = |source: Source| match source.origin() {
                Origin::Host => sector_bytes(self.slots[source.slot() as usize].mask),
                Origin::Padding => 0,
                _ => core.store.layout.unit.get() as u32,
            };
            program.bytes = sources().map(bytes).sum();
        }
        if stream.is_some_and(|stream| core.assembly.streams.takes_hosts(stream)) {
            program.page = self.next_page(program.die.index());
        }
    }

    /// Marks, in the sector tracking of the flash translation layer, all sectors of every mapping unit on flash as
    /// written, because writes without simulated time write whole units.
    fn settled(&mut self, core: &Core) {
        for (lpn, written) in self.written.iter_mut().enumerate() {
            if core.store.map.lookup(Lpn(lpn as u32)) != Ppa::NONE {
                *written = u64::MAX >> (64 - self.per_unit);
            }
        }
    }
}

impl Said for Sectors {
    type Settings = SectorRules;
}

impl Made for Sectors {
    fn read(ftl: &mut Section, layout: &mut Layout) -> Result<SectorRules, ConfigError> {
        SectorRules::read(ftl, layout)
    }

    fn bytes_most(rules: &SectorRules, layout: &Layout, _: Option<&Ladder>) -> u64 {
        if rules.track { 8 * u64::from(layout.logical_units) } else { 0 }
    }

    fn new(rules: &SectorRules, making: &mut Making<'_>) -> Result<Option<Box<Self>>, String> {
        let layout = making.layout;
        Ok(rules.track.then(|| {
            Box::new(Self {
                per_unit: layout.unit.get() / SECTOR,
                unwritten: rules.unwritten,
                written: large_array(layout.logical_units as usize, 0),
                extents: Vec::new(),
                current: (0, 0),
                slots: vec![Held::default(); making.slots as usize],
                on_way: 0,
                promised: 0,
                pages: vec![0; layout.dies as usize],
                pages_per_block: layout.rows,
                most: making.in_flight_most.map_or(u32::MAX, |bytes| (bytes.get() / SECTOR) as u32),
                cached: 0,
            })
        }))
    }

    fn take_back(&mut self, before: Self) {
        self.written = before.written;
    }
}
