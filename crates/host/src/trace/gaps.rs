//! The times between arrivals: mean, spread, quantiles, in constant memory.

use super::info::GapInfo;
use hdrhistogram::Histogram;

/// Constant: number of decimal digits to which quantiles of the intervals between requests are exact.
const DIGITS: u8 = 3;
/// Constant: greatest number of points of the cumulative distribution of intervals between requests that a report
/// lists, beside the last point: more than a picture can show.
const MOST_POINTS: usize = 400;

/// Record of the statistics of the interarrival times of a trace (intervals between successive requests): histogram,
/// sum and squares.
pub(crate) struct Gaps {
    histogram: Histogram<u64>,
    sum_ns: u128,
    /// Field: sum of the squares of the intervals between requests in ns²; a floating-point number, because the square
    /// of one long interval nearly fills 128 bits.
    squares: f64,
    /// Field: length of the longest interval between two requests, and the time at which it begins, in nanoseconds.
    pub longest: (u64, u64),
}

impl Gaps {
    /// Makes statistics of interarrival times without any interval yet.
    pub fn new() -> Self {
        let histogram = Histogram::new(DIGITS).expect("three digits are allowed");
        Self { histogram, sum_ns: 0, squares: 0.0, longest: (0, 0) }
    }

    /// Adds an interval between two requests of `gap_ns` nanoseconds that begins at time `from_ns`.
    #[inline]
    pub fn add(&mut self, gap_ns: u64, from_ns: u64) {
        self.sum_ns += u128::from(gap_ns);
        self.squares += gap_ns as f64 * gap_ns as f64;
        self.histogram.record(gap_ns).expect("the histogram grows to any value");
        if gap_ns > self.longest.0 {
            self.longest = (gap_ns, from_ns);
        }
    }

    /// Returns the summary of the interarrival times; `None` without any interval.
    pub fn info(&self) -> Option<GapInfo> {
        let count = self.histogram.len();
        if count == 0 {
            return None;
        }
        let at = |quantile| self.histogram.value_at_quantile(quantile);
        let mean_ns = self.sum_ns as f64 / count as f64;
        let variance = (self.squares / count as f64 - mean_ns * mean_ns).max(0.0);
        Some(GapInfo {
            mean_ns,
            variation: (mean_ns > 0.0).then(|| variance.sqrt() / mean_ns),
            p10_ns: at(0.1),
            p25_ns: at(0.25),
            p50_ns: at(0.5),
            p75_ns: at(0.75),
            p90_ns: at(0.9),
            p99_ns: at(0.99),
            p999_ns: at(0.999),
            max_ns: at(1.0),
            cumulative: self.cumulative(count),
        })
    }

    fn cumulative(&self, count: u64) -> Vec<(u64, f64)> {
        let (mut points, mut below) = (Vec::new(), 0);
        for bar in self.histogram.iter_recorded() {
            below += bar.count_since_last_iteration();
            points.push((bar.value_iterated_to(), below as f64 / count as f64));
        }
        let step = points.len().div_ceil(MOST_POINTS).max(1);
        let last = points.len() - 1;
        // The last point closes the distribution, so it stays where others are left out.
        points.into_iter().enumerate().filter(|(i, _)| i % step == 0 || *i == last).map(|(_, p)| p).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_pace_has_no_variation_and_two_values_have_their_own() {
        let mut gaps = Gaps::new();
        assert_eq!(gaps.info(), None);
        (0..10).for_each(|_| gaps.add(500, 0));
        let info = gaps.info().unwrap();
        assert_eq!((info.mean_ns, info.variation, info.p50_ns, info.max_ns), (500.0, Some(0.0), 500, 500));
        assert_eq!(info.cumulative, [(500, 1.0)]);
        let mut gaps = Gaps::new();
        // Nine of nothing and one of 1000: mean 100, variance 0.9 * 100^2 + 0.1 * 900^2 = 300^2.
        (0..9).for_each(|_| gaps.add(0, 0));
        gaps.add(1000, 0);
        let info = gaps.info().unwrap();
        assert_eq!((info.mean_ns, info.variation, info.p90_ns, info.max_ns), (100.0, Some(3.0), 0, 1000));
        assert_eq!(info.cumulative, [(0, 0.9), (1000, 1.0)]);
    }

    #[test]
    fn the_picture_has_few_points_and_ends_at_one() {
        let mut gaps = Gaps::new();
        (0..100_000u64).for_each(|i| gaps.add(i * i, 0));
        let points = gaps.info().unwrap().cumulative;
        assert!(points.len() <= MOST_POINTS + 1, "{}", points.len());
        assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1));
        assert_eq!(points.last().unwrap().1, 1.0);
    }
}
