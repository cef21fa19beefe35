//! A block of cells: wordlines that erase together, are programmed one after the other and couple to each other.
//!
//! It asks for no legality: that belongs to the chip. It serves what looks at whole blocks of cells, such as
//! deriving tables; a chip on the bench keeps single wordlines, because most of its blocks hold no data.

use super::errors::Confusion;
use super::normal::Stream;
use super::physics::{CellPhysics, VoltagePlan};
use super::tails::Elapsed;
use super::wordline::{Condition, Wordline};
use units::Nanos;

/// Record of the result of one programming pass of a wordline (one-shot programming has one pass, two-step programming
/// several): the pulses used, the time for which the die was busy, and whether all cells reached their target voltages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Programmed {
    /// List with, for each target voltage of the programming pass, the number of program pulses that the slowest cell
    /// with that target took, at most the greatest number permitted.
    pub pulses: Vec<u32>,
    /// Time for which the programming pass keeps the die busy (tPROG).
    pub busy: Nanos,
    /// False if the pulses ran out before all cells reached their target voltages.
    pub ok: bool,
}

/// State of the simulated cells of one flash block: the wordlines, the state to which each cell was programmed, and the
/// block's wear.
#[derive(Clone, Debug)]
pub struct CellBlock {
    wordlines: Vec<Wordline>,
    states: Vec<Vec<u8>>,
    /// List with, for each wordline, the number of programming passes of other wordlines of the block (program disturb)
    /// since this wordline's last pass.
    later: Vec<u64>,
    erases: u64,
    condition: Condition,
}

impl CellBlock {
    /// Makes an erased block of `wordlines` wordlines with `bitlines` cells each, whose random draws come
    /// from `stream`.
    pub fn new(
        physics: &CellPhysics,
        stream: Stream,
        wordlines: usize,
        bitlines: usize,
        condition: Condition,
    ) -> Self {
        let fresh = |line: usize| Wordline::erased(physics, stream.of(line as u64), bitlines, 0, &condition);
        Self {
            wordlines: (0..wordlines).map(fresh).collect(),
            states: vec![vec![0; bitlines]; wordlines],
            later: vec![0; wordlines],
            erases: 0,
            condition,
        }
    }

    /// Erases all simulated cells of the block; `condition` gives the properties of the cells from now on: wear, oxide
    /// trapping, mean time between cycles, and quality of the layer of the 3D stack in which the cells lie.
    pub fn erase(&mut self, physics: &CellPhysics, condition: Condition) {
        self.erases += 1;
        self.condition = condition;
        for wordline in &mut self.wordlines {
            wordline.erase(physics, self.erases, &condition);
        }
        for states in &mut self.states {
            states.fill(0);
        }
        self.later.fill(0);
    }

    /// Programs one pass of wordline `line` (two-step programming takes several passes): cell i to `states[i]`.
    /// Cell-to-cell coupling raises the threshold voltages of the wordline below, number `line` - 1, with or without
    /// data.
    ///
    /// # Panics
    /// When there is no such wordline or there are not as many states as cells.
    pub fn program(
        &mut self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        line: usize,
        pass: usize,
        states: &[u8],
    ) -> Programmed {
        let (below, rest) = self.wordlines.split_at_mut(line);
        let wordline = &mut rest[0];
        let needed = wordline.program(physics, plan, pass, states, &self.condition, below.last_mut());
        self.states[line].copy_from_slice(states);
        for (other, later) in self.later.iter_mut().enumerate() {
            *later = if other == line { 0 } else { *later + 1 };
        }
        let budget = physics.program.max_pulses;
        let ok = needed.iter().all(|pulses| *pulses <= budget);
        let pulses: Vec<u32> = needed.into_iter().map(|pulses| pulses.min(budget)).collect();
        Programmed { busy: physics.t_prog(plan, pass, &pulses), pulses, ok }
    }

    /// Programs all passes of wordline `line`, one after the other, and returns the result of each pass.
    ///
    /// # Panics
    /// As [`Self::program`].
    pub fn program_all(
        &mut self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        line: usize,
        states: &[u8],
    ) -> Vec<Programmed> {
        (0..physics.program.passes.len())
            .map(|pass| self.program(physics, plan, line, pass, states))
            .collect()
    }

    /// Returns the state to which each cell of a wordline was programmed.
    pub fn states(&self, line: usize) -> &[u8] {
        &self.states[line]
    }

    /// Returns the number of wordlines of this block of simulated cells.
    pub fn wordlines(&self) -> usize {
        self.wordlines.len()
    }

    /// Returns the threshold voltage of each simulated cell of a wordline, in volts, after a retention time of
    /// `elapsed` (a plain number means seconds at the reference temperature) and `reads` reads of the block.
    pub fn volts(
        &self,
        physics: &CellPhysics,
        line: usize,
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) -> Vec<f32> {
        let mut cells = Wordline::none();
        self.rest(&mut cells, physics, line, self.later[line] as f64, elapsed, reads);
        cells.into_volts()
    }

    /// Computes the cells of a wordline into `cells`, whose memory is reused, as they are after a retention time of
    /// `elapsed`, `reads` reads and `later` programming passes elsewhere in the block. The caller chooses `later`, so
    /// that a sample can stand for a block with more wordlines.
    pub fn rest(
        &self,
        cells: &mut Wordline,
        physics: &CellPhysics,
        line: usize,
        later: f64,
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) {
        cells.become_copy(&self.wordlines[line]);
        cells.disturb(physics, physics.program_disturb * later);
        cells.age(physics, &self.condition, elapsed, reads);
    }

    /// Reads all cells of the block with the read reference voltages `references`, after a retention time of `elapsed`
    /// and `reads` reads of the block; returns the table of counts of cells by programmed state and state read.
    pub fn errors(
        &self,
        physics: &CellPhysics,
        references: &[f64],
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) -> Confusion {
        let elapsed = elapsed.into();
        let mut seen = Confusion::new(physics.states.len());
        for line in 0..self.wordlines() {
            let volts = self.volts(physics, line, elapsed, reads);
            seen.add(self.states(line), &Wordline::sense(&volts, references));
        }
        seen
    }
}
