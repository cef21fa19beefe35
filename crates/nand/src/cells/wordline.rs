//! The cells of one wordline as an array: erased, programmed by pulses, coupled to neighbours, disturbed, aged, read.
//!
//! A cell stops at the first pulse that carries it past its target, so its end follows from its own offset alone and
//! no pulse needs to be gone through. Thresholds are `f32`; the loops run over lanes of cells (see `lanes.rs`).

use super::lanes::{LANES, Lane, LaneStream, ceil, exp};
use super::normal::Stream;
use super::physics::{CellPhysics, VoltagePlan};
use super::tails::{Elapsed, Noise};

/// In what condition cells are programmed, read or left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condition {
    /// Wear of the wordline, cycles.
    pub cycles: f64,
    /// Wear as error rates see it, cycles: over-erasing counted in.
    pub error_cycles: f64,
    /// Trapping of this block over that of a mean one.
    pub trapping: f64,
    /// Mean time between the cycles so far, seconds at the reference temperature.
    pub dwell_s: f64,
    /// How much worse than the mean its layer is, in standard deviations of `layer_spread`.
    pub layer: f64,
}

impl Condition {
    /// A wordline of a mean block after so many ordinary cycles.
    pub fn worn(cycles: f64) -> Self {
        Self { cycles, error_cycles: cycles, trapping: 1.0, dwell_s: 0.0, layer: 0.0 }
    }

    /// Reads of a worn block disturb as so many of a fresh one.
    pub fn worn_reads(&self, reads: u64) -> f64 {
        reads as f64 * (1.0 + self.error_cycles / 1e4)
    }
}

/// Values of a cell that never change or are drawn once for an operation, by stream number.
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

/// The most states that a cell has.
const STATES: usize = 16;

/// Threshold voltages of a wordline, volts.
#[derive(Clone, Debug, PartialEq)]
pub struct Wordline {
    volts: Vec<f32>,
    stream: Stream,
    erases: u64,
}

/// How far above the mean a pulse must go for each cell: its own offset, which wear lowers.
struct Offsets {
    own: LaneStream,
    traps: LaneStream,
    sigma: f32,
    gained: f32,
    spread: f32,
}

impl Offsets {
    fn new(physics: &CellPhysics, stream: Stream, condition: &Condition) -> Self {
        let wear = &physics.wear;
        Self {
            own: stream.of(draw::OFFSET).into(),
            traps: stream.of(draw::TRAPPING).into(),
            sigma: physics.offset_sigma as f32,
            gained: (wear.program * wear.trapped_v(condition.cycles) * condition.trapping) as f32,
            spread: wear.cell_spread as f32,
        }
    }

    /// Of the cells from `first` on, volts.
    #[inline]
    fn lane(&self, first: usize) -> Lane {
        let mut offsets = self.own.normals(first).map(|own| self.sigma * own);
        if self.gained != 0.0 {
            for (offset, trap) in offsets.iter_mut().zip(self.traps.normals(first)) {
                *offset -= self.gained * exp(self.spread * trap);
            }
        }
        offsets
    }
}

/// How far from where its last pulse should leave it a pass leaves each cell.
struct Left {
    wide: LaneStream,
    far: LaneStream,
    broadening: f32,
    tail: f32,
}

impl Left {
    fn new(physics: &CellPhysics, stream: Stream, erases: u64, pass: usize, condition: &Condition) -> Self {
        let last = pass + 1 == physics.program.passes.len();
        let tail = if last { Noise::of(physics, condition, Elapsed::default()).program_v } else { 0.0 };
        Self {
            wide: stream.of(draw::BROADENING).of(erases).of(pass as u64).into(),
            far: stream.of(draw::PROGRAM_TAIL).of(erases).into(),
            broadening: (physics.wear.broadening(condition.error_cycles) * condition.trapping) as f32,
            tail: tail as f32,
        }
    }

