//! What cycles, time and temperature leave behind in the oxide.
//!
//! ```text
//! [cells.wear]      wear is counted in cycles: 1 for an ordinary erase and program of the usual voltages
//! reference         wear at which `slow`, `fast` and `broadening` are given, cycles
//! slow, fast        volts trapped at the reference by what grows with cycles^0.62 and with cycles^0.30
//! program           volts that programs gain for each volt trapped; default 1
//! erase             volts that erases need more; default 1
//! erased            volts by which the erased state rises; default 0.3
//! cell_spread       standard deviation of the logarithm of trapping between cells; default 0.2
//! block_spread      between blocks; default 0.1
//! chip_spread       between chips; default 0.05
//! cycle_spread      from cycle to cycle: standard deviation of the logarithm of what a cycle wears; default 0
//! cycle_memory      a cycle's draw holds while the block's cycles grow by this share; default 0.5
//! defect_fraction   share of blocks with a defect; default 0
//! defect_factor     how much faster those trap; default 3
//! erase_share       share of a cycle's stress that the erase voltage causes in all cells, in any state; default 0.7
//! charge            share of the rest that goes with the charge a cell takes on and gives back; what remains comes from
//!                   programming the wordline at all, in every cell alike; default 1
//! over_erase        wear on the error rate of erasing a cell that was not programmed, cycles; default 0.5
//! broadening        standard deviation that the reference wear adds to every state; grows with cycles^0.62
//!
//! [cells.retention]
//! ks, kd, km        charge loss for each volt above the erased state, of its mean and its variance; literature's
//! ke                of its variance, the same for all states, V^2, instead of `km`; default 0
//! neutral           threshold that all cells move to: those above lose charge, those below gain; default none, all lose
//! neutral_rise      volts by which it rises for each unit of the logarithm, so that loss comes first; default 0 V
//! t0                time scale of the logarithm; default 1 h
//! dwell             seconds that each second between two cycles adds to t0: rest heals; default 0
//! activation_ev     of charge loss, eV; default 1.1
//! reference_celsius temperature of the constants, degrees Celsius; default 25
//! ```

use config::{ConfigError, Section, above, at_least};
use units::{Nanos, Potential};

/// Constant: exponent of the number of program/erase cycles in the growth of interface traps, 0.62 (Mielke and others;
/// used throughout the literature).
pub(super) const INTERFACE: f64 = 0.62;
/// Constant: exponent of the number of program/erase cycles in the growth of trapped oxide charge, 0.30 (Mielke and
/// others; used throughout the literature).
const OXIDE: f64 = 0.30;

/// Boltzmann's constant, eV per kelvin.
const BOLTZMANN_EV: f64 = 8.617_333_262e-5;
const KELVIN: f64 = 273.15;

/// Set of the parameters of the wear law: how oxide trapping (charge in the tunnel oxide) grows with program/erase
/// cycles, and by how many volts trapping changes the cells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wear {
    slow_v: f64,
    fast_v: f64,
    reference: f64,
    /// Decrease of a cell's programming offset, in volts for each volt of trapping: programs become faster.
    pub program: f64,
    /// Increase of the erase voltage that a cell needs, in volts for each volt of trapping: erases become slower.
    pub erase: f64,
    /// Increase of the erased state's threshold, in volts for each volt of trapping.
    pub erased: f64,
    /// Spread of trapping between cells: standard deviation of its logarithm.
    pub cell_spread: f64,
    /// Spread of trapping between blocks: standard deviation of its logarithm.
    pub block_spread: f64,
    /// Spread of trapping between chips: standard deviation of its logarithm.
    pub chip_spread: f64,
    /// Spread of the wear of one cycle, from cycle to cycle of a block: standard deviation of its logarithm.
    pub cycle_spread: f64,
    /// Length of a run of cycles with the same random wear per cycle, as a fraction of the number of cycles before the
    /// run: noise that changes faster averages out over a life.
    pub cycle_memory: f64,
    /// Fraction (0 to 1) of blocks with a defect, which trap charge faster.
    pub defect_fraction: f64,
    /// Parameter: factor by which trapping is faster in a block with a defect than in other blocks.
    pub defect_factor: f64,
    /// Fraction (0 to 1) of a cycle's stress that the erase voltage causes in all cells; the rest comes from
    /// programming.
    pub erase_share: f64,
    /// Fraction (0 to 1) of the stress of programming that is in proportion to the charge of each cell; the remaining
    /// stress is equal in all cells of the wordline.
    pub charge: f64,
    /// Additional stress, in program/erase cycles, that an erase of a cell that was not programmed before adds; counts
    /// for error rates only.
    pub over_erase: f64,
    /// Standard deviation, in volts, that the reference wear adds to the thresholds of every state.
    pub broadening_v: f64,
}

