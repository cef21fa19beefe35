//! Where between two neighbouring states fewest cells are misread.

use super::humps::Hump;
use crate::cells::Side;

/// Constant: number of equal steps between the median threshold voltages of two neighbouring states; the voltage at
/// each step is a candidate for the best read reference.
const CANDIDATES: usize = 64;
/// Constant: greatest relative error by which rounding can make a fraction rise that should fall with the reference.
const ROUNDED: f64 = 1e-6;

/// Type for a pair of neighbouring cell states with the valley between their threshold distributions, in which the read
/// reference lies, and with the number of cells of all states.
pub(super) struct Valley<'a> {
    pub lower: &'a Hump,
    pub upper: &'a Hump,
    pub cells: f64,
}

/// Type for a pair of fractions (0 to 1): of the cells of each of two neighbouring states, the fraction that the read
/// reference between these states misreads.
#[derive(Clone, Copy)]
pub(super) struct Misread {
    /// Fraction (0 to 1) of the lower state's cells that the read reference misreads, because they lie at or above it.
    pub above: f64,
    /// Fraction (0 to 1) of the upper state's cells that the read reference misreads, because they lie below it.
    pub below: f64,
}

/// Record of a candidate for the best read reference voltage between two states: its number among the candidates, and
/// lower bounds of the fractions of cells that it misreads (as if read disturb raised no cell).
#[derive(Clone, Copy)]
struct ReferenceCandidate {
    number: usize,
    at_least: Misread,
}

/// Record of the best read reference found so far: `rate` is the fraction of cells that it misreads, `reference` its
/// voltage, `number` its number among the candidates. Of two equally good candidates, the lower number counts.
struct Least {
    rate: f64,
    reference: f64,
    number: Option<usize>,
}

impl Least {
    fn compare(&mut self, rate: f64, reference: f64, number: usize) {
        let is_first = self.number.is_some_and(|best| number < best);
        if rate < self.rate || (rate == self.rate && is_first) {
            *self = Self { rate, reference, number: Some(number) };
        }
    }
}

