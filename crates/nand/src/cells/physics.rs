//! The numbers of a chip's cells, read from `[cells]` of its file (`nand.cells` in a drive).
//!
//! ```text
//! [cells]             t_r  erased  erased_sigma  offset_sigma  injection_sigma  order  plans
//! [cells.<plan>]      verify  references  start  step  first_verify  first_step    a set of voltages, "normal" first
//! [cells.program]     t_setup  t_pulse  t_verify  sweep  max_pulses    t_setup, sweep: one value, or one per pass
//! [cells.erase]       start  step  need  verify  t_setup  t_pulse  t_verify  max_pulses  cold_per_degree  cold_below
//! [cells.wear]        see `wear.rs`
//! [cells.retention]   see `wear.rs`
//! [cells.coupling]    wordline  bitline           share of a neighbour's rise that a cell shares
//! [cells.disturb]     read  program               rise of an erased cell for each read or program beside it
//! ```
//! Voltages are threshold voltages unless they say otherwise; a pulse of `start + j * step` brings a mean fresh cell
//! to exactly that threshold.

use super::wear::{Retention, Wear};
use crate::Cell;
use config::{ConfigError, Section};
use units::{Nanos, Potential};

/// Voltages with which states are written and told apart.
#[derive(Clone, Debug, PartialEq)]
pub struct VoltagePlan {
    /// Its name.
    pub name: String,
    /// Lowest threshold voltage of each programmed state, rising, volts.
    pub verify: Vec<f64>,
    /// Read references between neighbouring states, volts.
    pub references: Vec<f64>,
    /// Threshold voltage that the first pulse reaches in a mean fresh cell, volts.
    pub start: f64,
    /// By which each pulse is higher, volts.
    pub step: f64,
    /// Where the first pass of a two-step program leaves its programmed cells, volts.
    pub first_verify: f64,
    /// By which each pulse of that pass is higher, volts.
    pub first_step: f64,
}

/// One pass of programming.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Before the first pulse: loading, pumps, and in a second pass reading the first.
    pub t_setup: Nanos,
    /// Threshold of a mean fresh cell up to which the sequence always pulses, whatever the data, volts; none: it
    /// stops when nothing is left to program.
    pub sweep: Option<f64>,
}

/// How programming proceeds.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTiming {
    /// One for each pass.
    pub passes: Vec<Pass>,
    /// One pulse.
    pub t_pulse: Nanos,
    /// Verifying one state after a pulse.
    pub t_verify: Nanos,
    /// More are a failure.
    pub max_pulses: u32,
}

/// How erasing proceeds.
#[derive(Clone, Debug, PartialEq)]
pub struct EraseTiming {
    /// Erase voltage of the first pulse, volts.
    pub start: f64,
    /// By which each pulse is higher, volts.
    pub step: f64,
    /// Erase voltage that the slowest fresh cell of a mean block needs, volts.
    pub need: f64,
    /// Highest threshold of the erased state, volts.
    pub verify: f64,
    /// Before the first pulse.
    pub t_setup: Nanos,
    /// One pulse.
    pub t_pulse: Nanos,
    /// Verifying after a pulse.
    pub t_verify: Nanos,
    /// More are a failure.
    pub max_pulses: u32,
    /// What erasing needs more for each degree below `cold_below`, volts: there the compensation ends.
    pub cold_per_degree: f64,
    /// The lower end of temperature compensation, degrees Celsius.
    pub cold_below: f64,
}

