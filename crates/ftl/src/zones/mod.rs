//! The translation layer of a zoned drive: a zone is superblocks of a group of dies, its units lie in them in the order of
//! their addresses, and nothing is moved. Where each part of a zone lies a kind of mapping says ([`ZoneRules`]).
//!
//! Below it is a page-mapped layer, with all that both share: flash, buffer, host side. It maps the units of namespaces without
//! zones one by one, in superblocks of its own on the same dies (`parted`); on a drive that is zones only it has none.
//!
//! What the host may write, and when, it is not asked here: zones' states and limits are the command set's, which lets a write
//! through only at a zone's pointer. Units wait in the buffer until they fill a program unit; only a finish writes less, and
//! fills it up. The layer keeps the true place of every unit, as all layers do; what the controller would need in RAM is
//! a superblock number for each superblock of a zone ([`Layer::map_bytes`]).

mod at_rest;
mod commands;
mod outage;
mod parted;
mod reports;
mod untimed;
mod write;

use crate::layer::{Base, Layer};
use crate::mapping::zoning::{ZoneRules, Zoning};
use crate::pages::PageMapped;
use crate::parts::Parts;
use crate::store::zones_kept::ZonesKept;
use crate::store::{NONE, ZonedDie};
use crate::{Found, Layout, Probe, events};
use controller::Context;
use engine::Event;
use parted::Parting;
use std::collections::VecDeque;
use units::Ppa;

/// Constant: distance, in dies, from the die of one zone's first program unit to the die of the next zone's first
/// program unit. Zones with neighbouring numbers are often written together, and should begin on different dies.
const TURN: u32 = 13;

/// State of a zone of a zoned drive, as the translation layer knows it on flash.
#[derive(Clone, Debug)]
struct FlashZone {
    /// List of the superblocks (numbered over the drive) that the zone occupies, part by part; a part of a zone
    /// consists of one superblock on each die of a group of dies, in the order of these dies.
    members: Vec<u32>,
    /// Number of units of the zone that the host wrote; each is in the write buffer or on flash.
    written: u32,
    /// Number of program units of the zone whose programs were submitted.
    next: u32,
    /// Number of program units up to which a finish pads the zone; none until the host has asked for a finish.
    end: Option<u32>,
    /// Number of the host request that waits until the zone is finished (NVMe ZNS Zone Finish), or `NONE`.
    finisher: u32,
    /// Number of programs of the zone in flight.
    in_flight: u32,
    /// Queue of the slots of the write buffer with units of the zone that are not submitted yet, in order of address.
    waiting: VecDeque<u32>,
    /// True if the zone is in the queue of zones with pending work.
    is_busy: bool,
}

impl FlashZone {
    const EMPTY: Self = Self {
        members: Vec::new(),
        written: 0,
        next: 0,
        end: None,
        finisher: NONE,
        in_flight: 0,
        waiting: VecDeque::new(),
        is_busy: false,
    };
}

/// Record of the fill level of a zone on flash, and whether the host finished the zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlashZoneState {
    /// Number of units of the zone that the host wrote.
    pub written: u32,
    /// True if the host finished the zone, so that no more data can be written to it before a reset.
    pub is_finished: bool,
}

/// Set of counts of padding, finished data and superblocks over all zones of a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ZonedTotals {
    /// Number of units of padding that finishes of zones wrote beside the host's data.
    pub units_filled_up: u64,
    /// Number of units that the host had written in zones that were then finished.
    pub units_in_finished: u64,
    /// Number of free superblocks that were assigned to zones to hold their data.
    pub superblocks_taken: u64,
}

impl ZonedTotals {
    /// Returns the counts of padding, finished data and superblocks since `then`, an older copy of these counts.
    pub fn since(&self, then: &Self) -> Self {
        Self {
            units_filled_up: self.units_filled_up - then.units_filled_up,
            units_in_finished: self.units_in_finished - then.units_in_finished,
            superblocks_taken: self.superblocks_taken - then.superblocks_taken,
        }
    }
}

