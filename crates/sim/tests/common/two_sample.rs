//! Do two samples come from one distribution? Rank tests, which ask for no shape, and the correction for many of them.

/// Returns the probability of the standard normal distribution beyond `z` on both sides (Abramowitz and Stegun 7.1.26:
/// within 1.5e-7; beyond four sigma by the leading terms of the asymptotic series, within a tenth).
fn two_sided(z: f64) -> f64 {
    let x = z.abs() / std::f64::consts::SQRT_2;
    if x > 2.8 {
        let series = 1.0 - 1.0 / (2.0 * x * x) + 3.0 / (4.0 * x.powi(4));
        return (-x * x).exp() / (x * std::f64::consts::PI.sqrt()) * series;
    }
    let t = 1.0 / (1.0 + 0.327_591_1 * x);
    let series = [1.061_405_429, -1.453_152_027, 1.421_413_741, -0.284_496_736, 0.254_829_592];
    series.iter().fold(0.0, |sum, factor| (sum + factor) * t) * (-x * x).exp()
}

/// Returns the probability that two samples of one distribution differ in rank as much as `a` and `b` (Mann and
/// Whitney, Annals of Mathematical Statistics 18(1), 1947), by the normal approximation with ties.
pub fn mann_whitney(a: &[f64], b: &[f64]) -> f64 {
    let mut all: Vec<(f64, bool)> =
        a.iter().map(|&x| (x, true)).chain(b.iter().map(|&x| (x, false))).collect();
    all.sort_by(|x, y| x.0.total_cmp(&y.0));
    let (n, m, total) = (a.len() as f64, b.len() as f64, all.len() as f64);
    let (mut ranks, mut ties, mut from) = (0.0, 0.0, 0);
    while from < all.len() {
        let to = from + all[from..].iter().take_while(|(x, _)| *x == all[from].0).count();
        let mean_rank = (from + 1 + to) as f64 / 2.0;
        ranks += mean_rank * all[from..to].iter().filter(|(_, first)| *first).count() as f64;
        ties += ((to - from) as f64).powi(3) - (to - from) as f64;
        from = to;
    }
    let distance = (ranks - n * (n + 1.0) / 2.0 - n * m / 2.0).abs();
    let variance = n * m / 12.0 * (total + 1.0 - ties / (total * (total - 1.0)));
    if variance <= 0.0 { 1.0 } else { two_sided((distance - 0.5).max(0.0) / variance.sqrt()) }
}

/// Returns the greatest distance (0 to 1) between the empirical distribution functions of two samples.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let below = |sample: &[f64], x: f64| {
        sample.iter().filter(|&&value| value <= x).count() as f64 / sample.len() as f64
    };
    a.iter().chain(b).map(|&x| (below(a, x) - below(b, x)).abs()).fold(0.0, f64::max)
}

/// Returns the probability that two samples of one distribution are as far apart as `a` and `b` (Kolmogorov and
/// Smirnov), by the asymptotic series, which gives somewhat too much for small samples.
pub fn kolmogorov_smirnov(a: &[f64], b: &[f64]) -> f64 {
    let (n, m) = (a.len() as f64, b.len() as f64);
    let lambda = distance(a, b) * (n * m / (n + m)).sqrt();
    if lambda < 0.2 {
        return 1.0;
    }
    let term = |k: i32| (-2.0 * (f64::from(k) * lambda).powi(2)).exp() * if k % 2 == 1 { 1.0 } else { -1.0 };
    (2.0 * (1..=100).map(term).sum::<f64>()).clamp(0.0, 1.0)
}

/// Record of one statistical comparison of many: its name, the probability of such a difference by chance, and details.
pub struct Compared {
    pub name: String,
    pub chance: f64,
    pub detail: String,
}

/// Returns the comparisons that differ more than chance allows: if none differed in truth, one would be returned with
/// probability `alarm` at most, with any dependence among them (Holm, Scandinavian Journal of Statistics 6(2), 1979).
pub fn differing(mut compared: Vec<Compared>, alarm: f64) -> Vec<Compared> {
    compared.sort_by(|x, y| x.chance.total_cmp(&y.chance));
    let count = compared.len();
    let kept = (0..count).take_while(|&at| compared[at].chance <= alarm / (count - at) as f64).count();
    compared.truncate(kept);
    compared
}