    /// Of the cells from `first` on, volts.
    #[inline]
    fn lane(&self, first: usize) -> Lane {
        let mut noise = [0.0; LANES];
        if self.broadening > 0.0 {
            noise = self.wide.normals(first).map(|wide| self.broadening * wide);
        }
        if self.tail > 0.0 {
            for (noise, far) in noise.iter_mut().zip(self.far.laplaces(first)) {
                *noise += self.tail * far;
            }
        }
        noise
    }
}

/// A pass as the cells see it, in `f32`.
struct Pulses {
    start: f32,
    step: f32,
    inverse_step: f32,
    most: f32,
    /// By state; minus infinity: left alone.
    targets: [f32; STATES],
}

impl Pulses {
    /// Brings a lane of cells to their targets; gives the number of the pulse that each cell stopped after, from 1,
    /// or 0 where it was not programmed. Past the budget, cells stay where its last pulse left them.
    #[inline]
    fn apply(&self, volts: &mut Lane, states: &[u8], offsets: &Lane, noise: &Lane) -> Lane {
        let mut targets = [f32::NEG_INFINITY; LANES];
        for (target, state) in targets.iter_mut().zip(states) {
            *target = self.targets[usize::from(*state) % STATES];
        }
        let mut counts = [0.0; LANES];
        for i in 0..LANES {
            let before = volts[i];
            let above_start = (targets[i] + offsets[i] - self.start) * self.inverse_step;
            let needed = larger(ceil(above_start), 0.0);
            let last = if needed > self.most { self.most } else { needed };
            let reached = self.start + last * self.step - offsets[i] + noise[i];
            let programmed = before < targets[i];
            volts[i] = if programmed { larger(reached, before) } else { before };
            counts[i] = if programmed { needed + 1.0 } else { 0.0 };
        }
        counts
    }
}

#[inline]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

impl Wordline {
    /// `cells` cells just erased, for the `erases`-th time; `stream` belongs to this wordline of this block.
    pub fn erased(
        physics: &CellPhysics,
        stream: Stream,
        cells: usize,
        erases: u64,
        condition: &Condition,
    ) -> Self {
        let mut wordline = Self { volts: vec![0.0; cells], stream, erases };
        wordline.erase(physics, erases, condition);
        wordline
    }

    /// Erases the cells, for the `erases`-th time.
    pub fn erase(&mut self, physics: &CellPhysics, erases: u64, condition: &Condition) {
        self.erases = erases;
        let draws = LaneStream::from(self.stream.of(draw::ERASED).of(erases));
        let wear = &physics.wear;
        let broadening = wear.broadening(condition.error_cycles) * condition.trapping;
        let width = libm::hypot(physics.erased_sigma, broadening) as f32;
        let mean = physics.erased + wear.erased * wear.trapped_v(condition.cycles) * condition.trapping;
        // Erasing ends when all cells pass its verify; what lies above is pulled below it.
        let top = physics.erase.verify.max(mean) as f32;
        let mean = mean as f32;
        for (index, chunk) in self.volts.chunks_mut(LANES).enumerate() {
            let values = draws.normals(index * LANES).map(|value| {
                let volts = mean + width * value;
                if volts > top { 2.0 * top - volts } else { volts }
            });
            chunk.copy_from_slice(&values[..chunk.len()]);
        }
        let tail = Noise::of(physics, condition, Elapsed::default()).program_v as f32;
        if tail > 0.0 {
            let draws = LaneStream::from(self.stream.of(draw::ERASED_TAIL).of(erases));
            for (index, chunk) in self.volts.chunks_mut(LANES).enumerate() {
                for (volts, value) in chunk.iter_mut().zip(draws.laplaces(index * LANES)) {
                    *volts += tail * value;
                }
            }
        }
    }

    /// The threshold voltages, volts.
    pub fn volts(&self) -> &[f32] {
        &self.volts
    }