/// Everything about a chip's cells.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPhysics {
    /// Bits per cell.
    pub cell: Cell,
    /// Bits of each state by rising threshold; digit i is the bit in the cell's i-th page.
    pub states: Vec<&'static str>,
    /// Measured array read time.
    pub t_r: Nanos,
    /// Mean and width of the erased state, volts.
    pub erased: f64,
    /// Width of the erased state, volts.
    pub erased_sigma: f64,
    /// Spread of the cells' offsets, volts: how much more or less than the mean a pulse does.
    pub offset_sigma: f64,
    /// Noise of the last pulse, volts.
    pub injection_sigma: f64,
    /// Pages of a wordline are programmed one after the other, or all at once.
    pub two_step: bool,
    /// The usual voltages, then others by name.
    pub plans: Vec<VoltagePlan>,
    /// Programming.
    pub program: ProgramTiming,
    /// Erasing.
    pub erase: EraseTiming,
    /// Oxide trapping.
    pub wear: Wear,
    /// Charge loss.
    pub retention: Retention,
    /// Share of the rise of the next wordline that a cell shares.
    pub coupling_wordline: f64,
    /// Share of the rise of its two neighbours on the same wordline.
    pub coupling_bitline: f64,
    /// Rise of a fresh erased cell for each read of its block, volts.
    pub read_disturb: f64,
    /// Rise of an erased cell for each program of its block, volts.
    pub program_disturb: f64,
}

/// Gray codings: neighbours differ in one bit. MLC as seed 001 names it: 11, 10, 00, 01.
const SLC: [&str; 2] = ["1", "0"];
const MLC: [&str; 4] = ["11", "10", "00", "01"];
const TLC: [&str; 8] = ["111", "011", "001", "101", "100", "000", "010", "110"];
const QLC: [&str; 16] = [
    "1111", "0111", "0011", "1011", "1001", "1101", "0101", "0001", "0000", "0100", "1100", "1000", "1010",
    "0010", "0110", "1110",
];

impl CellPhysics {
    /// Reads `[cells]`; absent when the chip's file has none.
    ///
    /// # Errors
    /// When a value is missing, or voltages are not in the order that makes states tell apart.
    pub fn read(nand: &mut Section, cell: Cell) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("cells");
        let mut s = nand.child("cells")?;
        if !written {
            return Ok(None);
        }
        let states: Vec<&'static str> = match cell {
            Cell::Slc => SLC.to_vec(),
            Cell::Mlc => MLC.to_vec(),
            Cell::Tlc => TLC.to_vec(),
            Cell::Qlc => QLC.to_vec(),
        };
        let order = s.choice(
            "order",
            &["two-step", "one-shot"],
            "two-step",
            "how the pages of a wordline are written",
        )?;
        let two_step = order == "two-step" && cell == Cell::Mlc;
        let names: Vec<String> =
            s.or("plans", vec!["normal".to_owned()], "named sets of voltages, the usual one first")?;
        let erased = volts(&mut s, "erased", "mean threshold of the erased state")?;
        let mut plans = Vec::new();
        for name in names {
            plans.push(plan(&mut s, &name, states.len(), erased, two_step)?);
        }
        let passes = if two_step { 2 } else { 1 };
        let physics = Self {
            cell,
            t_r: s.required("t_r", "measured array read time")?,
            erased,
            erased_sigma: positive(&mut s, "erased_sigma", "width of the erased state")?,
            offset_sigma: positive(&mut s, "offset_sigma", "spread of what a pulse does to different cells")?,
            injection_sigma: positive(&mut s, "injection_sigma", "noise of the last pulse")?,
            two_step,
            plans,
            program: program(&mut s, passes)?,
            erase: erase(&mut s, erased)?,
            wear: Wear::read(&mut s)?,
            retention: Retention::read(&mut s)?,
            coupling_wordline: 0.0,
            coupling_bitline: 0.0,
            read_disturb: 0.0,
            program_disturb: 0.0,
            states,
        };
        let physics = neighbours(&mut s, physics)?;
        s.finish()?;
        Ok(Some(physics))
    }

    /// The pass in which page `bit` of a wordline is programmed.
    pub fn pass_of(&self, bit: u32) -> usize {
        if self.two_step { bit as usize } else { 0 }
    }

    /// The voltage up to which a pass brings cells of `state`; none for those it leaves alone.
    pub fn target(&self, plan: &VoltagePlan, pass: usize, state: usize) -> Option<f64> {
        if self.two_step && pass == 0 {
            return self.states[state].starts_with('0').then_some(plan.first_verify);
        }
        (state > 0).then(|| plan.verify[state - 1])
    }

    /// By how much each pulse of a pass is higher, volts.
    #[inline]
    pub fn step(&self, plan: &VoltagePlan, pass: usize) -> f64 {
        if self.two_step && pass == 0 { plan.first_step } else { plan.step }
    }

    /// Pulses of a pass that bring a cell with this offset to `target`, at least one.
    #[inline]
    pub fn pulses(&self, plan: &VoltagePlan, pass: usize, target: f64, offset: f64) -> u32 {
        1 + ((target + offset - plan.start) / self.step(plan, pass)).ceil().max(0.0) as u32
    }

    /// Pulses that a pass runs, whatever the data.
    pub fn least_pulses(&self, plan: &VoltagePlan, pass: usize) -> u32 {
        self.program.passes[pass].sweep.map_or(1, |sweep| self.pulses(plan, pass, sweep, 0.0))
    }

    /// Busy time of a pass whose slowest cells need `pulses` for each state that it writes.
    pub fn t_prog(&self, plan: &VoltagePlan, pass: usize, pulses: &[u32]) -> Nanos {
        let t_setup = self.program.passes[pass].t_setup;
        let most = pulses.iter().copied().max().unwrap_or(0).max(self.least_pulses(plan, pass));
        let verifies: u64 = pulses.iter().map(|&pulses| u64::from(pulses)).sum::<u64>().max(u64::from(most));
        t_setup + self.program.t_pulse.times(u64::from(most)) + self.program.t_verify.times(verifies)
    }

    /// Pulses that erase a block whose slowest cell needs `need` volts at `celsius`.
    #[inline]
    pub fn erase_pulses(&self, need: f64, celsius: f64) -> u32 {
        let cold = (self.erase.cold_below - celsius).max(0.0) * self.erase.cold_per_degree;
        1 + ((need + cold - self.erase.start) / self.erase.step).ceil().max(0.0) as u32
    }

    /// Busy time of an erase with so many pulses.
    pub fn t_bers(&self, pulses: u32) -> Nanos {
        let each = self.erase.t_pulse + self.erase.t_verify;
        self.erase.t_setup + each.times(u64::from(pulses.min(self.erase.max_pulses)))
    }

    /// How far a plan lifts its cells on the mean, over how far the usual one does.
    pub fn swing(&self, plan: &VoltagePlan) -> f64 {
        let lift = |plan: &VoltagePlan| -> f64 {
            plan.verify.iter().map(|verify| verify + 0.5 * plan.step - self.erased).sum::<f64>()
        };
        lift(plan) / lift(&self.plans[0])
    }
}

