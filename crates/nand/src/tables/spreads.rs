//! Where the cells of each state lie, at every reference that a controller could choose: what a page is sensed from.
//!
//! Of sampled cells, these are the shares that [`super::error_rates`] takes at the few references of a plan and of the best;
//! of states that are known by a mean and a deviation, those of normal distributions.

use super::bins::VoltageGrid;
use super::humps::Hump;
use super::sample::{Rest, Sample, alive, of_rank, through_blocks};
use crate::cells::distribution::Spread;
use crate::cells::{CellPhysics, VoltagePlan};

/// Constant: distance between possible read reference voltages, volts; assumed to be as fine as chips offer.
pub const STEP_V: f64 = 0.005;
/// Constant: number of read references in the grid for each standard deviation of the narrowest normal state: fine
/// enough for error rates without visible steps.
const FINE: f64 = 100.0;
/// Constant: fraction of a state's cells beyond a reference that is negligible: smaller fractions count as zero.
const NEGLIGIBLE: f64 = 1e-18;

/// Set of the distributions of the threshold voltages of all cell states: for each state, the fraction of its cells
/// below each read reference of a grid of rising voltages.
#[derive(Clone, Debug, PartialEq)]
pub struct Spreads {
    low: f64,
    step: f64,
    below: Vec<Vec<f64>>,
    middles: Vec<usize>,
}

/// Computes the distributions of all states' threshold voltages after each of `rests` (retention time and number of
/// reads): the mean of the sampled blocks that can still be erased at this wear, or the block with rank `block`, above
/// 0 (traps least) and below 1 (traps most), in its middle layer unless the sample names a layer.
///
/// # Panics
/// When the sample has fewer than two wordlines.
pub fn spreads(
    physics: &CellPhysics,
    plan: &VoltagePlan,
    (sample, block): (Sample, Option<f64>),
    pe_cycles: f64,
    rests: &[Rest],
) -> Vec<Spreads> {
    let blocks = match block {
        Some(rank) => vec![of_rank(physics, rank)],
        None => alive(physics, sample, pe_cycles),
    };
    let sample = Sample { layer: sample.layer.or(block.map(|_| 0.5)), ..sample };
    let top = plan.verify.last().copied().expect("a plan has states");
    let count = ((top - physics.erased) / STEP_V).ceil() as usize + 1;
    let none = Spreads {
        low: physics.erased,
        step: STEP_V,
        below: vec![vec![0.0; count]; physics.states.len()],
        middles: Vec::new(),
    };
    let mut found = vec![none; rests.len()];
    through_blocks(physics, plan, sample, pe_cycles, rests, &blocks, |rest, share, humps| {
        found[rest].add(share, humps);
    });
    found.iter_mut().for_each(Spreads::settle);
    found
}

impl Spreads {
    /// Makes the threshold distributions of cell states that are normally distributed, in any unit of voltage that the
    /// states share.
    ///
    /// # Panics
    /// When there are fewer than two states, or their means do not rise.
    pub fn of_normals(states: &[Spread]) -> Self {
        let [first, .., last] = states else { panic!("a page tells states apart") };
        assert!(first.mean < last.mean, "states rise");
        let narrow = states.iter().map(|state| state.deviation).fold(f64::INFINITY, f64::min);
        // References lie halfway between states that are as far from each other.
        let halves = 2.0 * (states.len() - 1) as f64;
        let steps = halves * ((last.mean - first.mean) / halves / (narrow / FINE)).ceil();
        let (step, count) = ((last.mean - first.mean) / steps, steps as usize + 1);
        let of_state = |state: &Spread| {
            let below = |at| state.below(first.mean + step * at as f64);
            (0..count).map(below).collect()
        };
        let mut found =
            Self { low: first.mean, step, below: states.iter().map(of_state).collect(), middles: Vec::new() };
        found.settle();
        found
    }

    /// Adds the cells of one sampled block to the distributions, weighted by `share`, the fraction of all blocks for
    /// which the block stands.
    fn add(&mut self, share: f64, humps: &[Hump]) {
        let grid = VoltageGrid { low: self.low, step: self.step };
        for (below, hump) in self.below.iter_mut().zip(humps) {
            hump.add_below(share, grid, NEGLIGIBLE, below);
        }
    }

    /// Finishes the distributions after all blocks were added: corrects fractions so that none falls with the reference
    /// despite rounding, and finds the median of each state.
    fn settle(&mut self) {
        for below in &mut self.below {
            let mut most: f64 = 0.0;
            for share in below.iter_mut() {
                most = most.max(*share).min(1.0);
                *share = most;
            }
        }
        self.middles = self.below.iter().map(|below| below.partition_point(|share| *share < 0.5)).collect();
    }

    /// Returns the number of states (threshold levels) of the cells.
    pub fn states(&self) -> usize {
        self.below.len()
    }

    /// Returns the number of read reference voltages in the grid of the distributions.
    pub fn references(&self) -> usize {
        self.below[0].len()
    }

    /// Returns true if these distributions and the distributions `other` have the same grid of read reference voltages.
    pub fn shares_references(&self, other: &Self) -> bool {
        let grid = |spreads: &Self| (spreads.low.to_bits(), spreads.step.to_bits(), spreads.references());
        grid(self) == grid(other)
    }

    /// Returns the fraction (0 to 1) of a state's cells below read reference number `reference`.
    #[inline]
    pub fn below(&self, state: usize, reference: usize) -> f64 {
        self.below[state][reference]
    }

    /// Returns the index of the first read reference with at least half of the state's cells below it; one past the
    /// last if there is none.
    pub fn middle(&self, state: usize) -> usize {
        self.middles[state]
    }

    /// Returns the voltage of read reference number `reference`.
    pub fn volts(&self, reference: usize) -> f64 {
        self.low + self.step * reference as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::normal::above;

    #[test]
    fn normal_states_have_the_shares_of_their_tails() {
        let states = [Spread { mean: -1.0, deviation: 0.4 }, Spread { mean: 1.0, deviation: 0.4 }];
        let spreads = Spreads::of_normals(&states);
        let at = spreads.references() / 2;
        assert!(spreads.volts(at).abs() < 1e-9, "{}", spreads.volts(at));
        assert!((spreads.below(1, at) / above(2.5) - 1.0).abs() < 1e-9);
        assert!((1.0 - spreads.below(0, at)) / above(2.5) - 1.0 < 1e-9);
        assert_eq!(spreads.middle(0), 0);
        assert!(spreads.middle(1) >= spreads.references() - 1, "{}", spreads.middle(1));
    }
}
