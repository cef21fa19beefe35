//! The loops over all cells of a wordline, compiled three times: for any processor, with the vectors of AVX2 and with those
//! of AVX-512. Which of the three runs is decided when it runs.
//!
//! All do the same sums, products, quotients and square roots of `f32` in the same order for each cell: the compiler
//! neither contracts a product and a sum nor reorders what floating point would round otherwise, with vectors of any width.
//! So machines agree bit for bit. What a loop calls must be `inline(always)`: a function that stays one of its own stays
//! without them.
//!
//! Most of the time goes into the polynomials of normal values (`lanes.rs`): wider vectors do more of them at once.
//!
//! Rust has AVX-512 from 1.89 on: an older compiler leaves it out. Not here: other processors than x86, whose vectors the
//! compiler uses without being asked.

use super::lanes::{LANES, Lane, LaneStream, ceil, powers};
use multiversion::multiversion;

/// Constant: greatest number of states (threshold levels) that a cell can have.
pub const STATES: usize = 16;

/// Set of the parameters of the programming offsets of a wordline's cells, for vector code. The offset of a cell tells
/// how many volts higher than for a mean cell the program pulses must go; wear lowers it.
pub struct Offsets {
    pub own: LaneStream,
    pub traps: LaneStream,
    pub sigma: f32,
    pub gained: f32,
    pub spread: f32,
}

impl Offsets {
    /// Returns the programming offsets, in volts, of a lane (64 cells), from the cell of index `first` on.
    #[inline(always)]
    pub fn lane(&self, first: usize) -> Lane {
        let mut offsets = self.own.normals(first);
        for offset in &mut offsets {
            *offset *= self.sigma;
        }
        if self.gained != 0.0 {
            let mut trapped = self.traps.normals(first);
            for trap in &mut trapped {
                *trap *= self.spread;
            }
            powers(&mut trapped);
            for (offset, trapped) in offsets.iter_mut().zip(trapped) {
                *offset -= self.gained * trapped;
            }
        }
        offsets
    }
}

/// Set of the parameters of the programming noise, for vector code: how far each cell ends from the threshold at which
/// its last program pulse should have placed it.
pub struct Left {
    pub wide: LaneStream,
    pub far: LaneStream,
    pub broadening: f32,
    pub tail: f32,
}

impl Left {
    /// Returns the programming noise, in volts, of a lane (64 cells), from the cell of index `first` on: for each cell
    /// the sum of a normal and a Laplace random value.
    #[inline(always)]
    fn lane(&self, first: usize) -> Lane {
        let mut noise = [0.0; LANES];
        if self.broadening > 0.0 {
            for (noise, wide) in noise.iter_mut().zip(self.wide.normals(first)) {
                *noise = self.broadening * wide;
            }
        }
        if self.tail > 0.0 {
            for (noise, far) in noise.iter_mut().zip(self.far.laplaces(first)) {
                *noise += self.tail * far;
            }
        }
        noise
    }
}

/// Set of the parameters of one programming pass of a wordline for vector code, as `f32` numbers: pulse voltages,
/// greatest number of pulses and target thresholds.
pub struct Pulses {
    pub start: f32,
    pub step: f32,
    pub inverse_step: f32,
    pub most: f32,
    /// List of the target thresholds of the states, volts; minus infinity if the pass does not program cells of the
    /// state.
    pub targets: [f32; STATES],
    /// Number of states (threshold levels) of a cell, which is the number of entries of `targets` in use.
    pub states: usize,
}

impl Pulses {
    /// Returns the target threshold, in volts, of each cell of a lane (64 cells), found by comparison with each state:
    /// vector code has no table lookup.
    #[inline(always)]
    fn targets_of(&self, states: &[u32; LANES]) -> Lane {
        let mut targets = [self.targets[0]; LANES];
        for state in 1..self.states as u32 {
            let of = self.targets[state as usize % STATES];
            for (target, cell) in targets.iter_mut().zip(states) {
                let other = *target;
                *target = if *cell == state { of } else { other };
            }
        }
        targets
    }

