//! The numbers of a chip's cells, read from `[cells]` of its file (`nand.cells` in a drive).
//!
//! Voltages carry their unit (`"-2.5V"`, `"120mV"`), and so do times (`"26us"`). Voltages are threshold voltages
//! unless they say otherwise; a pulse of `start + j * step` brings a mean fresh cell to exactly that threshold.
//!
//! ```text
//! [cells]
//! t_r              array read: one time, or one per page of a wordline in the order of programming
//! order            "two-step": page by page, low voltages first (MLC's default); "one-shot": all pages at once
//! plans            names of sets of voltages, the usual one first; default ["normal"]
//! erased           mean threshold of the erased state
//! erased_sigma     its standard deviation
//! offset_sigma     standard deviation, between cells, of what a pulse does
//! injection_sigma  standard deviation, from program to program, of where a pulse carries a cell
//!
//! [cells.<plan>]
//! verify           lowest threshold of each programmed state, rising
//! references       read references, one below each programmed state
//! start            threshold that the first pulse reaches in a mean fresh cell
//! step             by which each pulse is higher: the cost of a write is here, a larger step takes fewer pulses
//! first_verify     two-step only: where passes before the last leave their groups of states. MLC: one voltage;
//!                  TLC: one for the first pass and three for the second; QLC: 1 + 3 + 7
//! first_step       step of those passes; default `step`
//!
//! [cells.program]
//! t_setup          before the first pulse: one time, or one per pass
//! t_pulse          one pulse
//! t_verify         verifying one state after a pulse
//! sweep            threshold up to which a pass pulses with any data: one, or one per pass; default none
//! max_pulses       more are a failure
//!
//! [cells.erase]
//! start, step      erase voltage of the first pulse; by which each is higher
//! need             erase voltage that the slowest fresh cell of a mean block needs
//! verify           highest threshold of the erased state
//! t_setup, t_pulse, t_verify    as in programming
//! max_pulses       more are a failure
//! cold_per_degree  erase voltage needed more for each degree below `cold_below`; default 0 V
//! cold_below       lower end of the temperature compensation, degrees Celsius; default 25
//!
//! [cells.wear]       trapping with cycles, see `wear.rs`
//! [cells.retention]  charge loss with time, see `wear.rs`
//! [cells.tails], [cells.uneven]   what normal distributions leave out, see `tails.rs`
//!
//! [cells.coupling]   share of the rise of a later-programmed neighbour that a cell shares
//! wordline         of the cell above on the next wordline; default 0.02
//! bitline          of the two cells beside it on its own wordline; default 0.01
//! diagonal         of the two cells beside the one above; default 0.001
//!
//! [cells.disturb]    rise of a cell at the mean erased threshold; higher cells rise less
//! read             for each read of its block; default 1 uV
//! program          for each program of its block; default 50 uV
//! weak             of few cells beside that: `weak_reads` reads lift a share weak / v of them by more than v; default 0 V
//! weak_reads       these reads; default 1000
//! ```

use super::coding;
use super::tails::{Tails, Uneven};
use super::wear::{Retention, Wear};
use crate::Cell;
use config::{ConfigError, Section, above, at_least};
use units::{Nanos, Potential};

/// Named set of voltages of a chip: verify levels of the programmed states, read references, and program pulses.
#[derive(Clone, Debug, PartialEq)]
pub struct VoltagePlan {
    /// Name of the voltage set.
    pub name: String,
    /// List of verify levels: lowest threshold voltage of each programmed state, rising, volts.
    pub verify: Vec<f64>,
    /// List of the read reference voltages between neighbouring states, volts.
    pub references: Vec<f64>,
    /// Threshold voltage that the first program pulse reaches in a mean fresh cell, volts.
    pub start: f64,
    /// Increase of the voltage from one program pulse to the next (ISPP step), volts.
    pub step: f64,
    /// Lists of rising verify levels (V) of groups of states: one for each pass of a two-step program but the last.
    pub first_verify: Vec<Vec<f64>>,
    /// Increase of the voltage from one program pulse to the next in the passes before the last, volts.
    pub first_step: f64,
}

