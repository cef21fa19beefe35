//! The cells of one wordline as arrays: programmed by ISPP, coupled to neighbours, read with references.

use super::normal::Stream;
use super::physics::{CellPhysics, VoltagePlan};

/// In what condition cells are programmed, read or left alone.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Condition {
    /// Wear of the wordline, cycles.
    pub cycles: f64,
    /// Wear as error rates see it, cycles: over-erasing counted in.
    pub error_cycles: f64,
    /// Trapping of this block over that of a mean one.
    pub trapping: f64,
}

/// Values of a cell that never change or are drawn once for an operation, by stream number.
mod draw {
    pub const OFFSET: u64 = 1;
    pub const TRAPPING: u64 = 2;
    pub const ERASED: u64 = 3;
    pub const INJECTION: u64 = 4;
    pub const BROADENING: u64 = 5;
    pub const RETENTION: u64 = 6;
}

/// Threshold voltages of a wordline, volts.
#[derive(Clone, Debug, PartialEq)]
pub struct Wordline {
    volts: Vec<f32>,
    stream: Stream,
    erases: u64,
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
        let draws = stream.of(draw::ERASED).of(erases);
        let wear = &physics.wear;
        let width = physics.erased_sigma.hypot(wear.broadening(condition.error_cycles) * condition.trapping);
        let mean = physics.erased + wear.erased * wear.trapped_v(condition.cycles) * condition.trapping;
        // Erasing ends when all cells pass its verify; what lies above is pulled below it.
        let top = physics.erase.verify.max(mean);
        let volts = (0..cells as u64)
            .map(|cell| {
                let v = mean + width * draws.normal(cell);
                (if v > top { 2.0 * top - v } else { v }) as f32
            })
            .collect();
        Self { volts, stream, erases }
    }

    /// The threshold voltages, volts.
    pub fn volts(&self) -> &[f32] {
        &self.volts
    }

    /// How far above the mean a pulse must go for this cell, volts; wear lowers it.
    #[inline]
    fn offset(&self, physics: &CellPhysics, cell: u64, trapped_v: f64) -> f64 {
        let own = physics.offset_sigma * self.stream.of(draw::OFFSET).normal(cell);
        let trapping = libm::exp(physics.wear.cell_spread * self.stream.of(draw::TRAPPING).normal(cell));
        own - physics.wear.program * trapped_v * trapping
    }

    /// One pass: brings each cell up to its state's target. Gives the pulses that each state's slowest cell took.
    ///
    /// A cell stops at the first pulse that carries it past its target: its end follows from its offset alone, so
    /// no pulse needs to be gone through.
    pub fn program(
        &mut self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        pass: usize,
        states: &[u8],
        condition: &Condition,
    ) -> Vec<u32> {
        let trapped_v = physics.wear.trapped_v(condition.cycles) * condition.trapping;
        let broadening = physics.wear.broadening(condition.error_cycles) * condition.trapping;
        let noise = self.stream.of(draw::INJECTION).of(self.erases).of(pass as u64);
        let wide = self.stream.of(draw::BROADENING).of(self.erases).of(pass as u64);
        let targets: Vec<Option<f64>> =
            (0..physics.states.len()).map(|s| physics.target(plan, pass, s)).collect();
        let step = physics.step(plan, pass);
        let mut pulses = vec![0; physics.states.len()];
        let mut rises = vec![0.0f32; self.volts.len()];
        for (cell, state) in states.iter().enumerate() {
            let Some(target) = targets[*state as usize] else { continue };
            let before = f64::from(self.volts[cell]);
            if before >= target {
                continue;
            }
            let index = cell as u64;
            let offset =
                self.offset(physics, index, trapped_v) - physics.injection_sigma * noise.normal(index);
            let needed = physics.pulses(plan, pass, target, offset);
            let state_pulses = &mut pulses[*state as usize];
            *state_pulses = needed.max(*state_pulses);
            let reached =
                plan.start + f64::from(needed - 1) * step - offset + broadening * wide.normal(index);
            let after = reached.max(before) as f32;
            rises[cell] = after - self.volts[cell];
            self.volts[cell] = after;
        }
        self.couple_bitlines(physics, &rises);
        pulses.retain(|&count| count > 0);
        pulses
    }

    /// Neighbours on the same wordline share part of a cell's rise; cells that rose in the same pass were still
    /// being verified, so only those left alone notice.
    fn couple_bitlines(&mut self, physics: &CellPhysics, rises: &[f32]) {
        let share = physics.coupling_bitline as f32;
        for cell in 0..rises.len() {
            if rises[cell] == 0.0 {
                let left = if cell > 0 { rises[cell - 1] } else { 0.0 };
                let right = rises.get(cell + 1).copied().unwrap_or(0.0);
                self.volts[cell] += share * (left + right);
            }
        }
    }

    /// The next wordline was programmed and rose by `rises` volts: this one shares it.
    pub fn couple_wordline(&mut self, physics: &CellPhysics, rises: impl Iterator<Item = f32>) {
        let share = physics.coupling_wordline as f32;
        for (volts, rise) in self.volts.iter_mut().zip(rises) {
            *volts += share * rise;
        }
    }

    /// Other pages of the block were programmed or read: cells below the pass voltage creep upwards, the lower the
    /// more.
    pub fn disturb(&mut self, physics: &CellPhysics, volts_on_erased: f64) {
        let top = *physics.plans[0].verify.last().expect("a plan has states");
        let span = (top - physics.erased) as f32;
        for volts in &mut self.volts {
            let depth = ((top as f32 - *volts) / span).max(0.0);
            *volts += volts_on_erased as f32 * depth;
        }
    }

    /// Threshold voltages after `seconds` at the reference temperature, `reads` reads of the block and this wear.
    pub fn aged(&self, physics: &CellPhysics, condition: &Condition, seconds: f64, reads: u64) -> Vec<f32> {
        let mut aged = self.clone();
        if reads > 0 {
            let wear = 1.0 + condition.error_cycles / 1e4;
            aged.disturb(physics, physics.read_disturb * reads as f64 * wear);
        }
        if seconds > 0.0 {
            let draws = self.stream.of(draw::RETENTION).of(self.erases);
            for (cell, volts) in aged.volts.iter_mut().enumerate() {
                let (mean, sigma) = physics.retention.loss(
                    f64::from(*volts) - physics.erased,
                    condition.error_cycles,
                    seconds,
                );
                *volts -= (mean + sigma * draws.normal(cell as u64)) as f32;
            }
        }
        aged.volts
    }

    /// The state of each cell, told apart by `references`.
    pub fn sense(volts: &[f32], references: &[f64]) -> Vec<u8> {
        let references: Vec<f32> = references.iter().map(|v| *v as f32).collect();
        volts.iter().map(|v| references.iter().map(|r| u8::from(v >= r)).sum()).collect()
    }

    /// Threshold voltage of one cell before the first pulse and after each, on its way to `state`.
    pub fn staircase(
        &self,
        physics: &CellPhysics,
        plan: &VoltagePlan,
        cell: usize,
        state: usize,
        condition: &Condition,
    ) -> Vec<f64> {
        let trapped_v = physics.wear.trapped_v(condition.cycles) * condition.trapping;
        let offset = self.offset(physics, cell as u64, trapped_v);
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