    /// Programs a lane (64 cells) to the target thresholds. Returns for each cell the index, counted from 1, of the
    /// last pulse that it needs, or 0 for a cell that was not programmed; a cell that needs more than the budget of
    /// pulses stays at the threshold after the last pulse.
    #[inline(always)]
    fn apply(&self, volts: &mut Lane, states: &[u32; LANES], offsets: &Lane, noise: &Lane) -> Lane {
        let targets = self.targets_of(states);
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

    /// Updates `slowest`, the greatest number of pulses that a cell of each state needed so far, with the pulse numbers
    /// of a lane (64 cells computed together). Counts are never below zero, so that the order of their bits is their
    /// order: for whole numbers the compiler makes vectors, where a choice between `f32` made branches.
    #[inline(always)]
    fn note_slowest(&self, slowest: &mut [Few; STATES], states: &[u32; LANES], counts: &Lane) {
        for state in 0..self.states as u32 {
            let of = &mut slowest[state as usize % STATES];
            let mut most = *of;
            for (states, counts) in states.chunks_exact(FEW).zip(counts.chunks_exact(FEW)) {
                for ((most, cell), count) in most.iter_mut().zip(states).zip(counts) {
                    let own = count.to_bits() & u32::from(*cell == state).wrapping_neg();
                    *most = own.max(*most);
                }
            }
            *of = most;
        }
    }
}

/// Constant: number of cells that are compared at once in the search for each state's greatest number of pulses: as
/// many as one vector of AVX2 holds, so that the values of all states stay in few registers.
const FEW: usize = 8;
type Few = [u32; FEW];

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Draws the threshold voltages (`volts`) of erased cells from a normal distribution. An erase ends when all cells are
/// below its verify level `top`, so values above `top` are mirrored at that level.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn erase(volts: &mut [f32], draws: LaneStream, mean: f32, width: f32, top: f32) {
    for (index, chunk) in volts.chunks_mut(LANES).enumerate() {
        for (volts, value) in chunk.iter_mut().zip(draws.normals(index * LANES)) {
            let drawn = mean + width * value;
            *volts = if drawn > top { 2.0 * top - drawn } else { drawn };
        }
    }
}

/// Adds a random value from a Laplace distribution, with mean magnitude `tail` volts, to the threshold of each cell.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn add_tails(volts: &mut [f32], draws: LaneStream, tail: f32) {
    for (index, chunk) in volts.chunks_mut(LANES).enumerate() {
        for (volts, value) in chunk.iter_mut().zip(draws.laplaces(index * LANES)) {
            *volts += tail * value;
        }
    }
}

/// Programs one pass of a wordline: raises each cell to the target threshold of its state, and writes the rise of each
/// cell, in volts, to `rises` (which has one more entry on either side). Returns for each state the greatest number of
/// pulses that a cell needs, which may exceed the permitted number.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn program(
    volts: &mut [f32],
    states: &[u8],
    pulses: &Pulses,
    offsets: &Offsets,
    injection: (LaneStream, f32),
    left: &Left,
    rises: &mut [f32],
) -> [f32; STATES] {
    let mut slowest = [[0; FEW]; STATES];
    for (index, (volts, states)) in volts.chunks_mut(LANES).zip(states.chunks(LANES)).enumerate() {
        let first = index * LANES;
        // Cells beyond the last are of a state that there is not: nothing is done to them, nor noted.
        let (mut lane, mut wide) = ([0.0; LANES], [u32::MAX; LANES]);
        lane[..volts.len()].copy_from_slice(volts);
        for (wide, state) in wide.iter_mut().zip(states) {
            *wide = u32::from(*state);
        }
        let mut offset = offsets.lane(first);
        for (offset, noise) in offset.iter_mut().zip(injection.0.normals(first)) {
            *offset -= injection.1 * noise;
        }
        let counts = pulses.apply(&mut lane, &wide, &offset, &left.lane(first));
        pulses.note_slowest(&mut slowest, &wide, &counts);
        for ((rise, before), after) in rises[1 + first..].iter_mut().zip(&*volts).zip(&lane) {
            *rise = after - before;
        }
        volts.copy_from_slice(&lane[..volts.len()]);
    }
    slowest.map(|of| of.into_iter().map(f32::from_bits).fold(0.0, larger))
}

/// Applies cell-to-cell coupling along the wordline: a cell that the pass did not program rises by a fraction `share`
/// of the rises of its two neighbours. Programmed cells do not rise, because they were still being verified.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn couple_bitlines(volts: &mut [f32], rises: &[f32], share: f32) {
    let (left, own, right) = (rises, &rises[1..], &rises[2..]);
    for (((volts, left), own), right) in volts.iter_mut().zip(left).zip(own).zip(right) {
        // A factor, as a branch on random data is mispredicted half the time.
        let alone = f32::from(u8::from(*own == 0.0));
        *volts += share * alone * (left + right);
    }
}

/// Writes to `rises` how far the threshold of each cell rose, in volts; zero for a cell that fell.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn rises_of(rises: &mut [f32], before: &[f32], after: &[f32]) {
    for ((rise, before), after) in rises.iter_mut().zip(before).zip(after) {
        *rise = larger(after - before, 0.0);
    }
}

/// Applies cell-to-cell coupling between wordlines: a cell rises by a fraction `share` of the rise of the cell above,
/// on the next wordline, and by a fraction `diagonal` of the rises of that cell's two neighbours. `rises` has one more
/// entry on either side.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn couple_next(volts: &mut [f32], rises: &[f32], share: f32, diagonal: f32) {
    let (left, above, right) = (rises, &rises[1..], &rises[2..]);
    for (((volts, left), above), right) in volts.iter_mut().zip(left).zip(above).zip(right) {
        *volts += share * above + diagonal * (left + right);
    }
}

