//! A fresh drive that is written in order, all superblocks of a kind at once.
//!
//! As long as nothing is overwritten no unit asks a question: the dies take program units in turns, and open and close
//! their superblocks together. So a drive of any size is filled superblock by superblock, to the very state that writing
//! unit by unit ends in, and a rule says what its map holds. Where a question could be asked (collection may begin, a
//! die comes to its quota, the drive has features that take part in writes) units are written one by one, as always.

use crate::Layout;
use crate::core::Core;
use crate::media::Media;
use crate::pages::PageMapped;
use crate::store::{Frontier, Ground, NONE, Places};
use controller::Origin;
use units::{Lpn, Ppa};

impl PageMapped {
    /// Writes up to `count` units from `first` on to a fresh drive, superblock by superblock and without simulated
    /// time; returns the number written. The rest must be written by [`Self::write_untimed`].
    pub(super) fn lay_in_order(&mut self, first: Lpn, count: u32) -> u32 {
        if !self.may_write_in_order() {
            return 0;
        }
        let layout = &self.media.core.store.layout;
        let (dies, program, units) = (layout.dies as usize, layout.program_units, layout.data_units());
        let mut order = Vec::new();
        let mut written = 0;
        loop {
            let turns = (u64::from(count - written) / u64::from(layout_turn(dies, program))) as u32;
            let part = units.min(turns.saturating_mul(program));
            if part == 0 || !(0..dies).all(|die| self.takes_in_order(die, part)) {
                break;
            }
            (0..dies).for_each(|die| order.push(self.open_with(die, part)));
            if part == units {
                (0..dies).for_each(|die| self.close_full(die));
            }
            written += part * dies as u32;
        }
        self.media.core.store.count_written(written);
        self.media.core.store.stats.units_programmed[Origin::Host as usize] += u64::from(written);
        if written > 0 {
            let ground = UnitsInOrder::new(&self.media.core.store.layout, first.0, written, order);
            self.media.core.store.map.lay(Box::new(ground));
        }
        written
    }

    /// Returns true when nothing was written to the drive yet, and no optional feature or write stream influences the
    /// place of a unit, so that only the dies' free space decides.
    fn may_write_in_order(&self) -> bool {
        let Media { core: Core { store, .. }, features } = &self.media;
        let layout = &store.layout;
        let is_fresh = store.stats.units_written == 0
            && store.space.dies.iter().all(|die| die.clock == 0 && die.candidates.is_empty());
        let is_plain = !features.watches_writes() && self.media.core.assembly.streams.is_plain();
        let is_whole = layout.summary_units == 0 && layout.data_units().is_multiple_of(layout.program_units);
        is_fresh && is_plain && is_whole && store.dead.from_start == NONE
    }

    /// Returns true when die `die` can take `part` units in a new superblock without needing garbage collection, while
    /// preconditioning fills a fresh drive in order without simulated time.
    fn takes_in_order(&self, die: usize, part: u32) -> bool {
        let (media, space) = (&self.media, &self.media.core.store.space.dies[die]);
        let before = self.upkeep.trigger_view(media, die);
        let after = crate::gc::trigger::TriggerView { free: before.free.saturating_sub(1), ..before };
        space.frontiers[media.core.assembly.streams.of_host()].superblock == NONE
            && !media.core.collections[die].mover.has_victim()
            && media.core.free_superblocks(die) >= 2 + media.core.rules.spare
            && space.live + part <= space.quota
            && !self.upkeep.trigger.foreground(&before)
            && !self.upkeep.trigger.foreground(&after)
    }

    /// Opens a superblock of a die and fills `part` of its units without simulated time; returns its number over the
    /// drive.
    fn open_with(&mut self, die: usize, part: u32) -> u32 {
        let stream = self.media.core.assembly.streams.of_host();
        let store = &mut self.media.core.store;
        let opened = store.space.open(die, stream);
        assert!(opened, "die {die} takes a write and has nothing to open");
        let space = &mut store.space.dies[die];
        space.clock += u64::from(part);
        space.live += part;
        space.frontiers[stream].next_unit = part;
        let superblock = space.frontiers[stream].superblock;
        let global = store.space.global(die, superblock);
        store.space.valid[global] = part;
        global as u32
    }

    fn close_full(&mut self, die: usize) {
        let stream = self.media.core.assembly.streams.of_host();
        let superblock = self.media.core.store.space.dies[die].frontiers[stream].superblock;
        let global = self.media.core.store.space.global(die, superblock);
        self.media.core.store.space.dies[die].frontiers[stream] = Frontier::CLOSED;
        self.media.core.store.array.restore(global, self.media.core.store.layout.rows);
        self.media.features.closed(global);
        self.media.core.store.space.close(die, superblock);
    }
}

/// Returns the number of units written in one turn of writing a drive in order, when each die takes one program unit.
fn layout_turn(dies: usize, program: u32) -> u32 {
    dies as u32 * program
}

