//! How units join the open superblock of a stream, fill program units and go to the flash.

use crate::Probe;
use crate::agenda::Work;
use crate::events;
use crate::guards::regulation::Unit;
use crate::media::Media;
use crate::placement::PlacementView;
use crate::store::{Frontier, HOST, MOVED, NONE, SLC, Source, SuperblockState};
use controller::{Class, Context, Kind, Origin, Transaction};
use engine::{Calendar, Event};
use units::{DieId, Lpn, Nanos, Ppa, SimTime};

impl Media {
    /// True when some die has a part of a program unit of host data.
    #[inline]
    pub fn is_assembling(&self) -> bool {
        self.assembly.current != NONE
    }

    /// True when the host's data fill a program unit of the die that folded data share.
    pub fn is_host_filling(&self, die: usize) -> bool {
        self.assembly.current == die as u32 && self.assembly.host_stream == HOST
    }

    /// Gives the host's next program unit a die, if one can take it.
    #[inline]
    pub fn choose_die(&mut self, lpn: Lpn) -> bool {
        // Asked after every event, and most of the time no die can.
        self.assembly.eligible.iter().any(|word| *word != 0) && self.choose_among_eligible(lpn)
    }

    fn choose_among_eligible(&mut self, lpn: Lpn) -> bool {
        let view = PlacementView {
            eligible: &self.assembly.eligible,
            dies: self.store.layout.dies,
            programs: &self.assembly.bound,
            shape: self.store.layout.shape,
            lpn,
            program_units: self.store.layout.program_units,
        };
        match self.assembly.placement.choose(&view) {
            Some(die) => {
                assert!(view.is_eligible(die), "the placement policy chose {die}, which is not eligible");
                self.assembly.current = die.0;
                self.assembly.host_stream = self.stream_for_host(die.index());
                self.collections[die.index()].background = false;
                self.end_idle_folding(die.index());
                true
            }
            None => false,
        }
    }

    /// The program unit that is being filled waits for company no longer than `patience` from now on.
    pub fn arm_flush(&mut self, patience: Nanos, calendar: &mut Calendar) {
        let due = calendar.now() + patience;
        if due < self.assembly.flush_due {
            self.assembly.flush_due = due;
            calendar.schedule_timer(due, Event { kind: events::FLUSH, index: 0 });
        }
    }

