//! A block: its oxide, how often it was stressed and by what, and the wordlines that hold data.

use super::pace::Pace;
use crate::cells::normal::{Stream, largest};
use crate::cells::{CellPhysics, Condition, Elapsed, Wordline};
use std::collections::BTreeMap;

/// Constant: number of stress units in one program/erase cycle: stress (oxide wear) is counted in whole millionths of a
/// cycle, so that sums do not depend on their order.
pub(super) const MICRO: f64 = 1e6;

/// Converts a number of program/erase cycles to whole millionths of a cycle.
pub(super) fn micro(cycles: f64) -> u64 {
    (cycles * MICRO).round() as u64
}

/// Record of the stress (wear of the oxide) that programs and over-erases add to one wordline, in addition to the
/// erases of the wordline's block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Stress {
    /// Stress by programs, in millionths of a cycle.
    pub programmed: u64,
    /// Stress by erases of cells that had not been programmed, in millionths of a cycle.
    pub over_erased: u64,
}

/// Record of a wordline that was programmed since the last erase, with its simulated cells.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub cells: Wordline,
    pub states: Vec<u8>,
    pub pages: u32,
    /// Stress of the wordline by programs since the erase, in millionths of a program/erase cycle; each pass adds the
    /// stress of the further rise of the thresholds.
    pub stress: u64,
    /// Time of the last program of the wordline, on the chip's clock.
    pub at: Elapsed,
    /// Number of programs of the block since its erase, up to and including the wordline's last program; programs after
    /// that disturb the wordline.
    pub programs: u64,
}

/// Constant: number of wordlines in one layer of the 3D stack (strings behind one bitline), as many as most flash parts
/// have.
const STRINGS: usize = 4;
/// Constant: random stream of the quality of the 3D stack's layers, equal on all chips, since the manufacturing process
/// decides which layers have more errors.
const LAYERS: Stream = Stream::new(0x6c61_7965_7273);

/// Returns by how many standard deviations a wordline's layer is worse (has more errors) than the mean layer; equal in
/// all blocks.
fn layer_of(wordline: usize) -> f64 {
    LAYERS.normal((wordline / STRINGS) as u64)
}

/// State of one block of a simulated chip: its wear, its counts of operations, and the wordlines that hold data.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub stream: Stream,
    /// Oxide trapping of the block, as a factor relative to a mean block.
    pub trapping: f64,
    /// The block's wear function (pace), which gives its wear by its number of program/erase cycles, since some cycles
    /// cause more wear than others.
    pub pace: Pace,
    pub stress: Vec<Stress>,
    pub cycles: u64,
    pub erases: u64,
    pub bad: bool,
    pub next_page: u32,
    pub programs: u64,
    pub reads: u64,
    pub written: BTreeMap<u32, Written>,
    /// List of the data of the pages of one wordline that the chip has received, until the wordline is complete: with
    /// one-shot programming they are programmed together only then, with two-step programming each later pass needs the
    /// earlier pages' data again.
    pub waiting: Vec<Vec<u8>>,
    /// Map with, for each page and for the erase (key -1), the busy time in ns of the operation in its last cycle that
    /// the test rig logged, and a flag that is false if the operation failed.
    pub logged: BTreeMap<i64, (u64, bool)>,
}

mod draw {
    pub const TRAPPING: u64 = 101;
    pub const DEFECT: u64 = 102;
    pub const SLOWEST: u64 = 103;
    pub const OFFSET: u64 = 104;
    pub const CELLS: u64 = 105;
    pub const PACE: u64 = 106;
}

