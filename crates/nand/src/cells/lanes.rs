//! Values of many cells at once: normal values by counter, exponentials, in `f32`, a fixed number of cells a time.
//!
//! The loops have no branches and no calls, so that the compiler makes vector instructions of them. Each step is done for
//! all cells before the next: a polynomial is a chain of sums and products, each of which waits for the one before, and
//! while one waits, the others go on.
//!
//! The loops use only sums, products, quotients and square roots of `f32`, which IEEE 754 rounds alike on every machine;
//! nothing is contracted or reordered, so vectors and single values agree bit for bit. Logarithm, exponential and quantile
//! are polynomials fitted here (Chebyshev nodes); tests hold them against `normal.rs` and `libm`. All is inlined always,
//! as `kernels.rs` says.

use super::normal::Stream;

/// Constant: number of cells that vector code computes together (a lane).
pub const LANES: usize = 64;

/// Type of an array of one value for each of the 64 cells that vector code computes together.
pub type Lane = [f32; LANES];

/// Random stream whose values are drawn for a lane of cells at a time (64 cells that vector code computes together),
/// each from a 32-bit counter, the cell's number.
#[derive(Clone, Copy, Debug)]
pub struct LaneStream {
    start: u32,
    twist: u32,
}

impl From<Stream> for LaneStream {
    fn from(stream: Stream) -> Self {
        let key = stream.bits(0);
        Self { start: key as u32, twist: (key >> 32) as u32 }
    }
}

impl LaneStream {
    /// Returns 32 random bits for a counter: two multiply rounds (constants of the low-bias search of C. Wellons) with
    /// the second half of the key between them, so that two streams are no shifted copies of each other.
    #[inline(always)]
    const fn bits(self, counter: u32) -> u32 {
        let mut x = counter.wrapping_mul(0x9e37_79b9).wrapping_add(self.start);
        x = (x ^ (x >> 16)).wrapping_mul(0x21f0_aaad) ^ self.twist;
        x = (x ^ (x >> 15)).wrapping_mul(0xd35a_2d97);
        x ^ (x >> 15)
    }

    /// Returns 32 random bits for each cell of a lane (64 cells), from the cell of index `first` on.
    #[inline(always)]
    fn draws(self, first: usize) -> [u32; LANES] {
        let mut draws = [0; LANES];
        for (index, bits) in draws.iter_mut().enumerate() {
            *bits = self.bits((first + index) as u32);
        }
        draws
    }

    /// Returns a standard normal value, between -6.4 and 6.4, for each cell of a lane (64 cells), from the cell of
    /// index `first` on.
    #[inline(always)]
    pub fn normals(self, first: usize) -> Lane {
        normals_of(&self.draws(first))
    }

    /// Returns a Laplace value of mean magnitude one, between -22 and 22, for each cell of a lane (64 cells), from the
    /// cell of index `first` on.
    #[inline(always)]
    pub fn laplaces(self, first: usize) -> Lane {
        let draws = self.draws(first);
        let mut values = exponentials_of(&draws);
        for (value, bits) in values.iter_mut().zip(&draws) {
            *value = f32::from_bits(value.to_bits() ^ (bits << 31));
        }
        values
    }

    /// Returns an exponentially distributed value of mean one, from 0 to 22, for each cell of a lane (64 cells), from
    /// the cell of index `first` on.
    #[inline(always)]
    pub fn exponentials(self, first: usize) -> Lane {
        exponentials_of(&self.draws(first))
    }
}

/// Converts 32 random bits for each cell of a lane (64 cells) to exponentially distributed values of mean one: 31 of
/// the 32 bits are a tail probability whose logarithm is 0 to -22.
#[inline(always)]
fn exponentials_of(draws: &[u32; LANES]) -> Lane {
    let mut values = [0.0; LANES];
    for (value, bits) in values.iter_mut().zip(draws) {
        *value = ((bits >> 1) as i32 as f32 + 0.5) * (1.0 / 2_147_483_648.0);
    }
    logarithms(&mut values);
    for value in &mut values {
        *value = -*value;
    }
    values
}

/// Converts 32 uniform random bits to a standard normal value, for each cell of a lane (64 cells): 31 bits choose a
/// tail probability up to one half, one bit the side.
#[inline(always)]
fn normals_of(draws: &[u32; LANES]) -> Lane {
    let mut values = [0.0; LANES];
    for (value, bits) in values.iter_mut().zip(draws) {
        *value = ((bits >> 1) as i32 as f32 + 0.5) * (1.0 / 4_294_967_296.0);
    }
    logarithms(&mut values);
    upper_quantiles(&mut values);
    for (value, bits) in values.iter_mut().zip(draws) {
        *value = f32::from_bits(value.to_bits() ^ (bits << 31));
    }
    values
}