impl VoltagePlan {
    /// Returns the voltage set with the last pass's program step multiplied by `times`, which widens the states as
    /// much.
    #[must_use]
    pub fn with_step(&self, times: f64) -> Self {
        Self { step: self.step * times, ..self.clone() }
    }

    /// Returns the read reference voltages of the set, each moved by `volts`, as in a read retry.
    pub fn shifted(&self, volts: f64) -> Vec<f64> {
        self.references.iter().map(|reference| reference + volts).collect()
    }
}

/// Record of one pass of a program (one-shot has one): set-up time, and threshold up to which it always pulses.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pass {
    /// Time before the first pulse of the pass: loading data, charge pumps, and in a later pass reading the earlier
    /// page.
    pub t_setup: Nanos,
    /// Threshold up to which this programming pass always pulses, with any data, as counted in a mean fresh cell,
    /// volts; none: the pass ends when no cell is left to program.
    pub sweep: Option<f64>,
}

/// Set of parameters of programming a wordline: passes, times of pulse and verify, and greatest number of pulses.
#[derive(Clone, Debug, PartialEq)]
pub struct ProgramTiming {
    /// List of the passes of a program, in order: for each its set-up time and the threshold it always pulses up to.
    pub passes: Vec<Pass>,
    /// Duration of one program pulse.
    pub t_pulse: Nanos,
    /// Time to verify one state of the cells after a program pulse.
    pub t_verify: Nanos,
    /// Greatest number of pulses of a pass; a cell that needs more makes the program fail.
    pub max_pulses: u32,
}

/// Set of the parameters of erasing a block: voltages, times and limits.
#[derive(Clone, Debug, PartialEq)]
pub struct EraseTiming {
    /// Erase voltage of the first erase pulse, volts.
    pub start: f64,
    /// Increase of the voltage from one erase pulse to the next, volts.
    pub step: f64,
    /// Erase voltage that the slowest fresh cell of a mean block needs, volts.
    pub need: f64,
    /// Highest threshold voltage of the erased state, to which an erase is verified, volts.
    pub verify: f64,
    /// Time before the first erase pulse.
    pub t_setup: Nanos,
    /// Duration of one erase pulse.
    pub t_pulse: Nanos,
    /// Time to verify the block after an erase pulse.
    pub t_verify: Nanos,
    /// Greatest number of pulses of an erase; a block that needs more makes the erase fail.
    pub max_pulses: u32,
    /// Additional erase voltage for each degree below `cold_below`, where temperature compensation ends, volts.
    pub cold_per_degree: f64,
    /// Lower end of the temperature compensation of erases, degrees Celsius.
    pub cold_below: f64,
}

