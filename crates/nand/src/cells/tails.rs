//! What normal distributions leave out: tails, of where cells are left and of how much charge they lose.
//!
//! Measured states have heavier tails than normal ones (Parnell and others, GLOBECOM 2014: normal-Laplace; Luo and
//! others, JSAC 2016: Student's t), so that error rates follow small shifts as powers do, not as normal tails.
//!
//! ```text
//! [cells.tails]     all of it is zero where the chip's file does not say otherwise
//! program          mean distance from where a program or erase left it at which a cell is found, either side alike
//! wear             what the reference wear adds to that; grows with a power of the cycles
//! wear_exponent    that power; default 0.62
//! layer_spread     standard deviation, between layers, of the logarithm of tails and of uneven loss
//!
//! [cells.uneven]    charge lost beside `retention`, for each volt above the erased state and ln(1 + t/t0)
//! loss             by all cells
//! tail             beyond that on the mean: by most cells less, by few much more (exponential)
//! wear             what the reference wear adds, of it; grows with cycles^0.62
//! t0               time scale of the logarithm; default 1 h
//! activation_ev    default 1.1 eV. What leaves a charge trap early needs less: a bake then shows too little of it
//! ```

use super::wear::{INTERFACE, Retention, arrhenius};
use super::wordline::Condition;
use super::{CellPhysics, Wear};
use config::{ConfigError, Section, above, at_least};
use units::{Nanos, Potential};

/// Record of a pair of times that express one retention time: equivalent seconds at the reference temperature, one
/// number for each of the two kinds of charge loss (even and uneven), which have different activation energies.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Elapsed {
    /// Retention time, in equivalent seconds at the reference temperature, for which the charge loss of
    /// `[cells.retention]` is computed.
    pub late_s: f64,
    /// Retention time, in equivalent seconds at the reference temperature, for which the uneven charge loss of
    /// `[cells.uneven]` is computed.
    pub uneven_s: f64,
}

impl From<f64> for Elapsed {
    /// Makes the retention time of this number of seconds at the reference temperature, equal for both kinds of charge
    /// loss.
    fn from(seconds: f64) -> Self {
        Self { late_s: seconds, uneven_s: seconds }
    }
}

impl Elapsed {
    /// Makes the retention time of `seconds` at `celsius` degrees, converted to equivalent seconds by the thermal
    /// acceleration of each of the two kinds of charge loss.
    pub fn at(seconds: f64, celsius: f64, retention: &Retention, uneven: &Uneven) -> Self {
        let reference = retention.reference_celsius;
        Self {
            late_s: seconds * arrhenius(retention.activation_ev, celsius, reference),
            uneven_s: seconds * arrhenius(uneven.activation_ev, celsius, reference),
        }
    }

    /// Returns the difference of two retention times, from `start` to this one, for each kind of charge loss.
    #[must_use]
    pub fn since(self, start: Self) -> Self {
        Self { late_s: self.late_s - start.late_s, uneven_s: self.uneven_s - start.uneven_s }
    }

    /// Returns the sum of this retention time and the time `more`, for each of the two kinds of charge loss.
    #[must_use]
    pub fn and(self, more: Self) -> Self {
        Self { late_s: self.late_s + more.late_s, uneven_s: self.uneven_s + more.uneven_s }
    }
}

/// Set of the parameters of heavy-tailed programming noise: how far programmed cells end from the thresholds to which
/// they were programmed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tails {
    /// Mean magnitude of the heavy-tailed (Laplace) programming noise of a fresh cell, volts.
    pub program_v: f64,
    /// Volts that the reference wear adds to the mean magnitude of the heavy-tailed programming noise.
    pub wear_v: f64,
    /// Exponent of the number of program/erase cycles in the power law by which the programming noise that wear adds
    /// grows.
    pub wear_exponent: f64,
    /// Standard deviation, between layers of the 3D stack, of the logarithm of the factor by which a layer multiplies
    /// both the heavy-tailed programming noise and the uneven charge loss.
    pub layer_spread: f64,
}

/// Set of the parameters of the uneven charge loss of cells, which is large in few of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uneven {
    loss: f64,
    tail: f64,
    wear: f64,
    t0_s: f64,
    /// Activation energy of the uneven charge loss, eV.
    pub activation_ev: f64,
}