fn volts(s: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    s.required::<Potential>(key, help).map(Potential::volts)
}

fn positive(s: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    let value = volts(s, key, help)?;
    if value > 0.0 { Ok(value) } else { Err(s.reject(key, "expected a voltage above 0 V")) }
}

fn list(s: &mut Section, key: &str, help: &'static str) -> Result<Vec<f64>, ConfigError> {
    Ok(s.required::<Vec<Potential>>(key, help)?.into_iter().map(Potential::volts).collect())
}

fn plan(
    cells: &mut Section,
    name: &str,
    states: usize,
    erased: f64,
    two_step: bool,
) -> Result<VoltagePlan, ConfigError> {
    let mut s = cells.child(name)?;
    let verify = list(&mut s, "verify", "lowest threshold of each programmed state")?;
    let references = list(&mut s, "references", "read references between neighbouring states")?;
    for (key, values) in [("verify", &verify), ("references", &references)] {
        if values.len() != states - 1 {
            return Err(
                s.reject(key, &format!("expected {} voltages, one below each programmed state", states - 1))
            );
        }
        if values.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(s.reject(key, "expected rising voltages"));
        }
    }
    let step = positive(&mut s, "step", "by which each program pulse is higher")?;
    for (index, reference) in references.iter().enumerate() {
        let below = if index == 0 { erased } else { verify[index - 1] };
        if *reference <= below || *reference > verify[index] {
            let text = format!(
                "expected reference {} between {below} V, where the state below lies, and verify {} V",
                index + 1,
                verify[index]
            );
            return Err(s.reject("references", &text));
        }
    }
    let first_verify = if two_step {
        volts(&mut s, "first_verify", "where the first page's pass leaves its programmed cells")?
    } else {
        verify[0]
    };
    if two_step && first_verify > verify[1] {
        return Err(s.reject("first_verify", "expected at most the second programmed state's verify voltage"));
    }
    let start = volts(&mut s, "start", "threshold that the first pulse reaches in a mean fresh cell")?;
    if start > verify[0] {
        return Err(s.reject(
            "start",
            "expected at most the first verify voltage: the first pulse must not overshoot",
        ));
    }
    let first_step = if two_step && s.has("first_step") {
        positive(&mut s, "first_step", "by which each pulse of the first page's pass is higher")?
    } else {
        step
    };
    s.finish()?;
    Ok(VoltagePlan { name: name.to_owned(), verify, references, start, step, first_verify, first_step })
}

