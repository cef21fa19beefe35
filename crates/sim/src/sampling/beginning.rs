//! The first requests of a sampled run, by which it is seen when the drive has settled.

use units::SimTime;

/// Record of the first requests of a sampled run (its beginning), in parts; their times show when the drive has
/// settled.
#[derive(Default)]
pub(super) struct BeginningSeen {
    /// Number of requests answered before the sampled run, in a ramp of the workload.
    pub base: u64,
    /// List of pairs (number of the run's requests answered, simulated time), one at the start of the first part of a
    /// sampled run's beginning and one at the end of each part.
    pub ends: Vec<(u64, SimTime)>,
    /// Number of requests of each part of a sampled run's beginning.
    pub part: u64,
    /// Number of requests after which the drive had settled by the first parts, before the beginning became longer;
    /// `None` before that is known.
    pub settled: Option<u64>,
}

impl BeginningSeen {
    /// Returns the number of requests after which the drive settles: by the parts so far, or by those at the first call,
    /// as what is only due at the start of a run takes longer than warm-ups of windows need.
    pub fn settled(&mut self) -> u64 {
        let found = self.ends[settled_after(&self.ends) + 1].0 - self.ends[0].0;
        *self.settled.get_or_insert(found)
    }

    /// Makes each two parts of the beginning one, so that as many requests as so far belong to the beginning, too.
    pub fn lengthen(&mut self) {
        self.ends = self.ends.iter().step_by(2).copied().collect();
        self.part *= 2;
    }
}

/// Constant: number of standard errors by which two quarters of a sampled run's beginning may differ by chance (about
/// one in a hundred differs by more, with five parts in each).
const CHANCE: f64 = 3.4;

/// Returns, for each part of a sampled run's beginning, the time in ns that it took for a request.
fn times(parts: &[(u64, SimTime)]) -> Vec<f64> {
    let pairs = parts.iter().zip(&parts[1..]);
    pairs.map(|(from, to)| to.1.since(from.1).ns() as f64 / (to.0 - from.0).max(1) as f64).collect()
}

/// Returns true if requests still take more or less time from part to part at the end of a sampled run's beginning: its
/// third and its last quarter differ by more than chance.
pub(super) fn is_changing(parts: &[(u64, SimTime)]) -> bool {
    let times = times(parts);
    let quarter = times.len() / 4;
    if quarter < 2 {
        return false;
    }
    let moments = |of: &[f64]| {
        let mean = of.iter().sum::<f64>() / of.len() as f64;
        let squares: f64 = of.iter().map(|time| (time - mean).powi(2)).sum();
        (mean, squares / (of.len() * (of.len() - 1)) as f64)
    };
    let (third, last) = (moments(&times[2 * quarter..3 * quarter]), moments(&times[times.len() - quarter..]));
    (third.0 - last.0).abs() > CHANCE * (third.1 + last.1).sqrt()
}

/// Returns the index of the part of a sampled run's beginning from which on all parts take about equally long: the
/// part, in the first half, for which the standard error of the mean of the remaining parts is least (MSER: White
/// 1997).
fn settled_after(parts: &[(u64, SimTime)]) -> usize {
    let times = times(parts);
    let error = |from: &usize| {
        let rest = &times[*from..];
        let mean = rest.iter().sum::<f64>() / rest.len() as f64;
        let squares: f64 = rest.iter().map(|time| (time - mean).powi(2)).sum();
        squares / (rest.len() as f64).powi(2)
    };
    (0..times.len() / 2).min_by(|a, b| error(a).total_cmp(&error(b))).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{is_changing, settled_after};
    use units::SimTime;

    /// Makes, for a test, the pairs (requests answered, time) at the ends of parts of ten requests each, of which
    /// `times` are the durations in ns.
    fn parts(times: impl IntoIterator<Item = u64>) -> Vec<(u64, SimTime)> {
        let mut parts = vec![(0, SimTime::ZERO)];
        for time in times {
            let (requests, before) = parts[parts.len() - 1];
            parts.push((requests + 10, SimTime::from_ns(before.ns() + time)));
        }
        parts
    }

    #[test]
    fn a_drive_has_settled_when_its_parts_are_alike() {
        let noise = |at: u64| 1_000 + at % 2 * 10;
        assert_eq!(settled_after(&parts((0..4).map(|at| 100 + 200 * at).chain((0..16).map(noise)))), 4);
        assert!(settled_after(&parts((0..20).map(noise))) < 10);
    }

    #[test]
    fn a_drive_that_still_changes_has_not_settled() {
        let noise = |at: u64| 1_000 + at * 7 % 4 * 20;
        assert!(!is_changing(&parts((0..20).map(noise))));
        assert!(is_changing(&parts((0..20).map(|at| 2_000 - 50 * at + noise(at)))));
    }
}