/// Set of all parameters of a chip's simulated cells: voltages, timing, wear, charge loss, coupling and disturb.
#[derive(Clone, Debug, PartialEq)]
pub struct CellPhysics {
    /// Field of a chip's cell parameters: kind of its cells by bits per cell: SLC, MLC, TLC or QLC.
    pub cell: Cell,
    /// Gray coding: list of the bits of each state by rising threshold; digit i is the bit in the cell's i-th page.
    pub states: Vec<&'static str>,
    /// List of measured array read times (tR): one for all pages, or one for each page of a wordline.
    pub t_r: Vec<Nanos>,
    /// Mean threshold voltage of the erased state, volts.
    pub erased: f64,
    /// Standard deviation of the threshold voltages in the erased state, volts.
    pub erased_sigma: f64,
    /// Standard deviation, between cells, of the threshold that a program pulse reaches, volts.
    pub offset_sigma: f64,
    /// Standard deviation, from program to program, of the threshold at which the last pulse leaves a cell, volts.
    pub injection_sigma: f64,
    /// True if the pages of a wordline are programmed one after the other; false if all at once.
    pub two_step: bool,
    /// List of the chip's voltage sets (verify levels, read references, pulses): the default one, then others by name.
    pub plans: Vec<VoltagePlan>,
    /// Field of a chip's cell parameters: parameters of programming a wordline: passes, times and limits.
    pub program: ProgramTiming,
    /// Field of a chip's cell parameters: parameters of erasing a block: times, voltages and limits.
    pub erase: EraseTiming,
    /// Field of a chip's cell parameters: oxide trapping with program/erase cycles, and its effects.
    pub wear: Wear,
    /// Field of a chip's cell parameters: parameters of the cells' charge loss with time (retention).
    pub retention: Retention,
    /// Field of a chip's cell parameters: heavy tails of states, by noise that leaves a few cells far off target.
    pub tails: Tails,
    /// Field of a chip's cell parameters: parameters of uneven charge loss, which is large in few cells.
    pub uneven: Uneven,
    /// Coupling between wordlines: fraction of the rise of the cell above (next wordline) by which a cell rises.
    pub coupling_wordline: f64,
    /// Coupling along the wordline: fraction of the rises of its two neighbours by which a cell rises.
    pub coupling_bitline: f64,
    /// Diagonal coupling: fraction of the rises of two diagonal neighbours (next wordline) by which a cell rises.
    pub coupling_diagonal: f64,
    /// Threshold rise of a fresh erased cell by read disturb, for each read of its block, volts.
    pub read_disturb: f64,
    /// Strong read disturb of few cells, volts: for each read, the share of cells raised by more than `v` is this over
    /// `v`.
    pub read_weak: f64,
    /// Threshold rise of an erased cell by program disturb, for each program of its block, volts.
    pub program_disturb: f64,
}

impl CellPhysics {
    /// Reads the cell parameters from `[cells]`; returns `None` when the chip's file has no such section.
    ///
    /// # Errors
    /// When a value is missing, or voltages are not in the order that makes states tell apart.
    pub fn read(nand: &mut Section, cell: Cell) -> Result<Option<Self>, ConfigError> {
        let written = nand.has("cells");
        let mut s = nand.child("cells")?;
        if !written {
            return Ok(None);
        }
        let usual = if cell == Cell::Mlc { "two-step" } else { "one-shot" };
        let order =
            s.choice("order", &["two-step", "one-shot"], usual, "how the pages of a wordline are written")?;
        let two_step = order == "two-step" && cell != Cell::Slc;
        let states = if two_step { coding::two_step_states(cell) } else { coding::one_shot_states(cell) };
        let states = states.to_vec();
        let names: Vec<String> =
            s.or("plans", vec!["normal".to_owned()], "named sets of voltages, the usual one first")?;
        let erased = volts(&mut s, "erased", "mean threshold of the erased state")?;
        let mut plans = Vec::new();
        for name in names {
            plans.push(plan(&mut s, &name, &states, erased, two_step)?);
        }
        let passes = if two_step { cell.bits() as usize } else { 1 };
        let window = (erased, plans.first().and_then(|plan| plan.verify.last()).copied().unwrap_or(erased));
        let physics = Self {
            cell,
            t_r: read_times(&mut s, cell)?,
            erased,
            erased_sigma: positive(&mut s, "erased_sigma", "width of the erased state")?,
            offset_sigma: positive(&mut s, "offset_sigma", "spread of what a pulse does to different cells")?,
            injection_sigma: positive(&mut s, "injection_sigma", "noise of the last pulse")?,
            two_step,
            plans,
            program: program(&mut s, passes)?,
            erase: erase(&mut s, erased)?,
            wear: Wear::read(&mut s)?,
            retention: Retention::read(&mut s, window)?,
            tails: Tails::read(&mut s)?,
            uneven: Uneven::read(&mut s)?,
            coupling_wordline: 0.0,
            coupling_bitline: 0.0,
            coupling_diagonal: 0.0,
            read_disturb: 0.0,
            read_weak: 0.0,
            program_disturb: 0.0,
            states,
        };
        let physics = neighbours(&mut s, physics)?;
        physics.check_budgets(&mut s)?;
        s.finish()?;
        Ok(Some(physics))
    }

