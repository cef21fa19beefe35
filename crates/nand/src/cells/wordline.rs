//! The cells of one wordline as an array: erased, programmed by pulses, coupled to neighbours, disturbed, aged, read.
//!
//! A cell stops at the first pulse that carries it past its target, so its end follows from its own offset alone and
//! no pulse needs to be gone through. Thresholds are `f32`; the loops over all cells are in `kernels.rs`.

use super::kernels::{self, Left, Offsets, Pulses, STATES};
use super::lanes::LaneStream;
use super::normal::Stream;
use super::physics::{CellPhysics, VoltagePlan};
use super::tails::{Elapsed, Noise};
use std::cell::RefCell;

/// Set of the conditions on which the behaviour of a wordline's cells depends: wear, oxide trapping, mean time between
/// cycles (dwell time), and quality of the wordline's layer of the 3D stack.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condition {
    /// Wear of the wordline, in program/erase cycles.
    pub cycles: f64,
    /// Wear that counts for error rates, in program/erase cycles: includes the stress of over-erasing.
    pub error_cycles: f64,
    /// Oxide trapping of the block, as a factor relative to a mean block.
    pub trapping: f64,
    /// Mean time between the program/erase cycles so far, in seconds at the reference temperature.
    pub dwell_s: f64,
    /// Quality of the wordline's layer of the 3D stack, as a number: how many more errors than the mean layer the layer
    /// has, in standard deviations (`layer_spread`).
    pub layer: f64,
}

impl Condition {
    /// Makes the condition of a wordline of a mean block after `cycles` program/erase cycles.
    pub fn worn(cycles: f64) -> Self {
        Self { cycles, error_cycles: cycles, trapping: 1.0, dwell_s: 0.0, layer: 0.0 }
    }

    /// Returns the number of reads that disturb a fresh block as much as `reads` reads disturb this worn block.
    pub fn worn_reads(&self, reads: u64) -> f64 {
        reads as f64 * (1.0 + self.error_cycles / 1e4)
    }
}

/// Module of constants: numbers of the random substreams of a wordline's cells, one for each kind of value: values that
/// never change in a cell's life, and values drawn anew with each erase or programming pass.
mod draw {
    pub const OFFSET: u64 = 1;
    pub const TRAPPING: u64 = 2;
    pub const ERASED: u64 = 3;
    pub const INJECTION: u64 = 4;
    pub const BROADENING: u64 = 5;
    pub const RETENTION: u64 = 6;
    pub const PROGRAM_TAIL: u64 = 7;
    pub const ERASED_TAIL: u64 = 8;
    pub const UNEVEN: u64 = 9;
    pub const WEAK: u64 = 10;
}

/// State of the simulated cells of a wordline: their threshold voltages in volts, and the random stream of the
/// wordline.
#[derive(Clone, Debug, PartialEq)]
pub struct Wordline {
    volts: Vec<f32>,
    stream: Stream,
    erases: u64,
}

/// Working memory for one programming pass of a wordline: the cells' thresholds before the pass, and the rise of each
/// cell.
#[derive(Default)]
struct ProgramNotes {
    before: Vec<f32>,
    rises: Vec<f32>,
}

/// Cache of the random values last drawn for retention and disturb. Pages of a wordline are read one after the other
/// and conditions of a block examined one by one: time and disturb differ between the reads, but the cells' random
/// values do not.
#[derive(Default)]
struct DrawnValues {
    /// Field: list of random streams, each with the random values drawn from it last, the most recently used first.
    kept: Vec<(Stream, Vec<f32>)>,
}

/// Constant: greatest number of random streams whose values the cache holds: three, as many as retention and disturb
/// use together.
const KEPT: usize = 3;

impl DrawnValues {
    /// Returns the first `cells` values of `stream`; `fill` draws them if the cache does not have them.
    fn of(&mut self, stream: Stream, cells: usize, fill: fn(&mut [f32], LaneStream)) -> &[f32] {
        let known = self.kept.iter().position(|(of, values)| *of == stream && values.len() == cells);
        if let Some(place) = known {
            self.kept[..=place].rotate_right(1);
        } else {
            // The oldest gives its memory.
            let mut values = if self.kept.len() < KEPT { Vec::new() } else { self.kept.remove(KEPT - 1).1 };
            values.resize(cells, 0.0);
            fill(&mut values, stream.into());
            self.kept.insert(0, (stream, values));
        }
        &self.kept[0].1
    }
}