/// Replaces each of 64 logarithms of tail probabilities, from one half to 1e-10, by the standard normal quantile,
/// within 1e-5. The polynomial is in t, where the probability is exp(-t^2/2).
#[inline(always)]
fn upper_quantiles(logs: &mut Lane) {
    const CENTRE: f32 = 3.970_557_8;
    const HALF_WIDTH_INVERSE: f32 = 0.358_018_13;
    const C: [f32; 12] = [
        3.368_988,
        3.056_831_8,
        -0.135_311_48,
        0.074_078_8,
        -0.040_127_218,
        0.022_158_047,
        -0.020_803,
        0.015_159_689,
        0.005_536_970_7,
        -0.006_110_064,
        -0.009_301_518,
        0.006_859_514_4,
    ];
    for value in &mut *logs {
        let t = (-2.0 * *value).sqrt();
        *value = (t - CENTRE) * HALF_WIDTH_INVERSE;
    }
    *logs = horner(&C, logs);
    for value in logs {
        // The median's own value is zero; rounding must not carry it to the other side.
        *value = value.max(0.0);
    }
}

/// Replaces each of 64 values, normal positive numbers, by its natural logarithm, with an error within 2e-7 of the
/// magnitude.
#[inline(always)]
fn logarithms(values: &mut Lane) {
    const TWO_THIRDS: u32 = 0x3f2a_aaab;
    const C: [f32; 9] = [
        1.0,
        -0.499_999_3,
        0.333_331_58,
        -0.250_080_26,
        0.200_124_26,
        -0.164_127_99,
        0.139_807_09,
        -0.154_031_56,
        0.140_873_23,
    ];
    let mut exponents = [0.0; LANES];
    for (value, power) in values.iter_mut().zip(&mut exponents) {
        let bits = value.to_bits();
        let exponent = (bits.wrapping_sub(TWO_THIRDS) as i32) >> 23;
        let mantissa = f32::from_bits(bits.wrapping_sub((exponent << 23) as u32));
        (*value, *power) = (mantissa - 1.0, exponent as f32);
    }
    let sums = horner(&C, values);
    for ((value, sum), power) in values.iter_mut().zip(sums).zip(exponents) {
        *value = sum * *value + power * std::f32::consts::LN_2;
    }
}

/// Replaces each of 64 values x, from -80 to 80, by e^x, with a relative error below 2e-6.
#[inline(always)]
pub fn powers(values: &mut Lane) {
    const C: [f32; 6] =
        [1.0, std::f32::consts::LN_2, 0.240_221_07, 0.055_503_27, 0.009_676_037, 0.001_340_043_3];
    let mut wholes = [0.0; LANES];
    for (value, whole) in values.iter_mut().zip(&mut wholes) {
        let power = value.clamp(-80.0, 80.0) * std::f32::consts::LOG2_E;
        *whole = round(power);
        *value = power - *whole;
    }
    *values = horner(&C, values);
    for (value, whole) in values.iter_mut().zip(wholes) {
        // Adding to the exponent field multiplies by the power of two.
        let exponent = ((whole + MAGIC).to_bits() << 23).wrapping_sub(MAGIC.to_bits() << 23);
        *value = f32::from_bits(value.to_bits().wrapping_add(exponent));
    }
}

/// The number 1.5 x 2^23: in a sum with this number, the last bits of an `f32` are the nearest whole number, which
/// rounds a value.
const MAGIC: f32 = 12_582_912.0;

/// Returns the whole number nearest to `x`, for magnitudes up to four million.
#[inline(always)]
pub fn round(x: f32) -> f32 {
    (x + MAGIC) - MAGIC
}

/// Returns the smallest whole number that is not below `x`, for magnitudes up to four million.
#[inline(always)]
pub fn ceil(x: f32) -> f32 {
    let near = round(x);
    near + if near < x { 1.0 } else { 0.0 }
}