impl Wear {
    // Long: a value for each field, with its unit and its limits.
    /// Reads the parameters of oxide trapping from `[cells.wear]`.
    ///
    /// # Errors
    /// When a value is missing or outside its range.
    pub(super) fn read(cells: &mut Section) -> Result<Self, ConfigError> {
        let mut s = cells.child("wear")?;
        let wear = Self {
            slow_v: volts(&mut s, "slow", "trapping at the reference wear that grows with cycles^0.62")?,
            fast_v: volts(&mut s, "fast", "trapping at the reference wear that grows with cycles^0.30")?,
            reference: s
                .unit("cycles")
                .within(at_least(1.0))
                .required("reference", "wear, in cycles, at which slow and fast are given")?,
            program: s.unit("V per V").within(at_least(0.0)).or(
                "program",
                1.0,
                "volts that programming gains for each volt trapped",
            )?,
            erase: s.unit("V per V").within(at_least(0.0)).or(
                "erase",
                1.0,
                "volts that erasing needs more for each volt trapped",
            )?,
            erased: s.unit("V per V").within(at_least(0.0)).or(
                "erased",
                0.3,
                "volts by which the erased state rises for each volt trapped",
            )?,
            cell_spread: s.unit("standard deviation of the logarithm").within(at_least(0.0)).or(
                "cell_spread",
                0.2,
                "spread of trapping between cells, of its logarithm",
            )?,
            block_spread: s.unit("standard deviation of the logarithm").within(at_least(0.0)).or(
                "block_spread",
                0.1,
                "spread of trapping between blocks",
            )?,
            chip_spread: s.unit("standard deviation of the logarithm").within(at_least(0.0)).or(
                "chip_spread",
                0.05,
                "spread of trapping between chips",
            )?,
            cycle_spread: s
                .unit("standard deviation of the logarithm")
                .within(at_least(0.0).at_most(2.0).because("more is no spread about a mean any longer"))
                .or("cycle_spread", 0.0, "spread of what a cycle wears, from cycle to cycle of a block")?,
            cycle_memory: s
                .unit("ratio")
                .within(at_least(0.01).at_most(10.0).because("shorter noise averages out over a life"))
                .or("cycle_memory", 0.5, "share of the cycles so far for which a cycle's draw holds")?,
            defect_fraction: s.unit("ratio").within(at_least(0.0).at_most(1.0)).or(
                "defect_fraction",
                0.0,
                "share of blocks with a defect",
            )?,
            defect_factor: s.unit("times").within(at_least(1.0).because("a defect traps faster")).or(
                "defect_factor",
                3.0,
                "how much faster a block with a defect traps",
            )?,
            erase_share: s.unit("ratio").within(at_least(0.0).at_most(1.0)).or(
                "erase_share",
                0.7,
                "share of a cycle's stress that the erase voltage causes in cells of any state",
            )?,
            charge: s.unit("ratio").within(at_least(0.0).at_most(1.0)).or(
                "charge",
                1.0,
                "share of the rest of that stress that goes with the charge each cell takes on and gives back",
            )?,
            over_erase: s.unit("cycles").within(at_least(0.0)).or(
                "over_erase",
                0.5,
                "stress on the error rate, in cycles, of erasing a cell that was not programmed",
            )?,
            broadening_v: volts(&mut s, "broadening", "width that the reference wear adds to every state")?,
        };
        s.finish()?;
        Ok(wear)
    }

    /// Returns the oxide trapping of a mean cell after `cycles` program/erase cycles, in volts.
    #[inline]
    pub fn trapped_v(&self, cycles: f64) -> f64 {
        let x = self.over_reference(cycles);
        if x <= 0.0 { 0.0 } else { self.trapped_at(libm::log(x), libm::exp) }
    }

    /// Returns the reference wear, the number of program/erase cycles for which the chip file gives the constants of
    /// trapping.
    pub(super) fn reference(&self) -> f64 {
        self.reference
    }

    /// Returns the ratio of `cycles` to the reference wear (the cycles for which the constants of trapping are given).
    #[inline(always)]
    pub(super) fn over_reference(&self, cycles: f64) -> f64 {
        cycles / self.reference
    }