    /// Returns the index of the programming pass in which page `bit` of a wordline is programmed.
    pub fn pass_of(&self, bit: u32) -> usize {
        if self.two_step { bit as usize } else { 0 }
    }

    /// Returns true for the programming pass that is a wordline's last and brings cells to their final states.
    fn is_last(&self, pass: usize) -> bool {
        pass + 1 == self.program.passes.len()
    }

    /// Returns the threshold (V) to which pass `pass` programs cells of `state`; `None` if the pass does not program
    /// the state.
    pub fn target(&self, plan: &VoltagePlan, pass: usize, state: usize) -> Option<f64> {
        if self.is_last(pass) {
            return (state > 0).then(|| plan.verify[state - 1]);
        }
        let group = coding::group(&self.states, pass + 1, state);
        (group > 0).then(|| plan.first_verify[pass][group - 1])
    }

    /// Returns the voltage increase from one program pulse of the pass to the next, volts.
    #[inline]
    pub fn step(&self, plan: &VoltagePlan, pass: usize) -> f64 {
        if self.is_last(pass) { plan.step } else { plan.first_step }
    }

    /// Returns the array read time (tR) of page `bit` of a wordline.
    pub fn t_read(&self, bit: u32) -> Nanos {
        self.t_r[(bit as usize).min(self.t_r.len() - 1)]
    }

    /// Returns the read references (V) between the groups of states that exist while only the first `pages` pages of a
    /// wordline are programmed, and for each group its first state, whose leading bits are the group's bits.
    pub fn early_references(&self, plan: &VoltagePlan, pages: usize) -> (Vec<f64>, Vec<usize>) {
        if !self.two_step || pages >= self.states[0].len() {
            return (plan.references.clone(), (0..self.states.len()).collect());
        }
        let levels = &plan.first_verify[pages - 1];
        let below = std::iter::once(self.erase.verify).chain(levels.iter().map(|v| v + plan.first_step));
        let references = below.zip(levels).map(|(below, level)| 0.5 * (below + level)).collect();
        let first_of = |group| {
            (0..self.states.len())
                .find(|&state| coding::group(&self.states, pages, state) == group)
                .expect("every group has states")
        };
        (references, (0..=levels.len()).map(first_of).collect())
    }

    /// Returns the number of program pulses, at least one, after which a cell with the programming offset `offset` (V)
    /// reaches the threshold voltage `target` in this pass.
    #[inline]
    pub fn pulses(&self, plan: &VoltagePlan, pass: usize, target: f64, offset: f64) -> u32 {
        Self::pulses_of(self.level(plan, pass, target, offset))
    }

    /// Returns how many program steps (voltage increases per pulse) above the first pulse of the pass a cell with the
    /// programming offset `offset` (V) needs to reach the threshold `target`; may have a fraction or be negative.
    #[inline]
    pub fn level(&self, plan: &VoltagePlan, pass: usize, target: f64, offset: f64) -> f64 {
        (target + offset - plan.start) / self.step(plan, pass)
    }

    /// Returns the number of program pulses, at least 1, that bring a cell `level` program steps above the first pulse.
    #[inline]
    pub fn pulses_of(level: f64) -> u32 {
        1 + level.ceil().max(0.0) as u32
    }

    /// Returns the least number of pulses that a programming pass runs, no matter which data are programmed.
    pub fn least_pulses(&self, plan: &VoltagePlan, pass: usize) -> u32 {
        self.program.passes[pass].sweep.map_or(1, |sweep| self.pulses(plan, pass, sweep, 0.0))
    }