impl Block {
    pub fn new(physics: &CellPhysics, chip: Stream, chip_trapping: f64, number: u32, wordlines: u32) -> Self {
        let stream = chip.of(u64::from(number) + 1);
        let wear = &physics.wear;
        let defect = stream.of(draw::DEFECT).uniform(0) < wear.defect_fraction;
        let spread = libm::exp(wear.block_spread * stream.of(draw::TRAPPING).normal(0));
        Self {
            stream,
            trapping: chip_trapping * spread * if defect { wear.defect_factor } else { 1.0 },
            pace: Pace::new(wear.cycle_spread, wear.cycle_memory, stream.of(draw::PACE)),
            stress: vec![Stress::default(); wordlines as usize],
            cycles: 0,
            erases: 0,
            bad: false,
            next_page: 0,
            programs: 0,
            reads: 0,
            written: BTreeMap::new(),
            waiting: Vec::new(),
            logged: BTreeMap::new(),
        }
    }

    /// Returns the oxide trapping of the cell that erases slowest among `cells` cells of a wordline, as a factor
    /// relative to a mean cell: a random value that the wordline's number selects.
    pub fn slowest(&self, physics: &CellPhysics, wordline: usize, cells: f64) -> f64 {
        let rank = self.stream.of(draw::SLOWEST).uniform(wordline as u64);
        libm::exp(physics.wear.cell_spread * largest(cells, rank))
    }

    /// Draws how far the slowest-programming of `cells` cells in one state of a wordline lies from the mean, in
    /// standard deviations.
    pub fn slowest_deviation(&self, wordline: usize, state: usize, cells: f64) -> f64 {
        largest(cells, self.stream.of(draw::OFFSET).of(state as u64).uniform(wordline as u64))
    }

    /// Returns the wear of a wordline, in cycles: the stress of the block's erases so far and of the wordline's
    /// programs.
    pub fn wear(&self, physics: &CellPhysics, wordline: usize) -> f64 {
        self.pace.cycles(self.erases) * physics.wear.erase_share
            + self.stress[wordline].programmed as f64 / MICRO
    }

    pub fn condition(&self, physics: &CellPhysics, wordline: usize) -> Condition {
        let cycles = self.wear(physics, wordline);
        let over = self.stress[wordline].over_erased as f64 / MICRO;
        let error_cycles = cycles + physics.wear.over_erase * over;
        let layer = layer_of(wordline);
        Condition { cycles, error_cycles, trapping: self.trapping, dwell_s: 0.0, layer }
    }

    /// Returns a new set of a wordline's cells as they were just after the block's last erase, without data; the block
    /// itself stays unchanged.
    pub fn fresh(&self, physics: &CellPhysics, wordline: u32, cells: usize) -> Wordline {
        let mut fresh = Wordline::none();
        self.fresh_in(&mut fresh, physics, wordline, cells);
        fresh
    }

    /// Sets `fresh` to the cells of a wordline just after the block's last erase, in the memory that `fresh` has.
    pub fn fresh_in(&self, fresh: &mut Wordline, physics: &CellPhysics, wordline: u32, cells: usize) {
        let stream = self.stream.of(draw::CELLS).of(u64::from(wordline));
        let condition = self.condition(physics, wordline as usize);
        fresh.become_erased(physics, stream, cells, self.erases, &condition);
    }

    /// Returns, for each wordline of the block, the fraction of its cells that are still in the erased state, in
    /// millionths.
    pub fn not_programmed(&self) -> Vec<u64> {
        let erased = |written: &Written| {
            written.states.iter().filter(|state| **state == 0).count() as f64 / written.states.len() as f64
        };
        let wordlines = 0..self.stress.len() as u32;
        wordlines.map(|wordline| micro(self.written.get(&wordline).map_or(1.0, erased))).collect()
    }

    /// Records an erase of the block: drops its data, and adds the stress of over-erasing for cells that were not
    /// programmed.
    pub fn after_erase(&mut self) {
        let missed = self.not_programmed();
        for (stress, missed) in self.stress.iter_mut().zip(missed) {
            stress.over_erased += missed;
        }
        self.forget();
        self.erases += 1;
    }

    /// Drops the data of the block, and its counts of programs and reads since the erase.
    pub fn forget(&mut self) {
        self.written.clear();
        self.waiting.clear();
        self.next_page = 0;
        self.programs = 0;
        self.reads = 0;
    }
}
