//! How what waits in zones gets to the flash: the next program unit of a zone, the superblocks it lies in.

use super::ZoneMapped;
use crate::Probe;
use crate::buffer::SlotState;
use crate::core::Joining;
use crate::mapping::zoning::ZoneView;
use crate::store::{Source, SuperblockState};
use controller::{Class, Context, Kind, Origin, Transaction};
use engine::Calendar;
use units::{DieId, Lpn, Ppa};

/// Constant: index of the write stream to which units of zones count where their write cost is chosen.
const STREAM: usize = 0;

impl ZoneMapped {
    /// Returns true if a zone has a whole program unit of data to program, or is to be finished.
    pub(super) fn has_work(&self, zone: u32) -> bool {
        let state = &self.zones[zone as usize];
        match state.end {
            Some(end) => state.next < end,
            None => state.waiting.len() as u32 >= self.layout().program_units,
        }
    }

    /// Submits the program of a zone's next program unit; returns false if there is none, or if it must wait for its
    /// die or for a free superblock.
    pub(super) fn program_next<P: Probe>(&mut self, zone: u32, ctx: &mut Context<P>) -> bool {
        if !self.has_work(zone) {
            return false;
        }
        let position = self.zones[zone as usize].next;
        let part = position / self.part_programs();
        if !self.has_part(zone, part) && !self.take_parts(zone, part) {
            return false;
        }
        let (member, number) = self.place_in_zone(zone, position);
        let superblock = self.zones[zone as usize].members[member];
        let (die, within) = self.place_of(superblock);
        if self.bound[die as usize] >= self.pages.media.core.assembly.program_queue {
            return false;
        }
        let program = self.pages.media.core.store.programs.take_slot();
        let first = self.ppa_at(zone, position);
        let origin = self.fill(zone, program, first);
        let row = number * self.layout().program_rows;
        self.submit_program(superblock, (die, within, row), (program, origin), ctx);
        let state = &mut self.zones[zone as usize];
        (state.next, state.in_flight) = (position + 1, state.in_flight + 1);
        true
    }

    /// Assigns the units that wait in the write buffer for zone `zone`, and padding after them, to a program. Returns
    /// the origin of the program: host, or padding if no unit waited.
    fn fill(&mut self, zone: u32, program: u32, first: Ppa) -> Origin {
        let mut origin = Origin::Padding;
        for unit in 0..self.layout().program_units {
            let ppa = Ppa(first.0 + u64::from(unit));
            let store = &mut self.pages.media.core.store;
            let Some(slot) = self.zones[zone as usize].waiting.pop_front() else {
                store.programs.set(program, unit, Source::PADDING);
                store.map.assign(ppa, Lpn::NONE);
                self.counts.units_filled_up += 1;
                continue;
            };
            let buffer = &mut self.pages.media.core.buffer;
            if buffer.slot(slot).state == SlotState::Queued {
                buffer.set_state(slot, SlotState::Bound);
            }
            store.programs.set(program, unit, Source::of_slot(Origin::Host, slot));
            store.map.assign(ppa, buffer.slot(slot).lpn);
            origin = Origin::Host;
        }
        origin
    }

    fn submit_program<P: Probe>(
        &mut self,
        superblock: u32,
        (die, within, row): (u32, u32, u32),
        (program, origin): (u32, Origin),
        ctx: &mut Context<P>,
    ) {
        let store = &self.pages.media.core.store;
        let (rows, planes, units) =
            (store.layout.program_rows, store.layout.planes, store.layout.program_units);
        let mut transaction =
            Transaction::new(Kind::Program, origin, Class::HostProgram, DieId(die), within, row);
        transaction.wear = store.controller.wear_row(|| store.array.worn(die, within));
        transaction.rows = rows;
        transaction.pages = planes * rows;
        transaction.owner = program;
        self.pages.media.features.programs(&self.pages.media.core, &mut transaction, None);
        if self.pages.media.features.chooses_costs() {
            self.cost(superblock, &mut transaction, &mut ctx.calendar);
        }
        self.bound[die as usize] += 1;
        self.pages.media.core.store.space.in_flight[superblock as usize] += 1;
        ctx.probe
            .on_place(&transaction, units, |unit| self.pages.media.core.store.programs.told(program, unit));
        self.pages.media.core.store.controller.submit(transaction, ctx);
    }

