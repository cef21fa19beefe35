//! Which Gaussian noise fails as often as a page: one number for what a page's soft reads are worth to a decoder.
//!
//! Words of a page and words of noise fail equally often where they are equally many standard deviations from failing, by
//! density evolution (`evolution.rs`). With one soft bit the raw bit error rate says it all.

use super::evolution::distance;
use super::place::{Placement, place};
use super::{Page, Zones, sense};
use nand::tables::LEAST_NOISE;
use std::sync::OnceLock;

/// Constant: number of equal logarithmic steps of the raw bit error rate, from [`LEAST_NOISE`] to [`RATE_MOST`], at
/// which the distance from failing of Gaussian noise is computed.
const STEPS: usize = 400;

/// Constant: raw bit error rates of one comparison at which a page read with two soft bits, and with three, begins to
/// fail: what the code corrects in noise, over some 1.25 by which pages are worse than noise.
const NEAR: [f64; 2] = [0.013, 0.015];

/// Constant: greatest raw bit error rate that the Gaussian noise of two neighbouring states can have.
pub(crate) const RATE_MOST: f64 = 0.19;

/// Returns the values (zones of threshold voltage) as which a bit is received over Gaussian noise of raw bit error rate
/// `rate`, read with `soft_bits` soft bits, with the references that give the most information on the bit.
///
/// # Panics
/// When the rate is not one that two states can have.
pub(crate) fn of_noise(rate: f64, soft_bits: u32) -> Zones {
    let page = Page::normal(vec![true, false], rate).expect("two states");
    sense(&page, &page, soft_bits, Placement::Information).zones
}

/// Record of the curve, for one number of soft bits, by which pages are compared with Gaussian noise: for each of a
/// series of raw bit error rates, the number of standard deviations by which words are from failing.
#[derive(Clone, Debug)]
pub struct Noise {
    soft_bits: u32,
    /// List of the distances from failing, in standard deviations of words, by rising raw bit error rate; each is
    /// computed when it is first needed.
    distances: Vec<OnceLock<f64>>,
}

impl Noise {
    /// Makes the curve of Gaussian noise that is read with `soft_bits` soft bits, with the references that give the
    /// most information.
    pub fn new(soft_bits: u32) -> Self {
        Self { soft_bits, distances: vec![OnceLock::new(); STEPS + 1] }
    }

    /// Returns the raw bit error rate of the Gaussian noise with which decoding fails as often as with a page whose
    /// bits are received as the values `zones`.
    pub fn alike(&self, zones: &Zones) -> f64 {
        let distance = distance(zones);
        let (mut low, mut high) = (0, STEPS);
        while high - low > 1 {
            let middle = low.midpoint(high);
            match self.distance(middle) > distance {
                true => low = middle,
                false => high = middle,
            }
        }
        let (from, to) = (self.distance(low), self.distance(high));
        let share = if from > to { ((from - distance) / (from - to)).clamp(0.0, 1.0) } else { 0.0 };
        libm::exp(log_rate(low) + (log_rate(high) - log_rate(low)) * share).min(RATE_MOST)
    }

    /// Returns the raw bit error rate of the Gaussian noise alike to a page, by what its soft reads are worth where it
    /// matters, near failing. Of a page that is far from failing the references are moved up, as those of a read before
    /// its retries lie, until a comparison misreads [`NEAR`] of the bits; the noise alike to that is lowered in the same
    /// proportion as the page's errors.
    pub fn of_page(&self, page: &Page) -> f64 {
        let references = place(page, self.soft_bits, Placement::Information);
        let known = page.shares(&references);
        let last = page.spreads().references() - 1;
        let moved = |up: usize| {
            let references: Vec<Vec<usize>> =
                references.iter().map(|of| of.iter().map(|at| (at + up).min(last)).collect()).collect();
            Zones::new(page.shares(&references), &known)
        };
        let near = NEAR[self.soft_bits as usize - 2];
        let zones = (0..last).map(moved).find(|zones| zones.rate() >= near).unwrap_or_else(|| moved(0));
        self.alike(&zones) / zones.rate() * moved(0).rate()
    }

    fn distance(&self, step: usize) -> f64 {
        let of = || distance(&of_noise(libm::exp(log_rate(step)).min(RATE_MOST), self.soft_bits));
        *self.distances[step].get_or_init(of)
    }
}

/// Returns the natural logarithm of the raw bit error rate at a step of the curve.
fn log_rate(step: usize) -> f64 {
    libm::log(LEAST_NOISE) + libm::log(RATE_MOST / LEAST_NOISE) * step as f64 / STEPS as f64
}
