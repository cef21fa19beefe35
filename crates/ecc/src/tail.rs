//! The upper tail of the binomial distribution, also where it is 10^-16 and less.

/// Constant: ratio of a term of the binomial tail to the sum from which on further terms are left out: they no longer
/// change the sum.
const NEGLIGIBLE: f64 = 1e-17;

/// Returns the chance that more than `t` of `n` bits are wrong, each independently with the chance `p`. The relative
/// error is about 1e-9 (that of the logarithms of factorials).
pub fn more_than(n: u32, t: u32, p: f64) -> f64 {
    if p <= 0.0 || t >= n {
        return 0.0;
    }
    if p >= 1.0 {
        return 1.0;
    }
    let odds = p / (1.0 - p);
    if f64::from(t) < p * f64::from(n) {
        // Below the mean the sum over what can be corrected is the smaller one.
        let mut sum = 0.0;
        let mut term = point(n, t, p);
        for k in (0..=t).rev() {
            sum += term;
            if term <= sum * NEGLIGIBLE {
                break;
            }
            term *= f64::from(k) / (f64::from(n - k + 1) * odds);
        }
        return (1.0 - sum).clamp(0.0, 1.0);
    }
    let mut sum = 0.0;
    let mut term = point(n, t + 1, p);
    for k in t + 1..=n {
        sum += term;
        if term <= sum * NEGLIGIBLE {
            break;
        }
        term *= f64::from(n - k) / f64::from(k + 1) * odds;
    }
    sum.min(1.0)
}

/// Returns the chance that at least one of `n` independent events happens, each with the chance `p`.
pub fn any_of(n: u64, p: f64) -> f64 {
    -libm::expm1(n as f64 * libm::log1p(-p.clamp(0.0, 1.0)))
}

/// Returns the chance of exactly `k` wrong bits among `n` bits, each wrong with the chance `p`.
fn point(n: u32, k: u32, p: f64) -> f64 {
    let [n, k] = [n, k].map(f64::from);
    let ways = libm::lgamma(n + 1.0) - libm::lgamma(k + 1.0) - libm::lgamma(n - k + 1.0);
    libm::exp(ways + k * libm::log(p) + (n - k) * libm::log1p(-p))
}

/// Returns the greatest raw bit error rate at which the chance that more than `t` of `n` bits are wrong is at most
/// `target`.
pub fn greatest_rate(n: u32, t: u32, target: f64) -> f64 {
    let (mut low, mut high) = (libm::log(1e-18), libm::log(0.5));
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if more_than(n, t, libm::exp(middle)) <= target {
            low = middle;
        } else {
            high = middle;
        }
    }
    libm::exp(low)
}

/// Returns the least number of errors in `n` bits that a code must correct so that, at bit error rate `p`, the chance
/// of more errors is at most `target`.
pub fn fewest_correctable(n: u32, p: f64, target: f64) -> u32 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if more_than(n, middle, p) <= target {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tails_of_a_few_coins_are_counted_out() {
        // Of 5 fair coins: 16 of 32 ways have more than two heads, 1 has more than four, 31 more than none.
        for (t, ways) in [(2, 16.0), (4, 1.0), (0, 31.0)] {
            let tail = more_than(5, t, 0.5);
            assert!((tail - ways / 32.0).abs() < 1e-12, "more than {t} of 5: {tail}");
        }
        assert_eq!(more_than(5, 5, 0.5), 0.0);
        assert_eq!(more_than(5, 2, 0.0), 0.0);
    }

    #[test]
    fn the_inverses_are_inverses() {
        for (n, t) in [(4148, 4), (8752, 40), (36_864, 300)] {
            let rate = greatest_rate(n, t, 1e-12);
            assert!(
                more_than(n, t, rate) <= 1e-12 && more_than(n, t, rate * 1.001) > 1e-12,
                "{n} {t} {rate}"
            );
            assert_eq!(fewest_correctable(n, rate, 1e-12), t);
        }
    }
}
