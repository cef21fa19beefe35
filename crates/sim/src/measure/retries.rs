//! Reads of the host by the retries that they took.

use crate::measure::latencies::Latencies;
use crate::sections::sections;

sections! {
    /// Reads of the host by retries. Lists begin with no retry and end with the most that occurred.
    ByRetries {
        /// The share of reads that took a retry; null without reads.
        share: Option<f64> = "ratio",
        /// Reads with so many retries; the eighth entry counts more, too.
        requests: Vec<u64> = "requests",
        /// Their mean latency; null without such reads.
        latency_ns_mean: Vec<Option<f64>> = "ns",
    }
}

/// More retries are counted with the last.
const RETRIES_MAX: usize = 7;

/// Reads of the host that took retries, and their latency, by the most retries of one of their flash reads.
#[derive(Default)]
pub(crate) struct Retried {
    requests: [u64; RETRIES_MAX],
    latency_sum_ns: [u128; RETRIES_MAX],
}

impl Retried {
    #[cold]
    pub fn add(&mut self, retries: u8, latency_ns: u64) {
        let at = usize::from(retries).min(RETRIES_MAX) - 1;
        self.requests[at] += 1;
        self.latency_sum_ns[at] += u128::from(latency_ns);
    }

    /// Returns all of `reads` by retries, from none on, and the mean latency of each.
    pub fn by_retries(&self, reads: &Latencies) -> ByRetries {
        let (requests, sum): (u64, u128) = (self.requests.iter().sum(), self.latency_sum_ns.iter().sum());
        let mut rows = vec![(reads.requests() - requests, reads.latency_sum_ns - sum)];
        rows.extend(self.requests.iter().copied().zip(self.latency_sum_ns));
        let most = rows.iter().rposition(|(requests, _)| *requests > 0).unwrap_or(0);
        let mean = |(requests, sum): &(u64, u128)| (*requests > 0).then(|| *sum as f64 / *requests as f64);
        ByRetries {
            share: mean(&(reads.requests(), u128::from(requests))),
            requests: rows[..=most].iter().map(|(requests, _)| *requests).collect(),
            latency_ns_mean: rows[..=most].iter().map(mean).collect(),
        }
    }
}
