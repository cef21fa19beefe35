//! Failures and iterations by the raw bit error rate, for one number of soft bits.
//!
//! The normal quantile of the failures goes along the law and a parabola of the rate: by least squares through what the counted points
//! differ from the law by, each with the weight of its count. What it differs by at the last point that counts is carried on below
//! it. Iterations go along straight lines.

use super::parabola::{OffLaw, Parabola};
use crate::law::Law;
use nand::cells::normal::{above, density, quantile};

/// Record of one counted point of a code's failure curve: the raw bit error rate, and the counts of codewords decoded
/// and failed at this rate.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Field of a counted point: raw bit error rate of this counted point of the failure curve.
    pub rate: f64,
    /// Field of a counted point: number of codewords decoded at the rate.
    pub words: u64,
    /// Field of a counted point: number of decoding failures at this rate: codewords with at least one wrong data bit
    /// after decoding, whether the decoder detected the failure or not.
    pub failures: u64,
    /// Field of a counted point: number of failed codewords whose checks all hold, so that the failure stays
    /// undetected.
    pub undetected: u64,
    /// Field of a counted point: record of the decoder iterations that the codewords took: their distribution, or only
    /// their sum.
    pub taken: IterationsTaken,
}

/// Kind of form that the record of the decoder iterations of a point's codewords has: a distribution, or only a sum.
#[derive(Clone, Debug, PartialEq)]
pub enum IterationsTaken {
    /// Case of form of the record of decoder iterations: the distribution. The list has, for each number of iterations
    /// from 0 on, the number of codewords that took as many.
    Each(Vec<u64>),
    /// Case of form of the record of decoder iterations: only the sum of the iterations of all codewords.
    InAll(u64),
}

impl Point {
    /// Returns the fraction (0 to 1) of the point's codewords that failed.
    pub fn failure(&self) -> f64 {
        self.failures as f64 / self.words as f64
    }

    /// Returns true if the counted point is used to fit the curve of failures: enough codewords failed, and enough did
    /// not.
    const fn tells(&self) -> bool {
        self.failures >= TELLING && self.words - self.failures >= TELLING
    }

    /// Returns the standard deviation of the failure fraction as a normal quantile, due to the limited number of
    /// counted codewords.
    fn deviation(&self) -> f64 {
        let failure = self.failure();
        (failure * (1.0 - failure) / self.words as f64).sqrt() / density(quantile(failure))
    }

    /// Returns the mean number of decoder iterations of a codeword counted at this point of the failure curve.
    pub fn mean(&self) -> f64 {
        let all = match &self.taken {
            IterationsTaken::Each(words) => (0..).zip(words).map(|(number, words)| number * words).sum(),
            IterationsTaken::InAll(all) => *all,
        };
        all as f64 / self.words as f64
    }

    /// Returns the greatest number of decoder iterations that a codeword of the point took; 0 if only the sum of the
    /// iterations is known.
    fn most(&self) -> u32 {
        match &self.taken {
            IterationsTaken::Each(words) => words.len().max(1) as u32 - 1,
            IterationsTaken::InAll(_) => 0,
        }
    }
}

/// Record of the curve of the failure rate and decoder iterations of a code against the raw bit error rate, through
/// counted points, for one number of soft bits.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    law: Law,
    floor_most: f64,
    /// List of the counted points through which the failure curve of the code goes, by falling raw bit error rate.
    points: Vec<Point>,
    /// Field: distance of the failure curve from the scaling law (the normal tail fitted to the counts), in standard
    /// deviations, as a function of the raw bit error rate.
    off: Parabola,
    /// List of pairs of raw bit error rate and mean number of decoder iterations of a codeword, by rising rate, from
    /// rate zero on.
    iterations: Vec<(f64, f64)>,
}

/// Constant: least number of failed codewords, and of codewords that did not fail, of a counted point that is used to
/// fit the curve of failures: its failure fraction is then known to a sixth of itself.
const TELLING: u64 = 40;

impl Curve {
    /// Makes a curve of the failure rate through these counted points, which are given by falling raw bit error rate;
    /// `None` if fewer than two points have enough codewords that failed and enough that did not.
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

    /// Returns the chance (0 to 1) that a codeword fails at this raw bit error rate.
    pub fn failure(&self, rate: f64) -> f64 {
        above(self.law.deviations(rate) + self.off.at(rate))
    }

    /// Returns the raw bit error rate at which a codeword fails with the chance `failure`.
    pub fn rate(&self, failure: f64) -> f64 {
        let (mut low, mut high) = (0.0, 0.5);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if self.failure(middle) <= failure { low = middle } else { high = middle }
        }
        low
    }

    /// Returns the mean number of decoder iterations of a codeword at this raw bit error rate, failing codewords
    /// included.
    pub fn iterations(&self, rate: f64) -> f64 {
        along(&self.iterations, rate)
    }

    /// Returns the greatest number of iterations that any codeword counted for the curve took. It serves as the
    /// decoder's limit: so many iterations are spent on a codeword that cannot be corrected.
    pub fn most(&self) -> u32 {
        self.points.iter().map(Point::most).max().unwrap_or(0)
    }

    /// Returns the counted points of the failure curve of an error-correcting code, by falling raw bit error rate: each
    /// with the numbers of codewords decoded and failed at its rate, and their decoder iterations.
    pub fn points(&self) -> &[Point] {
        &self.points
    }

    /// Returns the point with the lowest raw bit error rate at which codewords failed; the first point if no codeword
    /// failed.
    pub fn last(&self) -> &Point {
        self.points.iter().rev().find(|point| point.failures > 0).unwrap_or(&self.points[0])
    }

    /// Returns the greatest fraction of failing codewords that an error floor can have: a higher floor would have shown
    /// among the counted codewords (95 %).
    pub const fn floor_most(&self) -> f64 {
        self.floor_most
    }

    /// Returns the number of all codewords counted for the curve.
    pub fn words(&self) -> u64 {
        self.points.iter().map(|point| point.words).sum()
    }

    /// Returns the number of codewords of the curve that were counted elsewhere (on other hardware), with only the sum
    /// of their iterations known.
    pub fn words_elsewhere(&self) -> u64 {
        let elsewhere = |point: &&Point| matches!(point.taken, IterationsTaken::InAll(_));
        self.points.iter().filter(elsewhere).map(|point| point.words).sum()
    }

    /// Returns, for each counted point to which the failure curve was fitted, how far its counted failures lie above
    /// the fitted curve, in standard deviations of the count.
    pub fn residues(&self) -> Vec<f64> {
        let of = |point: &Point| {
            (quantile(point.failure()) - quantile(self.failure(point.rate))) / point.deviation()
        };
        self.points.iter().filter(|point| point.tells()).map(of).collect()
    }
}

/// Returns the value at `at` of a curve of the decoder's iterations, interpolated linearly between the points and
/// constant beyond both ends.
fn along(points: &[(f64, f64)], at: f64) -> f64 {
    let next = points.partition_point(|(x, _)| *x <= at);
    match (next.checked_sub(1).map(|before| points[before]), points.get(next)) {
        (Some((from, low)), Some((to, high))) => low + (high - low) * (at - from) / (to - from),
        (Some((_, only)), None) | (None, Some(&(_, only))) => only,
        (None, None) => 0.0,
    }
}
