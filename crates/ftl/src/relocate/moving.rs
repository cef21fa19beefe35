//! Units on their way from one superblock to another.

use crate::Probe;
use crate::core::{Core, Joining, Version};
use crate::media::Media;
use crate::relocate::Customer;
use crate::store::{NONE, Source};
use controller::{Class, Context, Kind, Origin};
use nand::ProgramStatus;
use units::{DieId, Ppa};

impl Core {
    pub fn begin_victim(&mut self, die: usize, superblock: u32, origin: Origin) {
        let space = &self.store.space;
        let (valid, units) = (space.valid[space.global(die, superblock)], space.units);
        let global = self.store.space.global(die, superblock);
        self.assembly.streams.note_reclaimed(&self.store.space, global);
        let collection = &mut self.collections[die];
        collection.mover.take(superblock, origin);
        // Wear levelling and rescue move data without giving anything back: they do not pace the host.
        collection.pace.rate = match origin {
            Origin::Gc if valid > 0 => f64::from(units - valid) / f64::from(valid),
            _ => 0.0,
        };
    }

    /// Opens a superblock for relocated data of a write stream, unless one is open; returns false if none is open and
    /// none can be opened.
    #[inline]
    pub fn open_for_moving(&mut self, die: usize, stream: usize) -> bool {
        self.store.space.dies[die].frontiers[stream].superblock != NONE || self.open_own(die, stream)
    }
}

impl Core {
    /// Records the end of a relocation inside the die (copyback), whether it succeeded or failed.
    pub fn on_moved_in_die(&mut self, die: usize, origin: Origin) {
        let customer = Customer::of(origin);
        // Folding in the die takes nothing over the bus.
        let units = u32::from(customer == Customer::Collection);
        self.mover(die, customer).end_read(units);
        if customer == Customer::Collection {
            let host_programs = self.assembly.bound[die];
            let program_units = self.store.layout.program_units;
            self.collections[die].earn(1, &self.turns, program_units, host_programs);
        }
    }
}

impl Media {
    /// Submits a copyback of one page within its plane; returns false if the write stream's open superblock lies in
    /// another plane, or none is open and none can be opened.
    pub fn copy_back<P: Probe>(
        &mut self,
        die: usize,
        source: Ppa,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let lpn = self.core.store.map.holder(source);
        let stream = self.core.assembly.streams.of_moved_unit(&self.core.store, lpn, source);
        if !self.core.open_for_moving(die, stream) {
            return false;
        }
        self.core.order(die, stream);
        self.copy_in_die(die, stream, source, 1, origin, ctx)
    }

    /// Submits a copyback of `units` units to the open superblock of a write stream; returns false unless the
    /// superblock lies in the same plane. The data do not pass the ECC, as on a real chip: errors may add up.
    pub fn copy_in_die<P: Probe>(
        &mut self,
        die: usize,
        stream: usize,
        source: Ppa,
        units: u32,
        origin: Origin,
        ctx: &mut Context<P>,
    ) -> bool {
        let from = self.core.store.layout.superblock_of(source) % self.core.store.space.per_die;
        let space = &mut self.core.store.space.dies[die];
        let frontier = &mut space.frontiers[stream];
        let to = frontier.superblock;
        if self.core.store.array.plane_of(die as u32, from) != self.core.store.array.plane_of(die as u32, to)
        {
            return false;
        }
        let (slot, begin) = (self.core.store.programs.take_slot(), frontier.next_unit);
        (frontier.slot, frontier.next_unit) = (slot, begin + units);
        space.clock += u64::from(units);
        let global = self.core.store.space.global(die, to) as u32;
        let target = self.core.store.layout.first_ppa(global) + u64::from(begin);
        for unit in 0..units {
            let old = Ppa(source.0 + u64::from(unit));
            self.core.store.programs.set(slot, unit, Source::new(origin, old.0));
            let lpn = self.core.store.map.holder(old);
            let joining = Joining { die, stream, superblock: global, lpn, origin };
            self.features.joins(&self.core, joining, ctx.calendar.now());
            self.core.store.map.assign(Ppa(target + u64::from(unit)), lpn);
        }
        self.issue_program(die, stream, Kind::Copyback, ctx);
        true
    }

    pub fn move_unit<P: Probe>(&mut self, die: usize, ppa: Ppa, origin: Origin, ctx: &mut Context<P>) {
        let lpn = self.core.store.map.holder(ppa);
        let stream = self.core.assembly.streams.of_moved_unit(&self.core.store, lpn, ppa);
        if !self.core.open_for_moving(die, stream) {
            return self.core.collections[die].mover.waiting.push_back((ppa, origin));
        }
        self.core.store.map.prefetch_lookup(lpn);
        self.append(die, stream, lpn, Source::new(origin, ppa.0), ctx);
    }