impl Tails {
    pub(super) fn read(cells: &mut Section) -> Result<Self, ConfigError> {
        let mut s = cells.child("tails")?;
        let tails = Self {
            program_v: volts(&mut s, "program", "mean distance of cells from where a program left them")?,
            wear_v: volts(&mut s, "wear", "what the reference wear adds to it")?,
            wear_exponent: s
                .unit("ratio")
                .within(above(0.0).at_most(3.0).because("no part's tails grow faster"))
                .or("wear_exponent", INTERFACE, "power of the cycles that this grows with")?,
            layer_spread: s.unit("ratio").within(at_least(0.0)).or(
                "layer_spread",
                0.0,
                "spread of tails between layers, of its logarithm",
            )?,
        };
        s.finish()?;
        Ok(tails)
    }
}

impl Uneven {
    pub(super) fn read(cells: &mut Section) -> Result<Self, ConfigError> {
        let mut s = cells.child("uneven")?;
        let t0: Nanos = s.within(above(Nanos::ZERO)).or(
            "t0",
            Nanos::new(3_600_000_000_000),
            "time scale of the logarithm",
        )?;
        let share = || at_least(0.0);
        let uneven = Self {
            loss: s.unit("V per V").within(share()).or(
                "loss",
                0.0,
                "loss of every cell for each volt above the erased state",
            )?,
            tail: s.unit("V per V").within(share()).or(
                "tail",
                0.0,
                "what cells lose beyond it on the mean",
            )?,
            wear: s.unit("ratio").within(share()).or(
                "wear",
                0.0,
                "what the reference wear adds, of that loss",
            )?,
            t0_s: t0.ns() as f64 * 1e-9,
            activation_ev: s.unit("eV").within(share()).or(
                "activation_ev",
                1.1,
                "activation energy of that loss",
            )?,
        };
        s.finish()?;
        Ok(uneven)
    }

    /// Returns these parameters of uneven charge loss (`[cells.uneven]`) without any loss, common to all cells or not.
    pub(super) fn none(self) -> Self {
        Self { loss: 0.0, tail: 0.0, ..self }
    }
}

fn volts(s: &mut Section, key: &str, help: &'static str) -> Result<f64, ConfigError> {
    s.within(at_least(Potential::new(0))).or(key, Potential::default(), help).map(Potential::volts)
}

/// Set of the parameters of the heavy-tailed noise and the uneven charge loss of a wordline's cells, for the wordline's
/// condition (wear, trapping, layer) and a retention time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Noise {
    /// Mean magnitude of the Laplace noise of a program, volts.
    pub program_v: f64,
    /// Computed charge loss that all cells of the wordline have in common for the given condition and retention time,
    /// in volts per volt of threshold above the erased state; follows from the parameter `loss` of `[cells.uneven]`.
    pub loss: f64,
    /// Mean of the exponentially distributed further charge loss of a cell, volts per volt above the erased state.
    pub tail: f64,
}

impl Noise {
    /// Computes the parameters of the heavy-tailed noise and of the uneven charge loss of cells in the condition
    /// `condition` (wear, trapping, layer) after a retention time of `elapsed`.
    pub fn of(physics: &CellPhysics, condition: &Condition, elapsed: Elapsed) -> Self {
        let (tails, uneven) = (&physics.tails, &physics.uneven);
        let worn = Wear::grown(&physics.wear, condition.error_cycles) * condition.trapping;
        let wider = physics.wear.grown_by(tails.wear_exponent, condition.error_cycles) * condition.trapping;
        let layer = libm::exp(tails.layer_spread * condition.layer);
        let log = libm::log1p(elapsed.uneven_s.max(0.0) / uneven.t0_s) * (1.0 + uneven.wear * worn) * layer;
        Self {
            program_v: (tails.program_v + tails.wear_v * wider) * layer,
            loss: uneven.loss * log,
            tail: uneven.tail * log,
        }
    }

    /// Returns the fraction (0 to 1) of cells found more than `volts` above their noise-free threshold, which lies
    /// `height` volts above the erased state. The noise is a Laplace value minus an exponential one.
    pub fn above(&self, volts: f64, height: f64) -> f64 {
        Beyond::of(self, height).alone(volts, Side::Above)
    }

    /// Returns the fraction (0 to 1) of cells found more than `volts` below their noise-free threshold, which lies
    /// `height` volts above the erased state.
    pub fn below(&self, volts: f64, height: f64) -> f64 {
        Beyond::of(self, height).alone(volts, Side::Below)
    }
}

