//! How failures fall with the raw bit error rate: two numbers for a code, a decoder and a way to read.
//!
//! A word of `n` bits at the rate `p` has `n p` errors on the mean, with the variance `n p (1 - p)`. Of so many errors a decoder
//! corrects about `threshold` or fewer, with a variance of its own, so that a word fails with the chance
//!
//! ```text
//! Q((threshold - n p) / sqrt(n p (1 - p) + variance))
//! ```
//!
//! where Q is the upper tail of a normal distribution: the finite-length scaling law of iterative decoding (Amraoui, Montanari,
//! Richardson and Urbanke, IEEE Trans. Inf. Theory 2009). Where soft values tell of the errors, the variance that is left is
//! less than that of their number, and the decoder's own comes out below zero.
//!
//! The same law tells how often more than some number of iterations are needed.
//!
//! Between counted points it interpolates; below the last of them it *extrapolates*, and knows of no error floor: small sets of
//! bits that hold each other wrong (trapping sets) make failures fall more slowly there.

use crate::measure::Count;
use nand::cells::normal::above;

/// Set of parameters of the scaling law of a code and decoder: the chance that a codeword fails is a normal tail whose
/// argument follows from the mean number of raw bit errors, the threshold and the variance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Law {
    /// Parameter of the scaling law: number of bits of a codeword of the code to which the scaling law applies.
    pub bits: f64,
    /// Parameter of the scaling law: number of errors in a codeword at which decoding fails half of the time.
    pub threshold: f64,
    /// Parameter of the scaling law: variance that the decoder adds to the variance of a codeword's number of errors,
    /// in errors squared; negative where soft values tell the decoder of the errors.
    pub variance: f64,
}

/// Constant: least fraction of the variance of a codeword's number of errors that remains in the scaling law when soft
/// values make `variance` negative.
const LEFT: f64 = 0.1;
/// Constant: ratio of the golden section, at which the search for a maximum divides its interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Constant: number of divisions of the interval in the search for a maximum by golden sections.
const SECTIONS: usize = 60;

impl Law {
    /// Returns the chance (0 to 1), by the scaling law, that decoding of a codeword fails at this raw bit error rate.
    pub fn failure(&self, rate: f64) -> f64 {
        above(self.deviations(rate))
    }

    /// Returns how many standard deviations the threshold of the law lies above the mean number of errors of a codeword
    /// at this raw bit error rate.
    pub fn deviations(&self, rate: f64) -> f64 {
        let errors = self.bits * rate;
        let own = errors * (1.0 - rate);
        (self.threshold - errors) / (own + self.variance).max(LEFT * own).max(1e-9).sqrt()
    }

    /// Returns the raw bit error rate at which, by the scaling law, a codeword fails with the chance `failure`.
    pub fn rate(&self, failure: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..80 {
            let middle = 0.5 * (low + high);
            if self.failure(middle) <= failure { low = middle } else { high = middle }
        }
        low
    }

    /// Fits the scaling law (failure chance by raw bit error rate) that makes the failures counted at these rates most
    /// likely; `None` if fewer than two points have both codewords that failed and codewords that did not.
    pub fn fitted(bits: usize, points: &[(f64, Count)]) -> Option<Self> {
        let bits = bits as f64;
        let telling = |(_, count): &&(f64, Count)| count.failures > 0 && count.failures < count.words;
        if points.iter().filter(telling).count() < 2 {
            return None;
        }
        let mean = points.iter().map(|(rate, _)| rate).sum::<f64>() / points.len() as f64;
        let own = bits * mean;
        let with = |variance: f64| {
            let threshold = likeliest(0.0, 2.0 * own + 10.0 * own.sqrt(), |threshold| {
                Self { bits, threshold, variance }.likelihood(points)
            });
            Self { bits, threshold, variance }
        };
        // From what soft values can tell at most to a threshold as uncertain as a fifth of itself.
        let variance = likeliest(-0.9 * own, 0.04 * own * own, |variance| with(variance).likelihood(points));
        Some(with(variance))
    }

    /// Returns the logarithm of the likelihood of these counted failures under the scaling law; terms that are equal
    /// for all parameters of the law are left out.
    fn likelihood(&self, points: &[(f64, Count)]) -> f64 {
        let of_point = |(rate, count): &(f64, Count)| {
            let fails = self.failure(*rate).clamp(1e-300, 1.0 - 1e-15);
            let kept = (count.words - count.failures) as f64;
            count.failures as f64 * libm::log(fails) + kept * libm::log1p(-fails)
        };
        points.iter().map(of_point).sum()
    }

    /// Returns the bounds of an approximate 95 % confidence interval of the chance of failure at `rate`: the least and
    /// the greatest chance under all laws with a likelihood of at least e^-1.92 times that of this law, the best.
    pub fn interval(&self, points: &[(f64, Count)], rate: f64) -> (f64, f64) {
        let least = self.likelihood(points) - 1.92;
        let own = self.bits * rate;
        let holds = |law: &Self| law.likelihood(points) >= least;
        let wide = 3.0 * own.sqrt();
        // The likeliest threshold with a variance.
        let with = |variance: f64| {
            let of = |threshold: f64| Self { threshold, variance, ..*self };
            of(likeliest(self.threshold - wide, self.threshold + wide, |threshold| {
                of(threshold).likelihood(points)
            }))
        };
        let ends =
            [-1.0f64, 1.0].map(|side| farthest(100.0 * own, |far| holds(&with(self.variance + side * far))));
        let fails = self.failure(rate);
        let (mut low, mut high) = (fails, fails);
        for part in 0..=VARIANCES {
            let share = f64::from(part) / f64::from(VARIANCES);
            let best = with(self.variance - ends[0] + share * (ends[0] + ends[1]));
            let moved = |by: f64| Self { threshold: best.threshold + by, ..best };
            low = low.min(moved(farthest(wide, |far| holds(&moved(far)))).failure(rate));
            high = high.max(moved(-farthest(wide, |far| holds(&moved(-far)))).failure(rate));
        }
        (low, high)
    }
}

