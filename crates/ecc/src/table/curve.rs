//! Failures and iterations by the raw bit error rate, for one number of soft bits.
//!
//! Between counted points the normal quantile of the failures goes along the law, less by what each point differs from it; that
//! difference is carried on below the last point that counts. Iterations go along straight lines.

use crate::law::Law;
use nand::cells::normal::{above, quantile};

/// Words at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Raw bit error rate.
    pub rate: f64,
    /// Words decoded.
    pub words: u64,
    /// Those whose data came out wrong.
    pub failures: u64,
    /// Of those, with all checks kept.
    pub undetected: u64,
    /// Words that took as many iterations, from none on.
    pub iterations: Vec<u64>,
}

impl Point {
    /// Failures of all words.
    pub fn failure(&self) -> f64 {
        self.failures as f64 / self.words as f64
    }

    /// Iterations of a word on the mean.
    pub fn mean(&self) -> f64 {
        let all = (0u64..).zip(&self.iterations).map(|(number, words)| number * words);
        all.sum::<u64>() as f64 / self.words as f64
    }

    /// Iterations that 99.9 % of the words do not exceed.
    pub fn most(&self) -> u32 {
        let mut so_far = 0;
        let holds = |words: &u64| {
            so_far += words;
            1000 * so_far >= 999 * self.words
        };
        self.iterations.iter().position(holds).unwrap_or(0) as u32
    }
}

/// What was counted, by rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    law: Law,
    floor_most: f64,
    /// By falling rate.
    points: Vec<Point>,
    /// By rising rate: rates of the points that tell of failures, and by how many deviations each lies above the law.
    off: Vec<(f64, f64)>,
    /// By rising rate, from none: iterations on the mean.
    iterations: Vec<(f64, f64)>,
}

/// Failures, and words without, from which on a point shows where the law is off: a sixth of itself.
const TELLING: u64 = 40;

impl Curve {
    /// A curve through these points, by falling rate; none where too few tell of failures.
    pub fn new(law: Law, floor_most: f64, points: Vec<Point>) -> Option<Self> {
        let tells = |point: &&Point| point.failures >= TELLING && point.words - point.failures >= TELLING;
        let off = |point: &Point| (point.rate, -quantile(point.failure()) - law.deviations(point.rate));
        let off: Vec<(f64, f64)> = points.iter().rev().filter(tells).map(off).collect();
        if off.len() < 2 {
            return None;
        }
        let mut iterations: Vec<(f64, f64)> =
            points.iter().rev().map(|point| (point.rate, point.mean())).collect();
        if iterations[0].0 > 0.0 {
            iterations.insert(0, (0.0, 0.0));
        }
        Some(Self { law, floor_most, points, off, iterations })
    }

    /// The chance that a word fails at this rate.
    pub fn failure(&self, rate: f64) -> f64 {
        above(self.law.deviations(rate) + along(&self.off, rate))
    }

    /// The rate at which a word fails with this chance.
    pub fn rate(&self, failure: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.failure(middle) <= failure { low = middle } else { high = middle }
        }
        low
    }

    /// Iterations of a word on the mean, failing words among them.
    pub fn iterations(&self, rate: f64) -> f64 {
        along(&self.iterations, rate)
    }

    /// Iterations after which a word that has not come right is given up.
    pub fn most(&self) -> u32 {
        self.points.iter().map(|point| point.iterations.len()).max().unwrap_or(1) as u32 - 1
    }

    /// The points, by falling rate.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// The last point by falling rate at which words failed.
    pub fn last(&self) -> &Point {
        self.points.iter().rev().find(|point| point.failures > 0).unwrap_or(&self.points[0])
    }

    /// What a floor can be at most: it would have shown among the words of some point (95 %).
    pub const fn floor_most(&self) -> f64 {
        self.floor_most
    }

    /// All words counted.
    pub fn words(&self) -> u64 {
        self.points.iter().map(|point| point.words).sum()
    }
}

/// Along straight lines, and level beyond both ends.
fn along(points: &[(f64, f64)], at: f64) -> f64 {
    let next = points.partition_point(|(x, _)| *x <= at);
    match (next.checked_sub(1).map(|before| points[before]), points.get(next)) {
        (Some((from, low)), Some((to, high))) => low + (high - low) * (at - from) / (to - from),
        (Some((_, only)), None) | (None, Some(&(_, only))) => only,
        (None, None) => 0.0,
    }
}