    /// Returns the busy time of a pass; `pulses`: for each target threshold, the slowest cell's number of pulses.
    pub fn t_prog(&self, plan: &VoltagePlan, pass: usize, pulses: &[u32]) -> Nanos {
        let t_setup = self.program.passes[pass].t_setup;
        let most = pulses.iter().copied().max().unwrap_or(0).max(self.least_pulses(plan, pass));
        let verifies: u64 = pulses.iter().map(|&pulses| u64::from(pulses)).sum::<u64>().max(u64::from(most));
        t_setup + self.program.t_pulse.times(u64::from(most)) + self.program.t_verify.times(verifies)
    }

    /// Returns the number of pulses that erase a block whose slowest cell needs `need` volts at `celsius` degrees.
    #[inline]
    pub fn erase_pulses(&self, need: f64, celsius: f64) -> u32 {
        let cold = (self.erase.cold_below - celsius).max(0.0) * self.erase.cold_per_degree;
        1 + ((need + cold - self.erase.start) / self.erase.step).ceil().max(0.0) as u32
    }

    /// Returns the busy time (tBERS) of an erase of `pulses` pulses, of which the permitted number counts at most.
    pub fn t_bers(&self, pulses: u32) -> Nanos {
        let each = self.erase.t_pulse + self.erase.t_verify;
        self.erase.t_setup + each.times(u64::from(pulses.min(self.erase.max_pulses)))
    }

    /// Checks the limits on program pulses and on erase pulses: rejects a limit too low for mean fresh cells.
    fn check_budgets(&self, cells: &mut Section) -> Result<(), ConfigError> {
        let last = self.program.passes.len() - 1;
        for plan in &self.plans {
            let top = plan.verify.last().copied().unwrap_or(plan.start);
            let needed = self.pulses(plan, last, top, 0.0).max(self.least_pulses(plan, last));
            if needed > self.program.max_pulses {
                let text = format!(
                    "expected at least {needed}, which a mean fresh cell needs up to {top} V with the {} voltages",
                    plan.name
                );
                return Err(cells.child("program")?.reject("max_pulses", &text));
            }
        }
        let needed = self.erase_pulses(self.erase.need, self.erase.cold_below);
        if needed > self.erase.max_pulses {
            let text = format!("expected at least {needed}, which a mean fresh block needs");
            return Err(cells.child("erase")?.reject("max_pulses", &text));
        }
        Ok(())
    }

    /// Returns true if programming leaves even some fresh cells far from their targets (heavy tails).
    pub fn has_tails(&self) -> bool {
        self.tails.program_v > 0.0
    }

    /// Returns a copy of the parameters without heavy tails, uneven charge loss and strong read disturb of few cells.
    #[must_use]
    pub fn without_tails(&self) -> Self {
        Self { tails: Tails::default(), uneven: self.uneven.none(), read_weak: 0.0, ..self.clone() }
    }

    /// Returns a copy of the cell parameters without the strong read disturb of few cells.
    #[must_use]
    pub fn without_weak(&self) -> Self {
        Self { read_weak: 0.0, ..self.clone() }
    }

    /// Returns the mean threshold rise of cells with this voltage set, as a ratio to that with the default set.
    pub fn swing(&self, plan: &VoltagePlan) -> f64 {
        self.lift_of_states(plan) / self.lift_of_states(&self.plans[0])
    }

    /// Returns the sum over all states of the threshold rise of a cell programmed with this voltage set, volts.
    fn lift_of_states(&self, plan: &VoltagePlan) -> f64 {
        let last = self.program.passes.len() - 1;
        (0..self.states.len()).map(|state| self.lift(plan, last, state)).sum()
    }

    /// Returns the threshold rise (V) of a cell of `state` in all passes up to `pass`; 0 if `pass` does not program it.
    fn lift(&self, plan: &VoltagePlan, pass: usize, state: usize) -> f64 {
        let step = self.step(plan, pass);
        self.target(plan, pass, state).map_or(0.0, |verify| verify + 0.5 * step - self.erased)
    }