    /// Returns the oxide trapping, in volts, for the logarithm `log` of the ratio of wear to the reference wear; `exp`
    /// computes e to a power.
    #[inline(always)]
    pub(super) fn trapped_at(&self, log: f64, exp: impl Fn(f64) -> f64) -> f64 {
        self.slow_v * exp(INTERFACE * log) + self.fast_v * exp(OXIDE * log)
    }

    /// Returns the standard deviation, in volts, that wear adds to the thresholds of every state; `cycles` includes the
    /// stress of over-erasing.
    pub fn broadening(&self, cycles: f64) -> f64 {
        self.broadening_v * self.grown(cycles)
    }

    /// Returns the growth of interface traps by wear: `cycles` to the power of 0.62, relative to its value at the
    /// reference wear.
    pub fn grown(&self, cycles: f64) -> f64 {
        self.grown_by(INTERFACE, cycles)
    }

    /// Returns `cycles` to the power of `exponent`, relative to its value at the reference wear.
    pub(super) fn grown_by(&self, exponent: f64, cycles: f64) -> f64 {
        let x = self.over_reference(cycles);
        if x <= 0.0 { 0.0 } else { libm::pow(x, exponent) }
    }
}

fn volts(section: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    section.within(at_least(Potential::new(0))).required::<Potential>(key, help).map(Potential::volts)
}

/// Returns the factor by which a thermally activated process runs faster at `celsius` than at `reference` degrees
/// (Arrhenius).
pub fn arrhenius(activation_ev: f64, celsius: f64, reference: f64) -> f64 {
    libm::exp(activation_ev / BOLTZMANN_EV * (1.0 / (reference + KELVIN) - 1.0 / (celsius + KELVIN)))
}

/// Set of the parameters of the law of charge loss with time (Dong, Pan and others: mean and variance grow with the
/// logarithm of time).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Retention {
    ks: f64,
    kd: f64,
    km: f64,
    ke: f64,
    neutral_v: Option<f64>,
    neutral_rise_v: f64,
    t0_s: f64,
    dwell: f64,
    /// Parameter of the law of charge loss: its activation energy, eV.
    pub activation_ev: f64,
    /// Temperature for which the constants of charge loss are given, degrees Celsius.
    pub reference_celsius: f64,
}

/// Set of the parameters of the charge loss of cells of a given wear over a given time span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Leak {
    /// Mean charge loss of a cell, volts per volt of the cell's threshold above `neutral_v`.
    pub mean: f64,
    /// Threshold towards which charge loss moves all cells, volts; none: cells move towards the erased state, and no
    /// cell below it moves.
    pub neutral_v: Option<f64>,
    /// Variance of the charge loss for each volt of the cell's threshold above the erased state, V.
    pub variance: f64,
    /// Part of the variance of the charge loss that is equal in every state, V^2.
    pub variance_even: f64,
}

impl Retention {
    // Long: a value for each field, with its unit and its limits.
    /// Reads the law of charge loss from `[cells.retention]`; `window`: thresholds of the erased and of the highest
    /// state, volts.
    ///
    /// # Errors
    /// When a value is wrong, or the file gives one parameter in two ways.
    pub(super) fn read(cells: &mut Section, window: (f64, f64)) -> Result<Self, ConfigError> {
        let mut s = cells.child("retention")?;
        let t0: Nanos = s.within(above(Nanos::ZERO)).or(
            "t0",
            Nanos::new(3_600_000_000_000),
            "time scale of the logarithm",
        )?;
        let (ks, kd) = (
            s.unit("V per V").within(at_least(0.0)).or(
                "ks",
                0.38,
                "charge loss for each volt above the erased state",
            )?,
            s.unit("ratio").within(at_least(0.0)).or("kd", 4e-4, "of its mean")?,
        );
        let (km, ke) = variances(&mut s)?;
        let (neutral_v, neutral_rise_v) = neutral(&mut s, window)?;
        let retention = Self {
            ks,
            kd,
            km,
            ke,
            neutral_v,
            neutral_rise_v,
            t0_s: t0.ns() as f64 * 1e-9,
            dwell: s.unit("s per s").within(at_least(0.0)).or(
                "dwell",
                0.0,
                "seconds that each second between two cycles adds to t0",
            )?,
            activation_ev: s.unit("eV").within(at_least(0.0)).or(
                "activation_ev",
                1.1,
                "activation energy, eV",
            )?,
            reference_celsius: s.unit("degrees Celsius").or(
                "reference_celsius",
                25.0,
                "temperature of the constants",
            )?,
        };
        s.finish()?;
        Ok(retention)
    }