/// Constant: number of steps from the least to the greatest plausible variance in the scaling law of a code's decoding
/// failures, at each of which the confidence interval of the chance of failure is computed.
const VARIANCES: u32 = 24;

/// Returns the greatest distance from zero, up to about `most`, at which the condition `holds` is still true, found by
/// doubling and bisection; for the bounds of the scaling law's confidence intervals.
fn farthest(most: f64, holds: impl Fn(f64) -> bool) -> f64 {
    let mut far = most * 1e-9;
    while far < most && holds(2.0 * far) {
        far *= 2.0;
    }
    let (mut inside, mut outside) = (if holds(far) { far } else { 0.0 }, 2.0 * far);
    for _ in 0..30 {
        let middle = 0.5 * (inside + outside);
        if holds(middle) { inside = middle } else { outside = middle }
    }
    inside
}

/// Returns the argument between `low` and `high` at which a function with one maximum is greatest, found by golden
/// section search.
fn likeliest(low: f64, high: f64, of: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (low, high);
    let (mut left, mut right) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut of_left, mut of_right) = (of(left), of(right));
    for _ in 0..SECTIONS {
        if of_left < of_right {
            (low, left, of_left) = (left, right, of_right);
            right = low + GOLDEN * (high - low);
            of_right = of(right);
        } else {
            (high, right, of_right) = (right, left, of_left);
            left = high - GOLDEN * (high - low);
            of_left = of(left);
        }
    }
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(words: u64, failures: u64) -> Count {
        Count { words, failures, ..Count::default() }
    }

    /// Checks the extrapolation of the scaling law (failure chance by raw bit error rate) on hard reads as
    /// docs/explanation/decoding.md has them, counted on a GPU (0.0034 on a processor): fitted to counts above 1e-5,
    /// compared with counts below.
    #[test]
    fn what_is_extrapolated_holds_what_was_counted() {
        let long = [
            (0.0095, count(1_622_016, 1_076_879)),
            (0.009, count(67_584, 21_744)),
            (0.0085, count(67_584, 5_645)),
            (0.008, count(67_584, 654)),
            (0.0075, count(946_176, 423)),
        ];
        let law = Law::fitted(36_864, &long).expect("points enough");
        assert!((law.threshold - 341.6).abs() < 1.0, "{law:?}");
        for (rate, counted) in long {
            let off = law.failure(rate) / counted.rate();
            assert!((0.9..1.1).contains(&off), "{rate}: {off}");
        }
        holds(&law, &long, 0.007, count(15_949_824, 102));
        holds(&law, &long, 0.0065, count(41_631_744, 0));
        let short = [
            (0.0055, count(67_584, 47_435)),
            (0.005, count(67_584, 18_017)),
            (0.0045, count(67_584, 2_194)),
            (0.004, count(540_672, 448)),
        ];
        let law = Law::fitted(35_328, &short).expect("points enough");
        holds(&law, &short, 0.0035, count(8_380_416, 17));
        holds(&law, &short, 0.0034, count(3_686_400, 1));
        let fine = [
            (0.0215, count(67_584, 27_331)),
            (0.021, count(67_584, 11_300)),
            (0.0205, count(67_584, 3_016)),
            (0.02, count(67_584, 497)),
            (0.0195, count(608_256, 421)),
            (0.019, count(5_406_720, 213)),
        ];
        let law = Law::fitted(36_864, &fine).expect("points enough");
        assert!(law.variance < 0.0, "soft values tell of errors: {law:?}");
        holds(&law, &fine, 0.0185, count(8_988_672, 9));
    }

    /// Test helper: checks, for the scaling law of decoding failures, that its confidence interval and that of the
    /// counted failures have a chance of failure in common.
    fn holds(law: &Law, points: &[(f64, Count)], rate: f64, counted: Count) {
        let ((low, high), (least, most)) = (law.interval(points, rate), counted.interval(0.05));
        assert!(low <= most && high >= least, "{rate}: {low:e} to {high:e}, counted {least:e} to {most:e}");
        assert!(low <= law.failure(rate) && law.failure(rate) <= high);
    }

    #[test]
    fn a_rate_is_found_again_and_one_point_is_no_law() {
        let law = Law { bits: 36_864.0, threshold: 341.6, variance: 110.0 };
        for failure in [0.5, 1e-3, 1e-11] {
            assert!((law.failure(law.rate(failure)) / failure - 1.0).abs() < 1e-6, "{failure}");
        }
        assert_eq!(Law::fitted(36_864, &[(0.008, count(1000, 10)), (0.007, count(1000, 0))]), None);
    }
}