    /// Sets the write cost (way to program a page) of a program: of the costs chosen for its units, the one with the
    /// finest program step (voltage increment per pulse).
    #[cold]
    fn cost(&mut self, superblock: u32, program: &mut Transaction, calendar: &mut Calendar) {
        let (die, now) = (program.die.index(), calendar.now());
        let (first, units) = (self.pages.media.core.store.first_unit(program), self.layout().program_units);
        for unit in 0..units {
            let lpn = self.pages.media.core.store.map.holder(Ppa(first + u64::from(unit)));
            if lpn != Lpn::NONE {
                let joining = Joining { die, stream: STREAM, superblock, lpn, origin: Origin::Host };
                self.pages.media.features.joins(&self.pages.media.core, joining, now);
            }
        }
        self.pages.media.features.sets_cost(&mut self.pages.media.core, program, STREAM, calendar);
    }

    // ---- parts of zones -----------------------------------------------------------------------------

    /// Returns true if the zone already has the superblocks of its part number `part`; a part consists of one
    /// superblock on each die of a group of dies.
    pub(super) fn has_part(&self, zone: u32, part: u32) -> bool {
        self.zones[zone as usize].members.len() as u32 > part * self.zoning.width
    }

    /// Assigns free superblocks to part number `part` of a zone (one superblock on each die of a group of dies), and to
    /// all later parts where the zone rules say so; returns false if no group has free superblocks for this part yet.
    pub(super) fn take_parts(&mut self, zone: u32, part: u32) -> bool {
        if !self.rules.takes_all() {
            return self.take_part(zone, part);
        }
        // A part that has to wait for an erase is taken later, in its turn.
        (part..self.parts_of_zone()).take_while(|&at| self.take_part(zone, at)).count() > 0
    }

    fn take_part(&mut self, zone: u32, part: u32) -> bool {
        let width = self.zoning.width as usize;
        let free =
            |dies: &[crate::store::ZonedDie]| dies.iter().map(|die| die.free.len() as u32).min().unwrap_or(0);
        let free: Vec<u32> = self.pages.media.core.store.space.zoned.chunks(width).map(free).collect();
        let being_written = self.being_written(free.len());
        let view = ZoneView { zone, part, free: &free, being_written: &being_written };
        let group = self.rules.group(&view) as usize;
        assert!(group < free.len(), "the rules of zones chose group {group} of {}", free.len());
        if free[group] == 0 {
            return false;
        }
        for die in group * width..(group + 1) * width {
            let space = &mut self.pages.media.core.store.space;
            let within = space.take_free_of_zones(die).expect("a superblock of the die is free");
            let superblock = space.global(die, within);
            space.state[superblock] = SuperblockState::Open;
            self.zone_of[superblock] = zone;
            let member = self.zones[zone as usize].members.len() as u32;
            self.zones[zone as usize].members.push(superblock as u32);
            self.label(superblock as u32, zone, member);
        }
        self.counts.superblocks_taken += width as u64;
        true
    }

    /// Returns, for each group of dies (a group holds one part of a zone), the number of zones whose next program goes
    /// there: zones with program units left to program that have superblocks in the group.
    fn being_written(&self, groups: usize) -> Vec<u32> {
        let mut counts = vec![0; groups];
        for (zone, state) in (0..).zip(&self.zones) {
            let is_at_work = state.end.map_or(state.next < self.zone_programs(), |end| state.next < end);
            let part = state.next / self.part_programs();
            if is_at_work && self.has_part(zone, part) {
                let superblock = state.members[(part * self.zoning.width) as usize];
                counts[(self.place_of(superblock).0 / self.zoning.width) as usize] += 1;
            }
        }
        counts
    }
}