    /// Returns the mean charge loss per volt above the neutral threshold (by default, above the erased state), and its
    /// variance per volt above the erased state, after `seconds` of retention at the reference temperature; `dwell_s`:
    /// mean time between the cycles before, in seconds at that temperature.
    pub fn per_volt(&self, cycles: f64, seconds: f64, dwell_s: f64) -> (f64, f64) {
        let leak = self.leak(cycles, seconds, dwell_s);
        (leak.mean, leak.variance)
    }

    /// Computes the charge loss of cells with `cycles` of wear after `seconds` of retention at the reference
    /// temperature; `dwell_s`: mean time between the cycles before, in seconds at that temperature.
    pub fn leak(&self, cycles: f64, seconds: f64, dwell_s: f64) -> Leak {
        let log = libm::log1p(seconds / (self.t0_s + self.dwell * dwell_s));
        let cycles = cycles.max(1.0);
        let root = libm::pow(cycles, 0.5);
        let mean = self.ks * self.kd * libm::pow(cycles, 0.4) * log;
        Leak {
            // No cell moves beyond where it is neutral.
            mean: if self.neutral_v.is_some() { mean.min(1.0) } else { mean },
            neutral_v: self.neutral_v.map(|volts| volts + self.neutral_rise_v * log),
            variance: self.ks * self.km * root * log,
            variance_even: self.ks * self.ke * root * log,
        }
    }

    /// Returns the mean and the standard deviation, in volts, of the charge loss of a cell `above_erased_v` above the
    /// erased state after `seconds` at the reference temperature, for cells without another neutral threshold.
    pub fn loss(&self, above_erased_v: f64, cycles: f64, seconds: f64) -> (f64, f64) {
        let height = above_erased_v.max(0.0);
        let leak = self.leak(cycles, seconds, 0.0);
        (leak.mean * height, (leak.variance * height + leak.variance_even).sqrt())
    }
}

/// Reads the variance of charge loss, given either as `km` (per volt above the erased state) or as `ke` (equal in all
/// states); rejects a file in which both are above zero.
fn variances(s: &mut Section) -> Result<(f64, f64), ConfigError> {
    let help = "of its variance, the same in all states, instead of km";
    let (even, per_volt) = (s.has("ke"), s.has("km"));
    let ke = s.unit("V^2").within(at_least(0.0)).or("ke", 0.0, help)?;
    let usual = if even { 0.0 } else { 4e-6 };
    let km = s.unit("V").within(at_least(0.0)).or("km", usual, "of its variance")?;
    if even && per_volt && ke > 0.0 && km > 0.0 {
        return Err(s.reject("ke", "expected 0 beside km: one of the two is the variance of charge loss"));
    }
    Ok((km, ke))
}

/// Reads the neutral threshold of charge loss (V), which must lie between the erased and the highest state, and its
/// rise with the logarithm of time (V).
fn neutral(s: &mut Section, (erased, top): (f64, f64)) -> Result<(Option<f64>, f64), ConfigError> {
    let given: Option<Potential> = s.optional("neutral", "threshold that all cells move to")?;
    let rise: Potential = s.or(
        "neutral_rise",
        Potential::default(),
        "volts by which it rises for each unit of the logarithm of time",
    )?;
    let Some(neutral) = given.map(Potential::volts) else {
        if rise != Potential::default() {
            return Err(
                s.reject("neutral_rise", "expected a `neutral` that rises: without one all cells lose")
            );
        }
        return Ok((None, 0.0));
    };
    if !(erased..=top).contains(&neutral) {
        let text = format!("expected a voltage of the window, from {erased} V (erased) to {top} V (verify)");
        return Err(s.reject("neutral", &text));
    }
    Ok((Some(neutral), rise.volts()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrhenius_factors_are_those_of_the_literature() {
        for (celsius, factor) in [(30.0, 2.03), (40.0, 7.77), (55.0, 50.1), (70.0, 274.0), (85.0, 1303.0)] {
            let ours = arrhenius(1.1, celsius, 25.0);
            assert!((ours / factor - 1.0).abs() < 0.01, "{celsius} C: {ours}, published {factor}");
        }
        // 1 year at 25 C equals these bakes (hours at degrees Celsius).
        for (hours, celsius) in [(97.65, 60.0), (11.16, 80.0), (1.61, 100.0), (0.28, 120.0)] {
            let equal = hours * arrhenius(1.1, celsius, 25.0);
            assert!((equal / 8766.0 - 1.0).abs() < 0.02, "{hours} h at {celsius} C: {equal} h");
        }
    }
}
