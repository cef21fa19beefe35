//! Exponentials and logarithms of `f64`, to the bit those of `libm::exp` and `libm::log`: their sums and products in
//! their order, without their branches, so that the compiler makes vectors of a loop over many.

const LN_2_HIGH: f64 = f64::from_bits(0x3fe6_2e42_fee0_0000);
const LN_2_LOW: f64 = f64::from_bits(0x3dea_39ef_3579_3c76);
const P: [f64; 5] = [
    f64::from_bits(0x3fc5_5555_5555_553e),
    f64::from_bits(0xbf66_c16c_16be_bd93),
    f64::from_bits(0x3f11_566a_af25_de2c),
    f64::from_bits(0xbebb_bd41_c5d2_6bf1),
    f64::from_bits(0x3e66_3769_72be_a4d0),
];
/// Constant: magnitude of the exponent x from which on the computation of e^x first subtracts a multiple of ln 2 from
/// x. As in `libm`, only the upper half of the bits is compared.
const REDUCED: f64 = f64::from_bits(0x3fd6_2e43_0000_0000);
/// Constant: magnitude of the exponent x below which e^x is computed as 1 + x.
const TINY: f64 = f64::from_bits(0x3e30_0001_0000_0000);
/// Constant: magnitude of the exponent x beyond which e^x is no normal number or `libm` takes a special case; for
/// greater magnitudes the vector code does not compute e^x.
const PLAIN: f64 = 708.0;
/// Constant: upper half of the bits of the smallest number above the square root of a half. A logarithm is computed as
/// the logarithm of a number from this one up to twice this one, plus a multiple of ln 2.
const ROOT_HALF: u64 = 0x3fe6_a09e;
const L: [f64; 7] = [
    f64::from_bits(0x3fe5_5555_5555_5593),
    f64::from_bits(0x3fd9_9999_9997_fa04),
    f64::from_bits(0x3fd2_4924_9422_9359),
    f64::from_bits(0x3fcc_71c5_1d8e_78af),
    f64::from_bits(0x3fc7_4664_96cb_03de),
    f64::from_bits(0x3fc3_9a09_d078_c69f),
    f64::from_bits(0x3fc2_f112_df3e_5244),
];
/// The number 2^52, for rounding: a sum with a smaller number above zero has no fractional digits.
const WHOLE: f64 = 4_503_599_627_370_496.0;
/// The number 1.5 x 2^52, for conversion to a whole number: a sum with a whole number, also below zero, has that number
/// in its last bits.
const COUNT: f64 = 6_755_399_441_055_744.0;

/// Returns true if e to the power of `value` is computed exactly as by `libm`: the magnitude is below 708.
#[inline(always)]
pub(crate) fn is_plain(value: f64) -> bool {
    value.abs() < PLAIN
}

/// Returns e to the power of `value`, to the bit as `libm::exp` does, for a value that [`is_plain`] accepts.
#[inline(always)]
pub(crate) fn power(value: f64) -> f64 {
    let size = value.abs();
    let turns = size * std::f64::consts::LOG2_E + 0.5;
    let near = (turns + WHOLE) - WHOLE;
    let cut = near - if near > turns { 1.0 } else { 0.0 };
    let k = if size >= REDUCED { cut.copysign(value) } else { 0.0 };
    let high = value - k * LN_2_HIGH;
    let low = k * LN_2_LOW;
    let x = high - low;
    let xx = x * x;
    let c = x - xx * (P[0] + xx * (P[1] + xx * (P[2] + xx * (P[3] + xx * P[4]))));
    let y = 1.0 + (x * c / (2.0 - c) - low + high);
    let scale = f64::from_bits((k + COUNT).to_bits().wrapping_add(1023) << 52);
    if size >= TINY { y * scale } else { 1.0 + value }
}

/// Returns the natural logarithm of a normal number above zero, to the bit as `libm::log` does.
#[inline(always)]
pub(crate) fn logarithm(value: f64) -> f64 {
    let bits = value.to_bits();
    let upper = (bits >> 32) + (0x3ff0_0000 - ROOT_HALF);
    // Small whole numbers have an exact place among the last digits of `COUNT`.
    let k = f64::from_bits(COUNT.to_bits() + (upper >> 20)) - (COUNT + 1023.0);
    let x = f64::from_bits((((upper & 0xf_ffff) + ROOT_HALF) << 32) | (bits & 0xffff_ffff));
    let f = x - 1.0;
    let half = 0.5 * f * f;
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (L[1] + w * (L[3] + w * L[5]));
    let odd = z * (L[0] + w * (L[2] + w * (L[4] + w * L[6])));
    s * (half + (odd + even)) + k * LN_2_LOW - half + f + k * LN_2_HIGH
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cells::normal::Stream;

    #[test]
    fn every_logarithm_is_that_of_libm() {
        let draws = Stream::new(6);
        let edges = [f64::MIN_POSITIVE, 0.5, std::f64::consts::FRAC_1_SQRT_2, 1.0, 2.0, 1e300, f64::MAX];
        let around = edges.into_iter().flat_map(|edge: f64| {
            [-2i64, -1, 0, 1, 2].map(|by| f64::from_bits(edge.to_bits().saturating_add_signed(by)))
        });
        let drawn = (0..400_000u64).map(|i| {
            let wide = [0.1, 3.0, 700.0][(i % 3) as usize];
            libm::exp(wide * (2.0 * draws.uniform(i) - 1.0))
        });
        for value in around.chain(drawn).filter(|value| value.is_normal()) {
            let (ours, theirs) = (logarithm(value), libm::log(value));
            assert!(ours.to_bits() == theirs.to_bits(), "{value:e}: {ours:e}, libm {theirs:e}");
        }
    }

    #[test]
    fn every_power_is_that_of_libm() {
        let draws = Stream::new(5);
        let edges =
            [0.0, TINY, REDUCED, 1.5 * std::f64::consts::LN_2, 1.0, PLAIN, 745.2, 710.0, f64::INFINITY];
        let around = edges.into_iter().flat_map(|edge: f64| {
            [-3i64, -2, -1, 0, 1, 2, 3].map(|by| f64::from_bits(edge.to_bits().saturating_add_signed(by)))
        });
        let turns = (0..2048).map(|half| f64::from(half) * 0.5 * std::f64::consts::LN_2);
        let drawn = (0..400_000u64).map(|i| {
            let wide = [1e-9, 1e-3, 1.0, 30.0, 740.0][(i % 5) as usize];
            wide * draws.uniform(i)
        });
        let sizes: Vec<f64> = around.chain(turns).chain(drawn).collect();
        for value in sizes.iter().flat_map(|size| [*size, -size]).filter(|value| is_plain(*value)) {
            let (ours, theirs) = (power(value), libm::exp(value));
            assert!(ours.to_bits() == theirs.to_bits(), "{value:e}: {ours:e}, libm {theirs:e}");
        }
    }
}