thread_local! {
    // Kept: fresh memory for so many cells costs more than what is worked out in it.
    static ROOM: RefCell<ProgramNotes> = RefCell::default();
    static DRAWN: RefCell<DrawnValues> = RefCell::default();
}

fn offsets_of(physics: &CellPhysics, stream: Stream, condition: &Condition) -> Offsets {
    let wear = &physics.wear;
    Offsets {
        own: stream.of(draw::OFFSET).into(),
        traps: stream.of(draw::TRAPPING).into(),
        sigma: physics.offset_sigma as f32,
        gained: (wear.program * wear.trapped_v(condition.cycles) * condition.trapping) as f32,
        spread: wear.cell_spread as f32,
    }
}

fn left_by(physics: &CellPhysics, stream: Stream, erases: u64, pass: usize, condition: &Condition) -> Left {
    let last = pass + 1 == physics.program.passes.len();
    let tail = if last { Noise::of(physics, condition, Elapsed::default()).program_v } else { 0.0 };
    Left {
        wide: stream.of(draw::BROADENING).of(erases).of(pass as u64).into(),
        far: stream.of(draw::PROGRAM_TAIL).of(erases).into(),
        broadening: (physics.wear.broadening(condition.error_cycles) * condition.trapping) as f32,
        tail: tail as f32,
    }
}

impl Wordline {
    /// Makes a wordline of `cells` cells in the erased state, as just after erase number `erases` of the block;
    /// `stream` is the random stream of this wordline.
    pub fn erased(
        physics: &CellPhysics,
        stream: Stream,
        cells: usize,
        erases: u64,
        condition: &Condition,
    ) -> Self {
        let mut wordline = Self::none();
        wordline.become_erased(physics, stream, cells, erases, condition);
        wordline
    }

    /// Makes a wordline without cells, as working memory into which other wordlines can be copied.
    pub const fn none() -> Self {
        Self { volts: Vec::new(), stream: Stream::new(0), erases: 0 }
    }

    /// Changes this wordline to one of `cells` erased cells, as just after erase number `erases` of the block; like
    /// [`Self::erased`], but reuses the memory that the wordline has.
    pub fn become_erased(
        &mut self,
        physics: &CellPhysics,
        stream: Stream,
        cells: usize,
        erases: u64,
        condition: &Condition,
    ) {
        self.volts.resize(cells, 0.0);
        self.stream = stream;
        self.erase(physics, erases, condition);
    }

    /// Copies `other` into this wordline, whose memory is reused.
    pub fn become_copy(&mut self, other: &Self) {
        self.volts.clone_from(&other.volts);
        (self.stream, self.erases) = (other.stream, other.erases);
    }

    /// Erases the wordline's cells, as erase number `erases` of the block does: draws new thresholds in the erased
    /// state.
    pub fn erase(&mut self, physics: &CellPhysics, erases: u64, condition: &Condition) {
        self.erases = erases;
        let draws = LaneStream::from(self.stream.of(draw::ERASED).of(erases));
        let wear = &physics.wear;
        let broadening = wear.broadening(condition.error_cycles) * condition.trapping;
        let width = libm::hypot(physics.erased_sigma, broadening);
        let mean = physics.erased + wear.erased * wear.trapped_v(condition.cycles) * condition.trapping;
        // The verify ends the pulses where it ends those of a fresh block; traps lift and widen what it has passed.
        let top = mean + width * (physics.erase.verify - physics.erased) / physics.erased_sigma;
        kernels::erase(&mut self.volts, draws, mean as f32, width as f32, top as f32);
        let tail = Noise::of(physics, condition, Elapsed::default()).program_v as f32;
        if tail > 0.0 {
            let draws = LaneStream::from(self.stream.of(draw::ERASED_TAIL).of(erases));
            kernels::add_tails(&mut self.volts, draws, tail);
        }
    }

    /// Returns the threshold voltage of each cell of the wordline, in volts.
    pub fn volts(&self) -> &[f32] {
        &self.volts
    }

    /// Converts the wordline to the list of its cells' threshold voltages, in volts.
    pub fn into_volts(self) -> Vec<f32> {
        self.volts
    }