    /// Returns the stress, in program/erase cycles, of a wordline's cells by programming up to pass `pass` and erasing,
    /// without the share of the erase voltage; `shares` has the fraction of cells in each state. The oxide of a cell
    /// passes the charge that raises the cell, and passes it back in the erase: a mean cell with random data at the
    /// default voltages counts as one. Data change from cycle to cycle, so that each cell wears as the mean does.
    pub fn program_stress(&self, plan: &VoltagePlan, pass: usize, shares: &[f64]) -> f64 {
        let mean = self.lift_of_states(&self.plans[0]) / self.states.len() as f64;
        let of_states = shares.iter().enumerate().filter(|(_, share)| **share > 0.0);
        let (lifted, charge) = of_states.fold((0.0, 0.0), |(lifted, charge), (state, share)| {
            let lift = self.lift(plan, pass, state);
            (lifted + if lift > 0.0 { *share } else { 0.0 }, charge + share * lift / mean)
        });
        let alike = if lifted > 0.0 { self.swing(plan) } else { 0.0 };
        let Wear { erase_share, charge: by_charge, .. } = self.wear;
        (1.0 - erase_share) * (by_charge * charge + (1.0 - by_charge) * alike)
    }
}

fn volts(s: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    s.required::<Potential>(key, help).map(Potential::volts)
}

fn positive(s: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    s.within(above(Potential::new(0))).required::<Potential>(key, help).map(Potential::volts)
}

fn list(s: &mut Section, key: &str, help: &'static str) -> Result<Vec<f64>, ConfigError> {
    Ok(s.required::<Vec<Potential>>(key, help)?.into_iter().map(Potential::volts).collect())
}

fn read_times(s: &mut Section, cell: Cell) -> Result<Vec<Nanos>, ConfigError> {
    let times: Vec<Nanos> = s.required("t_r", "measured array read time, one value or one per page")?;
    let pages = cell.bits() as usize;
    if times.len() == 1 || times.len() == pages {
        return Ok(times);
    }
    Err(s.reject("t_r", &format!("expected one time or {pages}")))
}