/// Kind of side of a cell's noise-free threshold voltage on which the cell lies after noise and charge loss: above or
/// below.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Above,
    Below,
}

/// Parameters of the noise distribution of cells whose noise-free threshold voltage lies a given number of volts above
/// that of the erased state. The upper tail is one exponential (Laplace noise), the lower tail is the exponential of
/// the charge loss minus that of the Laplace noise.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beyond {
    /// Mean magnitude of the Laplace noise, volts, equal above and below the noise-free threshold.
    pub near: f64,
    /// Mean of the exponential charge loss, volts, which moves cells downwards only.
    pub far: f64,
    /// Weight of the Laplace noise's exponential, which is subtracted in the fraction of cells below the threshold;
    /// negative where `far` is below `near`.
    pub near_below: f64,
    /// Weight of the charge loss's exponential, which is added in the fraction of cells below the threshold; zero where
    /// there is no such loss, negative where `far` is below `near`.
    pub far_below: f64,
}

impl Beyond {
    /// Computes the tails of the noise for cells whose noise-free threshold lies `height` volts above the erased state.
    pub fn of(noise: &Noise, height: f64) -> Self {
        let b = noise.program_v;
        let mut a = noise.tail * height.max(0.0);
        if (a - b).abs() < 1e-3 * b {
            a = 1.001 * b; // the closed form has a gap where both are alike
        }
        let far_below = if a > 0.0 { a * a / (a * a - b * b) } else { 0.0 };
        Self { near: b, far: a, near_below: 0.5 * b / (a - b), far_below }
    }

    /// Returns the exponents of the two exponentials (Laplace noise, charge loss) from which the fraction of cells more
    /// than `volts` away from their noise-free threshold is computed.
    #[inline(always)]
    pub fn powers(&self, volts: f64) -> [f64; 2] {
        let distance = volts.abs();
        [-distance / self.near, if self.far > 0.0 { -distance / self.far } else { 0.0 }]
    }

    /// Returns the fraction (0 to 1) of cells more than `volts` beyond their noise-free threshold on the side `side`;
    /// `near` and `far` are the values of the exponentials of Laplace noise and of charge loss.
    #[inline(always)]
    pub fn share(&self, volts: f64, side: Side, [near, far]: [f64; 2]) -> f64 {
        let above = 0.5 * near * self.near / (self.near + self.far);
        let below = self.far_below * far - self.near_below * near;
        let (here, there) = if side == Side::Above { (above, below) } else { (below, above) };
        if volts >= 0.0 { here } else { 1.0 - there }
    }

    fn alone(&self, volts: f64, side: Side) -> f64 {
        self.share(volts, side, self.powers(volts).map(libm::exp))
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{LANES, LaneStream};
    use super::super::normal::Stream;
    use super::*;

    #[test]
    fn the_closed_form_counts_what_draws_show() {
        let (laplaces, losses) = (LaneStream::from(Stream::new(1)), LaneStream::from(Stream::new(2)));
        for (program_v, tail) in [(0.03, 0.0), (0.03, 0.004), (0.03, 0.0075), (0.02, 0.01)] {
            let (height, count) = (4.0, 1 << 20);
            let noise = Noise { program_v, loss: 0.0, tail };
            let drawn: Vec<f64> = (0..count)
                .step_by(LANES)
                .flat_map(|first| {
                    let (up, down) = (laplaces.laplaces(first), losses.exponentials(first));
                    (0..LANES).map(move |i| program_v * f64::from(up[i]) - tail * height * f64::from(down[i]))
                })
                .collect();
            for volts in [-0.02, 0.0, 0.03, 0.1, 0.15] {
                for upwards in [true, false] {
                    let sign = if upwards { 1.0 } else { -1.0 };
                    let seen = drawn.iter().filter(|v| sign * **v > volts).count() as f64;
                    let share = if upwards { noise.above(volts, height) } else { noise.below(volts, height) };
                    let expected = share * f64::from(count as u32);
                    let off = (seen - expected).abs();
                    assert!(
                        off < 4.5 * expected.max(1.0).sqrt(),
                        "{tail} {volts} {upwards}: {seen} {expected}"
                    );
                }
            }
        }
    }
}