    /// Tries again to relocate the units that waited for free space on their die, because a superblock became free.
    pub fn retry_waiting<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        for _ in 0..self.core.collections[die].mover.waiting.len() {
            let Some((ppa, origin)) = self.core.collections[die].mover.waiting.pop_front() else { return };
            if self.core.store.map.is_valid(ppa) {
                self.move_unit(die, ppa, origin, ctx);
            }
        }
    }

    /// Sets the map entry of a relocated unit, whose program has ended, to its new physical address, unless the host
    /// wrote or trimmed the unit meanwhile. Returns false if the program failed and the unit must be relocated again.
    #[inline]
    pub fn on_moved_unit<P: Probe>(
        &mut self,
        ppa: Ppa,
        old: Ppa,
        status: ProgramStatus,
        probe: &mut P,
    ) -> bool {
        if old == Ppa::NONE {
            return true; // Overtaken, and its old place was erased.
        }
        let lpn = self.core.store.map.holder(ppa);
        let superblock = self.core.store.layout.superblock_of(ppa);
        // Where it is no longer needed, its old place may have been erased since, and be named for what came there.
        let named = self.features.names(old) && self.core.store.map.holder(old) == lpn;
        let live = self.core.store.map.lookup(lpn) == old;
        if !live && !named {
            return true;
        }
        if status == ProgramStatus::Failed {
            return false;
        }
        if named {
            let version = if live { Version::Newest } else { Version::Former };
            self.features.moved(&mut self.core, (lpn, old, ppa), version, probe);
        }
        if live {
            self.features.changes(lpn);
            self.core.store.map.set(lpn, ppa);
            probe.on_moved(lpn, ppa, old);
        }
        self.core.store.space.valid[superblock as usize] += 1;
        self.core.invalidate(old);
        true
    }

    /// Queues a relocated unit whose program failed for another relocation; its data are still at `old`. After a
    /// copyback (relocation inside the die), the controller does not have the data, so that the unit is read again
    /// first.
    #[cold]
    pub fn move_again<P: Probe>(&mut self, old: Ppa, origin: Origin, kind: Kind, ctx: &mut Context<P>) {
        let die = (self.core.store.layout.superblock_of(old) / self.core.store.space.per_die) as usize;
        let mover = self.core.mover(die, Customer::of(origin));
        if kind != Kind::Copyback {
            return mover.waiting.push_back((old, origin));
        }
        mover.begin_read(1);
        let (row, bit) = self.core.store.layout.row_of(old);
        self.submit_read(row, bit, origin, Class::InternalRead, NONE, ctx);
    }

    /// Fills up a program unit, partly filled with relocated units, with empty units (padding), if victim superblocks
    /// wait for its program and no further unit will fill it.
    pub fn pad_leftover<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        if !self.core.collections[die].mover.waits_for_programs() {
            return;
        }
        for stream in self.core.assembly.streams.of_moved() {
            let frontier = self.core.store.space.dies[die].frontiers[stream];
            let moved = (0..frontier.filled).any(|unit| {
                !matches!(self.core.store.programs.get(frontier.slot, unit).origin(), Origin::Host)
            });
            if moved {
                self.pad(die, stream, ctx);
            }
        }
    }

    /// Fills up the partly filled program units of relocated data on a die with empty units (padding), and so submits
    /// their programs, if the die is idle: units that the cost regulator had programmed again, so that later reads of
    /// them take less time, need not wait for further data.
    pub fn pad_rewrites<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        if !self.core.store.controller.is_idle(DieId(die as u32)) {
            return;
        }
        for stream in self.core.assembly.streams.of_moved() {
            let is_open = self.core.store.space.dies[die].frontiers[stream].superblock != NONE;
            if is_open && !self.core.assembly.streams.is_shared(stream) {
                self.pad(die, stream, ctx);
            }
        }
    }

    /// Pads a partly filled program unit, for whose program superblocks wait that are being folded (relocated out of
    /// the SLC cache), with empty units if no further unit will fill it.
    pub fn pad_folded<P: Probe>(&mut self, die: usize, ctx: &mut Context<P>) {
        let mover = self.core.mover(die, Customer::Folding);
        let waits = mover.waits_for_programs() && mover.waiting.is_empty();
        if waits
            && self.core.store.space.dies[die].frontiers[self.core.assembly.streams.of_host()].filled > 0
            && !self.core.is_host_filling(die)
        {
            self.pad(die, self.core.assembly.streams.of_host(), ctx);
        }
    }
}
