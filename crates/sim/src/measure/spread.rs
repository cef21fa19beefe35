//! How sure a figure of one run is: intervals from the parts that the run falls into.
//!
//! A figure is a function of sums (requests over time, units programmed over units written). The sums of consecutive
//! parts of the run are batches; leaving out one at a time (the jackknife, Miller 1974) gives the spread of any such
//! function, batches long enough to hardly depend on each other (batch means, Schmeiser 1982).
//!
//! Not modelled: what changes more slowly than the run is long.

use std::f64::consts::PI;

/// Constant: confidence level of all confidence intervals: the probability with which an interval contains the value of
/// an endless run.
pub(crate) const LEVEL: f64 = 0.95;

/// Constant: numbers of batches into which a run is divided; the widest of the resulting confidence intervals is taken.
/// Schmeiser finds 10 to 30 best where batches are independent. Where they are not, because the drive remembers for
/// longer than a batch, fewer and longer batches give a wider and better interval.
const BATCHES: [usize; 3] = [20, 10, 5];

/// Constant: least number of parts of a run (consecutive stretches of time) from which a confidence interval is
/// calculated.
pub(crate) const BATCHES_LEAST: usize = 10;

/// Estimate of a measured value: the value, the half width of its confidence interval, and the number of batches (parts
/// of the run) behind it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Interval {
    pub value: f64,
    pub half: f64,
    pub batches: usize,
}

impl Interval {
    pub fn low(&self) -> f64 {
        (self.value - self.half).max(0.0)
    }

    pub fn high(&self) -> f64 {
        self.value + self.half
    }

    /// Returns the half width of the confidence interval, as a fraction of the value.
    pub fn relative(&self) -> f64 {
        if self.half == 0.0 { 0.0 } else { self.half / self.value }
    }
}

/// Joins consecutive parts of a run into `count` batches of as equal length as possible (or one for each part, if there
/// are fewer), by adding up their sums; returns the sums of each batch.
pub(crate) fn batches<const N: usize>(parts: &[[f64; N]], count: usize) -> Vec<[f64; N]> {
    let count = count.min(parts.len());
    let edge = |index: usize| index * parts.len() / count;
    (0..count).map(|index| total(&parts[edge(index)..edge(index + 1)])).collect()
}

pub(crate) fn total<const N: usize>(parts: &[[f64; N]]) -> [f64; N] {
    parts.iter().fold([0.0; N], |sum, part| std::array::from_fn(|i| sum[i] + part[i]))
}

/// Returns the value that `of` calculates from the sums of all `parts` of a run, with its confidence interval; `None`
/// where there are too few parts or no value.
pub(crate) fn interval<const N: usize>(
    parts: &[[f64; N]],
    of: impl Fn(&[f64; N]) -> Option<f64>,
) -> Option<Interval> {
    if parts.len() < BATCHES_LEAST {
        return None;
    }
    let of_batches = |count: usize| {
        let batches = batches(parts, count);
        let (value, variance) = jackknife(&batches, &of)?;
        Some(Interval { value, half: quantile(batches.len()) * variance.sqrt(), batches: batches.len() })
    };
    let found: Option<Vec<Interval>> = BATCHES.into_iter().map(of_batches).collect();
    found?.into_iter().max_by(|a, b| a.half.total_cmp(&b.half))
}

/// Returns the half width of the confidence interval in standard deviations, for a deviation estimated from `batches`
/// batches.
pub(crate) fn quantile(batches: usize) -> f64 {
    two_sided(1.0 - LEVEL, batches - 1)
}

/// Returns the value that the absolute value of a Student variable of `freedom` degrees of freedom exceeds with the
/// probability `chance`.
pub(crate) fn two_sided(chance: f64, freedom: usize) -> f64 {
    student_t(1.0 - chance / 2.0, freedom)
}

/// Returns the value that `of` calculates from all batches, and its variance by the jackknife: the spread when one
/// batch at a time is left out.
pub(crate) fn jackknife<const N: usize>(
    batches: &[[f64; N]],
    of: impl Fn(&[f64; N]) -> Option<f64>,
) -> Option<(f64, f64)> {
    let all = total(batches);
    let value = of(&all)?;
    let without: Option<Vec<f64>> =
        batches.iter().map(|batch| of(&std::array::from_fn(|i| all[i] - batch[i]))).collect();
    let without = without?;
    let count = without.len() as f64;
    let mean = without.iter().sum::<f64>() / count;
    let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
    Some((value, squares * (count - 1.0) / count))
}

/// Returns the quantile of Student's t distribution with `freedom` degrees of freedom for `probability` (0.5 to 1):
/// bisection of the distribution function, which is a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4).
pub fn student_t(probability: f64, freedom: usize) -> f64 {
    let (mut low, mut high) = (0.0, PI / 2.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if below(middle, freedom) < probability {
            low = middle;
        } else {
            high = middle;
        }
    }
    (freedom as f64).sqrt() * libm::tan((low + high) / 2.0)
}

/// Returns the probability P(T <= sqrt(freedom) tan(angle)) of a Student variable T, for an angle of 0 or more.
fn below(angle: f64, freedom: usize) -> f64 {
    let (odd, square) = (freedom % 2 == 1, libm::cos(angle).powi(2));
    let (mut term, mut sum) = if odd { (libm::cos(angle), 0.0) } else { (1.0, 0.0) };
    for k in (usize::from(odd)..freedom.saturating_sub(1)).step_by(2) {
        sum += term;
        term *= square * (k + 1) as f64 / (k + 2) as f64;
    }
    let inside = if odd { 2.0 / PI * (angle + sum * libm::sin(angle)) } else { sum * libm::sin(angle) };
    0.5 + inside / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::RandomStream;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (freedom, tabled) in [(1, 12.706), (2, 4.303), (4, 2.776), (9, 2.262), (19, 2.093), (100, 1.984)]
        {
            let quantile = student_t(0.975, freedom);
            assert!((quantile - tabled).abs() < 5e-4, "{freedom}: {quantile}");
        }
    }

    #[test]
    fn batches_hold_all_parts_once() {
        let parts: Vec<[f64; 1]> = (0..47).map(|value| [f64::from(value)]).collect();
        for count in [1, 10, 20, 47, 100] {
            let batches = batches(&parts, count);
            assert_eq!(batches.len(), count.min(47));
            assert_eq!(total(&batches), total(&parts));
        }
    }

    /// Returns, for a test, how many of 1000 confidence intervals of a ratio contain its true value 2, when consecutive
    /// parts correlate by `memory`.
    fn held(memory: f64) -> usize {
        let mut random = RandomStream::new(7, "test");
        let held = |_: &usize| {
            let mut drift = 0.0;
            let parts: Vec<[f64; 2]> = (0..400)
                .map(|_| {
                    drift = memory * drift + random.unit() - 0.5;
                    let below = 0.5 + random.unit();
                    [below * (2.0 + drift), below]
                })
                .collect();
            let found = interval(&parts, |sums| Some(sums[0] / sums[1])).unwrap();
            (found.low()..found.high()).contains(&2.0)
        };
        (0..1000).filter(held).count()
    }

    #[test]
    fn an_interval_holds_the_truth_at_least_as_often_as_it_says() {
        // Of 1000 at 95 %, 950 with a standard deviation of 7; the widest of three, so more where nothing is remembered.
        for (memory, most) in [(0.0, 995), (0.9, 990)] {
            let held = held(memory);
            assert!((930..=most).contains(&held), "memory {memory}: {held} of 1000");
        }
        // What is remembered for a good part of the run cannot be seen in it.
        assert!(held(0.99) < 900);
    }
}
