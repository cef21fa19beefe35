//! What writing and reading a page costs, as functions of program step and reference voltages: the two regulators of
//! Li and others, "Access Characteristic Guided Read and Write Cost Regulation", FAST 2016, equations 1 and 2.

use crate::{Ladder, Soft};
use units::{Nanos, Voltage};

/// Returns `ceil(log2(references + 1))`: the number of bits that tell between which references a cell lies, and so the
/// number of bit-planes sent to the controller.
pub const fn bit_planes(references: u32) -> u32 {
    (references + 1).next_power_of_two().trailing_zeros()
}

/// Set of coefficients (times) of the read cost of a page by the number N of reference voltages, equation 2: `RC(N) =
/// alpha N + beta ceil(log2(N + 1))`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadCost {
    /// Coefficient of the read cost: time to compare the cells of a page with one reference voltage.
    pub alpha: Nanos,
    /// Coefficient of the read cost: time to send one bit-plane (one bit for each cell) of a page to the controller.
    pub beta: Nanos,
}

impl ReadCost {
    /// Returns the time of a page read with this number of reference voltages.
    pub const fn of(&self, references: u32) -> Nanos {
        Nanos::new(self.alpha.ns() * references as u64 + self.beta.ns() * bit_planes(references) as u64)
    }
}

/// Set of parameters of the write cost of a page, which is the page's program time as a function of the program step
/// (voltage increase per pulse), equation 1: `WC(step) = gamma / step`, where gamma follows from the time of the
/// default step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteCost {
    /// Parameter of the write cost: program step (voltage increase from pulse to pulse) with which a page takes the
    /// program time `usual_time`, volts.
    pub usual_step: Voltage,
    /// Parameter of the write cost: program time of a page with the program step `usual_step`, from which the write
    /// cost (program time) with other steps follows.
    pub usual_time: Nanos,
}

impl WriteCost {
    /// Returns the program time with step `step`, to the nearest nanosecond.
    ///
    /// # Panics
    /// When the step is zero.
    pub fn of(&self, step: Voltage) -> Nanos {
        let product = u128::from(self.usual_time.ns()) * u128::from(self.usual_step.get());
        let step = u128::from(step.get());
        Nanos::new(((product + step / 2) / step) as u64)
    }
}

/// Applies the constraint of both equations, `RBER(step) < CBER(N)`: returns, for each program step (voltage increase
/// per program pulse), the index of the first rung of the ladder (the cheapest way to read a page) that corrects the
/// raw bit error rate at that step; `None` where no rung does.
pub fn rungs_of(steps: &[Voltage], ladder: &Ladder, rber: impl Fn(Voltage) -> f64) -> Vec<Option<usize>> {
    steps.iter().map(|step| ladder.needed(rber(*step), Soft::NORMAL)).collect()
}

/// Returns the coarsest of the program steps (voltage increases per program pulse) whose errors the code still
/// corrects: the fastest write that keeps the required retention; `None` if no step is feasible.
pub fn coarsest_feasible(
    steps: &[Voltage],
    ladder: &Ladder,
    rber: impl Fn(Voltage) -> f64,
) -> Option<Voltage> {
    let rungs = rungs_of(steps, ladder, rber);
    steps.iter().zip(rungs).filter_map(|(step, rung)| rung.map(|_| *step)).max()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::code::{Code, Ldpc};

    fn us(time: u64) -> Nanos {
        Nanos::new(time * 1000)
    }

    fn mv(step: u64) -> Voltage {
        Voltage::new(step * 1000)
    }

    /// Checks table 1 of the paper against the equations, with the constants of Li and others, DATE 2015, as far as
    /// they can be inferred. alpha, beta and N are the one natural solution for its three reads; the ratios of the
    /// steps follow from its three writes.
    #[test]
    fn table_1_follows_from_the_formulas() {
        let read = ReadCost { alpha: us(10), beta: us(20) };
        assert_eq!([3, 9, 21].map(|references| read.of(references)), [us(70), us(170), us(310)]);
        let write = WriteCost { usual_step: mv(300), usual_time: us(600) };
        assert_eq!([mv(225), mv(300), mv(400)].map(|step| write.of(step)), [us(800), us(600), us(450)]);
    }

    #[test]
    fn bit_planes_are_rounded_up() {
        assert_eq!([0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 21].map(bit_planes), [0, 1, 2, 2, 3, 3, 4, 4, 4, 5, 5]);
    }

    #[test]
    fn a_step_is_feasible_while_the_code_corrects_it() {
        let ladder = Ldpc::of_limits(&[4e-3, 8e-3, 1.2e-2]).ladder(2).expect("a code");
        // Each step at the limit of one rung, the last beyond them all.
        let rber = |step: Voltage| step.get() as f64 / 1e8;
        let steps = [mv(400), mv(800), mv(1200), mv(1201)];
        assert_eq!(rungs_of(&steps, &ladder, rber), [Some(0), Some(1), Some(2), None]);
        assert_eq!(coarsest_feasible(&steps, &ladder, rber), Some(mv(1200)));
        assert_eq!(coarsest_feasible(&steps[3..], &ladder, rber), None);
    }
}