fn plan(
    cells: &mut Section,
    name: &str,
    states: &[&str],
    erased: f64,
    two_step: bool,
) -> Result<VoltagePlan, ConfigError> {
    let mut s = cells.named_child(name, "PLAN")?;
    let programmed = states.len() - 1;
    let verify = list(&mut s, "verify", "lowest threshold of each programmed state")?;
    let references = list(&mut s, "references", "read references between neighbouring states")?;
    for (key, values) in [("verify", &verify), ("references", &references)] {
        if values.len() != programmed {
            return Err(
                s.reject(key, &format!("expected {programmed} voltages, one below each programmed state"))
            );
        }
        rising(&s, key, values)?;
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
    let start = volts(&mut s, "start", "threshold that the first pulse reaches in a mean fresh cell")?;
    if start > verify[0] {
        return Err(s.reject(
            "start",
            "expected at most the first verify voltage: the first pulse must not overshoot",
        ));
    }
    let first_verify = if two_step { first_verify(&mut s, states, &verify, erased)? } else { Vec::new() };
    let first_step = if two_step && s.has("first_step") {
        positive(&mut s, "first_step", "by which each pulse of the passes before the last is higher")?
    } else {
        step
    };
    s.finish()?;
    Ok(VoltagePlan { name: name.to_owned(), verify, references, start, step, first_verify, first_step })
}

fn rising(s: &Section, key: &str, values: &[f64]) -> Result<(), ConfigError> {
    if values.windows(2).any(|pair| pair[0] >= pair[1]) {
        return Err(s.reject(key, "expected rising voltages"));
    }
    Ok(())
}

/// Reads the verify levels of the passes before the last: for each pass, one for each group of states but the lowest.
fn first_verify(
    s: &mut Section,
    states: &[&str],
    verify: &[f64],
    erased: f64,
) -> Result<Vec<Vec<f64>>, ConfigError> {
    let given = list(s, "first_verify", "where passes before the last leave their groups of states")?;
    let pages = states[0].len();
    let count: usize = (1..pages).map(|pass| (1 << pass) - 1).sum();
    if given.len() != count {
        return Err(s.reject("first_verify", &format!("expected {count} voltages, pass by pass")));
    }
    let mut rest = given.as_slice();
    let mut passes: Vec<Vec<f64>> = Vec::new();
    for pass in 1..pages {
        let (levels, later) = rest.split_at((1 << pass) - 1);
        rising(s, "first_verify", levels)?;
        if levels[0] <= erased {
            return Err(
                s.reject("first_verify", &format!("expected voltages above the erased state, {erased} V"))
            );
        }
        rest = later;
        passes.push(levels.to_vec());
    }
    // A cell cannot come down again: no pass may leave a group above where a later one wants its lowest state.
    for pass in 0..passes.len() {
        for state in 1..states.len() {
            let at = |pass: usize| {
                let group = coding::group(states, pass + 1, state);
                (group > 0)
                    .then(|| passes.get(pass).map_or_else(|| verify[state - 1], |levels| levels[group - 1]))
            };
            if let (Some(now), Some(later)) = (at(pass), at(pass + 1))
                && now > later
            {
                let text = format!(
                    "expected at most {later} V in pass {}, where {} goes next",
                    pass + 1,
                    states[state]
                );
                return Err(s.reject("first_verify", &text));
            }
        }
    }
    Ok(passes)
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
        max_pulses: s
            .within(at_least(1u32))
            .required("max_pulses", "program pulses after which the chip gives up")?,
    };
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
        max_pulses: s
            .within(at_least(1u32))
            .required("max_pulses", "erase pulses after which the chip gives up")?,
        cold_per_degree: s
            .or("cold_per_degree", Potential::default(), "erase voltage needed more, for each degree below")?
            .volts(),
        cold_below: s.unit("degrees Celsius").or(
            "cold_below",
            25.0,
            "lower end of temperature compensation, degrees Celsius",
        )?,
    };
    if timing.verify < erased {
        return Err(s.reject("verify", "expected at least the mean threshold of the erased state"));
    }
    s.finish()?;
    Ok(timing)
}

fn neighbours(cells: &mut Section, mut physics: CellPhysics) -> Result<CellPhysics, ConfigError> {
    let mut s = cells.child("coupling")?;
    physics.coupling_wordline = s.unit("ratio").within(at_least(0.0).below(0.5)).or(
        "wordline",
        0.02,
        "share of the next wordline's rise that a cell shares",
    )?;
    physics.coupling_bitline = s.unit("ratio").within(at_least(0.0).below(0.5)).or(
        "bitline",
        0.01,
        "share of its neighbours' rise on the same wordline",
    )?;
    physics.coupling_diagonal = s.unit("ratio").within(at_least(0.0).below(0.5)).or(
        "diagonal",
        0.001,
        "share of the rise of their neighbours on the next wordline",
    )?;
    s.finish()?;
    let mut s = cells.child("disturb")?;
    physics.read_disturb =
        s.or("read", Potential::new(1), "rise of a fresh erased cell for each read of its block")?.volts();
    let help = "weak_reads reads lift a share weak / v of cells by more than v";
    let weak = s.or("weak", Potential::default(), help)?.volts();
    if weak < 0.0 {
        return Err(s.reject("weak", "expected a voltage of at least 0 V"));
    }
    let help = "reads of a block that lift a share weak / v of cells by more than v";
    let reads = s.unit("reads").within(at_least(1.0)).or("weak_reads", 1000.0, help)?;
    physics.read_weak = weak / reads;
    physics.program_disturb =
        s.or("program", Potential::new(50), "rise of an erased cell for each program of its block")?.volts();
    s.finish()?;
    Ok(physics)
}