    /// A timer went off. It may have been set for a program unit that was complete before.
    pub fn on_flush_timer<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if ctx.calendar.now() >= self.assembly.flush_due {
            self.pad_current(ctx);
        }
    }

    pub fn pad_current<P: Probe>(&mut self, ctx: &mut Context<P>) {
        if self.assembly.current != NONE {
            let die = self.assembly.current as usize;
            self.pad(die, self.assembly.host_stream, ctx);
            self.assembly.end_unit();
        }
    }

    /// Completes the program unit of a frontier with empty units.
    pub fn pad<P: Probe>(&mut self, die: usize, stream: usize, ctx: &mut Context<P>) {
        while self.store.space.dies[die].frontiers[stream].filled > 0 {
            self.append(die, stream, Lpn::NONE, Source::PADDING, ctx);
        }
    }

    /// Puts a unit into the open superblock of a stream, and programs when a program unit is complete.
    #[inline]
    pub fn append<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        lpn: Lpn,
        source: Source,
        ctx: &mut Context<P>,
    ) {
        // Neither padding nor a superblock's summary may go elsewhere.
        if lpn != Lpn::NONE && self.store.space.dies[die].frontiers[stream].filled == 0 {
            self.order(die, stream);
        }
        let space = &mut self.store.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        if frontier.filled == 0 {
            frontier.slot = self.store.programs.take_slot();
        }
        let global = (die as u32) * self.store.space.per_die + frontier.superblock;
        let ppa = Ppa(self.store.layout.first_ppa(global) + u64::from(frontier.next_unit));
        if self.guards.regulation.is_some() && lpn != Lpn::NONE {
            self.choose_cost(die, stream, global, lpn, source.origin(), ctx.calendar.now());
        }
        let frontier = &mut self.store.space.dies[die].frontiers[stream];
        self.store.programs.set(frontier.slot, frontier.filled, source);
        frontier.next_unit += 1;
        frontier.filled += 1;
        let complete = frontier.filled == self.store.program_units_of(stream);
        self.store.map.assign(ppa, lpn);
        if complete {
            self.issue_program(die, stream, Kind::Program, ctx);
        }
    }

    /// Asks the regulator with what cost a unit is written.
    pub fn choose_cost(
        &mut self,
        die: usize,
        stream: usize,
        superblock: u32,
        lpn: Lpn,
        origin: Origin,
        now: SimTime,
    ) {
        if self.guards.regulation.is_none() {
            return;
        }
        let old = self.store.map.lookup(lpn);
        // What comes from a block with one bit a cell takes a cost for the first time.
        let dense = old != Ppa::NONE && !self.holds_one_bit(self.store.layout.superblock_of(old) as usize);
        let old_row = dense.then(|| self.store.layout.row_number(old));
        let Some(regulation) = &mut self.guards.regulation else { return };
        if stream == SLC {
            return regulation.note_one_bit(die, lpn, now);
        }
        let waiting = self.store.controller.host_operations(DieId(die as u32));
        regulation.choose(die, stream, superblock as usize, Unit { lpn, origin, old_row }, waiting, now);
    }

    /// Submits the program of the units a frontier has collected.
    pub fn issue_program<P: Probe>(&mut self, die: usize, stream: usize, kind: Kind, ctx: &mut Context<P>) {
        let layout = &self.store.layout;
        let frontier = &mut self.store.space.dies[die].frontiers[stream];
        let Frontier { superblock, next_unit, slot, .. } = *frontier;
        frontier.filled = 0;
        frontier.slot = NONE;
        let slc = stream == SLC;
        let full = next_unit == if slc { layout.slc_units() } else { layout.superblock_units };
        if full {
            frontier.superblock = NONE;
        }
        let mut transaction = self.program_of(die, stream, kind, superblock, next_unit, slot);
        let global = self.store.space.global(die, superblock);
        if self.guards.regulation.is_some() {
            self.cost_of(&mut transaction, stream, global, &mut ctx.calendar);
        }
        self.store.space.in_flight[global] += 1;
        if full {
            self.store.space.state[global] = SuperblockState::Closed;
        }
        if stream != MOVED {
            self.assembly.bound[die] += 1;
        }
        if self.assembly.current == die as u32 && self.assembly.host_stream == stream {
            // What is moved may have completed it, and fill a part of the next by now: that is not the host's, which
            // has to ask for room first, and no timer of the host's pads it.
            self.assembly.end_unit();
        }
        let units = self.store.program_units_of(stream);
        ctx.probe.on_place(&transaction, units, |unit| self.store.programs.told(slot, unit));
        self.store.controller.submit(transaction, ctx);
        if self.guards.parity.is_some() && !slc {
            self.note_program(global as u32, next_unit / self.store.layout.program_units, ctx);
        }
        if full {
            self.note_closed(global);
        } else if next_unit == self.store.layout.data_units() {
            for _ in 0..self.store.layout.summary_units {
                self.append(die, stream, Lpn::NONE, Source::SUMMARY, ctx);
            }
        }
        if stream != MOVED {
            self.update_eligible(die); // Who moves data asks when he is done.
        }
        debug_assert!(self.fits_in_hand(die), "die {die} has a collection without room");
    }

    /// The program of what a frontier has collected, up to `next_unit` of its superblock.
    #[inline(always)]
    fn program_of(
        &mut self,
        die: usize,
        stream: usize,
        kind: Kind,
        superblock: u32,
        next_unit: u32,
        slot: u32,
    ) -> Transaction {
        let (layout, slc) = (&self.store.layout, stream == SLC);
        let row = (next_unit - self.store.program_units_of(stream)) / layout.row_units;
        // Where streams trade superblocks, those of one superblock must stay in order: one class for both.
        let own_class = stream == MOVED && self.guards.ordering.is_none();
        let class = if own_class { Class::InternalProgram } else { Class::HostProgram };
        if let Some(ordering) = &mut self.guards.ordering {
            ordering.note(slot, stream);
        }
        let origin = self.store.programs.get(slot, 0).origin();
        let mut transaction = Transaction::new(kind, origin, class, DieId(die as u32), superblock, row);
        transaction.wear = self.store.controller.wear_row(|| self.store.array.worn(die as u32, superblock));
        transaction.slc = slc || (kind == Kind::Copyback && origin == Origin::Fold);
        transaction.rows = if slc { 1 } else { layout.program_rows };
        transaction.pages = layout.planes * transaction.rows;
        transaction.reading.senses = transaction.rows as u16;
        transaction.owner = slot;
        if self.guards.sectors.is_some() {
            self.note_sectors_of(&mut transaction);
        }
        if stream == HOST
            && let Some(sectors) = &mut self.guards.sectors
        {
            transaction.page = sectors.next_page(die);
        }
        transaction
    }

    /// Says what a program costs that the regulator has chosen a cost for.
    pub fn cost_of(
        &mut self,
        transaction: &mut Transaction,
        stream: usize,
        global: usize,
        calendar: &mut Calendar,
    ) {
        let Some(regulation) = &mut self.guards.regulation else { return };
        if stream == SLC {
            return regulation.note_programmed(global, transaction.row, calendar.now());
        }
        let cost = regulation.take_cost(transaction.die.index(), stream);
        let rows = self.store.layout.program_rows;
        transaction.cost = regulation.issue(cost, global, transaction.row, rows, calendar.now());
        if let Some(due) = regulation.take_due() {
            self.enter_upkeep(due, Work::Refresh(global as u32), calendar);
        }
    }

    /// Takes no more data into a superblock that may be open.
    pub fn end_superblock<P: Probe>(&mut self, die: usize, superblock: u32, ctx: &mut Context<P>) {
        for stream in 0..3 {
            if self.store.space.dies[die].frontiers[stream].superblock == superblock {
                self.pad(die, stream, ctx);
                self.store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
                let global = self.store.space.global(die, superblock);
                self.store.space.state[global] = SuperblockState::Closed;
                if self.guards.parity.is_some() && stream != SLC {
                    self.note_ended(global as u32, ctx);
                }
                if stream == self.assembly.host_stream && self.assembly.current == die as u32 {
                    self.assembly.end_unit();
                }
            }
        }
    }

    /// A program failed: nothing more goes into the superblock, and what it holds moves out.
    pub fn fail_superblock<P: Probe>(&mut self, die: usize, superblock: u32, ctx: &mut Context<P>) {
        let global = self.store.space.global(die, superblock);
        let first_failure = !std::mem::replace(&mut self.store.space.failing[global], true);
        self.end_superblock(die, superblock, ctx);
        debug_assert!(first_failure || self.store.space.state[global] == SuperblockState::Closed);
    }
}
