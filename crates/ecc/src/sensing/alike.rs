//! Which Gaussian noise fails as often as a page: one number for what a page's soft reads are worth to a decoder.
//!
//! A bit that comes with the ratio L in favour of what it is (below zero: of what it is not) costs a word
//!
//! ```text
//! log2(1 + exp(-SCALE L)),    L from -MOST to MOST
//! ```
//!
//! bits, and a word fails where its bits cost more than the code has to spare. With a scale of 1 and no end the mean of this cost is
//! what the bit lacks of being known, one less its mutual information, and the law is the normal approximation of finite lengths
//! (Polyanskiy, Poor and Verdu, 2010). A min-sum decoder is not as good: it makes too little of sure bits that are wrong. Scale and end
//! are fitted to failures of `nand-4k-889`, min-sum in 8-bit integers, over pages of a TLC chip at wears of 1,000 to 12,000 cycles, with and
//! without reads, and over Gaussian noise, with two and three soft bits, and are the same for all of them (docs/explanation/decoding.md
//! has what is left, and other chips).
//! With one soft bit the raw bit error rate says it all.

use super::place::Placement;
use super::{Page, Zones, sense};
use nand::tables::LEAST_NOISE;

/// Constant: factor by which log-likelihood ratios are scaled in the cost of a bit (information that the received value
/// leaves missing to the decoder), because a min-sum decoder underrates them.
const SCALE: f64 = 0.72;
/// Constant: greatest magnitude of a log-likelihood ratio that counts in the cost of a bit (information that the
/// received value leaves missing to the decoder); greater ratios count as this one.
const MOST: f64 = 7.0;
/// Constant of the information cost of a codeword (information that the received values leave missing to the decoder):
/// variance that the decoder itself adds for each bit, in bits squared.
const OWN: f64 = 0.27;
/// Constant: number of standard deviations of a bit's cost (missing information, in bits) by which the mean cost over a
/// codeword is raised, so that the compared cost is the one that only one codeword in a hundred exceeds; for codewords
/// of 36,864 bits (those of 4 KiB).
const ASIDE: f64 = 2.33 / 192.0;

/// Constant: number of equal logarithmic steps of the raw bit error rate, from [`LEAST_NOISE`] to the greatest, at
/// which the cost (information missing to the decoder) of Gaussian noise is computed.
const STEPS: usize = 200;

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

/// Record of a curve, for one number of soft bits, by which pages are compared with Gaussian noise: for each raw bit
/// error rate, the cost of a bit, which is the information, in bits, that the received value leaves missing to the
/// decoder.
#[derive(Clone, Debug)]
pub struct Noise {
    /// List of the points of the cost curve, by rising raw bit error rate: pairs of the natural logarithm of the raw
    /// bit error rate and that of the cost (information missing to the decoder for each bit of a codeword).
    costs: Vec<(f64, f64)>,
}

impl Noise {
    /// Computes, for a range of raw bit error rates, the cost (information missing to the decoder) of Gaussian noise
    /// read with `soft_bits` soft bits, with the references that give the most information; returns the curve.
    ///
    /// # Panics
    /// When there are no soft bits or too many.
    pub fn new(soft_bits: u32) -> Self {
        let mut costs: Vec<(f64, f64)> = Vec::new();
        for step in 0..=STEPS {
            let log =
                libm::log(LEAST_NOISE) + libm::log(RATE_MOST / LEAST_NOISE) * step as f64 / STEPS as f64;
            let cost = libm::log(cost(&of_noise(libm::exp(log), soft_bits)));
            // Where references lie is rounded to their steps: what that takes back counts as nothing.
            let before = costs.last().map_or(f64::NEG_INFINITY, |(_, before)| *before);
            costs.push((log, cost.max(before)));
        }
        Self { costs }
    }

    /// Returns the raw bit error rate of the Gaussian noise with which decoding fails as often as with a page whose
    /// bits are received as the values `zones`: the noise of equal cost (information missing to the decoder).
    pub fn alike(&self, zones: &Zones) -> f64 {
        let cost = libm::log(cost(zones).max(1e-300));
        let next = self.costs.partition_point(|(_, of)| *of <= cost).clamp(1, self.costs.len() - 1);
        let ((from, low), (to, high)) = (self.costs[next - 1], self.costs[next]);
        let share = if high > low { (cost - low) / (high - low) } else { 0.0 };
        libm::exp(from + (to - from) * share).min(RATE_MOST)
    }
}

/// Returns the cost of reads with these received values: the information missing to the decoder, in bits for each bit
/// of a codeword, that only one codeword in a hundred exceeds.
fn cost(zones: &Zones) -> f64 {
    let (mut mean, mut square) = (0.0, 0.0);
    let [zero, one] = &zones.shares;
    for (ratio, (zero, one)) in zones.ratios.iter().zip(zero.iter().zip(one)) {
        for (share, ratio) in [(zero, *ratio), (one, -*ratio)] {
            let of = libm::log2(1.0 + libm::exp(-SCALE * ratio.clamp(-MOST, MOST)));
            mean += 0.5 * share * of;
            square += 0.5 * share * of * of;
        }
    }
    mean + ASIDE * ((square - mean * mean + OWN).sqrt() - OWN.sqrt())
}