/// Type of the translation layer of a zoned drive, with the page-mapped layer below it.
pub struct ZoneMapped {
    /// Field of a zoned drive's layer: page-mapped layer below the zones, with the flash, background work and host side
    /// that both work on: it has the logical units before the first zone, and superblocks of its own for them.
    pub(crate) pages: PageMapped,
    rules: Box<dyn ZoneRules>,
    zoning: Zoning,
    zones: Vec<FlashZone>,
    /// For each superblock of the drive: index of the zone whose data it holds, or `NONE` if it belongs to no zone.
    zone_of: Vec<u32>,
    /// Queue of zones with pending work (data for a whole program unit, or a finish), in the order in which they submit
    /// their next program.
    busy: VecDeque<u32>,
    /// For each die: number of programs of zones in flight on the die.
    bound: Vec<u32>,
    counts: ZonedTotals,
    /// True on a zoned drive before simulated time begins, when written data are on flash at once.
    is_untimed: bool,
    /// True once the power of the zoned drive has failed: the drive submits no further program to zones.
    is_failing: bool,
}

impl ZoneMapped {
    /// Makes a zoned drive without data: every good superblock is free.
    ///
    /// # Errors
    /// When the blocks of the drive can fail, the write buffer does not suffice, or the drive cannot hold its zones;
    /// the string of the error message says what to change.
    pub(crate) fn new(parts: Parts<'_>, zoning: Zoning, rules: Box<dyn ZoneRules>) -> Result<Self, String> {
        if parts.array.may_fail() {
            return Err(
                "a zoned drive whose blocks can fail is not modelled: a zone would turn read-only; set \
                        nand.bad_blocks.program_fail_ratio and erase_fail_ratio to 0"
                    .into(),
            );
        }
        let layout = parts.config.layout.clone();
        let spare = if zoning.has_pages() { crate::pages::spare_for_cuts(parts.config) } else { 0 };
        let pages = PageMapped::from(parts.put_together(None, spare, layout.program_units)?);
        let mut ftl = Self {
            zones: vec![FlashZone::EMPTY; zoning.count as usize],
            zone_of: vec![NONE; layout.superblocks()],
            busy: VecDeque::new(),
            bound: vec![0; layout.dies as usize],
            counts: ZonedTotals::default(),
            is_untimed: false,
            is_failing: false,
            pages,
            rules,
            zoning,
        };
        ftl.check_buffer()?;
        let zones = ftl.zones.len();
        if let Some(numbers) = &mut ftl.pages.media.core.store.spare {
            numbers.zones = Some(Box::new(ZonesKept::new(layout.superblocks(), zones)));
        }
        let parting = Parting::of(&ftl);
        let dies = (0..layout.dies).map(|die| parting.first_of_zones(&ftl.pages.media.core.store.array, die));
        let firsts = dies.collect::<Result<Vec<u32>, String>>()?;
        ftl.pages.media.core.store.space.zoned = firsts.into_iter().map(ZonedDie::from).collect();
        for superblock in 0..layout.superblocks() as u32 {
            let (die, within) = ftl.place_of(superblock);
            let is_whole = ftl.pages.media.core.store.array.is_whole(die, within);
            if is_whole && ftl.pages.media.core.store.space.is_of_zones(superblock as usize) {
                ftl.pages.media.core.store.space.zoned[die as usize].usable += 1;
                ftl.push_free(superblock);
            }
        }
        ftl.check_sustainable()?;
        if ftl.zoning.has_pages() {
            ftl.pages.media.free_all();
            ftl.pages.check_sustainable()?;
            ftl.pages.make_room_for_features()?;
        }
        Ok(ftl)
    }

    /// Checks that the write buffer of a zoned drive survives power cuts and holds no data back as a cache, and has
    /// enough slots for the data of all active zones that wait until a whole program unit is there.
    fn check_buffer(&self) -> Result<(), String> {
        let (core, program) = (&self.pages.media.core, self.layout().program_units);
        if !core.rules.write_back || !core.rules.power_loss_protection || core.buffer.is_cache() {
            return Err("a zoned drive keeps what does not fill a program unit in a buffer that outlasts the power, as a \
                        zone has no place for padding before its end: set ftl.buffer.write_back and \
                        power_loss_protection to true, keep_ratio to 0, and no power.hold_up"
                .into());
        }
        let least = u64::from(self.zoning.active_most) * u64::from(program - 1)
            + u64::from(self.zoning.slots_beside(program));
        if u64::from(core.buffer.slots()) < least {
            return Err(format!(
                "the buffer must hold what {} active zones lack until their program units are full: set ftl.buffer.size to \
                 {} bytes or more",
                self.zoning.active_most,
                least * self.layout().unit.get()
            ));
        }
        Ok(())
    }