    /// One pass: brings each cell up to its state's target. Gives the pulses that the slowest cell of each target
    /// took, targets rising; more than the budget means that it was not reached.
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
    ) -> Vec<u32> {
        assert_eq!(states.len(), self.volts.len(), "a state for each cell");
        let offsets = Offsets::new(physics, self.stream, condition);
        let noise = LaneStream::from(self.stream.of(draw::INJECTION).of(self.erases).of(pass as u64));
        let left = Left::new(physics, self.stream, self.erases, pass, condition);
        let injection = physics.injection_sigma as f32;
        let pulses = pulses_of(physics, plan, pass);
        // One cell more on either side: the outermost have neighbours that never rise.
        let mut rises = vec![0.0f32; self.volts.len() + 2];
        let mut slowest = [0.0f32; STATES];
        for (index, (volts, states)) in self.volts.chunks_mut(LANES).zip(states.chunks(LANES)).enumerate() {
            let first = index * LANES;
            let mut lane = [0.0; LANES];
            lane[..volts.len()].copy_from_slice(volts);
            let mut offset = offsets.lane(first);
            for (offset, noise) in offset.iter_mut().zip(noise.normals(first)) {
                *offset -= injection * noise;
            }
            let counts = pulses.apply(&mut lane, states, &offset, &left.lane(first));
            for (state, count) in states.iter().zip(counts) {
                let most = &mut slowest[usize::from(*state) % STATES];
                *most = larger(count, *most);
            }
            for ((rise, before), after) in rises[1 + first..].iter_mut().zip(&*volts).zip(lane) {
                *rise = after - before;
            }
            volts.copy_from_slice(&lane[..volts.len()]);
        }
        self.couple_bitlines(physics, &rises);
        by_target(&pulses.targets, &slowest)
    }

    /// Neighbours on the same wordline share part of a cell's rise; cells that rose in the same pass were still
    /// being verified, so only those left alone notice.
    fn couple_bitlines(&mut self, physics: &CellPhysics, rises: &[f32]) {
        let share = physics.coupling_bitline as f32;
        let (left, own, right) = (rises, &rises[1..], &rises[2..]);
        for (((volts, left), own), right) in self.volts.iter_mut().zip(left).zip(own).zip(right) {
            // A factor, as a branch on random data is mispredicted half the time.
            let alone = f32::from(u8::from(*own == 0.0));
            *volts += share * alone * (left + right);
        }
    }

    /// The next wordline was programmed, and its thresholds went from `before` to `after`: this one shares the
    /// rise of the cell above and of the two beside that.
    pub fn couple_next(&mut self, physics: &CellPhysics, before: &[f32], after: &[f32]) {
        let (share, diagonal) = (physics.coupling_wordline as f32, physics.coupling_diagonal as f32);
        let mut rises = vec![0.0f32; self.volts.len() + 2];
        for ((rise, before), after) in rises[1..].iter_mut().zip(before).zip(after) {
            *rise = larger(after - before, 0.0);
        }
        let (left, above, right) = (&rises[..], &rises[1..], &rises[2..]);
        for (((volts, left), above), right) in self.volts.iter_mut().zip(left).zip(above).zip(right) {
            *volts += share * above + diagonal * (left + right);
        }
    }

    /// Other pages of the block were programmed or read: cells creep upwards, the lower the more, a cell at the
    /// mean erased threshold by so many volts.
    pub fn disturb(&mut self, physics: &CellPhysics, volts_on_erased: f64) {
        let top = physics.plans[0].verify.last().copied().expect("a plan has states");
        let share = (volts_on_erased / (top - physics.erased)).min(1.0) as f32;
        let top = top as f32;
        for volts in &mut self.volts {
            *volts += share * larger(top - *volts, 0.0);
        }
    }

    /// Reads lift few cells far: a share `weak` / v of those at the mean erased threshold by more than v volts.
    fn disturb_weak(&mut self, physics: &CellPhysics, weak: f64) {
        if weak <= 0.0 {
            return;
        }
        let draws = LaneStream::from(self.stream.of(draw::WEAK).of(self.erases));
        let top = physics.plans[0].verify.last().copied().expect("a plan has states");
        let (weak, top, range) = (weak as f32, top as f32, (top - physics.erased) as f32);
        for (index, chunk) in self.volts.chunks_mut(LANES).enumerate() {
            for (volts, value) in chunk.iter_mut().zip(draws.exponentials(index * LANES)) {
                let room = larger(top - *volts, 0.0);
                let rise = weak * exp(value) * room / range;
                *volts += if rise < room { rise } else { room };
            }
        }
    }

    /// Threshold voltages after this time (or seconds at the reference temperature), `reads` reads of the block and
    /// this wear.
    pub fn aged(
        &self,
        physics: &CellPhysics,
        condition: &Condition,
        elapsed: impl Into<Elapsed>,
        reads: u64,
    ) -> Vec<f32> {
        let elapsed = elapsed.into();
        let mut aged = self.clone();
        if reads > 0 {
            let reads = condition.worn_reads(reads);
            aged.disturb(physics, physics.read_disturb * reads);
            aged.disturb_weak(physics, physics.read_weak * reads);
        }
        if elapsed.late_s > 0.0 {
            aged.leak(physics, condition, elapsed.late_s);
        }
        if elapsed.uneven_s > 0.0 {
            aged.leak_unevenly(physics, &Noise::of(physics, condition, elapsed));
        }
        aged.volts
    }

    /// Charge loss: mean and variance grow with the charge a cell holds.
    fn leak(&mut self, physics: &CellPhysics, condition: &Condition, seconds: f64) {
        let draws = LaneStream::from(self.stream.of(draw::RETENTION).of(self.erases));
        let (mean, variance) = physics.retention.per_volt(condition.error_cycles, seconds, condition.dwell_s);
        let (mean, deviation, erased) = (mean as f32, variance.sqrt() as f32, physics.erased as f32);
        for (index, chunk) in self.volts.chunks_mut(LANES).enumerate() {
            for (volts, value) in chunk.iter_mut().zip(draws.normals(index * LANES)) {
                let height = larger(*volts - erased, 0.0);
                *volts -= mean * height + deviation * height.sqrt() * value;
            }
        }
    }

    /// Charge loss that differs from cell to cell: what all lose, and what few lose most of.
    fn leak_unevenly(&mut self, physics: &CellPhysics, noise: &Noise) {
        if noise.loss <= 0.0 && noise.tail <= 0.0 {
            return;
        }
        let draws = LaneStream::from(self.stream.of(draw::UNEVEN).of(self.erases));
        let (loss, tail, erased) = (noise.loss as f32, noise.tail as f32, physics.erased as f32);
        for (index, chunk) in self.volts.chunks_mut(LANES).enumerate() {
            for (volts, value) in chunk.iter_mut().zip(draws.exponentials(index * LANES)) {
                *volts -= larger(*volts - erased, 0.0) * (loss + tail * value);
            }
        }
    }

    /// The state of each cell, told apart by `references`.
    pub fn sense(volts: &[f32], references: &[f64]) -> Vec<u8> {
        let mut states = vec![0u8; volts.len()];
        for reference in references {
            let reference = *reference as f32;
            for (state, volts) in states.iter_mut().zip(volts) {
                *state += u8::from(*volts >= reference);
            }
        }
        states
    }

    /// Threshold voltage of one cell before the first pulse and after each, on its way to `state`, without the
    /// noise of injection.
    pub fn staircase(
        &self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        cell: usize,
        state: usize,
        condition: &Condition,
    ) -> Vec<f64> {
        let offset = f64::from(Offsets::new(physics, self.stream, condition).lane(cell)[0]);
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
    }
}

/// Pulses of the slowest cell of each target: states that share a target are verified together.
fn by_target(targets: &[f32; STATES], slowest: &[f32; STATES]) -> Vec<u32> {
    let mut found: Vec<(f32, f32)> = Vec::new();
    for (target, count) in targets.iter().zip(slowest).filter(|(_, count)| **count > 0.0) {
        match found.iter_mut().find(|(known, _)| known == target) {
            Some((_, most)) => *most = larger(*count, *most),
            None => found.push((*target, *count)),
        }
    }
    found.into_iter().map(|(_, count)| count as u32).collect()
}