#[inline(always)]
fn horner<const N: usize>(coefficients: &[f32; N], values: &Lane) -> Lane {
    let mut sums = [coefficients[N - 1]; LANES];
    for coefficient in coefficients[..N - 1].iter().rev() {
        for (sum, value) in sums.iter_mut().zip(values) {
            *sum = *sum * value + coefficient;
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::super::normal::{above, quantile};
    use super::*;

    #[test]
    fn normals_are_quantiles_of_their_bits() {
        let all: Vec<u32> =
            (0..=u32::MAX).step_by(99_991).chain([0, 1, 2, 3, u32::MAX, u32::MAX - 1]).collect();
        let ours = all.chunks(LANES).flat_map(|chunk| {
            let mut draws = [0; LANES];
            draws[..chunk.len()].copy_from_slice(chunk);
            normals_of(&draws)
        });
        for (bits, ours) in all.iter().zip(ours.map(f64::from)) {
            let tail = (f64::from(bits >> 1) + 0.5) / 4_294_967_296.0;
            let sign = if bits & 1 == 1 { -1.0 } else { 1.0 };
            assert!((ours + sign * quantile(tail)).abs() < 1.5e-5, "{bits}: {ours}, {}", quantile(tail));
        }
    }

    #[test]
    fn moments_and_tails_are_normal() {
        let stream = LaneStream::from(Stream::new(11));
        let count = 1 << 22;
        let (mut sum, mut squares, mut cubes, mut beyond) = (0.0, 0.0, 0.0, [0u32; 5]);
        for first in (0..count).step_by(LANES) {
            for value in stream.normals(first).map(f64::from) {
                sum += value;
                squares += value * value;
                cubes += value * value * value;
                for (z, seen) in beyond.iter_mut().enumerate() {
                    *seen += u32::from(value.abs() > z as f64 + 0.5);
                }
            }
        }
        let n = f64::from(count as u32);
        // Four standard errors of each.
        assert!((sum / n).abs() < 4.0 / n.sqrt());
        assert!((squares / n - 1.0).abs() < 4.0 * (2.0 / n).sqrt());
        assert!((cubes / n).abs() < 4.0 * (15.0 / n).sqrt());
        for (z, seen) in beyond.into_iter().enumerate() {
            let expected = 2.0 * above(z as f64 + 0.5) * n;
            assert!((f64::from(seen) - expected).abs() < 4.0 * expected.sqrt(), "{z}.5: {seen}, {expected}");
        }
    }

    #[test]
    fn neighbours_and_streams_do_not_follow_each_other() {
        let count = 1 << 18;
        let (one, other) = (LaneStream::from(Stream::new(1)), LaneStream::from(Stream::new(2)));
        let values = |stream: LaneStream| -> Vec<f64> {
            (0..count).step_by(LANES).flat_map(|first| stream.normals(first)).map(f64::from).collect()
        };
        let (a, b) = (values(one), values(other));
        let bound = 4.5 / f64::from(count as u32).sqrt();
        let follows =
            |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>() / x.len() as f64;
        for lag in [1, 2, 3, 16, 64, 1024] {
            assert!(follows(&a, &a[lag..]).abs() < bound, "lag {lag}");
            assert!(follows(&a, &b[lag..]).abs() < bound, "other stream, lag {lag}");
        }
        assert!(follows(&a, &b).abs() < bound);
    }

    #[test]
    fn a_value_belongs_to_its_cell() {
        let stream = LaneStream::from(Stream::new(5));
        let (whole, shifted) = (stream.normals(0), stream.normals(7));
        assert_eq!(whole[7..], shifted[..LANES - 7]);
    }

    /// Returns, for the tests, the result of `function` for the number `of`, after a check that the result is equal at
    /// all 64 positions of a lane (the cells that vector code computes together).
    fn of_all(function: fn(&mut Lane), of: f32) -> f32 {
        let mut values = [of; LANES];
        function(&mut values);
        assert!(values.iter().all(|value| value.to_bits() == values[0].to_bits()), "{of}: {values:?}");
        values[0]
    }

    #[test]
    fn functions_agree_with_libm() {
        for step in 0..20_000 {
            let x = (step as f32 - 10_000.0) * 0.008;
            let theirs = libm::exp(f64::from(x));
            let ours = of_all(powers, x);
            assert!((f64::from(ours) / theirs - 1.0).abs() < 1e-5, "e to {x}: {ours} {theirs}");
            assert_eq!(ceil(x), libm::ceilf(x), "ceil {x}");
            let y = 1e-9 * libm::expf(0.001 * step as f32);
            let (ours, theirs) = (of_all(logarithms, y), libm::logf(y));
            assert!((ours - theirs).abs() <= 1e-6 + 3e-7 * theirs.abs(), "logarithm of {y}");
        }
    }
}