    /// Returns the greatest number of zones that may each have less than a program unit of data waiting in the write
    /// buffer while slots for further writes remain.
    pub(crate) fn held_back_most(&self) -> u32 {
        let program = self.layout().program_units;
        let slots = self.pages.media.core.buffer.slots().saturating_sub(self.zoning.slots_beside(program));
        slots.checked_div(program - 1).unwrap_or(u32::MAX)
    }

    fn check_sustainable(&self) -> Result<(), String> {
        let dies = &self.pages.media.core.store.space.zoned;
        let width = self.zoning.width as usize;
        let usable = |group: &[ZonedDie]| group.iter().map(|die| die.usable).min().unwrap_or(0);
        let groups: Vec<u32> = dies.chunks(width).map(usable).collect();
        let (parts, needed) = (self.parts_of_zone(), Parting::of(self).of_zones);
        let least = if self.rules.takes_all() {
            groups.iter().copied().min().unwrap_or(0)
        } else {
            groups.iter().sum::<u32>() / groups.len() as u32
        };
        if needed <= least {
            return Ok(());
        }
        let zones = u64::from(least / parts) * groups.len() as u64;
        let bytes = zones * u64::from(self.zoning.capacity) * self.layout().unit.get();
        Err(format!(
            "this drive cannot hold its zones: {} zones of {parts} superblocks on each of {width} dies need {needed} \
             superblocks of a die, and {least} are good; set ftl.user_capacity to {bytes}B or less",
            self.zoning.count
        ))
    }

    // ---- addresses ----------------------------------------------------------------------------------

    #[inline]
    fn layout(&self) -> &Layout {
        &self.pages.media.core.store.layout
    }

    /// Returns the number of program units in a part of a zone; a part consists of one superblock on each die of a
    /// group of dies.
    #[inline]
    fn part_programs(&self) -> u32 {
        self.layout().superblock_units / self.layout().program_units * self.zoning.width
    }

    /// Returns the number of program units of a zone.
    #[inline]
    fn zone_programs(&self) -> u32 {
        self.zoning.capacity / self.layout().program_units
    }

    fn parts_of_zone(&self) -> u32 {
        self.zone_programs().div_ceil(self.part_programs())
    }

    /// Returns, for program unit `position` of a zone, the index of its superblock among the zone's superblocks, and
    /// the program unit's number in that superblock. Zones begin on different dies, so that zones written alike do not
    /// all wait for one die.
    #[inline]
    fn place_in_zone(&self, zone: u32, position: u32) -> (usize, u32) {
        let (part, within) = (position / self.part_programs(), position % self.part_programs());
        let (width, turned) = (self.zoning.width, within.wrapping_add(zone % self.zoning.width * TURN));
        ((part * width + turned % width) as usize, within / width)
    }

    /// Returns the first physical address of program unit `position` of a zone; the zone must already have superblocks
    /// for the part of the zone that contains this program unit.
    #[inline]
    fn ppa_at(&self, zone: u32, position: u32) -> Ppa {
        let (member, number) = self.place_in_zone(zone, position);
        let superblock = self.zones[zone as usize].members[member];
        Ppa(self.layout().first_ppa(superblock) + u64::from(number * self.layout().program_units))
    }

    /// Returns the die of a superblock (numbered over the drive), and the number of the superblock within that die.
    #[inline]
    fn place_of(&self, superblock: u32) -> (u32, u32) {
        (superblock / self.layout().superblocks_per_die, superblock % self.layout().superblocks_per_die)
    }

