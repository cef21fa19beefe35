//! Random numbers that belong to a cell, not to a moment: the same cell has the same value, independent of what was asked
//! before, on every machine.

use multiversion::multiversion;

/// Mixes the 64 bits of a number to a random-looking number (the finaliser of SplitMix64, Steele and others 2014).
#[inline]
const fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Stream of random values in which each value is selected by its number (a counter-based generator), so that the order
/// of calls does not matter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(u64);

impl Stream {
    /// Makes the random stream of a seed.
    pub const fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x9e37_79b9_7f4a_7c15))
    }

    /// Makes the substream number `part` of this random stream; separate blocks, wordlines or kinds of random values
    /// get substreams of their own.
    #[must_use]
    pub const fn of(self, part: u64) -> Self {
        Self(mix(self.0.wrapping_add(part.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ 0xd1b5_4a32_d192_ed03))
    }

    /// Returns value number `index` of the stream: 64 uniform random bits.
    #[inline]
    pub const fn bits(self, index: u64) -> u64 {
        mix(self.0.wrapping_add(index.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
    }

    /// Returns value number `index` of the stream, uniform between 0 and 1, both excluded.
    #[inline]
    pub fn uniform(self, index: u64) -> f64 {
        ((self.bits(index) >> 11) as f64 + 0.5) * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns value number `index` of the stream, from the standard normal distribution.
    #[inline]
    pub fn normal(self, index: u64) -> f64 {
        quantile(self.uniform(index))
    }
}

/// Returns the standard normal quantile of probability `p` by Acklam's rational approximation, with a relative error
/// below 1.2e-9.
#[inline]
pub fn quantile(p: f64) -> f64 {
    if p < TAIL {
        return tail(p);
    }
    if p > 1.0 - TAIL {
        return -tail(1.0 - p);
    }
    middle(p)
}

/// Returns the standard normal quantile of each of several probabilities, equal to [`quantile`], computed in vectors
/// because few probabilities lie in the tails.
#[rustversion::attr(since(1.89), multiversion(targets("x86_64+avx512f+avx512vl", "x86_64+avx2")))]
#[rustversion::attr(before(1.89), multiversion(targets("x86_64+avx2")))]
pub fn quantiles<const MANY: usize>(shares: &[f64; MANY]) -> [f64; MANY] {
    let mut values = [0.0; MANY];
    for (value, share) in values.iter_mut().zip(shares) {
        *value = middle(*share);
    }
    for (value, share) in values.iter_mut().zip(shares) {
        if !(TAIL..=1.0 - TAIL).contains(share) {
            *value = quantile(*share);
        }
    }
    values
}

/// Constant: probability at which the formula for the normal quantile changes: below it, and above one minus it, the
/// formula for the tails is used.
const TAIL: f64 = 0.02425;

#[inline(always)]
fn middle(p: f64) -> f64 {
    const A: [f64; 6] = [
        -3.969_683_028_665_376e1,
        2.209_460_984_245_205e2,
        -2.759_285_104_469_687e2,
        1.383_577_518_672_69e2,
        -3.066_479_806_614_716e1,
        2.506_628_277_459_239,
    ];
    const B: [f64; 5] = [
        -5.447_609_879_822_406e1,
        1.615_858_368_580_409e2,
        -1.556_989_798_598_866e2,
        6.680_131_188_771_972e1,
        -1.328_068_155_288_572e1,
    ];
    let q = p - 0.5;
    let r = q * q;
    (((((A[0] * r + A[1]) * r + A[2]) * r + A[3]) * r + A[4]) * r + A[5]) * q
        / (((((B[0] * r + B[1]) * r + B[2]) * r + B[3]) * r + B[4]) * r + 1.0)
}

fn tail(p: f64) -> f64 {
    const C: [f64; 6] = [
        -7.784_894_002_430_293e-3,
        -3.223_964_580_411_365e-1,
        -2.400_758_277_161_838,
        -2.549_732_539_343_734,
        4.374_664_141_464_968,
        2.938_163_982_698_783,
    ];
    const D: [f64; 4] =
        [7.784_695_709_041_462e-3, 3.224_671_290_700_398e-1, 2.445_134_137_142_996, 3.754_408_661_907_416];
    let q = (-2.0 * libm::log(p)).sqrt();
    (((((C[0] * q + C[1]) * q + C[2]) * q + C[3]) * q + C[4]) * q + C[5])
        / ((((D[0] * q + D[1]) * q + D[2]) * q + D[3]) * q + 1.0)
}

/// Returns the fraction (0 to 1) of a standard normal population above `z`.
pub fn above(z: f64) -> f64 {
    0.5 * libm::erfc(z / std::f64::consts::SQRT_2)
}

/// Returns the density of the standard normal distribution at `z`.
pub fn density(z: f64) -> f64 {
    libm::exp(-0.5 * z * z) / std::f64::consts::TAU.sqrt()
}

/// Returns the fraction (0 to 1) of a standard normal population between `z - down` and `z`, accurate also far out in a
/// tail, where the difference of two tail fractions would be lost in rounding.
pub fn between(z: f64, down: f64) -> f64 {
    /// Five-point Gauss-Legendre integration rule on the interval from 0 to 1: the position and the weight of each
    /// point.
    const RULE: [(f64, f64); 5] = [
        (0.046_910_077_030_668, 0.118_463_442_528_094_54),
        (0.230_765_344_947_158_45, 0.239_314_335_249_683_23),
        (0.5, 0.284_444_444_444_444_44),
        (0.769_234_655_052_841_5, 0.239_314_335_249_683_23),
        (0.953_089_922_969_332, 0.118_463_442_528_094_54),
    ];
    if down > 0.1 {
        return above(z - down) - above(z);
    }
    RULE.iter().map(|(place, weight)| weight * density(z - place * down)).sum::<f64>() * down
}

/// Returns the value at the quantile `u` (0 to 1) of the distribution of the largest of `count` standard normal values.
pub fn largest(count: f64, u: f64) -> f64 {
    // The largest of n lies below z with probability P(z)^n; 1 - u^(1/n) keeps its digits where p itself is 1.
    let upper = -libm::expm1(libm::log(u) / count);
    -quantile(upper)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_inverts_the_distribution() {
        for z in [-5.5, -3.0, -1.0, 0.0, 0.3, 2.0, 4.5, 6.0] {
            assert!((-quantile(above(z)) - z).abs() < 1e-6, "{z}");
        }
    }

    #[test]
    fn quantiles_together_are_those_of_each() {
        let stream = Stream::new(3);
        for block in 0..2000 {
            let shares: [f64; 16] = std::array::from_fn(|at| stream.uniform(16 * block + at as u64));
            let together = quantiles(&shares).map(f64::to_bits);
            assert_eq!(together, shares.map(|share| quantile(share).to_bits()));
        }
    }

    #[test]
    fn a_share_between_two_is_the_difference_of_those_above() {
        for z in [0.0, 0.5, 2.0, 4.0, 8.0] {
            for down in [1e-3, 0.01, 0.05, 0.099_999, 0.100_001, 1.0] {
                let ratio = between(z, down) / (above(z - down) - above(z));
                assert!((ratio - 1.0).abs() < 1e-11, "{z} less {down}: {ratio} of the difference");
            }
            assert!(between(z, 1e-12) > between(z, 0.999_999 * 1e-12) && between(z, 0.0) == 0.0, "{z}");
        }
    }

    #[test]
    fn a_value_belongs_to_its_number() {
        let stream = Stream::new(7).of(3);
        let forwards: Vec<u64> = (0..100).map(|i| stream.bits(i)).collect();
        let backwards: Vec<u64> = (0..100).rev().map(|i| stream.bits(i)).collect();
        assert!(forwards.iter().eq(backwards.iter().rev()));
        assert_ne!(Stream::new(7).of(4).bits(0), stream.bits(0));
    }

    #[test]
    fn values_are_normal() {
        let stream = Stream::new(1);
        let n = 200_000;
        let values: Vec<f64> = (0..n).map(|i| stream.normal(i)).collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n as f64;
        assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.01, "{mean} {variance}");
        let beyond = values.iter().filter(|v| **v > 3.0).count() as f64 / n as f64;
        assert!((beyond / above(3.0) - 1.0).abs() < 0.25, "{beyond}");
    }

    #[test]
    fn the_largest_of_many_grows_with_their_number() {
        assert!((largest(1.0, 0.5)).abs() < 1e-6);
        assert!((largest(1e6, 0.5) - 4.8).abs() < 0.1);
        assert!(largest(1e6, 0.9) > largest(1e6, 0.1));
    }
}
