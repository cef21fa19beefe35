//! Failures and iterations by the raw bit error rate, for one number of soft bits.
//!
//! The normal quantile of the failures goes along the law and a parabola of the rate: by least squares through what the counted points
//! differ from the law by, each with the weight of its count. What it differs by at the last point that counts is carried on below
//! it. Iterations go along straight lines.

use super::parabola::{OffLaw, Parabola};
use crate::law::Law;
use nand::cells::normal::{above, density, quantile};

/// Words at one rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Raw bit error rate of the point.
    pub rate: f64,
    /// Number of words decoded at the rate.
    pub words: u64,
    /// Number of words whose decoded data were wrong.
    pub failures: u64,
    /// Failed words whose checks all hold, so that the failure stays undetected.
    pub undetected: u64,
    /// Iterations that the decoded words took.
    pub taken: IterationsTaken,
}

/// Iterations that words took.
#[derive(Clone, Debug, PartialEq)]
pub enum IterationsTaken {
    /// Words that took as many, from none on.
    Each(Vec<u64>),
    /// Sum of the iterations of all words.
    InAll(u64),
}

impl Point {
    /// Returns the number of failures of all words.
    pub fn failure(&self) -> f64 {
        self.failures as f64 / self.words as f64
    }

    /// True where the point tells of failures: enough words failed, and enough did not.
    const fn tells(&self) -> bool {
        self.failures >= TELLING && self.words - self.failures >= TELLING
    }

    /// Standard deviation of the normal quantile of its failures, by chance of the count.
    fn deviation(&self) -> f64 {
        let failure = self.failure();
        (failure * (1.0 - failure) / self.words as f64).sqrt() / density(quantile(failure))
    }

    /// Returns the number of iterations of a word on the mean.
    pub fn mean(&self) -> f64 {
        let all = match &self.taken {
            IterationsTaken::Each(words) => (0..).zip(words).map(|(number, words)| number * words).sum(),
            IterationsTaken::InAll(all) => *all,
        };
        all as f64 / self.words as f64
    }

    /// Returns the most iterations that a word is known to have taken.
    fn most(&self) -> u32 {
        match &self.taken {
            IterationsTaken::Each(words) => words.len().max(1) as u32 - 1,
            IterationsTaken::InAll(_) => 0,
        }
    }
}

/// What was counted, by rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    law: Law,
    floor_most: f64,
    /// Points of the curve, by falling raw bit error rate.
    points: Vec<Point>,
    /// By how many deviations the failures lie above the law, by rate.
    off: Parabola,
    /// By rising rate, from none: iterations on the mean.
    iterations: Vec<(f64, f64)>,
}

/// Failures, and words without, from which on a point shows where the law is off: a sixth of itself.
const TELLING: u64 = 40;

impl Curve {
    /// Makes a curve through these points, by falling rate; none where too few tell of failures.
    pub fn new(law: Law, floor_most: f64, points: Vec<Point>) -> Option<Self> {
        let off = |point: &Point| OffLaw {
            at: point.rate,
            value: -quantile(point.failure()) - law.deviations(point.rate),
            deviation: point.deviation(),
        };
        let off: Vec<OffLaw> = points.iter().rev().filter(|point| point.tells()).map(off).collect();
        if off.len() < 2 {
            return None;
        }
        let off = Parabola::through(&off);
        let mut iterations: Vec<(f64, f64)> =
            points.iter().rev().map(|point| (point.rate, point.mean())).collect();
        if iterations[0].0 > 0.0 {
            iterations.insert(0, (0.0, 0.0));
        }
        Some(Self { law, floor_most, points, off, iterations })
    }

    /// Returns the chance that a word fails at this rate.
    pub fn failure(&self, rate: f64) -> f64 {
        above(self.law.deviations(rate) + self.off.at(rate))
    }

    /// Returns the rate at which a word fails with this chance.
    pub fn rate(&self, failure: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.failure(middle) <= failure { low = middle } else { high = middle }
        }
        low
    }

    /// Returns the number of iterations of a word on the mean, failing words among them.
    pub fn iterations(&self, rate: f64) -> f64 {
        along(&self.iterations, rate)
    }

    /// Returns the number of iterations after which a word that has not come right is given up.
    pub fn most(&self) -> u32 {
        self.points.iter().map(Point::most).max().unwrap_or(0)
    }

    /// Returns the points of the curve, by falling error rate.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the point with the lowest rate at which words failed; the first point if no word failed.
    pub fn last(&self) -> &Point {
        self.points.iter().rev().find(|point| point.failures > 0).unwrap_or(&self.points[0])
    }

    /// Returns what a floor can be at most: it would have shown among the words of some point (95 %).
    pub const fn floor_most(&self) -> f64 {
        self.floor_most
    }

    /// Returns the number of all words counted for the curve.
    pub fn words(&self) -> u64 {
        self.points.iter().map(|point| point.words).sum()
    }

    /// Returns the number of counted words that were counted elsewhere.
    pub fn words_elsewhere(&self) -> u64 {
        let elsewhere = |point: &&Point| matches!(point.taken, IterationsTaken::InAll(_));
        self.points.iter().filter(elsewhere).map(|point| point.words).sum()
    }

    /// Returns how far the failures of each point that tells of them lie above the curve, in standard
    /// deviations of its count.
    pub fn residues(&self) -> Vec<f64> {
        let of = |point: &Point| {
            (quantile(point.failure()) - quantile(self.failure(point.rate))) / point.deviation()
        };
        self.points.iter().filter(|point| point.tells()).map(of).collect()
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
