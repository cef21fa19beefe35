//! How buffered units find their die, fill program units and go to the flash.

use super::{HOST, MOVED, PageMapped, SLC};
use crate::buffer::SlotState;
use crate::demand::SUMMARY;
use crate::events;
use crate::placement::PlacementView;
use crate::programs::Source;
use crate::regulation::Unit;
use crate::space::{Frontier, NONE, SuperblockState};
use crate::upkeep::Work;
use controller::{Class, Kind, Origin, Probe, Transaction};
use engine::{Calendar, Event};
use units::{DieId, Lpn, Nanos, Ppa, SimTime};

/// How long a partial program unit waits for company when a request waits for it behind a write cache.
const AWAITED_PATIENCE: Nanos = Nanos::new(10_000);

impl PageMapped {
    /// Binds waiting units to dies as long as some die can take them.
    pub fn pump<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        let mut awaited = false;
        while let Some(slot) = self.buffer.first_queued() {
            if self.buffer.slot(slot).state == SlotState::Cancelled {
                self.buffer.bind_first();
                self.release_void(slot);
                continue;
            }
            let lpn = self.buffer.slot(slot).lpn;
            if !self.is_assembling() && !self.choose_die(lpn) {
                return;
            }
            let (die, stream) = (self.current as usize, self.host_stream);
            let opened = self.space.dies[die].frontiers[stream].superblock == NONE;
            if opened {
                assert!(self.open_for_host(die, stream), "die {die} was eligible without room");
            }
            self.buffer.bind_first();
            awaited |= self.write_back && self.buffer.slot(slot).request != u32::MAX;
            self.space.dies[die].live += 1;
            self.note_host_unit(die, stream);
            self.map.prefetch_validity(self.map.lookup(lpn));
            let source = Source::new(self.buffered_origin(lpn), slot);
            self.append(die, stream, lpn, source, calendar, probe);
            if opened {
                self.collect(die, calendar, probe);
            }
        }
        if !self.is_assembling() {
            return;
        }
        if !self.flushes.is_empty() {
            self.pad_current(calendar, probe);
        } else if awaited {
            // Behind a write cache patience is long; a write that must be on flash (FUA) has less.
            let at = calendar.now() + self.flush_after.min(AWAITED_PATIENCE);
            calendar.schedule_timer(at, Event { kind: events::FLUSH, index: self.flush_serial });
        } else if !self.flush_armed {
            self.arm_flush(calendar, probe);
        }
    }

    /// True when some die has a part of a program unit of host data.
    #[inline]
    fn is_assembling(&self) -> bool {
        self.current != NONE
    }

    /// True when the host's data fill a program unit of the die that folded data share.
    pub(crate) fn is_host_filling(&self, die: usize) -> bool {
        self.current == die as u32 && self.host_stream == HOST
    }

    pub(super) fn choose_die(&mut self, lpn: Lpn) -> bool {
        let view = PlacementView {
            eligible: &self.eligible,
            dies: self.layout.dies,
            programs: &self.bound,
            shape: self.layout.shape,
            lpn,
            program_units: self.layout.program_units,
        };
        if self.eligible.iter().all(|word| *word == 0) {
            return false;
        }
        match self.placement.choose(&view) {
            Some(die) => {
                assert!(view.is_eligible(die), "the placement policy chose {die}, which is not eligible");
                self.current = die.0;
                self.host_stream = self.stream_for_host(die.index());
                self.collections[die.index()].background = false;
                self.end_idle_folding(die.index());
                true
            }
            None => false,
        }
    }

    pub(super) fn arm_flush<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if self.flush_after == Nanos::ZERO {
            self.pad_current(calendar, probe);
            return;
        }
        self.flush_armed = true;
        let at = calendar.now() + self.flush_after;
        calendar.schedule_timer(at, Event { kind: events::FLUSH, index: self.flush_serial });
    }

    pub(crate) fn pad_current<P: Probe>(&mut self, calendar: &mut Calendar, probe: &mut P) {
        if self.current != NONE {
            let die = self.current as usize;
            self.pad(die, self.host_stream, calendar, probe);
            self.current = NONE;
        }
    }

    /// Completes the program unit of a frontier with empty units.
    pub(crate) fn pad<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        while self.space.dies[die].frontiers[stream].filled > 0 {
            self.append(die, stream, Lpn::NONE, Source::PADDING, calendar, probe);
        }
    }

    /// Puts a unit into the open superblock of a stream, and programs when a program unit is complete.
    #[inline]
    pub(crate) fn append<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        lpn: Lpn,
        source: Source,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        // Neither padding nor a superblock's summary may go elsewhere.
        if lpn != Lpn::NONE && self.space.dies[die].frontiers[stream].filled == 0 {
            self.order(die, stream);
        }
        let space = &mut self.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        if frontier.filled == 0 {
            frontier.slot = self.programs.take_slot();
        }
        let global = (die as u32) * self.space.per_die + frontier.superblock;
        let ppa = Ppa(self.layout.first_ppa(global) + frontier.next_unit);
        if self.regulation.is_some() && lpn != Lpn::NONE {
            self.choose_cost(die, stream, global, lpn, source.origin(), calendar.now());
        }
        let frontier = &mut self.space.dies[die].frontiers[stream];
        self.programs.set(frontier.slot, frontier.filled, source);
        frontier.next_unit += 1;
        frontier.filled += 1;
        let complete = frontier.filled == self.layout.program_units_of(stream == SLC);
        self.map.assign(ppa, lpn);
        if complete {
            self.issue_program(die, stream, Kind::Program, calendar, probe);
        }
    }

    /// Asks the regulator with what cost a unit is written.
    pub(crate) fn choose_cost(
        &mut self,
        die: usize,
        stream: usize,
        superblock: u32,
        lpn: Lpn,
        origin: Origin,
        now: SimTime,
    ) {
        let Some(regulation) = &mut self.regulation else { return };
        let old = self.map.lookup(lpn);
        let old_row = (old != Ppa::NONE).then(|| old.0 / self.layout.row_units);
        let waiting = self.controller.host_operations(DieId(die as u32));
        regulation.choose(die, stream, superblock as usize, Unit { lpn, origin, old_row }, waiting, now);
    }

    /// Submits the program of the units a frontier has collected.
    pub(crate) fn issue_program<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        kind: Kind,
        calendar: &mut Calendar,
        probe: &mut P,
    ) {
        let layout = &self.layout;
        let frontier = &mut self.space.dies[die].frontiers[stream];
        let Frontier { superblock, next_unit, slot, .. } = *frontier;
        frontier.filled = 0;
        frontier.slot = NONE;
        let slc = stream == SLC;
        let full = next_unit == if slc { layout.slc_units() } else { layout.superblock_units };
        if full {
            frontier.superblock = NONE;
        }
        let row = (next_unit - layout.program_units_of(slc)) / layout.row_units;
        // Where streams trade superblocks, those of one superblock must stay in order: one class for both.
        let own_class = stream == MOVED && self.ordering.is_none();
        let class = if own_class { Class::InternalProgram } else { Class::HostProgram };
        if let Some(ordering) = &mut self.ordering {
            ordering.note(slot, stream == HOST);
        }
        let origin = self.programs.get(slot, 0).origin();
        let mut transaction = Transaction::new(kind, origin, class, DieId(die as u32), superblock, row);
        transaction.wear = self.controller.wear_row(|| self.array.worn(die as u32, superblock));
        transaction.slc = slc || (kind == Kind::Copyback && origin == Origin::Fold);
        transaction.rows = if slc { 1 } else { layout.program_rows };
        transaction.pages = layout.planes * transaction.rows;
        transaction.reading.senses = transaction.rows as u16;
        transaction.owner = slot;
        if self.sectors.is_some() {
            self.note_sectors_of(&mut transaction, stream == HOST);
        }
        let global = self.space.global(die, superblock);
        if let Some(regulation) = &mut self.regulation {
            let cost = regulation.take_cost(die, stream);
            transaction.cost = regulation.issue(cost, global, row, self.layout.program_rows, calendar.now());
            if let Some(due) = regulation.take_due() {
                self.enter_upkeep(due, Work::Refresh(global as u32), calendar);
            }
        }
        self.space.in_flight[global] += 1;
        if full {
            self.space.state[global] = SuperblockState::Closed;
        }
        if stream != MOVED {
            self.bound[die] += 1;
        }
        if self.current == die as u32 && self.host_stream == stream {
            // What is moved may have completed it, and fill a part of the next by now: that is not the host's, which
            // has to ask for room first, and no timer of the host's pads it.
            self.current = NONE;
            self.flush_serial = (self.flush_serial + 1) & 0xFF_FFFF;
            self.flush_armed = false;
        }
        self.controller.submit(transaction, calendar, probe);
        if self.parity.is_some() {
            self.note_program(global as u32, next_unit / self.layout.program_units, calendar, probe);
        }
        if full {
            self.note_closed(global);
        } else if next_unit == self.layout.data_units() {
            for _ in 0..self.layout.summary_units {
                self.append(die, stream, Lpn::NONE, SUMMARY, calendar, probe);
            }
        }
        self.update_eligible(die);
        debug_assert!(self.fits_in_hand(die), "a collection without room: {}", self.explain_stall());
    }

    /// A program of the host's stream may join those that wait at the die.
    #[inline]
    pub(crate) fn has_program_place(&self, die: usize) -> bool {
        self.bound[die] < self.program_queue
    }

    /// Whatever the host takes, garbage collection must still be able to move what it has in hand, and must find a free
    /// superblock for its next victim when those being reclaimed have come back: true when `left` units of its open
    /// superblock and so many `free` ones are enough for that.
    pub(crate) fn keeps_room(&self, die: usize, left: u32, free: u32) -> bool {
        let (units, program) = (self.layout.data_units(), self.layout.program_units);
        let reserved = self.reserved_units(die);
        let expected = self.collections[die].expected_superblocks();
        let kept = (1 + self.spare) * units;
        // Padding may take the rest of a program unit that was begun: only whole ones count for what is in hand.
        left - left % program + free * units >= reserved.next_multiple_of(program)
            && left + (free + expected) * units >= reserved + kept
    }

    /// Whether the host, or what is folded, may take a program unit of a superblock with all its bits.
    #[inline]
    pub(crate) fn has_own_room(&self, die: usize) -> bool {
        let space = &self.space.dies[die];
        let (units, program) = (self.layout.data_units(), self.layout.program_units);
        let free = self.free_superblocks(die);
        let host_left = space.frontiers[HOST].left(&self.layout);
        let gc_left = if self.mixed { 0 } else { space.frontiers[1].left(&self.layout) };
        let suffices = |left: u32, free: u32| self.keeps_room(die, left, free);
        let room = match (host_left >= program, self.mixed) {
            (true, false) => true,
            (true, true) => suffices(host_left - program, free),
            (false, true) => free >= 1 && suffices(units - program, free - 1),
            (false, false) => free >= 2 && suffices(gc_left, free - 1),
        };
        room && !self.collections[die].holds_host_back()
    }

    /// The die may hold another program unit's data.
    #[inline]
    pub(crate) fn is_within_quota(&self, die: usize) -> bool {
        let space = &self.space.dies[die];
        space.live + self.layout.program_units <= space.quota
    }

    /// Whether the host may send this die another program unit.
    pub(crate) fn update_eligible(&mut self, die: usize) {
        let within_quota = self.is_within_quota(die);
        let mut room = self.has_own_room(die);
        if self.slc_cache.is_some() {
            room = self.has_cache_room(die, room);
        }
        let (word, bit) = (die / 64, 1u64 << (die % 64));
        if within_quota && room && self.has_program_place(die) {
            self.eligible[word] |= bit;
        } else {
            self.eligible[word] &= !bit;
        }
        if within_quota {
            self.quota_blocked[word] &= !bit;
        } else {
            self.quota_blocked[word] |= bit;
        }
    }
}