    /// Programs one pass of the wordline: raises each cell to the target threshold of its state in `states`. Returns
    /// the number of pulses that the slowest cell of each target took, by rising target; more than the permitted number
    /// means that a cell did not reach its target. Coupling raises the thresholds of the wordline `below`, if the
    /// caller gives one.
    ///
    /// # Panics
    /// When there are not as many states as cells.
    pub fn program(
        &mut self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        pass: usize,
        states: &[u8],
        condition: &Condition,
        below: Option<&mut Self>,
    ) -> Vec<u32> {
        assert_eq!(states.len(), self.volts.len(), "a state for each cell");
        let offsets = offsets_of(physics, self.stream, condition);
        let noise = LaneStream::from(self.stream.of(draw::INJECTION).of(self.erases).of(pass as u64));
        let injection = (noise, physics.injection_sigma as f32);
        let left = left_by(physics, self.stream, self.erases, pass, condition);
        let pulses = pulses_of(physics, plan, pass);
        let slowest = ROOM.with_borrow_mut(|room| {
            // One cell more on either side: the outermost have neighbours that never rise.
            room.rises.clear();
            room.rises.resize(self.volts.len() + 2, 0.0);
            if below.is_some() {
                room.before.clone_from(&self.volts);
            }
            let (volts, rises) = (&mut self.volts, &mut room.rises);
            let slowest = kernels::program(volts, states, &pulses, &offsets, injection, &left, rises);
            kernels::couple_bitlines(volts, rises, physics.coupling_bitline as f32);
            if let Some(below) = below {
                below.couple_next(physics, &room.before, volts, rises);
            }
            slowest
        });
        by_target(&pulses.targets, &slowest)
    }

    /// Applies coupling from the next wordline, whose thresholds a program raised from `before` to `after`: each cell
    /// rises by a share of the rises of the cell above and of that cell's two neighbours. `rises` is memory for the
    /// rises, with one more entry on either side that stays zero.
    pub fn couple_next(&mut self, physics: &CellPhysics, before: &[f32], after: &[f32], rises: &mut [f32]) {
        let (share, diagonal) = (physics.coupling_wordline as f32, physics.coupling_diagonal as f32);
        kernels::rises_of(&mut rises[1..=before.len()], before, after);
        kernels::couple_next(&mut self.volts, rises, share, diagonal);
    }

    /// Applies disturb by programs or reads of other pages of the block: cells below the verify level of the highest
    /// state rise, lower cells more; a cell at the mean erased threshold rises by `volts_on_erased`, but not beyond
    /// that level.
    pub fn disturb(&mut self, physics: &CellPhysics, volts_on_erased: f64) {
        let top = physics.plans[0].verify.last().copied().expect("a plan has states");
        let share = (volts_on_erased / (top - physics.erased)).min(1.0) as f32;
        kernels::creep(&mut self.volts, share, top as f32);
    }

    /// Applies the strong read disturb of few weak cells: a fraction `weak` / v of the cells at the mean erased
    /// threshold rises by more than v volts.
    fn disturb_weak(&mut self, physics: &CellPhysics, weak: f64) {
        if weak <= 0.0 {
            return;
        }
        let top = physics.plans[0].verify.last().copied().expect("a plan has states");
        let (weak, top, range) = (weak as f32, top as f32, (top - physics.erased) as f32);
        self.drawn(draw::WEAK, kernels::draw_powers, |volts, powers| {
            kernels::lift_weak(volts, powers, weak, top, range);
        });
    }

    /// Returns the threshold voltage of each cell, in volts, after a retention time of `elapsed` (a plain number means
    /// seconds at the reference temperature) and `reads` reads of the block; the wordline itself stays unchanged.
    pub fn aged(
        &self,
        physics: &CellPhysics,
        condition: &Condition,
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) -> Vec<f32> {
        let mut cells = self.clone();
        cells.age(physics, condition, elapsed, reads);
        cells.volts
    }

    /// Applies a retention time of `elapsed` and `reads` reads of the block to this wordline's own cells; unlike
    /// [`Self::aged`], the thresholds before are lost.
    pub fn age(
        &mut self,
        physics: &CellPhysics,
        condition: &Condition,
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) {
        let elapsed = elapsed.into();
        if reads > 0 {
            let reads = condition.worn_reads(reads);
            self.disturb(physics, physics.read_disturb * reads);
            self.disturb_weak(physics, physics.read_weak * reads);
        }
        if elapsed.late_s > 0.0 {
            self.leak(physics, condition, elapsed.late_s);
        }
        if elapsed.uneven_s > 0.0 {
            self.leak_unevenly(physics, &Noise::of(physics, condition, elapsed));
        }
    }