/// Type of the map of a drive that was filled in ascending order of logical units, as a rule that computes each unit's
/// place, in place of stored arrays.
struct UnitsInOrder {
    first: u32,
    count: u32,
    dies: u32,
    program: u32,
    /// Number of mapping units of a superblock.
    units: u32,
    /// Number of superblocks of a die of the drive that was filled in order.
    per_die: u32,
    /// List of the numbers (over the drive) of the superblocks in the order in which filling the drive wrote them: one
    /// of each die, then the next of each die.
    order: Vec<u32>,
    /// For each superblock: its position, counted from 0, among the superblocks of its die in the order in which
    /// filling the drive wrote them, or `NONE`.
    rank: Vec<u32>,
}

impl UnitsInOrder {
    fn new(layout: &Layout, first: u32, count: u32, order: Vec<u32>) -> Self {
        let mut rank = vec![NONE; layout.superblocks()];
        for (at, &superblock) in order.iter().enumerate() {
            rank[superblock as usize] = at as u32 / layout.dies;
        }
        Self {
            first,
            count,
            dies: layout.dies,
            program: layout.program_units,
            units: layout.superblock_units,
            per_die: layout.superblocks_per_die,
            order,
            rank,
        }
    }

    /// Returns the physical address of the first unit of a superblock.
    fn first_of(&self, superblock: u32) -> u64 {
        u64::from(superblock) * u64::from(self.units)
    }

    /// Returns the number of units that filling the drive in order wrote to a superblock; they are always the
    /// superblock's first units.
    fn filled(&self, superblock: u32) -> u32 {
        match self.rank.get(superblock as usize) {
            None | Some(&NONE) => 0,
            Some(&rank) => (self.count / self.dies - rank * self.units).min(self.units),
        }
    }

    /// Calls `visit` for each program that filled the drive, superblock by superblock, with the program's first logical
    /// unit and its physical place; the program's other units have consecutive logical numbers and places.
    fn go_through(&self, mut visit: impl FnMut(Lpn, Ppa)) {
        for &superblock in &self.order {
            let (filled, place) = (self.filled(superblock), self.first_of(superblock));
            let mut lpn = if filled > 0 { self.first + self.index_of(superblock, 0) } else { 0 };
            for at in (0..filled).step_by(self.program as usize) {
                visit(Lpn(lpn), Ppa(place + u64::from(at)));
                lpn = lpn.wrapping_add(self.dies * self.program);
            }
        }
    }

    /// Returns the position, in the ascending order in which the drive was filled and counted from 0, of the logical
    /// unit at place `place` of a superblock, on a drive that was filled in order.
    fn index_of(&self, superblock: u32, place: u32) -> u32 {
        let (die, rank) = (superblock / self.per_die, self.rank[superblock as usize]);
        let turn = (rank * self.units + place) / self.program;
        (turn * self.dies + die) * self.program + place % self.program
    }
}

impl Ground for UnitsInOrder {
    fn lookup(&self, lpn: Lpn) -> Ppa {
        let index = lpn.0.wrapping_sub(self.first);
        if index >= self.count {
            return Ppa::NONE;
        }
        let (program, within) = (index / self.program, index % self.program);
        let (turn, die) = (program / self.dies, program % self.dies);
        let (rank, place) = (turn * self.program / self.units, turn * self.program % self.units);
        Ppa(self.first_of(self.order[(rank * self.dies + die) as usize]) + u64::from(place + within))
    }

    fn holder(&self, ppa: Ppa) -> Lpn {
        let units = u64::from(self.units);
        let (superblock, place) = ((ppa.0 / units) as u32, (ppa.0 % units) as u32);
        if place < self.filled(superblock) {
            Lpn(self.first + self.index_of(superblock, place))
        } else {
            Lpn::NONE
        }
    }

    fn word(&self, at: usize) -> u64 {
        let (begin, end) = (64 * at as u64, 64 * (at as u64 + 1));
        let units = u64::from(self.units);
        let mut word = 0;
        for superblock in begin / units..=(end - 1) / units {
            let start = superblock * units;
            let stop = (start + u64::from(self.filled(superblock as u32))).min(end);
            let start = start.max(begin);
            if stop > start {
                word |= (u64::MAX >> (64 - (stop - start))) << (start - begin);
            }
        }
        word
    }

    fn first_unwritten(&self, from: u32) -> u32 {
        let is_written = from.wrapping_sub(self.first) < self.count;
        if is_written { self.first + self.count } else { from }
    }

    fn each(&self, visit: &mut dyn FnMut(Lpn, Ppa)) {
        self.go_through(|lpn, ppa| {
            (0..self.program).for_each(|within| visit(Lpn(lpn.0 + within), Ppa(ppa.0 + u64::from(within))));
        });
    }

    fn write(&self, forward: &mut Places, backward: &mut [u32], valid: &mut [u64]) {
        let program = self.program as usize;
        self.go_through(|lpn, ppa| {
            forward.set_run(lpn.0, ppa.0, program);
            let units = backward[ppa.index()..][..program].iter_mut().zip(lpn.0..);
            units.for_each(|(unit, lpn)| *unit = lpn);
        });
        valid.iter_mut().enumerate().for_each(|(at, word)| *word = self.word(at));
    }
}
