//! How units join the open superblock of a stream, fill program units and go to the flash.

use crate::Probe;
use crate::core::{Joining, Lane};
use crate::media::Media;
use crate::placement::PlacementView;
use crate::store::{Frontier, NONE, Source, SuperblockState};
use crate::streams::Takes;
use controller::{Class, Context, Kind, Origin, Transaction};
use units::{DieId, Lpn, Ppa};

impl Media {
    /// Chooses the die for the next program unit of host write stream number `lane`, and records the die as the
    /// stream's current one; returns false if no die can take the program unit now.
    #[inline]
    pub fn choose_die(&mut self, lane: usize, lpn: Lpn) -> bool {
        // Asked after every event, and most of the time no die can.
        self.core.assembly.lanes[lane].eligible.iter().any(|word| *word != 0)
            && self.choose_among_eligible(lane, lpn)
    }

    fn choose_among_eligible(&mut self, lane: usize, lpn: Lpn) -> bool {
        let own = self.core.assembly.lanes[lane].own;
        let view = PlacementView {
            eligible: &self.core.assembly.lanes[lane].eligible,
            dies: self.core.store.layout.dies,
            programs: &self.core.assembly.bound,
            shape: self.core.store.layout.shape,
            lpn,
            program_units: self.core.store.layout.program_units,
        };
        match self.core.assembly.placement.choose(&view) {
            Some(die) => {
                assert!(view.is_eligible(die), "the placement policy chose {die}, which is not eligible");
                let stream = self.stream_for_host(die.index(), own);
                let lane = &mut self.core.assembly.lanes[lane];
                (lane.current, lane.stream) = (die.0, stream);
                self.core.collections[die.index()].end_idleness();
                self.core.end_idle_folding(die.index());
                true
            }
            None => false,
        }
    }

    /// Pads the partly filled program unit of every host write stream with empty units, so that the program units can
    /// be programmed.
    pub fn pad_current<P: Probe>(&mut self, ctx: &mut Context<P>) {
        (0..self.core.assembly.lanes.len()).for_each(|lane| self.pad_lane(lane, ctx));
    }

    /// Pads the partly filled program unit of host write stream number `lane` with empty units, so that it can be
    /// programmed.
    pub fn pad_lane<P: Probe>(&mut self, lane: usize, ctx: &mut Context<P>) {
        let Lane { current, stream, .. } = self.core.assembly.lanes[lane];
        if current != NONE {
            self.pad(current as usize, stream, ctx);
            self.core.assembly.lanes[lane].end_unit();
        }
    }

    /// Pads the partly filled program unit of an open superblock with empty units, so that it can be programmed.
    pub fn pad<P: Probe>(&mut self, die: usize, stream: usize, ctx: &mut Context<P>) {
        while self.core.store.space.dies[die].frontiers[stream].filled > 0 {
            self.append(die, stream, Lpn::NONE, Source::PADDING, ctx);
        }
    }