impl Valley<'_> {
    /// Returns the fractions of both states' cells that a read reference at this voltage misreads.
    pub fn at(&self, reference: f64) -> Misread {
        Misread { above: self.lower.above(reference), below: self.upper.below(reference) }
    }

    /// Returns the fraction (0 to 1) of misread cells among the cells of all states, from the fractions of the two
    /// neighbouring states' cells that are misread.
    pub fn rate(&self, misread: Misread) -> f64 {
        (misread.above * self.lower.count() + misread.below * self.upper.count()) / self.cells
    }

    /// Finds the best read reference among the candidates and the voltage set's own reference `usual` (voltage and
    /// fractions misread). Returns the fraction of cells that the best reference misreads, and its voltage.
    ///
    /// The higher a reference, the fewer cells of the lower state lie above it and the more of the upper one below. So
    /// no reference between two candidates misreads less than the higher of them above and the lower one below: where
    /// that is more than the least so far, nothing between them is examined.
    pub fn best(&self, usual: (f64, Misread)) -> (f64, f64) {
        let mut least = Least { rate: self.rate(usual.1), reference: usual.0, number: None };
        let (low, high) = (self.lower.middle(), self.upper.middle());
        let volts = |number: usize| low + (high - low) * number as f64 / CANDIDATES as f64;
        let ends = [0, CANDIDATES].map(|number| self.candidate(number, volts(number), &mut least));
        let mut open = vec![ends];
        while let Some([from, to]) = open.pop() {
            if to.number - from.number == 1 || self.at_least([from, to]) > least.rate {
                continue;
            }
            let number = usize::midpoint(from.number, to.number);
            let middle = self.candidate(number, volts(number), &mut least);
            let halves = [[from, middle], [middle, to]];
            let [left, right] = halves.map(|half| self.at_least(half));
            // The more promising half is looked at first.
            open.extend(if left < right { [halves[1], halves[0]] } else { halves });
        }
        (least.rate, least.reference)
    }

    /// Examines a candidate: compares it with the best reference so far, which it replaces if better, and returns it
    /// with lower bounds of the fractions that it misreads, computed only as far as the comparison needs.
    fn candidate(&self, number: usize, reference: f64, least: &mut Least) -> ReferenceCandidate {
        let mut at_least = Misread { above: 0.0, below: 0.0 };
        // First the side on which more cells should lie: far from the best reference they are too many alone.
        let sides = [Side::Above, Side::Below];
        for side in if reference < least.reference { sides } else { [sides[1], sides[0]] } {
            match side {
                Side::Above => at_least.above = self.lower.above_unread(reference),
                Side::Below => at_least.below = self.upper.below(reference),
            }
            if self.rate(at_least) * (1.0 - ROUNDED) > least.rate {
                return ReferenceCandidate { number, at_least };
            }
        }
        let lifted = self.lower.is_lifted(reference).then(|| self.lower.above(reference));
        let misread = Misread { above: lifted.unwrap_or(at_least.above), ..at_least };
        least.compare(self.rate(misread), reference, number);
        ReferenceCandidate { number, at_least }
    }

    /// Returns a lower bound of the fraction of cells that is misread by any read reference between two candidates.
    fn at_least(&self, [from, to]: [ReferenceCandidate; 2]) -> f64 {
        let (one, other) = (from.at_least, to.at_least);
        self.rate(Misread { above: one.above.min(other.above), below: one.below.min(other.below) })
            * (1.0 - ROUNDED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::Noise;
    use crate::cells::normal::Stream;
    use proptest::prelude::*;

    /// Makes, for the tests, two states of 3,000 cells each whose means lie `apart` volts from each other.
    fn states(seed: u64, apart: f64, noise: Option<Noise>, weak_v: f64) -> [Hump; 2] {
        [0.0, apart].map(|middle| {
            let draws = Stream::new(seed).of(middle.to_bits());
            let volts: Vec<f32> =
                (0..3000).map(|cell| (1.0 + middle + 0.1 * draws.normal(cell)) as f32).collect();
            match noise {
                Some(noise) => Hump::noisy(&volts, noise, weak_v, (-2.0, 2.0)),
                None => Hump::read(&volts, weak_v, (-2.0, 2.0)),
            }
        })
    }

    fn one_by_one(valley: &Valley, usual: f64) -> (f64, f64) {
        let (low, high) = (valley.lower.middle(), valley.upper.middle());
        let volts = |number: usize| low + (high - low) * number as f64 / CANDIDATES as f64;
        let all = (0..=CANDIDATES).map(|number| (valley.rate(valley.at(volts(number))), volts(number)));
        let first = (valley.rate(valley.at(usual)), usual);
        all.fold(first, |least, one| if one.0 < least.0 { one } else { least })
    }

    proptest! {
        #[test]
        fn the_best_is_that_of_all_candidates(
            seed in any::<u64>(),
            apart in prop_oneof![-0.2..1.5f64, Just(0.0)],
            (program_v, loss, tail) in (0.005..0.08f64, 0.0..0.05f64, prop_oneof![0.0..0.02f64, Just(0.0)]),
            is_noisy in any::<bool>(),
            weak_v in prop_oneof![Just(0.0), 1e-6..0.02f64],
            usual in 0.5..2.0f64,
        ) {
            let noise = is_noisy.then_some(Noise { program_v, loss, tail });
            let [lower, upper] = states(seed, apart, noise, weak_v);
            let valley = Valley { lower: &lower, upper: &upper, cells: 6000.0 };
            let (rate, reference) = valley.best((usual, valley.at(usual)));
            prop_assert_eq!((rate.to_bits(), reference.to_bits()), {
                let (rate, reference) = one_by_one(&valley, usual);
                (rate.to_bits(), reference.to_bits())
            });
        }
    }
}