fn program(cells: &mut Section, passes: usize) -> Result<ProgramTiming, ConfigError> {
    let mut s = cells.child("program")?;
    let setups: Vec<Nanos> = s.required("t_setup", "before the first pulse, one value or one per pass")?;
    let sweeps: Vec<Potential> = s
        .optional("sweep", "threshold up to which a pass always pulses, one value or one per pass")?
        .unwrap_or_default();
    if setups.len() != 1 && setups.len() != passes {
        return Err(s.reject("t_setup", &format!("expected one value or {passes}")));
    }
    if sweeps.len() > 1 && sweeps.len() != passes {
        return Err(s.reject("sweep", &format!("expected one value or {passes}")));
    }
    let at = |pass: usize| Pass {
        t_setup: setups[pass.min(setups.len() - 1)],
        sweep: sweeps.get(pass.min(sweeps.len().max(1) - 1)).map(|sweep| sweep.volts()),
    };
    let timing = ProgramTiming {
        passes: (0..passes).map(at).collect(),
        t_pulse: s.required("t_pulse", "one program pulse")?,
        t_verify: s.required("t_verify", "verifying one state")?,
        max_pulses: s.required("max_pulses", "program pulses after which the chip gives up")?,
    };
    if timing.max_pulses == 0 {
        return Err(s.reject("max_pulses", "expected at least one"));
    }
    s.finish()?;
    Ok(timing)
}

fn erase(cells: &mut Section, erased: f64) -> Result<EraseTiming, ConfigError> {
    let mut s = cells.child("erase")?;
    let timing = EraseTiming {
        start: volts(&mut s, "start", "erase voltage of the first pulse")?,
        step: positive(&mut s, "step", "by which each erase pulse is higher")?,
        need: volts(&mut s, "need", "erase voltage that the slowest cell of a fresh mean block needs")?,
        verify: volts(&mut s, "verify", "highest threshold of the erased state")?,
        t_setup: s.required("t_setup", "before the first erase pulse")?,
        t_pulse: s.required("t_pulse", "one erase pulse")?,
        t_verify: s.required("t_verify", "verifying after an erase pulse")?,
        max_pulses: s.required("max_pulses", "erase pulses after which the chip gives up")?,
        cold_per_degree: s
            .or("cold_per_degree", Potential::default(), "erase voltage needed more, for each degree below")?
            .volts(),
        cold_below: s.or("cold_below", 25.0, "lower end of temperature compensation, degrees Celsius")?,
    };
    if timing.verify < erased {
        return Err(s.reject("verify", "expected at least the mean threshold of the erased state"));
    }
    if timing.max_pulses == 0 {
        return Err(s.reject("max_pulses", "expected at least one"));
    }
    s.finish()?;
    Ok(timing)
}

fn neighbours(cells: &mut Section, mut physics: CellPhysics) -> Result<CellPhysics, ConfigError> {
    let mut s = cells.child("coupling")?;
    physics.coupling_wordline =
        s.or("wordline", 0.02, "share of the next wordline's rise that a cell shares")?;
    physics.coupling_bitline = s.or("bitline", 0.01, "share of its neighbours' rise on the same wordline")?;
    s.finish()?;
    let mut s = cells.child("disturb")?;
    physics.read_disturb =
        s.or("read", Potential::new(1), "rise of a fresh erased cell for each read of its block")?.volts();
    physics.program_disturb =
        s.or("program", Potential::new(50), "rise of an erased cell for each program of its block")?.volts();
    s.finish()?;
    Ok(physics)
}