    /// Appends a mapping unit to the open superblock of a write stream, and submits the program when the program unit
    /// is full.
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
        if lpn != Lpn::NONE && self.core.store.space.dies[die].frontiers[stream].filled == 0 {
            self.core.order(die, stream);
        }
        let space = &mut self.core.store.space.dies[die];
        space.clock += 1;
        let frontier = &mut space.frontiers[stream];
        if frontier.filled == 0 {
            frontier.slot = self.core.store.programs.take_slot();
        }
        let global = (die as u32) * self.core.store.space.per_die + frontier.superblock;
        let ppa = Ppa(self.core.store.layout.first_ppa(global) + u64::from(frontier.next_unit));
        if lpn != Lpn::NONE {
            let joining = Joining { die, stream, superblock: global, lpn, origin: source.origin() };
            self.features.joins(&self.core, joining, ctx.calendar.now());
        }
        let frontier = &mut self.core.store.space.dies[die].frontiers[stream];
        self.core.store.programs.set(frontier.slot, frontier.filled, source);
        frontier.next_unit += 1;
        frontier.filled += 1;
        let complete = frontier.filled == self.core.store.program_units_of(stream);
        self.core.store.map.assign(ppa, lpn);
        if complete {
            self.issue_program(die, stream, Kind::Program, ctx);
        }
    }

    /// Submits the program of the units that were appended to the open superblock of a write stream since its last
    /// program.
    pub fn issue_program<P: Probe>(&mut self, die: usize, stream: usize, kind: Kind, ctx: &mut Context<P>) {
        let layout = &self.core.store.layout;
        let slc = self.core.store.space.is_one_bit(stream);
        let frontier = &mut self.core.store.space.dies[die].frontiers[stream];
        let Frontier { superblock, next_unit, slot, .. } = *frontier;
        frontier.filled = 0;
        frontier.slot = NONE;
        let full = next_unit == if slc { layout.slc_units() } else { layout.superblock_units };
        if full {
            frontier.superblock = NONE;
        }
        let mut transaction = self.program_of(die, stream, kind, superblock, next_unit, slot);
        let global = self.core.store.space.global(die, superblock);
        self.features.sets_cost(&mut self.core, &mut transaction, stream, &mut ctx.calendar);
        self.core.store.space.in_flight[global] += 1;
        if full {
            self.core.store.space.state[global] = SuperblockState::Closed;
        }
        let of_host = slc || self.core.assembly.streams.takes_hosts(stream);
        if of_host {
            self.core.assembly.bound[die] += 1;
            // What is moved may have completed it, and fill a part of the next by now: that is not the host's, which
            // has to ask for room first, and no timer of the host's pads it.
            self.core.assembly.end_unit(die, stream);
        }
        let units = self.core.store.program_units_of(stream);
        ctx.probe.on_place(&transaction, units, |unit| self.core.store.programs.told(slot, unit));
        self.core.store.controller.submit(transaction, ctx);
        if !slc {
            let programs = next_unit / self.core.store.layout.program_units;
            self.features.issued(&mut self.core, global as u32, programs);
            self.do_asked(ctx);
        }
        if full {
            self.features.closed(global);
        } else if next_unit == self.core.store.layout.data_units() {
            for _ in 0..self.core.store.layout.summary_units {
                self.append(die, stream, Lpn::NONE, Source::SUMMARY, ctx);
            }
        }
        if of_host {
            self.update_eligible(die); // A mover asks when its moves are done.
        }
        debug_assert!(self.core.fits_in_hand(die), "die {die} has a collection without room");
    }

    /// Makes the transaction that programs the units last appended to the open superblock of a write stream: the
    /// program unit that ends before unit `next_unit` of the superblock.
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
        let (layout, slc) = (&self.core.store.layout, self.core.store.space.is_one_bit(stream));
        let row = (next_unit - self.core.store.program_units_of(stream)) / layout.row_units;
        // Where streams trade superblocks, those of one superblock must stay in order: one class for both.
        let own_class =
            !slc && !self.core.assembly.streams.takes_hosts(stream) && self.core.assembly.ordering.is_none();
        let class = if own_class { Class::InternalProgram } else { Class::HostProgram };
        if let Some(ordering) = &mut self.core.assembly.ordering {
            let is_hosts = slc || self.core.assembly.streams.takes_hosts(stream);
            ordering.note(slot, if is_hosts { Takes::Host } else { Takes::Moved });
        }
        let origin = self.core.store.programs.get(slot, 0).origin();
        let mut transaction = Transaction::new(kind, origin, class, DieId(die as u32), superblock, row);
        transaction.wear =
            self.core.store.controller.wear_row(|| self.core.store.array.worn(die as u32, superblock));
        transaction.slc = slc || (kind == Kind::Copyback && origin == Origin::Fold);
        transaction.rows = if slc { 1 } else { layout.program_rows };
        transaction.pages = layout.planes * transaction.rows;
        transaction.reading.senses = transaction.rows as u16;
        transaction.owner = slot;
        self.features.programs(&self.core, &mut transaction, Some(stream));
        transaction
    }

    /// Submits the program of one program unit that a feature of the drive writes with data of its own, such as parity;
    /// the tuple names die, superblock within the die and first page row.
    pub fn program_own<P: Probe>(
        &mut self,
        origin: Origin,
        (die, superblock, row): (u32, u32, u32),
        ctx: &mut Context<P>,
    ) {
        let slot = self.core.store.programs.take_slot();
        for unit in 0..self.core.store.layout.program_units {
            self.core.store.programs.set(slot, unit, Source::new(origin, 0));
        }
        let class = Class::InternalProgram;
        let mut transaction = Transaction::new(Kind::Program, origin, class, DieId(die), superblock, row);
        transaction.wear =
            self.core.store.controller.wear_row(|| self.core.store.array.worn(die, superblock));
        transaction.rows = self.core.store.layout.program_rows;
        transaction.pages = self.core.store.layout.planes * self.core.store.layout.program_rows;
        transaction.owner = slot;
        let global = self.core.store.space.global(die as usize, superblock);
        self.features.sets_own_cost(&self.core, &mut transaction, ctx.calendar.now());
        self.core.store.space.in_flight[global] += 1;
        let units = self.core.store.layout.program_units;
        ctx.probe.on_place(&transaction, units, |unit| self.core.store.programs.told(slot, unit));
        self.core.store.controller.submit(transaction, ctx);
    }

    /// Closes superblock `superblock` to further data if it is open, after padding its last program unit.
    pub fn end_superblock<P: Probe>(&mut self, die: usize, superblock: u32, ctx: &mut Context<P>) {
        for stream in 0..self.core.store.space.dies[die].frontiers.len() {
            if self.core.store.space.dies[die].frontiers[stream].superblock == superblock {
                self.pad(die, stream, ctx);
                self.core.store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
                self.core.assembly.streams.note_ended(stream);
                let global = self.core.store.space.global(die, superblock);
                self.core.store.space.state[global] = SuperblockState::Closed;
                if !self.core.store.space.is_one_bit(stream) {
                    self.features.superblock_ended(&mut self.core, global as u32);
                    self.do_asked(ctx);
                }
                self.core.assembly.end_unit(die, stream);
            }
        }
    }

    /// Marks a superblock as failed after a program failure, and closes it to further data if it is open. Its valid
    /// units are relocated once its programs have ended.
    pub fn fail_superblock<P: Probe>(&mut self, die: usize, superblock: u32, ctx: &mut Context<P>) {
        let global = self.core.store.space.global(die, superblock);
        let first_failure = !std::mem::replace(&mut self.core.store.space.failing[global], true);
        self.end_superblock(die, superblock, ctx);
        debug_assert!(first_failure || self.core.store.space.state[global] == SuperblockState::Closed);
    }
}
