//! The raw bit error rate that the weight of a word's syndrome tells.
//!
//! A check of `w` bits, each wrong with the chance `p` on its own, is broken with the chance `(1 - r^w) / 2`, where `r = 1 - 2 p`. Two
//! checks that share a bit go together: of the products of their signs, `r^w` on the mean, the covariance is
//! `r^(w + w' - 2) - r^(w + w')`. So the number of broken checks has a mean and a variance that follow from the weights of the rows and
//! from how many checks each bit takes part in (exact where two checks share at most one bit: girth 6). An estimate is the rate whose
//! mean is what was counted. Most of its spread is that of the errors that words of one rate have; what it adds to that is a few
//! per cent.
//!
//! Not modelled: that the weight of a word's own syndrome goes with whether that word fails.

use crate::ldpc::Graph;
use nand::cells::normal::quantile;
use std::collections::BTreeMap;

/// Type of the estimator of the raw bit error rate of a page read from the weight of the syndrome: the number of parity
/// checks that do not hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimator {
    /// List of pairs: a row weight of the parity-check matrix (number of bits in a check), and the number of rows with
    /// that weight.
    rows: Vec<(u32, f64)>,
    /// List of pairs: the sum of the weights (numbers of bits) of two parity checks that share a bit, and the number of
    /// ordered pairs of checks with that sum.
    pairs: Vec<(u32, f64)>,
}

/// Record of the mean and spread of the syndrome weight (number of parity checks that do not hold) of codewords with
/// one raw bit error rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weight {
    /// Field: mean of the syndrome weight (number of parity checks that do not hold) of received codewords with one raw
    /// bit error rate, before decoding.
    pub mean: f64,
    /// Field: standard deviation of the syndrome weight (number of parity checks that do not hold) of received
    /// codewords with one raw bit error rate, before decoding.
    pub deviation: f64,
}

/// Constant: greatest raw bit error rate that an estimate can have. Up to one half, where half of the checks do not
/// hold, more errors break more checks, so that the broken checks tell the rate.
const MOST: f64 = 0.499;
const HALVINGS: usize = 50;

impl Estimator {
    /// Makes, for the code with the parity-check matrix `graph`, the estimator of raw bit error rates from syndrome
    /// weights (numbers of parity checks that do not hold).
    pub fn new(graph: &Graph) -> Self {
        let weight = |check: u32| graph.row(check as usize).len() as u32;
        let (mut rows, mut pairs) = (BTreeMap::<u32, f64>::new(), BTreeMap::<u32, f64>::new());
        for check in 0..graph.checks() as u32 {
            *rows.entry(weight(check)).or_default() += 1.0;
        }
        for checks in graph.checks_of_bits() {
            for (at, one) in checks.iter().enumerate() {
                for other in &checks[at + 1..] {
                    *pairs.entry(weight(*one) + weight(*other)).or_default() += 2.0;
                }
            }
        }
        Self { rows: rows.into_iter().collect(), pairs: pairs.into_iter().collect() }
    }

    /// Returns the mean and the spread of the syndrome weight (number of parity checks that do not hold) of a codeword
    /// with this raw bit error rate.
    pub fn weight(&self, rate: f64) -> Weight {
        let r = 1.0 - 2.0 * rate;
        let power = |weight: u32| libm::pow(r, f64::from(weight));
        let mean = self.rows.iter().map(|(weight, rows)| 0.5 * rows * (1.0 - power(*weight))).sum();
        let own: f64 = self.rows.iter().map(|(weight, rows)| rows * (1.0 - power(2 * weight))).sum();
        let shared: f64 =
            self.pairs.iter().map(|(both, pairs)| pairs * (power(both - 2) - power(*both))).sum();
        Weight { mean, deviation: 0.5 * (own + shared).max(0.0).sqrt() }
    }

    /// Returns the raw bit error rate at which the mean number of parity checks that do not hold is `weight`.
    pub fn rate(&self, weight: f64) -> f64 {
        let (mut low, mut high) = (0.0, MOST);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (low + high);
            if self.weight(middle).mean <= weight { low = middle } else { high = middle }
        }
        low
    }

    /// Returns a random estimate of the raw bit error rate, as the syndromes of a page of `words` codewords with the
    /// true rate `rate` would give it; `chance`, uniform in 0 to 1, is the random number that selects the estimate.
    pub fn estimate(&self, rate: f64, words: u64, chance: f64) -> f64 {
        let weight = self.weight(rate.min(MOST));
        let off = quantile(chance.clamp(1e-12, 1.0 - 1e-12)) * weight.deviation / (words as f64).sqrt();
        self.rate(weight.mean + off)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ldpc::named;
    use nand::cells::normal::Stream;

    /// Checks mean and spread of the syndrome weight against codewords with drawn errors, whose broken checks are
    /// counted.
    #[test]
    fn mean_and_spread_are_those_of_syndromes_that_are_counted() {
        for name in ["nand-4k-889", "nand-4k-928", "wifi-648-540"] {
            let graph = named(name).expect("a shipped code").graph;
            let estimator = Estimator::new(&graph);
            let (rate, words) = (0.008, 400u64);
            let counted: Vec<f64> = (0..words)
                .map(|word| {
                    let noise = Stream::new(word);
                    graph.broken(|bit| noise.uniform(bit as u64) < rate) as f64
                })
                .collect();
            let mean = counted.iter().sum::<f64>() / words as f64;
            let square = counted.iter().map(|each| (each - mean).powi(2)).sum::<f64>() / (words - 1) as f64;
            let weight = estimator.weight(rate);
            // Four deviations of a mean of so many, and of a deviation.
            let off = (mean - weight.mean) / (weight.deviation / (words as f64).sqrt());
            assert!(off.abs() < 4.0, "{name}: {mean} for {weight:?}");
            let spread = square.sqrt() / weight.deviation - 1.0;
            assert!(spread.abs() < 4.0 / (2.0 * words as f64).sqrt(), "{name}: {square} for {weight:?}");
        }
    }

    #[test]
    fn an_estimate_is_the_rate_but_for_its_spread() {
        let estimator = Estimator::new(&named("nand-4k-889").expect("a shipped code").graph);
        for rate in [1e-4, 3e-3, 0.0085, 0.03, 0.2] {
            assert!((estimator.rate(estimator.weight(rate).mean) / rate - 1.0).abs() < 1e-6, "{rate}");
            assert!((estimator.estimate(rate, 4, 0.5) / rate - 1.0).abs() < 1e-6, "{rate}");
            let [low, high] = [0.16, 0.84].map(|chance| estimator.estimate(rate, 1, chance));
            assert!(low < rate && rate < high, "{rate}: {low} to {high}");
        }
        let [one, four] = [1, 4].map(|words| estimator.estimate(0.0085, words, 0.84) / 0.0085 - 1.0);
        assert!((one / four - 2.0).abs() < 0.05 && (0.05..0.08).contains(&one), "{one} {four}");
    }
}