/// Fills `values` with standard normal random values, one for each cell from cell number 0 on, drawn from the stream
/// `draws`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn draw_normals(values: &mut [f32], draws: LaneStream) {
    for (index, chunk) in values.chunks_mut(LANES).enumerate() {
        chunk.copy_from_slice(&draws.normals(index * LANES)[..chunk.len()]);
    }
}

/// Fills `values` with exponentially distributed random values of mean one, one for each cell from cell number 0 on,
/// drawn from the stream `draws`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn draw_exponentials(values: &mut [f32], draws: LaneStream) {
    for (index, chunk) in values.chunks_mut(LANES).enumerate() {
        chunk.copy_from_slice(&draws.exponentials(index * LANES)[..chunk.len()]);
    }
}

/// Fills `values` with e to the power of an exponentially distributed random value of mean one, one for each cell from
/// cell number 0 on, drawn from the stream `draws`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn draw_powers(values: &mut [f32], draws: LaneStream) {
    for (index, chunk) in values.chunks_mut(LANES).enumerate() {
        let mut drawn = draws.exponentials(index * LANES);
        powers(&mut drawn);
        chunk.copy_from_slice(&drawn[..chunk.len()]);
    }
}

/// Raises the threshold of each cell towards `top` (volts) by a fraction `share` of its distance below `top`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn creep(volts: &mut [f32], share: f32, top: f32) {
    for volts in volts {
        *volts += share * larger(top - *volts, 0.0);
    }
}

/// Applies the strong read disturb of few weak cells: raises thresholds, at most to `top`. A cell that lies `range`
/// volts below `top` rises by `weak` times its random value in `powers`, a cell at another distance below `top` in
/// proportion.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn lift_weak(volts: &mut [f32], powers: &[f32], weak: f32, top: f32, range: f32) {
    for (volts, power) in volts.iter_mut().zip(powers) {
        let room = larger(top - *volts, 0.0);
        let rise = weak * power * room / range;
        *volts += if rise < room { rise } else { room };
    }
}

/// Set of the parameters of the charge loss of a wordline's cells over a time, as `f32` numbers for vector code.
pub struct Settling {
    /// Mean fraction (0 to 1) of the distance between a cell's threshold and `neutral` that the cell loses by charge
    /// loss.
    pub mean: f32,
    /// Neutral threshold towards which charge loss moves the cells, volts.
    pub neutral: f32,
    /// Least distance above `neutral` with which the loss is computed, volts: zero where cells below `neutral` do not
    /// move, else minus infinity.
    pub least: f32,
    /// Standard deviation of the charge loss that grows with the threshold: volts for each square root of a volt above
    /// `erased`.
    pub deviation: f32,
    /// Standard deviation, in volts, of a further part of the charge loss that is equal in all states.
    pub deviation_even: f32,
    /// Threshold of the erased state, volts.
    pub erased: f32,
}

/// Applies charge loss (retention): moves the thresholds of cells towards the neutral threshold, by random amounts made
/// of `normals`.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn settle(volts: &mut [f32], normals: &[f32], law: &Settling) {
    let Settling { mean, neutral, least, deviation, deviation_even, erased } = *law;
    for (volts, value) in volts.iter_mut().zip(normals) {
        let way = larger(*volts - neutral, least);
        let width = deviation_even + deviation * larger(*volts - erased, 0.0).sqrt();
        *volts -= mean * way + width * value;
    }
}

/// Applies uneven charge loss to cells, in proportion to their thresholds above `erased`: a loss common to all cells,
/// and a further random loss that is large for few cells.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn leak_unevenly(volts: &mut [f32], exponentials: &[f32], loss: f32, tail: f32, erased: f32) {
    for (volts, value) in volts.iter_mut().zip(exponentials) {
        *volts -= larger(*volts - erased, 0.0) * (loss + tail * value);
    }
}

/// Senses cells: adds to `states`, which begins at zero, the number of read reference voltages that each cell's
/// threshold reaches.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn sense(states: &mut [u8], volts: &[f32], references: &[f32]) {
    for (states, volts) in states.chunks_mut(LANES).zip(volts.chunks(LANES)) {
        for reference in references {
            for (state, volts) in states.iter_mut().zip(volts) {
                *state += u8::from(*volts >= *reference);
            }
        }
    }
}

/// Senses the bit of each cell: inverts the bit once for each read reference voltage that the cell's threshold reaches.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn flip(bits: &mut [u8], volts: &[f32], references: &[f32]) {
    for (bits, volts) in bits.chunks_mut(LANES).zip(volts.chunks(LANES)) {
        for reference in references {
            for (bit, volts) in bits.iter_mut().zip(volts) {
                *bit ^= u8::from(*volts >= *reference);
            }
        }
    }
}