    fn push_free(&mut self, superblock: u32) {
        let (die, within) = self.place_of(superblock);
        let space = &mut self.pages.media.core.store.space;
        space.pe_cycles[superblock as usize] = self.pages.media.core.store.array.pe_cycles(die, within);
        space.push_free_of_zones(die as usize, within);
    }

    // ---- what a drive may ask -----------------------------------------------------------------------

    /// Returns the fill levels of all zones, in the order of their numbers.
    pub(crate) fn states(&self) -> impl Iterator<Item = FlashZoneState> {
        self.zones
            .iter()
            .map(|zone| FlashZoneState { written: zone.written, is_finished: zone.end.is_some() })
    }

    /// Returns the counts of padding, finished data and superblocks over all zones.
    pub(crate) fn counts(&self) -> ZonedTotals {
        self.counts
    }

    /// Returns the settings of the drive's zones, such as their number, capacity and width.
    pub(crate) fn zoning(&self) -> Zoning {
        self.zoning
    }
}

impl Layer for ZoneMapped {
    #[inline]
    fn base(&self) -> Base<'_> {
        self.pages.base()
    }

    fn begin<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if self.zoning.has_pages() {
            self.pages.begin(ctx);
        } else {
            self.pages.media.begin();
            self.pages.upkeep.begin(&mut self.pages.media, &mut ctx.calendar);
        }
        if self.pages.media.core.store.spare.is_some() {
            self.begin_found(ctx);
        }
    }

    fn begin_finding<P: Probe>(&mut self, ctx: &mut Context<P>) -> Found {
        let rows = self.rows_to_find();
        let found = self.pages.media.begin_finding(Some(&rows), ctx);
        Found { units: found.units + self.units_waiting(), ..found }
    }

    fn power_fails(&mut self) {
        self.is_failing = true;
    }

    fn needs_power(&self) -> bool {
        // Capacitors keep what waits in zones, and no more.
        let waits = self.zoning.has_pages()
            && self.pages.media.is_draining()
            && u64::from(self.pages.media.core.buffer.dirty_slots()) > self.units_waiting();
        self.pages.media.core.store.programs.in_use() > 0 || waits
    }

    fn handle<P: Probe>(&mut self, event: Event, ctx: &mut Context<P>) {
        if event.kind >= events::FIRST {
            return self.pages.on_own_event(event, ctx);
        }
        self.on_event(event, ctx);
    }

    fn declare_stalled(&mut self) {
        if self.zoning.has_pages() {
            return self.pages.declare_stalled();
        }
        self.pages.media.core.buffer.forget_requests();
        self.pages.host.flushes.clear();
    }

    fn explain_stall(&self) -> String {
        let zone = |&at: &u32| {
            let zone = &self.zones[at as usize];
            format!(
                "zone {at}: {} units written, {} program units submitted, {} in flight, {} units wait, to be finished {:?}",
                zone.written,
                zone.next,
                zone.in_flight,
                zone.waiting.len(),
                zone.end
            )
        };
        let zones: Vec<String> = self.busy.iter().map(zone).collect();
        let free: Vec<usize> =
            self.pages.media.core.store.space.zoned.iter().map(|die| die.free.len()).collect();
        let beside = if self.zoning.has_pages() { self.pages.explain_stall() } else { String::new() };
        format!(
            "buffer {} used, {} reserved, {} in flight; free superblocks {free:?}; {}; {beside}",
            self.pages.media.core.buffer.used_slots(),
            self.pages.media.core.reserved_slots,
            self.pages.media.core.store.controller.in_flight(),
            zones.join("; ")
        )
    }

    /// Returns the bytes of RAM that the map takes: for each zone a write pointer of four bytes, and four bytes for
    /// each of its superblocks; four bytes for each unit that is mapped one by one.
    fn map_bytes(&self) -> u64 {
        let members = u64::from(self.parts_of_zone()) * u64::from(self.zoning.width);
        u64::from(self.zoning.count) * (4 + 4 * members) + 4 * u64::from(self.zoning.beside)
    }

    fn bytes_beside(&self) -> usize {
        let members = (self.parts_of_zone() * self.zoning.width) as usize;
        self.zones.len() * (size_of::<FlashZone>() + 4 * members) + 4 * self.zone_of.len()
    }
}
