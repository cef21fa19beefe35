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
}

/// Returns the index of the part of a sampled run's beginning from which on all parts take about equally long: the
/// part, in the first half, for which the standard error of the mean of the remaining parts is least (MSER: White
/// 1997).
pub(super) fn settled_after(parts: &[(u64, SimTime)]) -> usize {
    let pairs = parts.iter().zip(&parts[1..]);
    let times: Vec<f64> =
        pairs.map(|(from, to)| to.1.since(from.1).ns() as f64 / (to.0 - from.0).max(1) as f64).collect();
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
    use super::settled_after;
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
}