    /// Applies charge loss (retention): moves the cells' thresholds towards the neutral threshold, some cells further
    /// than others.
    fn leak(&mut self, physics: &CellPhysics, condition: &Condition, seconds: f64) {
        let leak = physics.retention.leak(condition.error_cycles, seconds, condition.dwell_s);
        let law = kernels::Settling {
            mean: leak.mean as f32,
            neutral: leak.neutral_v.unwrap_or(physics.erased) as f32,
            least: if leak.neutral_v.is_some() { f32::NEG_INFINITY } else { 0.0 },
            deviation: leak.variance.sqrt() as f32,
            deviation_even: leak.variance_even.sqrt() as f32,
            erased: physics.erased as f32,
        };
        self.drawn(draw::RETENTION, kernels::draw_normals, |volts, normals| {
            kernels::settle(volts, normals, &law);
        });
    }

    /// Applies uneven charge loss: a loss common to all cells, and a further loss that is large for few cells.
    fn leak_unevenly(&mut self, physics: &CellPhysics, noise: &Noise) {
        if noise.loss <= 0.0 && noise.tail <= 0.0 {
            return;
        }
        let (loss, tail, erased) = (noise.loss as f32, noise.tail as f32, physics.erased as f32);
        self.drawn(draw::UNEVEN, kernels::draw_exponentials, |volts, exponentials| {
            kernels::leak_unevenly(volts, exponentials, loss, tail, erased);
        });
    }

    /// Changes the cells' thresholds by the function `moved`, which gets the thresholds and one random value per cell
    /// from the wordline's random stream number `purpose`; `fill` draws the values where the cache lacks them.
    fn drawn(
        &mut self,
        purpose: u64,
        fill: fn(&mut [f32], LaneStream),
        moved: impl FnOnce(&mut [f32], &[f32]),
    ) {
        let stream = self.stream.of(purpose).of(self.erases);
        let cells = self.volts.len();
        DRAWN.with_borrow_mut(|drawn| moved(&mut self.volts, drawn.of(stream, cells, fill)));
    }

    /// Returns the state of each cell as sensed with the rising read reference voltages `references`.
    pub fn sense(volts: &[f32], references: &[f64]) -> Vec<u8> {
        let references: Vec<f32> = references.iter().map(|reference| *reference as f32).collect();
        let mut states = vec![0u8; volts.len()];
        kernels::sense(&mut states, volts, &references);
        states
    }

    /// Senses one bit of each cell: `first` below all read references in `flips`, inverted at each reference that the
    /// threshold reaches.
    pub fn sense_bits(&self, first: u8, flips: &[f64]) -> Vec<u8> {
        let flips: Vec<f32> = flips.iter().map(|reference| *reference as f32).collect();
        let mut bits = vec![first; self.volts.len()];
        kernels::flip(&mut bits, &self.volts, &flips);
        bits
    }

    /// Returns the threshold voltage (V) of one cell before the first pulse and after each pulse while it is programmed
    /// to `state`, without random injection noise.
    pub fn staircase(
        &self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        cell: usize,
        state: usize,
        condition: &Condition,
    ) -> Vec<f64> {
        let offset = f64::from(offsets_of(physics, self.stream, condition).lane(cell)[0]);
        let mut volts = vec![f64::from(self.volts[cell])];
        let Some(target) = physics.target(plan, physics.program.passes.len() - 1, state) else {
            return volts;
        };
        for pulse in 0..physics.program.max_pulses {
            let before = *volts.last().expect("it began somewhere");
            if before >= target {
                break;
            }
            volts.push(before.max(plan.start + f64::from(pulse) * plan.step - offset));
        }
        volts
    }
}

fn pulses_of(physics: &CellPhysics, plan: &VoltagePlan, pass: usize) -> Pulses {
    let mut targets = [f32::NEG_INFINITY; STATES];
    for (state, target) in targets.iter_mut().enumerate().take(physics.states.len()) {
        *target = physics.target(plan, pass, state).map_or(f32::NEG_INFINITY, |volts| volts as f32);
    }
    let step = physics.step(plan, pass);
    Pulses {
        start: plan.start as f32,
        step: step as f32,
        inverse_step: (1.0 / step) as f32,
        most: (physics.program.max_pulses - 1) as f32,
        targets,
        states: physics.states.len(),
    }
}

/// Returns, for each target threshold of a programming pass, the number of pulses of the slowest cell: states with the
/// same target are verified together.
fn by_target(targets: &[f32; STATES], slowest: &[f32; STATES]) -> Vec<u32> {
    let mut found: Vec<(f32, f32)> = Vec::new();
    for (target, count) in targets.iter().zip(slowest).filter(|(_, count)| **count > 0.0) {
        match found.iter_mut().find(|(known, _)| known == target) {
            Some((_, most)) => *most = count.max(*most),
            None => found.push((*target, *count)),
        }
    }
    found.into_iter().map(|(_, count)| count as u32).collect()
}
